"""How well genres are told. In: the folder of shared pages. Out: the figures of docs/strategies/genre.md.

All by forests that saw no page of the tested page's site; the last draw by the built-in model as it is.

Command line: python -m tools.genre.accuracy ../shared
Expected time: a minute and a quarter.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lycosa.methods.genre.evidence import built_in_model
from lycosa.methods.genre.signs import genre_features
from lycosa.methods.genre.training import GenreExample, GenreFigures, GenreSettings, cross_validate
from tools.genre.examples import (
    REAL,
    UNIVERSITY,
    Pages,
    drawn_later,
    genre_examples,
    labelled_documents,
    university_pages,
    with_types,
)

SPLITS = (0, 1, 2)
"""Random seeds: how pages are split into folds, and how trees are grown."""


def report(pages: Pages, typed: Pages) -> list[str]:
    """The lines that are printed: of labelled pages, and of pages of universities by their own types."""
    lines = ["| | accuracy | always the most frequent genre |", "|---|---|---|"]
    five, twelve = genre_examples(pages, extended=False), genre_examples([*pages, *typed], extended=True)
    whole = [cross_validate(five, GenreSettings(random_seed=seed, left_out=UNIVERSITY)) for seed in SPLITS]
    lines.append(_line(f"five genres, all features, {whole[0].tested} pages", whole))
    nine = [cross_validate(five, GenreSettings(random_seed=seed, paper=True)) for seed in SPLITS]
    lines.append(_line("five genres, the paper's nine features", nine))
    dated = _tested([label.web == "dates" and label.tested for label, _ in _trained(pages)], five)
    some = [cross_validate(dated, GenreSettings(random_seed=seed, left_out=UNIVERSITY)) for seed in SPLITS]
    lines.append(_line(f"five genres, only the {some[0].tested} pages of htmldate tested", some))
    extended = [cross_validate(twelve, GenreSettings(random_seed=seed)) for seed in SPLITS]
    lines.append(_line("twelve genres, all features", extended))
    for wide, name in ((False, "five"), (True, "twelve")):
        later = drawn_later(built_in_model(wide), pages, wide)
        share = f"{later.accuracy:.3f} ({round(later.accuracy * later.tested)} of {later.tested})"
        lines.append(f"| {name} genres, pages drawn later, built-in model | {share} | {later.majority:.3f} |")
    lines += ["", "Five genres, first split:", "", *_confusion(whole[0])]
    chosen = _tested([label.web in REAL for label, _ in _trained(pages)], twelve)
    rare = [cross_validate(chosen, GenreSettings(random_seed=seed)) for seed in SPLITS]
    lines += ["", "Twelve genres, pages that were chosen tested too:", "", *_recalls(rare)]
    return [*lines, "", "Pages of universities, each university held out:", "", *_universities(pages, typed)]


def _universities(pages: Pages, typed: Pages) -> list[str]:
    """How well course and faculty pages are told at universities that the forest has not seen."""
    examples = genre_examples([*pages, *typed], extended=True)
    of_types = [label.draw == "typed" for label, _ in _trained([*pages, *typed])]
    found = [cross_validate(_tested(of_types, examples), GenreSettings(random_seed=seed)) for seed in SPLITS]
    rows = [["", "pages", "precision", "recall"]]
    for genre in ("course", "faculty"):
        count = sum(label.extended == genre for label, _ in typed)
        precision = sum(one.precision(genre) for one in found) / len(found)
        recall = sum(one.recall(genre) for one in found) / len(found)
        rows.append([genre, str(count), f"{precision:.2f}", f"{recall:.2f}"])
    return _table(rows)


def _trained(pages: Pages) -> Pages:
    return [(label, features) for label, features in pages if label.draw != "later"]


def _tested(which: Sequence[bool], examples: Sequence[GenreExample]) -> list[GenreExample]:
    """The labelled examples with others of them tested; the made-up ones that follow them are never."""
    labelled = [replace(example, tested=test) for example, test in zip(examples, which, strict=False)]
    return [*labelled, *examples[len(which) :]]


def _line(name: str, figures: Sequence[GenreFigures]) -> str:
    accuracies = [one.accuracy for one in figures]
    each = ", ".join(f"{accuracy:.3f}" for accuracy in accuracies)
    return f"| {name} | {sum(accuracies) / len(accuracies):.3f} ({each}) | {figures[0].majority:.3f} |"


def _confusion(figures: GenreFigures) -> list[str]:
    head = ["", *figures.genres, "recall"]
    rows = [
        [genre, *map(str, row), f"{figures.recall(genre):.2f}"]
        for genre, row in zip(figures.genres, figures.confusion, strict=True)
    ]
    return _table([head, *rows])


def _recalls(figures: Sequence[GenreFigures]) -> list[str]:
    names = figures[0].genres
    found = [sum(one.recall(genre) for one in figures) / len(figures) for genre in names]
    tested = [sum(figures[0].confusion[row]) for row in range(len(names))]
    return _table([["", *names], ["pages", *map(str, tested)], ["recall", *(f"{one:.2f}" for one in found)]])


def _table(rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


if __name__ == "__main__":
    shared = Path(sys.argv[1])
    labelled = [(label, genre_features(document)) for label, document in labelled_documents(shared)]
    of_types = [(label, genre_features(document)) for label, document in university_pages(shared)]
    print("\n".join(report(with_types(labelled, shared), of_types)))

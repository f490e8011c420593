"""Measure the accuracy of genre models.

Each page is tested by a forest trained without its site; the last draw by the shipped model.

Command line: python -m research.genre.accuracy ../shared
Expected time: 40 seconds of CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lycosa.methods.genre.evidence import built_in_model
from lycosa.methods.genre.signs import genre_features
from lycosa.methods.genre.training import GenreExample, GenreFigures, GenreSettings, cross_validate
from research.genre.examples import (
    REAL,
    UNIVERSITY,
    Pages,
    drawn_later,
    genre_examples,
    labelled_documents,
    university_pages,
    with_types,
)
from research.measured import NOTEBOOKS, table, write_part

PAGE = NOTEBOOKS / "genre.md"
SPLITS = (0, 1, 2)
"""Random seeds for folds and trees."""


def tables(pages: Pages, typed: Pages) -> dict[str, str]:
    """Tables by mark: of labelled pages, and of university pages by WebKB's types."""
    rows = []
    five, twelve = genre_examples(pages, extended=False), genre_examples([*pages, *typed], extended=True)
    whole = [cross_validate(five, GenreSettings(random_seed=seed, left_out=UNIVERSITY)) for seed in SPLITS]
    rows.append(_row(f"five genres, all features, {whole[0].tested} pages", whole))
    nine = [cross_validate(five, GenreSettings(random_seed=seed, paper=True)) for seed in SPLITS]
    rows.append(_row("five genres, the paper's nine features", nine))
    dated = _tested([label.web == "dates" and label.tested for label, _ in _trained(pages)], five)
    some = [cross_validate(dated, GenreSettings(random_seed=seed, left_out=UNIVERSITY)) for seed in SPLITS]
    rows.append(_row(f"five genres, only the {some[0].tested} pages of htmldate tested", some))
    extended = [cross_validate(twelve, GenreSettings(random_seed=seed)) for seed in SPLITS]
    rows.append(_row("twelve genres, all features", extended))
    for wide, name in ((False, "five"), (True, "twelve")):
        later = drawn_later(built_in_model(wide), pages, wide)
        share = f"{later.accuracy:.3f} ({round(later.accuracy * later.tested)} of {later.tested})"
        rows.append([f"{name} genres, pages drawn later, built-in model", share, f"{later.majority:.3f}"])
    chosen = _tested([label.web in REAL for label, _ in _trained(pages)], twelve)
    rare = [cross_validate(chosen, GenreSettings(random_seed=seed)) for seed in SPLITS]
    return {
        "accuracy": table(["", "accuracy", "always the most frequent genre"], rows),
        "five genres": _confusion(whole[0]),
        "rare genres": _recalls(rare),
        "universities": _universities(pages, typed),
    }


def _universities(pages: Pages, typed: Pages) -> str:
    """Precision and recall of course and faculty pages at unseen universities."""
    examples = genre_examples([*pages, *typed], extended=True)
    of_types = [label.draw == "typed" for label, _ in _trained([*pages, *typed])]
    found = [cross_validate(_tested(of_types, examples), GenreSettings(random_seed=seed)) for seed in SPLITS]
    rows = []
    for genre in ("course", "faculty"):
        count = sum(label.extended == genre for label, _ in typed)
        precision = sum(one.precision(genre) for one in found) / len(found)
        recall = sum(one.recall(genre) for one in found) / len(found)
        rows.append([genre, str(count), f"{precision:.2f}", f"{recall:.2f}"])
    return table(["", "pages", "precision", "recall"], rows)


def _trained(pages: Pages) -> Pages:
    return [(label, features) for label, features in pages if label.draw != "later"]


def _tested(which: Sequence[bool], examples: Sequence[GenreExample]) -> list[GenreExample]:
    """The labelled examples with others of them tested. The made-up examples after them never test."""
    labelled = [replace(example, tested=test) for example, test in zip(examples, which, strict=False)]
    return [*labelled, *examples[len(which) :]]


def _row(name: str, figures: Sequence[GenreFigures]) -> list[str]:
    accuracies = [one.accuracy for one in figures]
    each = ", ".join(f"{accuracy:.3f}" for accuracy in accuracies)
    return [name, f"{sum(accuracies) / len(accuracies):.3f} ({each})", f"{figures[0].majority:.3f}"]


def _confusion(figures: GenreFigures) -> str:
    rows = [
        [genre, *map(str, row), f"{figures.recall(genre):.2f}"]
        for genre, row in zip(figures.genres, figures.confusion, strict=True)
    ]
    return table(["", *figures.genres, "recall"], rows)


def _recalls(figures: Sequence[GenreFigures]) -> str:
    names = figures[0].genres
    found = [sum(one.recall(genre) for one in figures) / len(figures) for genre in names]
    tested = [sum(figures[0].confusion[row]) for row in range(len(names))]
    return table(["", *names], [["pages", *map(str, tested)], ["recall", *(f"{one:.2f}" for one in found)]])


if __name__ == "__main__":
    shared = Path(sys.argv[1])
    labelled = [(label, genre_features(document)) for label, document in labelled_documents(shared)]
    of_types = [(label, genre_features(document)) for label, document in university_pages(shared)]
    for name, made in tables(with_types(labelled, shared), of_types).items():
        write_part(PAGE, name, made)

"""The classifiers that strategies want, fitted from example pages.

A crawl fits them in a process of their own, so that it never loads scikit-learn:

    python -m lycosa.learn.training.classifiers < job.msgpack
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from lycosa.errors import InputError, LycosaError, ModelError
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.examples import ExamplePage
from lycosa.learn.training.text import Example, Label, train_text
from lycosa.learn.training.text_forms import TextSettings

FIELDS = ("title", "body", "anchor")
"""The parts of a page that a classifier can keep apart."""
MODELS = ("text", "sublinear", "anchor-tree")
"""What `fit_models` can fit: text classifiers on pages (by tf·idf, and by its logarithm), and a decision tree on
anchor texts and titles."""


class Job(msgspec.Struct, frozen=True):
    """The models to fit."""

    wants: tuple[str, ...]
    pages: dict[Label, list[ExamplePage]]
    folder: str
    provenance: dict[str, str] = {}


def model_path(folder: Path, name: str) -> Path:
    """The file of a fitted model."""
    return folder / f"{name}.model"


def saved_models(wants: Sequence[str], folder: Path) -> dict[str, TextModel]:
    """The wanted models that are already fitted."""
    return {name: TextModel.load(path) for name in wants if (path := model_path(folder, name)).exists()}


def fit_in_child(
    wants: Sequence[str],
    pages: Mapping[Label, Sequence[ExamplePage]],
    folder: Path,
    provenance: Mapping[str, str],
) -> dict[str, TextModel]:
    """Fit and save the wanted models in a child process, and load them."""
    given = {label: list(group) for label, group in pages.items()}
    job = msgspec.msgpack.encode(Job(tuple(wants), given, str(folder), dict(provenance)))
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "lycosa.learn.training.classifiers"]
    child = subprocess.run(command, input=job, capture_output=True, check=False)
    if child.returncode == InputError.exit_code:
        raise InputError(child.stderr.decode("utf-8", "replace").strip())
    if child.returncode:
        last = child.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ModelError(
            f"Fitting the models failed ({''.join(last)}). If a package is missing or broken: "
            "pip install --force-reinstall lycosa"
        )
    return saved_models(wants, folder)


def fit_models(
    wants: Iterable[str],
    pages: Mapping[Label, Sequence[ExamplePage]],
    *,
    settings: TextSettings | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, TextModel]:
    """Fit the wanted models. Without negatives, unlabelled pages are learned from (PU learning)."""
    if not pages.get(Label.POSITIVE):
        raise InputError("There is no relevant example page to learn from. Add some to [topic] examples.")
    settings = settings or TextSettings()
    if not pages.get(Label.NEGATIVE):
        settings = msgspec.structs.replace(settings, pu=True)
    models = {}
    for name in wants:
        if name == "text":
            models[name] = train_text(_page_examples(pages, settings), settings, provenance=provenance)
        elif name == "sublinear":
            damped = msgspec.structs.replace(settings, classifier="linear", weighting="sublinear", fields=())
            models[name] = train_text(_page_examples(pages, damped), damped, provenance=provenance)
        elif name == "anchor-tree":
            tree = msgspec.structs.replace(settings, classifier="tree", min_documents=1, fields=())
            models[name] = train_text(_anchor_examples(pages), tree, provenance=provenance)
        else:
            raise InputError(f"There is no model {name!r} to fit. Known are: {', '.join(MODELS)}.")
    return models


def _page_examples(pages: Mapping[Label, Sequence[ExamplePage]], settings: TextSettings) -> list[Example]:
    return [
        Example(_fields(page) if settings.fields else page.terms, label, str(page.key))
        for label, group in pages.items()
        for page in group
    ]


def _fields(page: ExamplePage) -> dict[str, Mapping[str, int]]:
    anchors = chain.from_iterable(terms for _, terms in page.anchors)
    return {"title": Counter(page.title), "body": page.terms, "anchor": Counter(anchors)}


def _anchor_examples(pages: Mapping[Label, Sequence[ExamplePage]]) -> list[Example]:
    """Titles, which are much like anchors, and anchors of links between the example pages."""
    labels = {page.key: label for label, group in pages.items() for page in group}
    examples = []
    for label, group in pages.items():
        for page in group:
            examples.append(Example(Counter(page.title), label, str(page.key)))
            examples += [
                Example(Counter(terms), labels[target], str(target))
                for target, terms in page.anchors
                if target in labels and terms
            ]
    return examples


def main() -> int:
    """Do the job on standard input."""
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Job)
    try:
        for name, model in fit_models(job.wants, job.pages, provenance=job.provenance).items():
            model.save(model_path(Path(job.folder), name))
    except LycosaError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

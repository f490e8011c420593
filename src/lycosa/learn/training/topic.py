"""The classifiers that strategies want, fitted from example pages. In: pages. Out: models by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.example import ExamplePage
from lycosa.learn.training.text import Example, Label, train_text
from lycosa.learn.training.text_forms import TextSettings

FIELDS = ("title", "body", "anchor")
"""The parts of a page that a classifier can keep apart."""
MODELS = ("text", "sublinear", "anchor-tree")
"""What `fit_models` can fit: text classifiers on pages (by tf·idf, and by its logarithm), and a decision tree on
anchor texts and titles."""


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

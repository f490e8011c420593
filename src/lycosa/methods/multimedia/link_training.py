"""Fit the link classifier of the multimedia paper.

The vocabulary is that of the positive links; class weight and kernel width are chosen on five folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.evidence.link_text import link_terms, terms_without_places
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.tables import read_rows
from lycosa.learn.training.text import Example, Label, TextSettings, train_text
from lycosa.page.document import Document
from lycosa.values import Link

WEIGHTS = (1.0, 2.0, 4.0)
GAMMAS = (0.03, 0.1)
"""The grid: extra weight of positive links, and the kernel's γ."""


def train_links(
    examples: Sequence[Example],
    *,
    weights: Sequence[float] = WEIGHTS,
    gammas: Sequence[float] = GAMMAS,
    provenance: Mapping[str, Any] | None = None,
) -> TextModel:
    """Fit an RBF SVM with probabilities; of the settings tried, the one of the best held-out F1."""
    positives = [example.terms for example in examples if example.label is Label.POSITIVE]
    known = frozenset(term for terms in positives for term in terms)
    seen = [Example(_cut(example.terms, known), example.label, example.group) for example in examples]
    models = [
        train_text(
            seen,
            TextSettings(
                classifier="rbf",
                weighting="tfidf",
                min_documents=1,
                positive_weight=weight,
                gamma=gamma,
                c=3.0,
            ),
            provenance=provenance,
        )
        for weight, gamma in product(weights, gammas)
    ]
    return msgspec.structs.replace(max(models, key=_held_out_f1), of="links")


def links_of(document: Document, leads: Callable[[Link], bool], group: str = "") -> list[Example]:
    """The links of a page as examples; `leads` says which of them lead to a relevant page."""
    return [
        Example(terms, Label.POSITIVE if leads(link) else Label.NEGATIVE, group)
        for link, terms in zip(document.links, link_terms(document), strict=True)
        if terms
    ]


def read_links(path: Path, language: str = "english") -> list[Example]:
    """Links from a CSV with the columns anchor, before, after, relevant (1 or 0) and maybe page."""
    rows = read_rows(path, ("anchor", "relevant"), "anchor,before,after,relevant,page")
    texts = [" ".join(row.get(name) or "" for name in ("before", "anchor", "after")) for row in rows]
    marks = [(row["relevant"] or "").strip().lower() for row in rows]
    if wrong := next((number for number, mark in enumerate(marks, start=2) if mark not in _MARKS), None):
        raise InputError(f"{path}, line {wrong}: relevant is neither 1 nor 0.")
    return [
        Example(terms, _MARKS[mark], row.get("page") or "")
        for terms, mark, row in zip(terms_without_places(texts, language), marks, rows, strict=True)
    ]


_MARKS = {
    **dict.fromkeys(("1", "yes", "true"), Label.POSITIVE),
    **dict.fromkeys(("0", "no", "false"), Label.NEGATIVE),
}


def _cut(terms: Mapping[str, Any], known: frozenset[str]) -> dict[str, int]:
    return {term: count for term, count in terms.items() if term in known}


def _held_out_f1(model: TextModel) -> float:
    figures = model.metadata["cross_validation"]
    return float(figures["f1"]) if figures else 0.0

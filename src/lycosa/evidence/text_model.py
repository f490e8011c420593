"""A text classifier with its vocabulary and calibration: term counts to probabilities.

`lycosa.learn.training.text` fits it. Its terms are those of `lycosa.page.text.terms.count_terms`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, count, repeat
from operator import methodcaller
from pathlib import Path
from typing import Any, Literal, Self, cast

import msgspec
import numpy as np

from lycosa.errors import ModelError
from lycosa.evidence.model_file import load_model, save_model
from lycosa.evidence.text_classifiers import LARGEST, Batch, Form, Sigmoid
from lycosa.evidence.weighting import sublinear, tfc, tfidf
from lycosa.values import Floats

FORMAT = "lycosa text model 1"
CHUNK = 256
"""Texts per batch: a page with 100,000 links must not need a huge matrix."""

TermCounts = Mapping[str, int]
"""A text: how often each (stemmed) term occurs."""
FieldCounts = Mapping[str, TermCounts]
"""A text in fields, such as title, body and anchor; a missing field is an empty one."""
Texts = Sequence[TermCounts | FieldCounts]

Weighting = Literal["counts", "tfidf", "tfc", "sublinear"]
Of = Literal["pages", "links"]


class TextModel(msgspec.Struct, frozen=True, dict=True):
    """A fitted text classifier: how likely is a text relevant?

    Without `fields` a text is its term counts, and `vocabulary` has one tuple; with them a text
    maps field to term counts, and there is a tuple for each field. Terms outside the vocabulary and
    fields that the model does not have count for nothing. `weighting` is the one at prediction.
    A text is relevant if its decision value is at least `boundary`. `of` says what the texts are:
    pages (a text model), or the words about links (a link model).
    """

    form: Form
    vocabulary: tuple[tuple[str, ...], ...]
    idf: Floats
    weighting: Weighting = "tfc"
    fields: tuple[str, ...] = ()
    sigmoid: Sigmoid = Sigmoid(-1.0, 0.0)
    boundary: float = 0.0
    metadata: dict[str, Any] = {}
    of: Of = "pages"

    def __post_init__(self) -> None:
        if len(self.vocabulary) != max(1, len(self.fields)) or len(set(self.fields)) != len(self.fields):
            raise ValueError("fields and vocabularies do not match")
        if any(len(set(terms)) != len(terms) for terms in self.vocabulary):
            raise ValueError("a term is twice in the vocabulary")
        if len(self.idf) != sum(map(len, self.vocabulary)):
            raise ValueError("idf and vocabulary differ in length")
        if not (((self.idf >= 0) & (self.idf <= LARGEST)).all() and np.isfinite(self.boundary)):
            raise ValueError("an idf or the boundary is not a usable number")
        self.form.check(len(self.idf))

    @property
    def boundary_probability(self) -> float:
        """The probability at the decision boundary: a threshold for `scores`."""
        return float(self.sigmoid(np.array([self.boundary]))[0])

    def scores(self, texts: Texts) -> Floats:
        """The probability of relevance of each text."""
        return self.sigmoid(self.decision(texts))

    def decision(self, texts: Texts) -> Floats:
        """The decision value of each text: not bounded; 0 is where the classifier is undecided."""
        parts = [self._decide(texts[i : i + CHUNK]) for i in range(0, len(texts), CHUNK)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])

    def save(self, path: Path) -> None:
        """Write the model to a file; the same model gives the same bytes."""
        save_model(path, self, FORMAT)

    @classmethod
    def load(cls, path: Path, of: Of = "pages") -> Self:
        """Read a model, which may come from a stranger; ModelError if it cannot be used for that."""
        model = load_model(path, cls, FORMAT)
        if model.of != of:
            (found, _), (wanted, command) = _KINDS[model.of], _KINDS[of]
            raise ModelError(
                f"{path} is a {found} model; a {wanted} model is needed here. Train one: {command}"
            )
        return model

    @cached_property
    def _lookups(self) -> tuple[dict[str, int], ...]:
        return number_terms(self.vocabulary)

    def _decide(self, texts: Texts) -> Floats:
        batch = count_features(texts, self.fields, self._lookups)
        return self.form.decision(weigh(batch, self.idf, self.weighting))


_KINDS: dict[Of, tuple[str, str]] = {
    "pages": ("text", "lycosa train text"),
    "links": ("link", "lycosa train links"),
}


def number_terms(vocabulary: Sequence[Sequence[str]]) -> tuple[dict[str, int], ...]:
    """Term -> feature for each field; the fields' features follow one another."""
    number = count()
    return tuple({term: next(number) for term in terms} for terms in vocabulary)


def count_features(texts: Texts, fields: Sequence[str], lookups: Sequence[Mapping[str, int]]) -> Batch:
    """The counts of the known terms of each text, as a batch."""
    if not fields:
        return _look_up(cast(Sequence[TermCounts], texts), lookups[0])
    parts = [
        _look_up([text.get(field, {}) for text in cast(Sequence[FieldCounts], texts)], lookup)
        for field, lookup in zip(fields, lookups, strict=True)
    ]
    text = np.concatenate([part.text for part in parts])
    order = np.argsort(text, kind="stable")
    return Batch(
        len(texts),
        text[order],
        np.concatenate([part.feature for part in parts])[order],
        np.concatenate([part.value for part in parts])[order],
    )


def _look_up(texts: Sequence[TermCounts], lookup: Mapping[str, int]) -> Batch:
    """The loops over terms run inside numpy and itertools: this is most of a link's time."""
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    total = int(lengths.sum())
    feature = np.fromiter(map(lookup.get, chain.from_iterable(texts), repeat(-1)), np.intp, total)
    value = np.fromiter(chain.from_iterable(map(_VALUES, texts)), np.float64, total)
    known = np.flatnonzero(feature >= 0)
    text = np.repeat(np.arange(len(texts)), lengths)
    return Batch(len(texts), text[known], feature[known], value[known])


_VALUES = methodcaller("values")


def weigh(batch: Batch, idf: Floats, weighting: Weighting) -> Batch:
    """A batch of counts as a batch of weights."""
    if weighting == "counts":
        return batch
    idf_of_each = idf[batch.feature]
    if weighting == "tfidf":
        return batch._replace(value=tfidf(batch.value, idf_of_each))
    if weighting == "sublinear":
        return batch._replace(value=sublinear(batch.value, idf_of_each, batch.text, batch.size))
    return batch._replace(value=tfc(batch.value, idf_of_each, batch.text, batch.size))

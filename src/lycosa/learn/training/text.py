"""Fits text classifiers with scikit-learn, with held-out figures.

The figures are made with the code that runs at crawl time: vocabulary, idf and classifier come
from the training folds alone, and held-out texts are weighted as a crawl would weight them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.evidence import weighting as w
from lycosa.evidence.text_classifiers import Batch, Form, Sigmoid
from lycosa.evidence.text_model import (
    FieldCounts,
    TermCounts,
    TextModel,
    Weighting,
    count_features,
    number_terms,
    weigh,
)
from lycosa.learn.training.text_forms import (
    TextSettings,
    balance,
    fit_linear,
    fit_naive_bayes,
    fit_rbf,
    fit_tree,
    matrix,
)
from lycosa.learn.training.unlabelled import find_negatives
from lycosa.learn.training.validation import Figures, figures_of, fit_sigmoid, folds_by_group
from lycosa.values import Floats

__all__ = ["Example", "Label", "TextSettings", "train_text"]

Rows = NDArray[np.intp]


class Label(StrEnum):
    """The properties of an example."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    UNLABELLED = "unlabelled"


@dataclass(frozen=True, slots=True)
class Example:
    """A text to learn from. Examples of one group (a site, a page and its title) stay in one fold."""

    terms: TermCounts | FieldCounts
    label: Label
    group: str = ""


class _Corpus(NamedTuple):
    """All examples as one batch of counts over all their terms."""

    batch: Batch
    vocabulary: tuple[tuple[str, ...], ...]
    settings: TextSettings


class _Fitted(NamedTuple):
    """A classifier on some of the corpus's features: `features` are their numbers there."""

    features: Rows
    idf: Floats
    form: Form
    weighting: Weighting


class _Learnt(NamedTuple):
    fitted: _Fitted
    positives: Rows
    negatives: Rows  # given, or found among the unlabelled


def train_text(
    examples: Sequence[Example],
    settings: TextSettings | None = None,
    *,
    provenance: Mapping[str, Any] | None = None,
) -> TextModel:
    """Fit a text classifier; `provenance` (plain data) says in the model where the examples are from.

    The same examples, settings and random seed give the same model.
    """
    settings = settings or TextSettings()
    _check(examples, settings)
    notes: list[str] = []
    labels = np.array([_SIGN[example.label] for example in examples], np.int8)
    corpus = _corpus(examples, settings)
    _note_texts(corpus, labels, notes)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        learnt = _learn(corpus, labels, np.arange(len(examples)))
        sigmoid, figures = _validate(corpus, labels, [e.group for e in examples], learnt, notes)
    notes += sorted({str(warning.message) for warning in caught})
    fitted = learnt.fitted
    return TextModel(
        form=fitted.form,
        vocabulary=_names(corpus, fitted.features),
        idf=fitted.idf,
        weighting=fitted.weighting,
        fields=settings.fields,
        sigmoid=sigmoid,
        metadata={
            "settings": msgspec.to_builtins(settings),
            "examples": {label.value: int((labels == sign).sum()) for label, sign in _SIGN.items()},
            "trained_on": {"positive": len(learnt.positives), "negative": len(learnt.negatives)},
            "features": len(fitted.features),
            "cross_validation": msgspec.to_builtins(figures),
            "notes": notes,
            "provenance": dict(provenance or {}),
        },
    )


_SIGN = {Label.POSITIVE: 1, Label.NEGATIVE: -1, Label.UNLABELLED: 0}


def _check(examples: Sequence[Example], settings: TextSettings) -> None:
    given = {example.label for example in examples}
    if Label.POSITIVE not in given:
        raise InputError("No positive example to learn from. Name pages that are about the topic.")
    if settings.pu and Label.UNLABELLED not in given:
        raise InputError("pu = true needs unlabelled pages. Give some, or set pu = false.")
    if not settings.pu and Label.NEGATIVE not in given:
        raise InputError(
            "No negative example to learn from. Name pages that are not about the topic, "
            "or give unlabelled pages and set pu = true."
        )


def _corpus(examples: Sequence[Example], settings: TextSettings) -> _Corpus:
    texts = [example.terms for example in examples]
    if settings.fields:
        in_fields = cast(Sequence[FieldCounts], texts)
        vocabulary = tuple(_terms([text.get(field, {}) for text in in_fields]) for field in settings.fields)
    else:
        vocabulary = (_terms(cast(Sequence[TermCounts], texts)),)
    batch = count_features(texts, settings.fields, number_terms(vocabulary))
    if not len(batch.feature):
        raise InputError("The examples have no words. Are they pages with text, in the language you named?")
    return _Corpus(batch, vocabulary, settings)


def _terms(texts: Sequence[TermCounts]) -> tuple[str, ...]:
    return tuple(sorted(set().union(*texts)))


def _names(corpus: _Corpus, features: Rows) -> tuple[tuple[str, ...], ...]:
    """The terms of those features, field by field."""
    starts = np.cumsum([0, *map(len, corpus.vocabulary)])
    parts = np.split(features, np.searchsorted(features, starts[1:-1]))
    return tuple(
        tuple(terms[i] for i in (part - start).tolist())
        for terms, start, part in zip(corpus.vocabulary, starts, parts, strict=False)
    )


def _note_texts(corpus: _Corpus, labels: NDArray[np.int8], notes: list[str]) -> None:
    empty = corpus.batch.size - len(np.unique(corpus.batch.text))
    if empty:
        notes.append(f"{empty} examples have no words")
    if not corpus.settings.pu and (labels == 0).any():
        notes.append("unlabelled examples were not used (pu = false)")


def _learn(corpus: _Corpus, labels: NDArray[np.int8], rows: Rows) -> _Learnt:
    """Fit on some of the examples, whose negatives are found first where they must be."""
    positives, negatives = rows[labels[rows] > 0], rows[labels[rows] < 0]
    if corpus.settings.pu:
        unlabelled = rows[labels[rows] == 0]
        svm = corpus.settings
        if svm.classifier in ("naive-bayes", "tree"):
            svm = msgspec.structs.replace(svm, classifier="linear", balance=None)
        searched = corpus._replace(settings=svm)

        def decide(negatives: Rows, others: Rows) -> Floats:
            return _decision(corpus, _fit(searched, positives, negatives), others)

        negatives = find_negatives(corpus.batch, positives, negatives, unlabelled, decide)
    return _Learnt(_fit(corpus, positives, negatives), positives, negatives)


def _validate(
    corpus: _Corpus, labels: NDArray[np.int8], groups: Sequence[str], learnt: _Learnt, notes: list[str]
) -> tuple[Sigmoid, Figures | None]:
    """Held-out figures, and the sigmoid through the held-out decision values.

    Unlabelled examples count as negatives in the figures of a `pu` model, which makes its precision a
    lower bound; the sigmoid sees only those that the model took for negatives.
    """
    settings = corpus.settings
    rows = np.arange(len(labels)) if settings.pu else np.flatnonzero(labels)
    positive = labels[rows] > 0
    folds = folds_by_group(positive, [groups[i] for i in rows.tolist()], settings.folds, settings.random_seed)
    decision = np.zeros(len(rows))
    try:
        for fold in folds:
            part = _learn(corpus, labels, np.delete(rows, fold))
            decision[fold] = _decision(corpus, part.fitted, rows[fold])
    except InputError:  # what is left without a fold has no words, or only the same
        folds = []
    if not folds:
        notes.append("too few examples or groups to cross-validate; probabilities are not calibrated")
        return Sigmoid(-1.0, 0.0), None
    if settings.pu:
        notes.append("figures count unlabelled examples as negative: precision is a lower bound")
    used = np.isin(rows, np.concatenate([learnt.positives, learnt.negatives]))
    sigmoid = fit_sigmoid(positive[used], decision[used])
    if sigmoid is None:
        notes.append("held-out values do not rise with the class; probabilities are not calibrated")
    return sigmoid or Sigmoid(-1.0, 0.0), figures_of(positive, decision, folds=len(folds))


def _decision(corpus: _Corpus, fitted: _Fitted, rows: Rows) -> Floats:
    batch = select_features(select_texts(corpus.batch, rows), fitted.features)
    return fitted.form.decision(weigh(batch, fitted.idf, fitted.weighting))


def select_texts(batch: Batch, rows: Rows) -> Batch:
    """The batch of those texts only, numbered in the order of `rows` (which ascend)."""
    number = np.full(batch.size, -1)
    number[rows] = np.arange(len(rows))
    text = number[batch.text]
    keep = np.flatnonzero(text >= 0)
    return Batch(len(rows), text[keep], batch.feature[keep], batch.value[keep])


def select_features(batch: Batch, features: Rows) -> Batch:
    """The batch with those features only, numbered in their (ascending) order."""
    place = np.minimum(np.searchsorted(features, batch.feature), len(features) - 1)
    keep = np.flatnonzero(features[place] == batch.feature)
    return Batch(batch.size, batch.text[keep], place[keep], batch.value[keep])


def _fit(corpus: _Corpus, positives: Rows, negatives: Rows) -> _Fitted:
    settings = corpus.settings
    rows, positive = _balanced(settings, positives, negatives)
    batch = select_texts(corpus.batch, rows)
    containing = np.bincount(batch.feature)
    features = _frequent(containing, settings)
    idf = w.inverse_document_frequency(batch.size, containing[features])
    batch = select_features(batch, features)
    if settings.classifier == "naive-bayes":
        field_starts = np.searchsorted(features, np.cumsum([0, *map(len, corpus.vocabulary)]))
        return _Fitted(features, idf, fit_naive_bayes(settings, batch, positive, field_starts), "counts")
    weights = _training_weights(settings, batch, positive, idf)
    if not weights.any():
        raise InputError("The examples all use the same words. Give positive and negative pages that differ.")
    fitters: dict[str, Callable[..., Form]] = {"linear": fit_linear, "rbf": fit_rbf, "tree": fit_tree}
    weighted = matrix(batch._replace(value=weights), len(features))
    form = fitters[settings.classifier](settings, weighted, positive)
    at_prediction: Weighting = "tfc" if settings.weighting == "tfipndf" else settings.weighting
    return _Fitted(features, idf, form, at_prediction)


def _balanced(settings: TextSettings, positives: Rows, negatives: Rows) -> tuple[Rows, NDArray[np.bool_]]:
    """The training rows in ascending order, and which of them are positive."""
    if balance(settings) == "undersample":
        draw = np.random.default_rng(settings.random_seed)
        smaller = min(len(positives), len(negatives))
        positives, negatives = (
            rows if len(rows) == smaller else draw.choice(rows, smaller, replace=False)
            for rows in (positives, negatives)
        )
    rows = np.sort(np.concatenate([positives, negatives]))
    return rows, np.isin(rows, positives)


def _frequent(containing: NDArray[np.intp], settings: TextSettings) -> Rows:
    """The features on enough texts, the most frequent first where there are too many of them.

    Where no term is on enough texts (a handful of examples), one text is enough.
    """
    features = np.flatnonzero(containing >= settings.min_documents)
    if not len(features):
        features = np.flatnonzero(containing)
    if not len(features):
        raise InputError("The training texts have no words. Give pages with text.")
    by_frequency = features[np.argsort(-containing[features], kind="stable")]
    return np.sort(by_frequency[: settings.max_features])


def _training_weights(
    settings: TextSettings, batch: Batch, positive: NDArray[np.bool_], idf: Floats
) -> Floats:
    idf_of_each = idf[batch.feature]
    if settings.weighting == "tfidf":
        return w.tfidf(batch.value, idf_of_each)
    if settings.weighting == "tfc":
        return w.tfc(batch.value, idf_of_each, batch.text, batch.size)
    if settings.weighting == "sublinear":
        return w.sublinear(batch.value, idf_of_each, batch.text, batch.size)
    in_positive = positive[batch.text]
    shares = [
        np.bincount(batch.feature[mask], minlength=len(idf)) / max(1, int(texts))
        for mask, texts in ((in_positive, positive.sum()), (~in_positive, (~positive).sum()))
    ]
    of_each = (shares[0][batch.feature], shares[1][batch.feature])
    return w.tfipndf_unit(batch.value, *of_each, idf_of_each, in_positive, batch.text, batch.size)

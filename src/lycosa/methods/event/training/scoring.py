"""Learn weights, topic size and threshold of an event from labelled pages or links.

The paper's procedure [Farag, 4.2.2 and 6.1]: take each aspect's best F1 over the thresholds; weight = its F1 / the
sum of all; then choose topic size and threshold jointly, for pages and links separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.methods.event.evidence import EventScorer, weighted_terms
from lycosa.methods.event.model import EventModel, Facts, Side, Weights
from lycosa.values import Floats

KS = tuple(range(5, 1366, 10))
"""The topic sizes that the paper tried."""
FOLDS = 5
"""Of the cross-validation; fewer where there are fewer labels of a kind."""
THRESHOLDS = np.linspace(0.0, 1.0, 21)

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Sample:
    """The labelled pages (or links) of one event: one row of `topic` per topic size; nan: not said."""

    topic: Floats
    place: Floats
    date: Floats
    who: Floats
    relevant: Bools

    def of_rows(self, kept: Sequence[int]) -> Sample:
        """These pages of it."""
        place, date, who = (values[kept] for values in (self.place, self.date, self.who))
        return Sample(self.topic[:, kept], place, date, who, self.relevant[kept])


@dataclass(frozen=True, slots=True)
class Fitted:
    """A side as learned, and its F1 on what it was learned from."""

    side: Side
    f1: float


class Texts:
    """The terms of many texts as arrays, made once: comparing them with an event is then a few sums."""

    def __init__(self, texts: Sequence[Mapping[str, int]]) -> None:
        self.vocabulary: dict[str, int] = {}
        number = self.vocabulary.setdefault
        self.terms = np.array(
            [number(term, len(self.vocabulary)) for text in texts for term in text], np.intp
        )
        self.counts = np.array([count for text in texts for count in text.values()], float)
        self.of = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
        self.number = len(texts)

    def sums(self, values: Floats, kept: Bools | slice = slice(None)) -> Floats:
        """The sum of the values of each text, one value a term of it."""
        return np.bincount(self.of[kept], values, self.number).astype(float)


def sample_of(
    model: EventModel,
    facts: Sequence[Facts],
    relevant: Sequence[bool],
    ks: Sequence[int] = KS,
    texts: Texts | None = None,
) -> Sample:
    """Compare labelled pages or links with an event, at all topic sizes at once.

    `texts`: the terms of these facts, where they are compared with many events.
    """
    scorer = EventScorer(model)
    found = [scorer.beside_topic(one) for one in facts]
    place, date, who = (
        np.array([_nan(getattr(one, name)) for one in found], float) for name in ("place", "date", "who")
    )
    topic = topic_scores(model, texts or Texts([one.terms for one in facts]), ks)
    return Sample(topic, place, date, who, np.array(relevant, bool))


def topic_scores(model: EventModel, texts: Texts, ks: Sequence[int]) -> Floats:
    """The topic score (eq. 2) of each text at each topic size: one row a size.

    >>> model = EventModel({"owl": 3.0, "night": 1.0})
    >>> topic_scores(model, Texts([{"owl": 2}, {"night": 1, "bread": 5}]), [1, 2]).round(2).tolist()
    [[1.0, 0.0], [0.89, 0.45]]
    """
    matching = model.matching
    weights = np.array([weight for _, weight in weighted_terms(model)], float)
    place_of = np.full(len(texts.vocabulary), len(weights))  # in the topic; beyond its end: not of it
    for place, term in enumerate(model.telling_terms):
        if (number := texts.vocabulary.get(term)) is not None:
            place_of[number] = place
    values = np.log1p(texts.counts) if matching.log_counts else texts.counts
    at = place_of[texts.terms]
    whole = texts.sums(values**2)
    scores = np.zeros((len(ks), texts.number))
    for row, k in enumerate(ks):
        within = at < min(k, len(weights))
        product = texts.sums(values[within] * weights[at[within]], within)
        square = texts.sums(values[within] ** 2, within) if matching.projected else whole
        length = np.sqrt(square * (weights[:k] ** 2).sum())
        np.divide(product, length, out=scores[row], where=product > 0)
    return np.minimum(scores, 1.0)


def combined(sample: Sample, row: int, side: Side) -> Floats:
    """The event score (eq. 1) of every page of a sample, at one topic size."""
    scores: Floats = combined_by(sample, row, side, [side.weights])[0]
    return scores


def combined_by(sample: Sample, row: int, side: Side, grid: Sequence[Weights]) -> Floats:
    """The event scores by each of several weights (rows) of every page (columns)."""
    aspects = np.array([sample.topic[row], sample.place, sample.date, sample.who])
    said = ~np.isnan(aspects)
    zero = np.array([True, side.missing_place == "zero", side.missing_date == "zero", False])
    weights = np.array([(one.topic, one.place, one.date, one.who) for one in grid])
    total, counted = weights @ np.nan_to_num(aspects), weights @ (said | zero[:, None])
    scores: Floats = np.divide(total, counted, out=np.zeros_like(total), where=counted > 0)
    return scores


class Taken(NamedTuple):
    """Counts at each threshold: relevant taken, taken; and the number of relevant."""

    hits: Floats
    taken: Floats
    wanted: float

    def best_f1(self, thresholds: Floats = THRESHOLDS) -> tuple[float, float]:
        """The highest F1 = 2 · hits / (taken + relevant), and its threshold."""
        f1 = 2 * self.hits / np.maximum(1, self.taken + self.wanted)
        best = int(np.argmax(f1))
        return float(f1[best]), float(thresholds[best])


def taken_of(scores: Floats, relevant: Bools, thresholds: Floats = THRESHOLDS) -> Taken:
    """The counts of one event."""
    over = scores[None, :] >= thresholds[:, None]
    return Taken(over[:, relevant].sum(axis=1), over.sum(axis=1), float(relevant.sum()))


def pooled(events: Iterable[Taken]) -> Taken:
    """The counts of several events together."""
    hits, taken, wanted = zip(*events, strict=True)
    return Taken(np.sum(hits, axis=0), np.sum(taken, axis=0), sum(wanted))


def best_f1(
    scores: Iterable[Floats], relevant: Iterable[Bools], thresholds: Floats = THRESHOLDS
) -> tuple[float, float]:
    """The highest F1 over the thresholds, pooled over events, and its threshold.

    >>> best_f1([np.array([0.9, 0.6, 0.2])], [np.array([True, True, False])], np.array([0.0, 0.5, 1.0]))
    (1.0, 0.5)
    """
    taken = (taken_of(*event, thresholds) for event in zip(scores, relevant, strict=True))
    return pooled(taken).best_f1(thresholds)


ALONE = ("topic", "place", "date", "who")


def taken_alone(sample: Sample, row: int) -> dict[str, Taken]:
    """The counts of each aspect alone."""
    scores = dict(zip(ALONE, (sample.topic[row], sample.place, sample.date, sample.who), strict=True))
    return {name: taken_of(np.nan_to_num(values), sample.relevant) for name, values in scores.items()}


def f1_weights(samples: Sequence[Sample], row: int, *, who: bool = False) -> Weights:
    """The paper's weights: each aspect's best F1 alone, over the sum of them."""
    return weights_by_f1([taken_alone(sample, row) for sample in samples], who=who)


def weights_by_f1(events: Sequence[Mapping[str, Taken]], *, who: bool = False) -> Weights:
    """The same from the counts of each event."""
    counted = ALONE if who else ALONE[:3]
    alone = {name: pooled(event[name] for event in events).best_f1()[0] for name in counted}
    total = sum(alone.values()) or 1.0
    return Weights(**{name: alone.get(name, 0.0) / total for name in ALONE})


def fit_side(
    samples: Sequence[Sample],
    side: Side,
    ks: Sequence[int] = KS,
    *,
    who: bool = False,
    of: str = "pages",
) -> Fitted:
    """Learn weights, topic size and threshold of a side jointly: those with the best F1."""
    if not any(sample.relevant.any() for sample in samples):
        raise InputError(f"None of the labelled {of} is relevant. Add {of} about the event.")
    if all(sample.relevant.all() for sample in samples):
        raise InputError(f"All of the labelled {of} are relevant. Add {of} that are not about the event.")
    truths = [sample.relevant for sample in samples]
    best = Fitted(side, -1.0)
    for row, k in enumerate(ks):
        weights = f1_weights(samples, row, who=who)
        tried = msgspec.structs.replace(side, k=k, weights=weights)
        f1, threshold = best_f1((combined(sample, row, tried) for sample in samples), truths)
        if f1 > best.f1:
            best = Fitted(msgspec.structs.replace(tried, threshold=threshold), f1)
    return best


LabelledFacts = tuple[Sequence[Facts], Sequence[bool]]
"""Pages or links, and which of them are about the event."""


@dataclass(frozen=True, slots=True)
class Taught:
    """The F1 of a trained side on held-out pages (or links), and the F1 of the side before.

    `f1` is None if there are too few labels of one kind.
    """

    f1: float | None
    before: float

    @property
    def is_better(self) -> bool:
        """Whether to use the trained side: only if it is not worse than before."""
        return self.f1 is not None and self.f1 >= self.before


def train_event(
    model: EventModel,
    pages: LabelledFacts = ((), ()),
    links: LabelledFacts = ((), ()),
    *,
    who: bool = False,
    ks: Sequence[int] = KS,
    before: EventModel | None = None,
) -> tuple[EventModel, dict[str, Taught]]:
    """The event model with trained sides, and the cross-validation of each.

    A side stays as it is (in the model `before`, if given) without labels, or if cross-validation is worse.
    """
    terms = len(model.telling_terms)
    sizes = [k for k in ks if k <= terms] or [max(1, terms)]
    there = before or model
    sides, figures = {}, {}
    for name, (facts, relevant) in (("pages", pages), ("links", links)):
        if not facts:
            continue
        side = getattr(model, name)
        sample = sample_of(model, facts, relevant, sizes)
        fit = partial(fit_side, side=side, ks=sizes, who=who and name == "pages", of=name)
        fitted = fit([sample])
        figures[name] = Taught(
            _cross_validated_f1(sample, fit, sizes), _f1_of(there, getattr(there, name), facts, relevant)
        )
        sides[name] = fitted.side if figures[name].is_better else getattr(there, name)
    return msgspec.structs.replace(model, **sides), figures


def _f1_of(model: EventModel, side: Side, facts: Sequence[Facts], relevant: Sequence[bool]) -> float:
    """The F1 of a side without training."""
    sample = sample_of(model, facts, relevant, [side.k])
    return _f1(combined(sample, 0, side) >= side.threshold, sample.relevant)


def _cross_validated_f1(
    sample: Sample, fit: Callable[[Sequence[Sample]], Fitted], sizes: Sequence[int]
) -> float | None:
    """The cross-validated F1; None with fewer than two labels of a kind."""
    kinds = [np.flatnonzero(sample.relevant), np.flatnonzero(~sample.relevant)]
    folds = min(FOLDS, *map(len, kinds))
    if folds < 2:
        return None
    taken = np.zeros(len(sample.relevant), bool)
    for fold in range(folds):
        left_out = np.concatenate([rows[fold::folds] for rows in kinds])
        rest = np.setdiff1d(np.arange(len(taken)), left_out)
        side = fit([sample.of_rows(rest.tolist())]).side
        scores = combined(sample.of_rows(left_out.tolist()), sizes.index(side.k), side)
        taken[left_out] = scores >= side.threshold
    return _f1(taken, sample.relevant)


def _f1(taken: Bools, relevant: Bools) -> float:
    """Of what was taken against what is relevant.

    >>> _f1(np.array([True, True, False]), np.array([True, False, False]))
    0.6666666666666666
    """
    return 2.0 * float((taken & relevant).sum()) / max(1.0, float(taken.sum() + relevant.sum()))


def _nan(value: float | None) -> float:
    return math.nan if value is None else value

"""Learning how to score an event. In: labelled pages or links. Out: weights, topic size and threshold.

The paper's procedure [Farag, 4.2.2 and 6.1]: each aspect alone, its best F1 over the thresholds;
weight = its F1 / the sum of all; then topic size and threshold jointly, for pages and for links apart.
Ours differs in one step: the weights are those with the highest mean average precision.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.evidence.event import ALIKE, EventScorer, weighted_terms
from lycosa.evidence.event_model import EventModel, Facts, Rarity, Side, Weights
from lycosa.frontier import Floats

KS = tuple(range(5, 1366, 10))
"""The topic sizes that the paper tried."""
THRESHOLDS = np.linspace(0.0, 1.0, 21)
SEARCH_STEP = 0.05
FEW = 30
"""Up to so many relevant pages, counting what stands before each is faster than sorting."""

Bools = NDArray[np.bool_]
How = Literal["f1", "search"]


@dataclass(frozen=True, slots=True)
class Sample:
    """The labelled pages (or links) of one event: one row of `topic` per topic size; nan: not said."""

    topic: Floats
    place: Floats
    date: Floats
    who: Floats
    relevant: Bools


@dataclass(frozen=True, slots=True)
class Fitted:
    """A side as learned, and its F1 on what it was learned from."""

    side: Side
    f1: float


def sample_of(
    model: EventModel, facts: Sequence[Facts], relevant: Sequence[bool], ks: Sequence[int] = KS
) -> Sample:
    """Compare labelled pages or links with an event, at all topic sizes at once."""
    scorer = EventScorer(model)
    found = [scorer.of_page_facts(one) for one in facts]
    place, date, who = (
        np.array([_nan(getattr(one, name)) for one in found], float) for name in ("place", "date", "who")
    )
    topic = topic_scores(model, [one.terms for one in facts], ks)
    return Sample(topic, place, date, who, np.array(relevant, bool))


def topic_scores(model: EventModel, texts: Sequence[Mapping[str, int]], ks: Sequence[int]) -> Floats:
    """The topic score (eq. 2) of each text at each topic size: one row a size, by running sums.

    >>> model = EventModel({"owl": 3.0, "night": 1.0})
    >>> topic_scores(model, [{"owl": 2}, {"night": 1, "bread": 5}], [1, 2]).round(2).tolist()
    [[1.0, 0.0], [0.89, 0.45]]
    """
    matching = model.matching
    place_of = {term: at for at, term in enumerate(model.terms)}
    weights = np.array([weight for _, weight in weighted_terms(model)], float)
    rarity = Rarity(model.background.pages, model.background.terms) if model.background else ALIKE
    lengths = np.sqrt(np.cumsum(weights**2))
    rows = np.array([min(k, len(weights)) - 1 for k in ks])
    scores = np.zeros((len(ks), len(texts)))
    for number, terms in enumerate(texts):
        values = np.zeros(len(weights))
        whole = 0.0
        for term, count in terms.items():
            value = (math.log1p(count) if matching.log_counts else float(count)) * rarity[term]
            whole += value * value
            if (at := place_of.get(term)) is not None:
                values[at] = value
        product = np.cumsum(weights * values)[rows]
        square = np.cumsum(values**2)[rows] if matching.projected else np.full(len(rows), whole)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores[:, number] = np.where(product > 0, product / (np.sqrt(square) * lengths[rows]), 0.0)
    return np.minimum(scores, 1.0)


def combined(sample: Sample, row: int, side: Side) -> Floats:
    """The event score (eq. 1) of every page of a sample, at one topic size."""
    total = np.zeros(len(sample.relevant))
    counted = np.zeros(len(sample.relevant))
    weights = side.weights
    for weight, scores, missing in (
        (weights.topic, sample.topic[row], "zero"),
        (weights.place, sample.place, side.missing_place),
        (weights.date, sample.date, side.missing_date),
        (weights.who, sample.who, "renormalise"),
    ):
        said = ~np.isnan(scores)
        total += np.where(said, weight * np.nan_to_num(scores), 0.0)
        counted += weight * (said | (missing == "zero"))
    return np.divide(total, counted, out=np.zeros_like(total), where=counted > 0)


def average_precision(scores: Floats, relevant: Bools) -> float:
    """The mean precision at each relevant page of the ranking; ties keep their order.

        AP = (1/R) · sum over relevant ranks r of hits(r) / r

    >>> round(average_precision(np.array([0.9, 0.8, 0.7]), np.array([True, False, True])), 3)
    0.833
    """
    wanted = np.flatnonzero(relevant)
    if len(wanted) > FEW:
        ranks = np.flatnonzero(relevant[np.argsort(-scores, kind="stable")]) + 1
    else:  # the same, without sorting all the others
        before = [(scores > scores[at]).sum() + (scores[:at] == scores[at]).sum() for at in wanted]
        ranks = np.sort(before) + 1
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks)) if len(ranks) else 0.0


def best_f1(
    scores: Iterable[Floats], relevant: Iterable[Bools], thresholds: Floats = THRESHOLDS
) -> tuple[float, float]:
    """The highest F1 over the thresholds, pooled over events, and its threshold.

        F1 = 2 · hits / (taken + relevant)

    >>> best_f1([np.array([0.9, 0.6, 0.2])], [np.array([True, True, False])], np.array([0.0, 0.5, 1.0]))
    (1.0, 0.5)
    """
    hits, taken, wanted = np.zeros(len(thresholds)), np.zeros(len(thresholds)), 0
    for values, truth in zip(scores, relevant, strict=True):
        over = values[None, :] >= thresholds[:, None]
        hits += (over & truth).sum(axis=1)
        taken += over.sum(axis=1)
        wanted += int(truth.sum())
    f1 = 2 * hits / np.maximum(1, taken + wanted)
    best = int(np.argmax(f1))
    return float(f1[best]), float(thresholds[best])


def f1_weights(samples: Sequence[Sample], row: int, *, who: bool = False) -> Weights:
    """The paper's weights: each aspect's best F1 alone, over the sum of them."""
    truths = [sample.relevant for sample in samples]
    alone = {
        "topic": best_f1((sample.topic[row] for sample in samples), truths)[0],
        "place": best_f1((np.nan_to_num(sample.place) for sample in samples), truths)[0],
        "date": best_f1((np.nan_to_num(sample.date) for sample in samples), truths)[0],
        "who": best_f1((np.nan_to_num(sample.who) for sample in samples), truths)[0] if who else 0.0,
    }
    total = sum(alone.values()) or 1.0
    return Weights(**{name: value / total for name, value in alone.items()})


def weight_grid(*, who: bool = False, step: float = SEARCH_STEP) -> Iterator[Weights]:
    """All weights that are multiples of the step and sum to 1, the topic's above 0.

    >>> len([*weight_grid(step=0.25)])
    10
    """
    parts = round(1 / step)
    for place, date, name in itertools.product(range(parts), range(parts), range(parts if who else 1)):
        if place + date + name < parts:
            topic = parts - place - date - name
            yield Weights(topic / parts, place / parts, date / parts, name / parts)


def searched_weights(samples: Sequence[Sample], row: int, side: Side, grid: Iterable[Weights]) -> Weights:
    """The weights with the highest mean average precision; of equals the first."""

    def mean_precision(weights: Weights) -> float:
        tried = msgspec.structs.replace(side, weights=weights)
        values = [average_precision(combined(sample, row, tried), sample.relevant) for sample in samples]
        return float(np.mean(values))

    return max(grid, key=mean_precision)


def fit_side(
    samples: Sequence[Sample],
    side: Side,
    ks: Sequence[int] = KS,
    *,
    how: How = "f1",
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
        if how == "f1":
            weights = f1_weights(samples, row, who=who)
        else:
            weights = searched_weights(samples, row, side, weight_grid(who=who, step=0.1))
        tried = msgspec.structs.replace(side, k=k, weights=weights)
        f1, threshold = best_f1((combined(sample, row, tried) for sample in samples), truths)
        if f1 > best.f1:
            best = Fitted(msgspec.structs.replace(tried, threshold=threshold), f1)
    return best


Labelled = tuple[Sequence[Facts], Sequence[bool]]
"""Pages or links, and which of them are about the event."""


def train_event(
    model: EventModel,
    pages: Labelled = ((), ()),
    links: Labelled = ((), ()),
    *,
    how: How = "f1",
    who: bool = False,
    ks: Sequence[int] = KS,
) -> tuple[EventModel, dict[str, float]]:
    """The event model with what its labelled pages and links teach, and the F1 of each side that was taught.

    Each side is learned by itself, and stays as it is where nothing is labelled.
    """
    sizes = [k for k in ks if k <= len(model.terms)] or [max(1, len(model.terms))]
    sides, figures = {}, {}
    for name, (facts, relevant) in (("pages", pages), ("links", links)):
        if not facts:
            continue
        sample = sample_of(model, facts, relevant, sizes)
        fitted = fit_side(
            [sample], getattr(model, name), sizes, how=how, who=who and name == "pages", of=name
        )
        sides[name], figures[name] = fitted.side, fitted.f1
    return msgspec.structs.replace(model, **sides), figures


def _nan(value: float | None) -> float:
    return math.nan if value is None else value

"""How well event models of 3 pages rank the other pages of a web, with weights and thresholds learned on the other events."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import numpy as np

from lycosa.methods.event.model import (
    OURS,
    PAPER,
    Side,
    Weights,
)
from lycosa.methods.event.training.scoring import (
    Bools,
    Sample,
    best_f1,
    combined,
    combined_by,
    pooled,
    taken_alone,
    taken_of,
    weights_by_f1,
)
from lycosa.values import Floats, Say
from lycosa_lab.papers.event.web import EventWeb

KS = (10, 30, 100, 200, 500, 1000)
VARIANTS = {
    "topic": ("topic",),
    "topic + date": ("topic", "date"),
    "topic + place": ("topic", "place"),
    "topic + place + date": ("topic", "place", "date"),
    "topic + place + date + who": ("topic", "place", "date", "who"),
}
FULL = "topic + place + date"
SEARCH_STEP = 0.1
FEW = 30
"""Up to this many relevant pages, counting what stands before each is faster than sorting."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the classification table: a variant at a topic size, over all events."""

    variant: str
    k: int
    mean_average_precision: float
    best_f1: float  # the best over thresholds, of each event, averaged
    learned_f1: float  # at the threshold learned on the other events, pooled
    weights: Weights  # the mean of those learned
    threshold: float


def restricted(weights: Weights, aspects: Sequence[str]) -> Weights:
    """Weights in which only these aspects count."""
    kept = {name: getattr(weights, name) for name in aspects}
    total = sum(kept.values()) or 1.0
    return Weights(**{name: kept.get(name, 0.0) / total for name in ("topic", "place", "date", "who")})


def leave_one_out(
    samples: Sequence[Sample], row: int, side: Side, aspects: Sequence[str], how: str, groups: Sequence[str]
) -> tuple[list[Side], list[Floats]]:
    """For each sample the side learned on those of other events, and its scores by it."""
    learned = (
        _by_f1(samples, row, aspects, groups)
        if how == "f1"
        else _searched(samples, row, side, aspects, groups)
    )
    scores = [
        combined(sample, row, msgspec.structs.replace(side, weights=learned[group]))
        for sample, group in zip(samples, groups, strict=True)
    ]
    taken = [taken_of(values, sample.relevant) for values, sample in zip(scores, samples, strict=True)]
    thresholds = {name: pooled(others).best_f1()[1] for name, others in _others(taken, groups)}
    fitted = [
        msgspec.structs.replace(side, weights=learned[group], threshold=thresholds[group]) for group in groups
    ]
    return fitted, scores


def _others(values: Sequence[T], groups: Sequence[str]) -> Iterator[tuple[str, list[T]]]:
    """For each event what belongs to all the others."""
    for name in sorted(set(groups)):
        yield name, [value for value, group in zip(values, groups, strict=True) if group != name]


def _by_f1(
    samples: Sequence[Sample], row: int, aspects: Sequence[str], groups: Sequence[str]
) -> dict[str, Weights]:
    """For each event the paper's weights, of the others' samples."""
    alone = [taken_alone(sample, row) for sample in samples]
    return {
        name: restricted(weights_by_f1(others, who=True), aspects) for name, others in _others(alone, groups)
    }


def _searched(
    samples: Sequence[Sample], row: int, side: Side, aspects: Sequence[str], groups: Sequence[str]
) -> dict[str, Weights]:
    """For each event the weights of highest mean average precision over the others' samples."""
    grid = grid_of(aspects)
    precision = precisions(samples, row, side, grid)
    group = np.array(groups)
    return {
        name: grid[int(np.argmax(precision[:, group != name].mean(axis=1)))] for name in sorted(set(groups))
    }


def grid_of(aspects: Sequence[str], step: float = SEARCH_STEP) -> list[Weights]:
    """All weights of these aspects, the topic among them, that are multiples of the step and sum to 1.

    >>> len(grid_of(("topic", "place", "date"), 0.25))
    10
    """
    parts = round(1 / step)
    sizes = (range(parts if name in aspects else 1) for name in ("place", "date", "who"))
    return [
        Weights((parts - place - date - who) / parts, place / parts, date / parts, who / parts)
        for place, date, who in itertools.product(*sizes)
        if place + date + who < parts
    ]


def precisions(samples: Sequence[Sample], row: int, side: Side, grid: Sequence[Weights]) -> Floats:
    """The average precision of every sample (columns) by every weights of the grid (rows)."""
    found = [average_precisions(combined_by(sample, row, side, grid), sample.relevant) for sample in samples]
    return np.array(found).T


def average_precision(scores: Floats, relevant: Bools) -> float:
    """The mean precision at each relevant page of the ranking; ties keep their order.

        AP = (1/R) · sum over relevant ranks r of hits(r) / r

    >>> round(average_precision(np.array([0.9, 0.8, 0.7]), np.array([True, False, True])), 3)
    0.833
    """
    return float(average_precisions(scores[None, :], relevant)[0])


def average_precisions(scores: Floats, relevant: Bools) -> Floats:
    """The average precision of each row of scores."""
    wanted = np.flatnonzero(relevant)
    if not len(wanted):
        return np.zeros(len(scores))
    if len(wanted) > FEW:
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.array([np.flatnonzero(row) for row in relevant[order]]) + 1
    else:  # the same, without sorting all the others
        before = [
            (scores > scores[:, [at]]).sum(axis=1) + (scores[:, :at] == scores[:, [at]]).sum(axis=1)
            for at in wanted
        ]
        ranks = np.sort(np.array(before).T, axis=1) + 1
    precision: Floats = (np.arange(1, len(wanted) + 1) / ranks).mean(axis=1)
    return precision


def classification(
    samples: Sequence[Sample], groups: Sequence[str], ks: Sequence[int], side: Side, how: str
) -> Iterable[Row]:
    """The table: every variant at every topic size."""
    truths = [sample.relevant for sample in samples]
    for variant, aspects in VARIANTS.items():
        for row, k in enumerate(ks):
            fitted, scores = leave_one_out(samples, row, side, aspects, how, groups)
            taken = [score >= one.threshold for score, one in zip(scores, fitted, strict=True)]
            hits = sum(int((t & truth).sum()) for t, truth in zip(taken, truths, strict=True))
            wanted = sum(int(t.sum() + truth.sum()) for t, truth in zip(taken, truths, strict=True))
            weights = [one.weights for one in fitted]
            yield Row(
                variant,
                k,
                float(np.mean([average_precision(s, t) for s, t in zip(scores, truths, strict=True)])),
                float(np.mean([best_f1([s], [t])[0] for s, t in zip(scores, truths, strict=True)])),
                2 * hits / max(1, wanted),
                Weights(
                    *(
                        float(np.mean([getattr(w, n) for w in weights]))
                        for n in ("topic", "place", "date", "who")
                    )
                ),
                float(np.mean([one.threshold for one in fitted])),
            )


def measure_classification(
    web: EventWeb, draws: int, say: Say, ks: Sequence[int] = KS
) -> list[dict[str, Any]]:
    """The paper's model and ours, on pages and on links."""
    tables: list[dict[str, Any]] = []
    groups = [event for event in web.events for _ in range(draws)]
    models = (("paper", PAPER, "f1"), ("ours", OURS, "search"))
    for sort, make in (("pages", web.page_sample), ("links", web.link_sample)):
        for name, like, how in models:
            say(f"{sort}, {name}: comparing all with every event …")
            samples = [make(event, draw, like, ks) for event in web.events for draw in range(draws)]
            side = like.pages if sort == "pages" else like.links
            for row in classification(samples, groups, ks, side, how):
                tables.append({"of": sort, "model": name, "how": how} | msgspec.to_builtins(row))
                say(told(tables[-1]))
    return tables


def told(row: dict[str, Any]) -> str:
    """A row as a line."""
    weights = " ".join(f"{value:.2f}" for value in row["weights"].values())
    return (
        f"{row['of']:6} {row['model']:10} {row['variant']:28} k={row['k']:<5} "
        f"MAP {row['mean_average_precision']:.3f}  best F1 {row['best_f1']:.3f}  "
        f"learned F1 {row['learned_f1']:.3f}  weights {weights}  threshold {row['threshold']:.2f}"
    )

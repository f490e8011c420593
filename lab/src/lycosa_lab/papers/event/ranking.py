"""How well event models rank the pages of a web. In: samples of its events. Out: tables.

A model of 3 pages ranks all other pages; weights and thresholds are learned on the other events only.
The way of comparing itself is chosen on one half of the events and measured on the other, both ways.
"""

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
    EventModel,
    Matching,
    Missing,
    Side,
    Weights,
    background_of,
)
from lycosa.methods.event.training.scoring import (
    Bools,
    Sample,
    average_precision,
    best_f1,
    combined,
    pooled,
    precisions,
    taken_alone,
    taken_of,
    weight_grid,
    weights_by_f1,
)
from lycosa.values import Floats, Say
from lycosa_lab.metrics import paired_test
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
PLACES = ((0.0, 0.0), (0.3, 0.0), (0.3, 50.0))
"""How well a city matches its state, and kilometres over which nearby places match: by name, hierarchy, both."""
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


def grid_of(aspects: Sequence[str]) -> list[Weights]:
    """The weights that are tried, in steps of SEARCH_STEP, in which only these aspects count."""
    grid = weight_grid(who="who" in aspects, step=SEARCH_STEP)
    others = [name for name in ("place", "date", "who") if name not in aspects]
    return [weights for weights in grid if not any(getattr(weights, name) for name in others)]


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
    """The paper's model and ours, without and with a background of the web's pages; on pages and on links."""
    tables: list[dict[str, Any]] = []
    groups = [event for event in web.events for _ in range(draws)]
    rare = msgspec.structs.replace(OURS, background=background_of(web.facts))
    models = (("paper", PAPER, "f1"), ("ours", OURS, "search"), ("background", rare, "search"))
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


@dataclass(frozen=True, slots=True)
class Way:
    """A way to compare pages with an event: what `ours` and `paper` are two of."""

    matching: Matching
    missing_date: Missing

    @property
    def like(self) -> EventModel:
        """A model that compares so."""
        pages = msgspec.structs.replace(PAPER.pages, missing_date=self.missing_date)
        return msgspec.structs.replace(PAPER, pages=pages, matching=self.matching)

    def __str__(self) -> str:
        length = "topic's terms" if self.matching.projected else "whole text"
        counts = "log" if self.matching.log_counts else "counts"
        places = f"inside {self.matching.inside:g}, near {self.matching.near_km:g} km"
        return (
            f"{length}, {counts}, {self.matching.date_curve} date, missing date {self.missing_date}, {places}"
        )


def ways() -> Iterator[Way]:
    """All that are tried: the four choices in which `ours` differs from the paper, and three ways to match places."""
    for projected, log_counts, curve, (inside, near_km), missing in itertools.product(
        (True, False), (False, True), ("linear", "saturating"), PLACES, ("zero", "renormalise")
    ):
        matching = Matching(
            projected=projected,
            log_counts=log_counts,
            date_curve=curve,  # type: ignore[arg-type]
            inside=inside,
            near_km=near_km,
        )
        yield Way(matching, missing)  # type: ignore[arg-type]


def measure_ways(web: EventWeb, say: Say, ks: Sequence[int] = KS, draw: int = 0) -> list[dict[str, Any]]:
    """Choose way, size and weights on one half of the events, by mean average precision, and report the other.

    Topic-only chooses way and size in the same manner; `ours` only its weights, at the same sizes. The last row
    is of all events, each with what the half that it is not in chose.
    """
    tables = _way_tables(web, ks, draw, say)
    rows = []
    precision: dict[str, list[float]] = {"chosen": [], "ours": [], "topic": []}
    for half in (0, 1):
        learn = np.arange(len(web.events)) % 2 == half
        chosen = _best(tables[FULL], learn)
        topic = _best(tables["topic"], learn)
        fixed = _best([table for table in tables[FULL] if _is_ours(table.way.like.matching)], learn)
        found = {
            "learned on": f"half {half + 1}",
            "way": str(chosen.way),
            "k": chosen.k,
            "weights": msgspec.to_builtins(chosen.best_weights(learn)),
            "MAP": float(chosen.of_others(learn).mean()),
            "ours MAP": float(fixed.of_others(learn).mean()),
            "ours k": fixed.k,
            "topic k": topic.k,
            "topic MAP": float(topic.of_others(learn).mean()),
            "p against topic": paired_test([*chosen.of_others(learn)], [*topic.of_others(learn)]),
        }
        rows.append(found)
        for name, table in (("chosen", chosen), ("ours", fixed), ("topic", topic)):
            precision[name] += [*table.of_others(learn)]
        say(" ".join(f"{name} {value}," for name, value in found.items()))
    means = {name: float(np.mean(values)) for name, values in precision.items()}
    rows.append(
        dict.fromkeys(rows[0], "")
        | {"learned on": "the other half", "MAP": means["chosen"], "ours MAP": means["ours"]}
        | {
            "topic MAP": means["topic"],
            "p against topic": paired_test(precision["chosen"], precision["topic"]),
        }
    )
    return rows


@dataclass(frozen=True, slots=True)
class WayTable:
    """What every weights gave every event, by one way at one size."""

    way: Way
    k: int
    grid: list[Weights]
    precision: Floats

    def best_row(self, learn: Bools) -> int:
        """The weights that the learning half likes best."""
        return int(np.argmax(self.precision[:, learn].mean(axis=1)))

    def best_weights(self, learn: Bools) -> Weights:
        """The same, as weights."""
        return self.grid[self.best_row(learn)]

    def of_others(self, learn: Bools) -> Floats:
        """What these weights give the events of the other half."""
        row: Floats = self.precision[self.best_row(learn), ~learn]
        return row


def _is_ours(matching: Matching) -> bool:
    """Whether a way compares as `ours` does, in all that is tried here: words and links are not."""
    ours = OURS.matching
    return ours == msgspec.structs.replace(
        matching,
        telling_words=ours.telling_words,
        link_context=ours.link_context,
        page_share=ours.page_share,
        more_links=ours.more_links,
    )


def _best(tables: Sequence[WayTable], learn: Bools) -> WayTable:
    return max(tables, key=lambda table: float(table.precision[table.best_row(learn)][learn].mean()))


def _way_tables(web: EventWeb, ks: Sequence[int], draw: int, say: Say) -> dict[str, list[WayTable]]:
    """The tables of topic alone and of all three aspects."""
    grids = {name: grid_of(VARIANTS[name]) for name in ("topic", FULL)}
    tables: dict[str, list[WayTable]] = {name: [] for name in grids}
    matching, samples = None, list[Sample]()
    for way in ways():
        if way.matching != matching:
            matching = way.matching
            samples = [web.page_sample(event, draw, way.like, ks) for event in web.events]
            say(f"comparing by: {way}")
        for (row, k), (name, grid) in itertools.product(enumerate(ks), grids.items()):
            found = precisions(samples, row, way.like.pages, grid)
            tables[name].append(WayTable(way, k, grid, found))
    return tables

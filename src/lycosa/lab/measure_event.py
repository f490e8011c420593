"""What an event model is worth on a web with events. In: a virtual web. Out: tables of figures.

Classification: a model of 3 pages ranks all other pages of the web; weights, topic size and
threshold are learned on the other events only. Crawls: 100 pages from 3 pages and the start pages.

    python -m lycosa.lab.measure_event ../shared/webs/news OUT.json
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np

from lycosa.evidence.event_model import (
    OURS,
    PAPER,
    EventModel,
    Facts,
    Side,
    Weights,
    event_model,
    link_facts,
    page_facts,
)
from lycosa.lab.cache import CachedWeb
from lycosa.lab.web import VirtualWeb
from lycosa.train.event import (
    Floats,
    Sample,
    average_precision,
    best_f1,
    combined,
    f1_weights,
    sample_of,
    weight_grid,
)

KS = (10, 30, 100, 200, 500, 1000)
MODEL_PAGES = 3
VARIANTS = {
    "topic": ("topic",),
    "topic + date": ("topic", "date"),
    "topic + place": ("topic", "place"),
    "topic + place + date": ("topic", "place", "date"),
    "topic + place + date + who": ("topic", "place", "date", "who"),
}
Say = Callable[[str], None]


class EventWeb:
    """A web with events, and what its pages and links say, read once."""

    def __init__(self, path: Path) -> None:
        self.cached = CachedWeb(VirtualWeb.open(path))
        self.keys = sorted(self.cached.pages)
        self.events = {
            name: frozenset(topic.relevant() & self.cached.pages)
            for name, topic in sorted(self.cached.web.topics.items())
        }

    @cached_property
    def facts(self) -> list[Facts]:
        """Of every page, in the order of `keys`."""
        return [page_facts(self._document(key), names=True) for key in self.keys]

    @cached_property
    def links(self) -> dict[int, Facts]:
        """Of every page that is linked to: what the first link to it says."""
        found: dict[int, Facts] = {}
        for key in self.keys:
            document = self._document(key)
            for link, facts in zip(document.links, link_facts(document), strict=True):
                if link.key in self.cached.pages:
                    found.setdefault(link.key, facts)
        return found

    def _document(self, key: int) -> Any:
        return self.cached.document(key)

    def model_pages(self, event: str, draw: int) -> list[int]:
        """Keys of the model pages of an event: the same for the same draw."""
        return Random(f"{draw}/{event}").sample(sorted(self.events[event]), MODEL_PAGES)

    def model(self, event: str, draw: int, like: EventModel) -> EventModel:
        """The event's model of that draw's pages, compared and weighed like another."""
        at = {key: number for number, key in enumerate(self.keys)}
        made = event_model([self.facts[at[key]] for key in self.model_pages(event, draw)])
        return msgspec.structs.replace(made, pages=like.pages, links=like.links, matching=like.matching)

    def page_sample(self, event: str, draw: int, like: EventModel, ks: Sequence[int]) -> Sample:
        """All pages but the model pages, compared with the event."""
        left_out = set(self.model_pages(event, draw))
        kept = [number for number, key in enumerate(self.keys) if key not in left_out]
        relevant = [self.keys[number] in self.events[event] for number in kept]
        return sample_of(
            self.model(event, draw, like), [self.facts[number] for number in kept], relevant, ks
        )

    def link_sample(self, event: str, draw: int, like: EventModel, ks: Sequence[int]) -> Sample:
        """One link to each page that is linked to, but the model pages, compared with the event."""
        left_out = set(self.model_pages(event, draw))
        kept = [(key, facts) for key, facts in self.links.items() if key not in left_out]
        relevant = [key in self.events[event] for key, _ in kept]
        return sample_of(self.model(event, draw, like), [facts for _, facts in kept], relevant, ks)


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
    names = sorted(set(groups))
    if how == "f1":
        learned = {
            name: restricted(
                f1_weights([s for s, g in zip(samples, groups, strict=True) if g != name], row, who=True),
                aspects,
            )
            for name in names
        }
    else:
        learned = _searched(samples, row, side, aspects, groups)
    sides, scores = [], []
    for sample, group in zip(samples, groups, strict=True):
        tried = msgspec.structs.replace(side, weights=learned[group])
        sides.append(tried)
        scores.append(combined(sample, row, tried))
    thresholds = {}
    for name in names:
        others = [at for at, group in enumerate(groups) if group != name]
        thresholds[name] = best_f1([scores[at] for at in others], [samples[at].relevant for at in others])[1]
    fitted = [
        msgspec.structs.replace(side, threshold=thresholds[group])
        for side, group in zip(sides, groups, strict=True)
    ]
    return fitted, scores


def _searched(
    samples: Sequence[Sample], row: int, side: Side, aspects: Sequence[str], groups: Sequence[str]
) -> dict[str, Weights]:
    """For each event the weights of highest mean average precision over the others' samples."""
    grid = [w for w in weight_grid(who="who" in aspects, step=0.1 if "who" in aspects else 0.05)]
    grid = [w for w in grid if all(name in aspects or not getattr(w, name) for name in ("place", "date", "who"))]
    precision = np.zeros((len(grid), len(samples)))
    for number, weights in enumerate(grid):
        tried = msgspec.structs.replace(side, weights=weights)
        precision[number] = [average_precision(combined(s, row, tried), s.relevant) for s in samples]
    group = np.array(groups)
    return {name: grid[int(np.argmax(precision[:, group != name].mean(axis=1)))] for name in sorted(set(groups))}


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
                Weights(*(float(np.mean([getattr(w, n) for w in weights])) for n in ("topic", "place", "date", "who"))),
                float(np.mean([one.threshold for one in fitted])),
            )


def measure_classification(web: EventWeb, draws: int, say: Say, ks: Sequence[int] = KS) -> list[dict[str, Any]]:
    """The paper's model and ours, on pages and on links."""
    tables: list[dict[str, Any]] = []
    groups = [event for event in web.events for _ in range(draws)]
    for sort, make in (("pages", web.page_sample), ("links", web.link_sample)):
        for name, like, how in (("paper", PAPER, "f1"), ("ours", OURS, "search")):
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
        f"{row['of']:6} {row['model']:6} {row['variant']:28} k={row['k']:<5} "
        f"MAP {row['mean_average_precision']:.3f}  best F1 {row['best_f1']:.3f}  "
        f"learned F1 {row['learned_f1']:.3f}  weights {weights}  threshold {row['threshold']:.2f}"
    )


def main() -> None:
    """Measure, print, and write the figures."""
    web = EventWeb(Path(sys.argv[1]))
    tables = measure_classification(web, draws=2, say=print)
    Path(sys.argv[2]).write_bytes(msgspec.json.format(msgspec.json.encode(tables)))


if __name__ == "__main__":
    main()

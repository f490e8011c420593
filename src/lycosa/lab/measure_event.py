"""What an event model is worth on a web with events. In: a virtual web. Out: tables of figures.

Classification: a model of 3 pages ranks all other pages of the web; weights, topic size and
threshold are learned on the other events only. Crawls: 100 pages from 3 pages and the start pages.

    python -m lycosa.lab.measure_event ../shared/webs/news OUT.json
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np

from lycosa.config import JudgeSpec
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
    topic_only,
)
from lycosa.evidence.topic import topic_vector
from lycosa.frontier import Floats
from lycosa.lab.cache import CachedWeb
from lycosa.lab.metrics import paired_test
from lycosa.lab.protocol import Draw, Options, reachable
from lycosa.lab.run import Run, run_strategy
from lycosa.lab.web import VirtualWeb
from lycosa.page.document import Document
from lycosa.prepare import TopicModel, preparation
from lycosa.prepare_event import with_event
from lycosa.strategies import BaseStrategy, strategy_class
from lycosa.strategies.event import Event
from lycosa.strategies.sources import SOURCES
from lycosa.train.event import (
    Sample,
    average_precision,
    best_f1,
    combined,
    f1_weights,
    sample_of,
    weight_grid,
)
from lycosa.urls import authority_of, key_of, source_of

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
        return [page_facts(self.document(key), names=True) for key in self.keys]

    @cached_property
    def links(self) -> dict[int, Facts]:
        """Of every page that is linked to: what the first link to it says."""
        found: dict[int, Facts] = {}
        for key in self.keys:
            document = self.document(key)
            for link, facts in zip(document.links, link_facts(document), strict=True):
                if link.key in self.cached.pages:
                    found.setdefault(link.key, facts)
        return found

    def document(self, key: int) -> Document:
        """A page of the web."""
        document = self.cached.document(key)
        assert document is not None
        return document

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
        return sample_of(self.model(event, draw, like), [self.facts[number] for number in kept], relevant, ks)

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
    grid = [*weight_grid(who="who" in aspects, step=0.1)]
    grid = [
        w for w in grid if all(name in aspects or not getattr(w, name) for name in ("place", "date", "who"))
    ]
    precision = np.zeros((len(grid), len(samples)))
    for number, weights in enumerate(grid):
        tried = msgspec.structs.replace(side, weights=weights)
        precision[number] = [average_precision(combined(s, row, tried), s.relevant) for s in samples]
    group = np.array(groups)
    return {
        name: grid[int(np.argmax(precision[:, group != name].mean(axis=1)))] for name in sorted(set(groups))
    }


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


@dataclass(frozen=True, slots=True)
class Crawled:
    """One crawl of one event."""

    strategy: str
    k: int
    event: str
    recall: float
    auc: float
    harvest: float
    hosts: int  # distinct sources of the pages fetched
    relevant_hosts: int  # of the relevant ones


class Crawls:
    """Crawls of every event from 3 of its pages and the web's start pages; relevance is the labels."""

    def __init__(self, web: EventWeb, pages: int = 100, draw: int = 0) -> None:
        self.web = web
        self.draw = draw
        self.runs: list[Run] = []  # all runs made, with their curves
        self.options = Options(pages=pages, start_from="both")
        self.start = tuple(key_of(url, web.cached.web.index_names) for url in web.cached.web.start)

    def draw_of(self, event: str) -> Draw:
        """What a crawl of the event starts from and is measured against."""
        model_pages = tuple(self.web.model_pages(event, self.draw))
        seeds = (*model_pages, *self.start)
        targets = self.web.events[event] - set(seeds)
        return Draw(model_pages, (), seeds, targets & reachable(self.web.cached.graph, seeds))

    def run(self, name: str, strategy: BaseStrategy, k: int, event: str) -> Crawled:
        """Crawl with a fitted strategy."""
        web, draw = self.web.cached, self.draw_of(event)
        run = run_strategy(name, strategy, {"k": k}, web, web.web.topic(event), draw, self.options, self.draw)
        self.runs.append(run)
        relevant = {web.url(key) for key in draw.targets}
        hosts = [source_of(authority_of(url)) for url in run.fetched]
        useful = {host for host, url in zip(hosts, run.fetched, strict=True) if url in relevant}
        return Crawled(name, k, event, run.recall, run.auc, run.harvest, len(set(hosts)), len(useful))

    def best_first(self, event: str, k: int, strategy: str = "best-first") -> Crawled:
        """The topic-only baseline, its topic vector made of the model pages."""
        examples = [dict(self.web.document(key).terms) for key in self.web.model_pages(event, self.draw)]
        topic = TopicModel("english", topic_vector(examples, k))
        ready = preparation(topic, JudgeSpec(kind="all"))
        return self.run(strategy, strategy_class(strategy)().fit(ready), k, event)

    def event(self, event: str, like: EventModel, source: str = "none", name: str = "event") -> Crawled:
        """The event strategy, with this way of scoring."""
        model = self.web.model(event, self.draw, like)
        topic = TopicModel("english", topic_vector([model.terms], like.pages.k))
        judge = JudgeSpec(kind="event")
        ready = with_event(preparation(topic, judge), judge, model)
        return self.run(name, Event(source=source).fit(ready), like.pages.k, event)


def learned_models(
    web: EventWeb, like: EventModel, ks: Sequence[int], how: str, draw: int = 0
) -> dict[tuple[str, int], EventModel]:
    """For each event and size a way of scoring, learned on the other events only."""
    events, aspects = [*web.events], VARIANTS["topic + place + date"]
    pages = [web.page_sample(event, draw, like, ks) for event in events]
    links = [web.link_sample(event, draw, like, ks) for event in events]
    found = {}
    for row, k in enumerate(ks):
        page_side, link_side = (msgspec.structs.replace(side, k=k) for side in (like.pages, like.links))
        of_pages, _ = leave_one_out(pages, row, page_side, aspects, how, events)
        of_links, _ = leave_one_out(links, row, link_side, aspects, how, events)
        for event, page, link in zip(events, of_pages, of_links, strict=True):
            found[event, k] = EventModel({}, pages=page, links=link, matching=like.matching)
    return found


def measure_crawls(web: EventWeb, say: Say, ks: Sequence[int] = KS, draw: int = 0) -> list[dict[str, Any]]:
    """Topic-only best-first and the event strategy at every topic size, then with source importance."""
    crawls = Crawls(web, draw=draw)
    runs: list[Crawled] = []

    def note(new: Iterable[Crawled]) -> None:
        fresh = [*new]
        runs.extend(fresh)
        say(summary(fresh))

    ours, paper = (
        learned_models(web, OURS, ks, "search", draw),
        learned_models(web, PAPER, ks[:1], "f1", draw),
    )
    note(crawls.best_first(event, 100, "breadth-first") for event in web.events)
    for k in ks:
        note(crawls.best_first(event, k) for event in web.events)
        note(crawls.event(event, ours[event, k]) for event in web.events)
        note(
            crawls.event(event, topic_only(ours[event, k]), name="event, topic only") for event in web.events
        )
        if (next(iter(web.events)), k) in paper:
            note(crawls.event(event, paper[event, k], name="event, paper") for event in web.events)
    for source in SOURCES[1:]:
        note(crawls.event(e, ours[e, ks[0]], source, f"event, {source}") for e in web.events)
    return [msgspec.to_builtins(run) for run in runs]


def summary(runs: Sequence[Crawled]) -> str:
    """The means over events, as a line."""
    means = {
        name: float(np.mean([getattr(run, name) for run in runs]))
        for name in ("recall", "auc", "harvest", "hosts", "relevant_hosts")
    }
    told = "  ".join(f"{name} {value:.3f}" for name, value in means.items())
    return f"{runs[0].strategy:30} k={runs[0].k:<5} {told}"


def compared(
    runs: Sequence[dict[str, Any]], one: tuple[str, int], other: tuple[str, int]
) -> dict[str, float]:
    """Mean differences of two crawlers over the events, and the paired tests' p values."""
    by = {(run["strategy"], run["k"], run["event"]): run for run in runs}
    events = sorted({run["event"] for run in runs})
    found: dict[str, float] = {}
    for name in ("recall", "auc", "hosts"):
        first = [by[(*one, event)][name] for event in events]
        second = [by[(*other, event)][name] for event in events]
        found[name] = float(np.mean(first) - np.mean(second))
        found[f"{name} p"] = paired_test(first, second)
    return found


def main() -> None:
    """Measure, print, and write the figures."""
    web = EventWeb(Path(sys.argv[1]))
    say = partial(print, flush=True)
    found: dict[str, Any] = {"crawls": measure_crawls(web, say)}
    for k in KS:
        say(f"event - best-first at k={k}: {compared(found['crawls'], ('event', k), ('best-first', k))}")
    found["classification"] = measure_classification(web, draws=2, say=say)
    Path(sys.argv[2]).write_bytes(msgspec.json.format(msgspec.json.encode(found)))


if __name__ == "__main__":
    main()

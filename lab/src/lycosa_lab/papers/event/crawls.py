"""Crawl a web with events and compare recall, area under the curve and hosts of the crawlers.

Crawls fetch 100 pages from 3 pages of the event and the web's start pages; settings are those that did best on
other events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import msgspec
import numpy as np

from lycosa.engine.start.prepare import preparation
from lycosa.evidence.topic import topic_vector
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.topic import TopicModel
from lycosa.methods import BaseStrategy
from lycosa.methods.event.evidence import EVENT, event_evidence
from lycosa.methods.event.model import OURS, PAPER, EventModel, topic_only
from lycosa.methods.event.sources import SOURCES
from lycosa.methods.event.strategy import Event
from lycosa.methods.lookup import strategy_class
from lycosa.spec.sections import JudgeSpec
from lycosa.urls import authority_of, key_of, source_of
from lycosa.values import Floats, Judgement, Page, Say, Score, fact_of
from lycosa_lab.metrics import paired_test
from lycosa_lab.papers.event.ranking import FULL, KS, VARIANTS, leave_one_out
from lycosa_lab.papers.event.web import EventWeb
from lycosa_lab.runs.protocol import Draw, Options, reachable
from lycosa_lab.runs.run import Run, run_strategy

TRIED_SOURCES: list[dict[str, Any]] = [
    *({"source": name} for name in SOURCES if name != "mean-score"),
    *({"source": name, "beta": 10.0} for name in ("success-rate-best", "thompson-best")),
    *(
        {"source": "mean-score", "prior_pages": pages, "newcomers": newcomers}
        for pages, newcomers in product((1.0, 2.0, 5.0, 10.0), (1.0, 0.75, 0.5))
    ),
]
"""The ways to weigh sources, `none` first, among which each half of the events chooses for the other."""
HELD = 0.01
"""Recall and area have held if they are not lower by more than this."""


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


class FixedThreshold(Judge):
    """The judge of the paper: an event score that reaches a threshold. Nothing is learned of the crawl."""

    def __init__(self, model: EventModel) -> None:
        self.needs = event_evidence(model)
        self.threshold = model.pages.threshold

    def judge(self, page: Page) -> Judgement:
        """Relevant from the threshold on."""
        score = fact_of(page.evidence, EVENT, Score).value
        return Judgement(score >= self.threshold, score, f"event score against {self.threshold:g}")


class Crawls:
    """Crawls of every event from 3 of its pages and the web's start pages; relevance is the labels."""

    def __init__(self, web: EventWeb, pages: int = 100, draw: int = 0) -> None:
        self.web = web
        self.draw = draw
        self.runs: list[Run] = []  # all runs made, with their curves
        self.options = Options(pages=pages, start_from="both")
        self.start = tuple(key_of(url, web.cached.web.folding) for url in web.cached.web.start)

    def draw_of(self, event: str) -> Draw:
        """What a crawl of the event starts from and is measured against."""
        model_pages = tuple(self.web.model_pages(event, self.draw))
        seeds = (*model_pages, *self.start)
        targets = self.web.events[event] - set(seeds)
        return Draw(model_pages, (), seeds, targets & reachable(self.web.cached.graph, seeds))

    def run(
        self, name: str, strategy: BaseStrategy, k: int, event: str, start: Draw | None = None
    ) -> Crawled:
        """Crawl with a fitted strategy, from the usual start or another."""
        web, draw = self.web.cached, start or self.draw_of(event)
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

    def event(
        self,
        event: str,
        like: EventModel,
        name: str = "event",
        settings: Mapping[str, Any] | None = None,
        start: Draw | None = None,
    ) -> Crawled:
        """The event strategy, with this way of scoring."""
        model = self.web.model(event, self.draw, like)
        topic = TopicModel("english", topic_vector([model.terms], like.pages.k))
        ready = preparation(topic, JudgeSpec(kind="all"), methods={"event": model})
        ready = replace(ready, judge=FixedThreshold(model))
        return self.run(name, Event(**(settings or {})).fit(ready), like.pages.k, event, start)


def learned_models(
    web: EventWeb, like: EventModel, ks: Sequence[int], how: str, draw: int = 0
) -> dict[tuple[str, int], EventModel]:
    """For each event and size a way of scoring, learned on the other events only."""
    events, aspects = [*web.events], VARIANTS[FULL]
    pages = [web.page_sample(event, draw, like, ks) for event in events]
    links = [web.link_sample(event, draw, like, ks) for event in events]
    found = {}
    for row, k in enumerate(ks):
        page_side, link_side = (msgspec.structs.replace(side, k=k) for side in (like.pages, like.links))
        of_pages, _ = leave_one_out(pages, row, page_side, aspects, how, events)
        of_links, _ = leave_one_out(links, row, link_side, aspects, how, events)
        for event, page, link in zip(events, of_pages, of_links, strict=True):
            found[event, k] = msgspec.structs.replace(like, pages=page, links=link)
    return found


def measure_crawls(
    web: EventWeb, say: Say, ks: Sequence[int] = KS, draws: int = 2
) -> tuple[list[Crawled], list[Crawled]]:
    """Best-first and event at every size, and event by source importance at the first size."""
    plain: list[Crawled] = []
    weighed: list[Crawled] = []

    def note(runs: list[Crawled], new: Iterable[Crawled]) -> None:
        fresh = [*new]
        runs.extend(fresh)
        say(summary(fresh))

    for draw in range(draws):
        say(f"draw {draw + 1} of {draws}: learning weights on the other events …")
        crawls = Crawls(web, draw=draw)
        ours, paper = (
            learned_models(web, OURS, ks, "search", draw),
            learned_models(web, PAPER, ks[:1], "f1", draw),
        )
        note(plain, (crawls.best_first(event, 0, "breadth-first") for event in web.events))
        note(plain, (crawls.event(e, paper[e, ks[0]], "event, paper") for e in web.events))
        note(plain, (crawls.event(e, OURS, "event, as shipped") for e in web.events))
        for k in ks:
            note(plain, (crawls.best_first(event, k) for event in web.events))
            note(plain, (crawls.event(event, ours[event, k]) for event in web.events))
        first = {event: ours[event, ks[0]] for event in web.events}
        note(plain, (crawls.event(e, topic_only(like), "event, topic alone") for e, like in first.items()))
        for settings in TRIED_SOURCES:
            name = named(settings)
            note(weighed, (crawls.event(e, like, name, settings) for e, like in first.items()))
    return plain, weighed


def named(settings: Mapping[str, Any]) -> str:
    """A way to weigh sources as a name.

    >>> named({"source": "mean-score", "newcomers": 0.5})
    'mean-score, newcomers 0.5'
    """
    others = [f"{name} {value:g}" for name, value in settings.items() if name != "source"]
    return ", ".join((settings["source"], *others))


def summary(runs: Sequence[Crawled]) -> str:
    """The means over events, as a line."""
    means = {
        name: float(np.mean([getattr(run, name) for run in runs]))
        for name in ("recall", "auc", "harvest", "hosts", "relevant_hosts")
    }
    told = "  ".join(f"{name} {value:.3f}" for name, value in means.items())
    return f"{runs[0].strategy:30} k={runs[0].k:<5} {told}"


class Figures:
    """One figure of all runs, by crawler: an array over the events, each the mean of its draws."""

    def __init__(self, runs: Sequence[Crawled]) -> None:
        self.runs = runs
        self.events = sorted({run.event for run in runs})
        self.crawlers = [*dict.fromkeys((run.strategy, run.k) for run in runs)]

    def of(self, crawler: tuple[str, int], figure: str) -> Floats:
        """The figure of a crawler on each event."""
        found: dict[str, list[float]] = {event: [] for event in self.events}
        for run in self.runs:
            if (run.strategy, run.k) == crawler:
                found[run.event].append(getattr(run, figure))
        return np.array([np.mean(values) for values in found.values()])

    def at_best_size(self, strategy: str, figure: str = "auc") -> tuple[Floats, list[int]]:
        """The figure on each event at the size that did best on all the others, and these sizes."""
        ks = [k for name, k in self.crawlers if name == strategy]
        table = np.array([self.of((strategy, k), figure) for k in ks])
        others = (table.sum(axis=1, keepdims=True) - table) / (len(self.events) - 1)
        best = others.argmax(axis=0)
        return table[best, np.arange(len(self.events))], [ks[at] for at in best]


def compared(figures: Figures, one: tuple[str, int], other: tuple[str, int]) -> dict[str, float]:
    """Mean differences of two crawlers over the events, and the paired tests' p values."""
    found: dict[str, float] = {}
    for name in ("recall", "auc", "hosts"):
        first, second = figures.of(one, name), figures.of(other, name)
        found[name] = float(first.mean() - second.mean())
        found[f"{name} p"] = paired_test([*first], [*second])
    return found


def best_size_pair(figures: Figures) -> dict[str, Any]:
    """`event` against `best-first`, each at the size that was best on the other events."""
    (event, event_ks), (topic, topic_ks) = (figures.at_best_size(name) for name in ("event", "best-first"))
    return {
        "event AUC": float(event.mean()),
        "event k": sorted(set(event_ks)),
        "best-first AUC": float(topic.mean()),
        "best-first k": sorted(set(topic_ks)),
        "p": paired_test([*event], [*topic]),
    }


def source_halves(figures: Figures) -> list[dict[str, Any]]:
    """Choose how to weigh sources on one half of the events, and compare it with `none` on the other.

    The choice is the setting with the fewest hosts among those that keep recall and area.
    """
    none = next(crawler for crawler in figures.crawlers if crawler[0] == "none")
    tried = [crawler for crawler in figures.crawlers if crawler != none]
    rows = []
    for half in (0, 1):
        learn = np.arange(len(figures.events)) % 2 == half

        def loss(crawler: tuple[str, int], figure: str, at: Floats) -> float:
            return float((figures.of(none, figure) - figures.of(crawler, figure))[at].mean())

        held = [c for c in tried if max(loss(c, "recall", learn), loss(c, "auc", learn)) <= HELD]
        chosen = min(held or tried, key=lambda crawler: figures.of(crawler, "hosts")[learn].mean())
        row: dict[str, Any] = {"learned on": f"half {half + 1}", "chosen": chosen[0]}
        for figure in ("recall", "auc", "hosts"):
            with_it, without = (figures.of(crawler, figure)[~learn] for crawler in (chosen, none))
            row |= {
                figure: float(with_it.mean()),
                f"{figure} without": float(without.mean()),
                f"{figure} p": paired_test([*with_it], [*without]),
            }
        rows.append(row)
    return rows

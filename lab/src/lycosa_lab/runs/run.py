"""One run of one strategy on one topic of a virtual web, by the engine's own loop.

Memory frontier and memory store behind the same seams, one URL in flight, a virtual clock.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec

from lycosa.clock import VirtualClock
from lycosa.collection import Conclusion, Record
from lycosa.engine.conclude import Conclusions
from lycosa.engine.loop import NOTHING_LEFT, Crawl
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.learn.refit import inline_refits
from lycosa.methods import BaseStrategy
from lycosa.spec.sections import ArchiveSpec, FetchSpec, FrontierSpec, ScopeSpec
from lycosa.values import Kind, Link
from lycosa_lab import metrics
from lycosa_lab.runs.answers import SimulatedUser, asking_refits
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.runs.protocol import Draw, Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.seen_images import seeing
from lycosa_lab.webs.web import Topic

ANYTHING = ScopeSpec()
UNLIMITED = Limits(concurrency=1)


class Run(msgspec.Struct, frozen=True):
    """The result of one run. `curve[i]`: relevant pages among the first i + 1 counted."""

    strategy: str
    settings: dict[str, Any]
    topic: str
    random_seed: int
    budget: int
    targets: int
    curve: list[int]
    fetched: list[str]
    collected: list[str]
    precision: float
    strict: tuple[float, float, float]  # precision, recall, F1 of the collected pages
    lenient: tuple[float, float, float]
    decided_by: dict[str, int]  # number of links by deciding rule
    scores: list[float]  # final scores of the fetched pages
    threshold: float | None  # minimum score of a kept page, if the judge has one
    answered: list[str] = []  # pages the simulated user answered about
    ran_dry: bool = False  # nothing was left to fetch before the budget was spent

    @property
    def harvest(self) -> float:
        """Relevant pages / pages fetched."""
        return metrics.harvest_ratio(self.curve)

    @property
    def recall(self) -> float:
        """Relevant pages fetched / relevant pages that can be reached."""
        return metrics.target_recall(self.curve, self.targets)

    @property
    def auc(self) -> float:
        """Area under the coverage curve."""
        return metrics.area_under_coverage(self.curve, self.targets, self.budget)

    @property
    def relevant(self) -> list[bool]:
        """Whether each counted page is relevant."""
        return [now > before for before, now in pairwise([0, *self.curve])]

    @property
    def precision_unasked(self) -> float:
        """Precision of the kept pages that nobody answered about."""
        right = {url for url, relevant in zip(self.fetched, self.relevant, strict=True) if relevant}
        unasked = set(self.collected).difference(self.answered)
        return len(unasked & right) / len(unasked) if unasked else 0.0

    @property
    def kept_recall(self) -> float:
        """Relevant pages kept / relevant pages that can be reached."""
        return self.lenient[1]

    @property
    def f1(self) -> float:
        """Harmonic mean of the precision and the recall of what was kept."""
        return self.lenient[2]

    @property
    def reported(self) -> float:
        """Reported harvest: pages kept / pages fetched."""
        return len(self.collected) / len(self.fetched) if self.fetched else 0.0

    @property
    def overstated(self) -> float:
        """Reported harvest − true harvest."""
        return self.reported - self.harvest

    @property
    def harvest_error(self) -> float:
        """|Reported harvest − true harvest|."""
        return abs(self.overstated)

    @property
    def estimated(self) -> float:
        """Estimated harvest: the mean score, read as a probability."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else 0.0

    @property
    def estimate_error(self) -> float:
        """|Estimated harvest − true harvest|."""
        return abs(self.estimated - self.harvest)

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of the scores."""
        return metrics.calibration_error(self.scores, self.relevant)

    @property
    def brier(self) -> float:
        """Mean squared error of the scores."""
        return metrics.brier_score(self.scores, self.relevant)


class CountingStore(MemorySink):
    """Counts pages and stops the crawl when the budget is spent."""

    def __init__(self, excluded: frozenset[int], budget: int) -> None:
        super().__init__()
        self.excluded = excluded
        self.budget = budget
        self.counted: list[Link] = []
        self.decided_by: Counter[str] = Counter()
        self.crawl: Crawl | None = None

    def save(self, record: Record) -> Conclusion:
        """Count an analysed page that is not excluded."""
        before = super().save(record)
        self.decided_by.update(decision.rule for decision in record.decisions)
        page = record.page
        if page is None or page.link.kind is not Kind.PAGE or page.link.key in self.excluded:
            return before
        self.counted.append(page.link)
        if len(self.counted) >= self.budget and self.crawl:
            self.crawl.stop("the budget of the run is used up")
        return before


@dataclass(frozen=True)
class Crawled:
    """A finished crawl of a virtual web; it can be measured again after rejudging."""

    crawl: Crawl
    store: CountingStore
    strategy: BaseStrategy
    topic: Topic
    draw: Draw
    options: Options
    user: SimulatedUser | None = None

    def measured(self, name: str, settings: Mapping[str, Any], random_seed: int) -> Run:
        """Measure it by the labels, with the current judgements."""
        judge = self.strategy.judge_
        threshold = getattr(judge.learning.version if judge.learning else judge, "threshold", None)
        answered = self.user.answers if self.user else {}
        run = _measured(
            name, settings, self.topic, self.draw, self.options, random_seed, self.store, threshold
        )
        urls = [link.url for link in self.store.counted if link.key in answered]
        return msgspec.structs.replace(run, answered=urls, ran_dry=self.crawl.ended == NOTHING_LEFT)


def run_strategy(
    name: str,
    strategy: BaseStrategy,
    settings: Mapping[str, Any],
    web: CachedWeb,
    topic: Topic,
    draw: Draw,
    options: Options,
    random_seed: int,
) -> Run:
    """Crawl the web with a fitted strategy and measure the result."""
    answers = options.given.labels if options.given else 0
    user = SimulatedUser(topic, answers) if answers else None
    return crawled(strategy, web, topic, draw, options, user).measured(name, settings, random_seed)


def crawled(
    strategy: BaseStrategy,
    web: CachedWeb,
    topic: Topic,
    draw: Draw,
    options: Options,
    user: SimulatedUser | None = None,
) -> Crawled:
    """Crawl the web with a fitted strategy, to the end."""
    store = CountingStore(draw.excluded, options.pages)
    # As a user, the limit is the crawl's own: examples and seeds consume it but are not counted.
    limits = Limits(pages=options.pages if options.given else None)
    crawl = make_crawl(strategy, web, store, limits=limits, user=user)
    store.crawl = crawl
    seeds = [Link(web.url(key), key, priority=1.0) for key in draw.seeds]
    asyncio.run(crawl.run(seeds))
    return Crawled(crawl, store, strategy, topic, draw, options, user)


def make_crawl(
    strategy: BaseStrategy,
    web: CachedWeb,
    store: MemorySink,
    scope: ScopeSpec = ANYTHING,
    limits: Limits = UNLIMITED,
    user: SimulatedUser | None = None,
) -> Crawl:
    """Return the engine on a cached web, optionally with a simulated user."""
    analyser, judge = seeing(web.for_evidence(strategy.needs)), strategy.judge_
    fetch, frontier, archive = FetchSpec(per_host_delay_s=0), FrontierSpec(), ArchiveSpec()
    policy = Policy(
        max_waiting=frontier.max_waiting,
        weigh=strategy.host_weight if strategy.weighs_sources else None,
        records=strategy.records,
    )
    conclusions = Conclusions(
        frontier=MemoryFrontier(policy),
        strategy=strategy,
        store=store,
        admission=Admission(scope, fetch, frontier),
        follow=Follow(fetch, archive),
    )
    return Crawl(
        fetcher=web,
        analyser=analyser,
        conclusions=conclusions,
        limits=limits,
        clock=VirtualClock(),
        refits=asking_refits(judge, conclusions, store, user)
        if user
        else inline_refits(judge, conclusions, store),
    )


def _measured(
    name: str,
    settings: Mapping[str, Any],
    topic: Topic,
    draw: Draw,
    options: Options,
    random_seed: int,
    store: CountingStore,
    threshold: float | None,
) -> Run:
    counted = store.counted[: options.pages]
    curve, found = [], 0
    for link in counted:
        found += link.key in draw.targets
        curve.append(found)
    explored = store.explored
    collected = [link for link in counted if link.key not in explored and _is_collected(store, link)]
    keys = {link.key for link in collected}
    strict = metrics.quality(keys, topic.grades, draw.targets, least=2)
    lenient = metrics.quality(keys, topic.grades, draw.targets, least=1)
    return Run(
        strategy=name,
        settings=dict(settings),
        topic=topic.name,
        random_seed=random_seed,
        budget=options.pages,
        targets=len(draw.targets),
        curve=curve,
        fetched=[link.url for link in counted],
        collected=[link.url for link in collected],
        precision=lenient.precision,
        strict=(strict.precision, strict.recall, strict.f1),
        lenient=(lenient.precision, lenient.recall, lenient.f1),
        decided_by=dict(store.decided_by.most_common()),
        scores=[round(store.judgements[link.key].score, 4) for link in counted],
        threshold=threshold,
    )


def _is_collected(store: CountingStore, link: Link) -> bool:
    judgement = store.judgements.get(link.key)
    return link.kind is Kind.PAGE and judgement is not None and judgement.relevant

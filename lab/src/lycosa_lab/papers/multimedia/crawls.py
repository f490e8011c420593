"""Crawl demo webs of several generator seeds with the multimedia crawler, one setting at a time.

Link and page classifiers are fitted on demo webs of other seeds, which no figure is measured on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import msgspec
import numpy as np

from lycosa.collection import Conclusion, Record
from lycosa.evidence.link_text import LinkText
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.files import cache_directory
from lycosa.learn.judges.kinds import EveryPage, Judge, TextJudge
from lycosa.learn.training.classifiers import fit_models
from lycosa.learn.training.examples import example_of
from lycosa.learn.training.text import Label
from lycosa.methods.multimedia.images import ImageEvidence, ImageModel
from lycosa.methods.multimedia.link_training import links_of, train_links
from lycosa.methods.multimedia.shown import HIT
from lycosa.methods.multimedia.strategy import Multimedia
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.spec.sections import ScopeSpec
from lycosa.urls import key_of
from lycosa.values import Kind, Link, Score
from lycosa_lab import metrics
from lycosa_lab.demo_web import DemoWeb
from lycosa_lab.demo_web.environment import TOPIC, environment_part
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.runs.run import make_crawl
from lycosa_lab.webs.cache import CachedWeb, code_digest
from lycosa_lab.webs.seen_images import seen_images
from lycosa_lab.webs.web import VirtualWeb

WEBS = (1, 2, 3, 4, 5)
TRAINING = (100, 200)
"""Each web is crawled with the classifiers of two other webs: those of its seed plus these numbers."""
TRAINING_PAGES = 60
"""Pages of the training web whose links are learned from (the paper's 26 pages had 711 links)."""
DEPTH = 3
STRICT, LENIENT = 2, 1

RELEVANCE = {"strict": STRICT, "lenient": LENIENT}
BASE = "fS 0.1 0.0"
"""The setting whose relevant pages are the paper's recall base."""

Settings = Mapping[str, Any]


class Trial(NamedTuple):
    """A setting of the crawler, and how deep it goes."""

    settings: Settings
    depth: int = DEPTH


class Collected(msgspec.Struct, frozen=True):
    """What one crawl fetched, seeds left out: grades by depth of collected pages, and what was explored."""

    pages: dict[str, tuple[int, int]]  # URL -> (grade, depth)
    explored: int
    images: int
    there: tuple[int, int] = (0, 0)  # pages of the whole web of at least grade 1, and 2

    def graded(self, least: int) -> frozenset[str]:
        """The collected pages of at least that grade."""
        return frozenset(url for url, (grade, _) in self.pages.items() if grade >= least)

    def precision(self, least: int) -> float:
        """Share of the collected pages that are relevant: strict with least = 2, lenient with 1."""
        return len(self.graded(least)) / len(self.pages) if self.pages else 0.0

    def quality(self, least: int, base: frozenset[str]) -> metrics.Quality:
        """Precision, and recall of a base of relevant pages."""
        found = len(self.graded(least) & base)
        return metrics.Quality(self.precision(least), found / len(base) if base else 0.0)

    def recall(self, least: int) -> float:
        """Share of the relevant pages of the whole web that were collected."""
        there = self.there[least - 1]
        return len(self.graded(least)) / there if there else 0.0


class _Keeping(MemorySink):
    """Keeps the links of the pages that were analysed."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[int, Link] = {}
        self.images = 0

    def save(self, record: Record) -> Conclusion:
        if record.page is not None and record.page.link.kind is Kind.IMAGE:
            self.images += 1
        elif record.page is not None:
            self.pages[record.page.link.key] = record.page.link
        return super().save(record)


@dataclass
class Bench:
    """One web with what its runs share."""

    web: CachedWeb
    topic: str
    seeds: tuple[str, ...]
    links: TextModel
    judge: Judge = field(default_factory=EveryPage)
    known: dict[tuple[str, str, str], Any] = field(default_factory=dict)

    def crawl(self, settings: Settings, depth: int = DEPTH) -> Collected:
        """One crawl by the engine, to its end."""
        strategy = Multimedia(**settings)
        strategy.fit(Preparation(self.judge, TopicEvidence({}), models={"text": self.links}))
        strategy.needs = tuple(
            kind if isinstance(kind, ImageEvidence) else Remembered(kind, self.known)
            for kind in strategy.needs
        )
        store = _Keeping()
        crawl = make_crawl(strategy, self.web, store, ScopeSpec(depth=depth))
        begin = {key_of(url, self.web.web.folding): url for url in self.seeds}
        asyncio.run(crawl.run([Link(url, key, priority=1.0) for key, url in begin.items()]))
        grades = self.web.web.topic(self.topic).grades
        collected = {
            link.url: (grades.get(key, 0), link.depth)
            for key, link in store.pages.items()
            if key not in store.explored and key not in begin
        }
        rest = [grade for key, grade in grades.items() if key not in begin]
        there = (sum(grade >= LENIENT for grade in rest), sum(grade >= STRICT for grade in rest))
        return Collected(collected, len(store.explored), store.images, there)

    def links_by_score(self) -> Counter[tuple[bool, int, int]]:
        """All links of the web: (whether their page shows such an image, tenths of T, grade of the target)."""
        seen = asyncio.run(seen_images(self.web, ImageEvidence(ImageModel.builtin())))
        shown = {key for key, fact in seen.items() if isinstance(fact, Score) and fact.value >= HIT}
        grades, words = self.web.web.topic(self.topic).grades, LinkText(self.links)
        found: Counter[tuple[bool, int, int]] = Counter()
        for key in self.web.pages:
            document = self.web.document(key)
            if document is None:
                continue
            visual = any(image.key in shown for image in document.images)
            for link, text in zip(document.links, words.of_links(document), strict=True):
                if link.key in grades:
                    found[visual, min(int(10 * text), 9), grades[link.key]] += 1
        return found


CrawlsBySetting = Mapping[str, Sequence[Collected]]
"""The crawls of each setting, by its name."""
Value = Callable[[str], float]
"""A figure of a setting, by its name: the mean over the webs."""


def precision(found: CrawlsBySetting, least: int) -> Value:
    """Mean precision of a setting over the webs."""
    return lambda name: float(np.mean([one.precision(least) for one in found[name]]))


def pooled(found: CrawlsBySetting, least: int) -> Value:
    """Precision over the pages of all webs together: a crawl that collects next to nothing weighs as little."""

    def share(name: str) -> float:
        total = sum(len(one.pages) for one in found[name])
        return sum(len(one.graded(least)) for one in found[name]) / total if total else 0.0

    return share


def f1(found: CrawlsBySetting, least: int) -> Value:
    """Mean F1 on the paper's recall base."""

    def mean(name: str) -> float:
        pairs = zip(found[name], found[BASE], strict=True)
        return float(np.mean([one.quality(least, base.graded(least)).f1 for one, base in pairs]))

    return mean


def recall(found: CrawlsBySetting, least: int) -> Value:
    """Mean recall of the relevant pages of the whole web."""
    return lambda name: float(np.mean([one.recall(least) for one in found[name]]))


def mean_pages(found: CrawlsBySetting) -> Value:
    """Mean number of pages collected."""
    return lambda name: float(np.mean([len(one.pages) for one in found[name]]))


def benches(webs: Sequence[int]) -> Iterator[Bench]:
    """Each web with the classifiers of one training web, then of the other."""
    for web in webs:
        for away in TRAINING:
            yield demo_bench(web, *demo_models(away + web))


def demo_bench(random_seed: int, links: TextModel, pages: TextModel) -> Bench:
    """The environmental part of the demo web of a generator seed."""
    folder = cache_directory() / f"environment-{random_seed}-{code_digest()}"
    part = environment_part(random_seed)
    if not (folder / "web.toml").exists():
        DemoWeb((part,)).write(folder)
    web = CachedWeb(VirtualWeb.open(folder))
    return Bench(web, TOPIC, part.topics[TOPIC].seeds, links, TextJudge(pages))


def demo_models(random_seed: int) -> tuple[TextModel, TextModel]:
    """A link and a page classifier, from pages of a demo web that is used for nothing else.

    Positive are links to pages that give data (grade 2), as in the paper, and such pages.
    """
    part = environment_part(random_seed)
    grades = {url: grade for url, _, grade in part.labels}
    drawn = Random(random_seed).sample(sorted(grades), TRAINING_PAGES)
    documents = {url: Document(part.pages[url].body, url, "text/html") for url in drawn}
    examples = [
        example
        for url, document in documents.items()
        for example in links_of(document, lambda link: grades.get(link.url, 0) == STRICT, url)
    ]
    links = train_links(examples, provenance={"from": f"demo web {random_seed}, {TRAINING_PAGES} pages"})
    pages = {
        label: [
            example_of(document, key_of(url))
            for url, document in documents.items()
            if (grades[url] == STRICT) is (label is Label.POSITIVE)
        ]
        for label in (Label.POSITIVE, Label.NEGATIVE)
    }
    return links, fit_models(["text"], pages)["text"]


def measure(
    trials: Mapping[str, Trial], webs: Iterable[Bench], progress: Callable[[], None] = lambda: None
) -> dict[str, list[Collected]]:
    """All settings on all webs; the crawls of a setting are in the order of the webs."""
    found: dict[str, list[Collected]] = {name: [] for name in trials}
    for bench in webs:
        for name, trial in trials.items():
            found[name].append(bench.crawl(*trial))
            progress()
    return found

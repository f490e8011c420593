"""The multimedia crawler on demo webs of several generator seeds: what each setting collects.

In: generator seeds. Out: for each setting and web the pages collected and explored, with their grades.
The link classifier is fitted on a demo web of another seed, which no figure is measured on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from lycosa.config import ScopeSpec
from lycosa.evidence import Evidence
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb, cache_directory, code_digest
from lycosa.lab.demo import DemoWeb
from lycosa.lab.demo.environment import TOPIC, environment_part
from lycosa.lab.run import make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.page.document import Document
from lycosa.store import Record
from lycosa.store.memory import MemoryStore
from lycosa.strategies.judges import EveryPage
from lycosa.strategies.multimedia import Multimedia
from lycosa.strategies.preparation import Preparation
from lycosa.train.links import links_of, train_links
from lycosa.urls import key_of
from lycosa.values import Fact, Kind, Link

WEBS = (1, 2, 3, 4, 5)
TRAINING_WEB = 101
TRAINING_PAGES = 60
"""Pages of the training web whose links are learned from (the paper's 26 pages had 711 links)."""
DEPTH = 3

Settings = Mapping[str, Any]


class Collected(msgspec.Struct, frozen=True):
    """What one crawl fetched, seeds left out: grades by depth of collected pages, and what was explored."""

    pages: dict[str, tuple[int, int]]  # URL -> (grade, depth)
    explored: int
    images: int

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


class _Keeping(MemoryStore):
    """Keeps the links of the pages that were analysed."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: dict[int, Link] = {}
        self.images = 0

    def save(self, record: Record) -> None:
        super().save(record)
        if record.page is None:
            return
        if record.page.link.kind is Kind.IMAGE:
            self.images += 1
        else:
            self.pages[record.page.link.key] = record.page.link


class Remembered:
    """Evidence that computes each document's link scores once, over all runs of a web."""

    def __init__(self, kind: Evidence, known: dict[str, Sequence[float] | None]) -> None:
        self.kind = kind
        self.name = kind.name
        self.known = known

    def of_page(self, document: Document) -> Fact | None:
        """As the evidence itself."""
        return self.kind.of_page(document)

    def of_links(self, document: Document) -> Sequence[float] | None:
        """As the evidence itself, remembered."""
        if document.url not in self.known:
            self.known[document.url] = self.kind.of_links(document)
        return self.known[document.url]


@dataclass
class Bench:
    """One web with what its runs share."""

    web: CachedWeb
    topic: str
    seeds: tuple[str, ...]
    links: TextModel
    scores: dict[str, Sequence[float] | None]

    def crawl(self, settings: Settings, depth: int = DEPTH) -> Collected:
        """One crawl by the engine, to its end."""
        strategy = Multimedia(**settings)
        empty = Preparation(EveryPage(), TopicEvidence({}), models={"text": self.links})
        strategy.fit(empty)
        strategy.needs = tuple(
            Remembered(kind, self.scores) if kind.name == "link_text" else kind for kind in strategy.needs
        )
        store = _Keeping()
        crawl = make_crawl(strategy, self.web, store, ScopeSpec(depth=depth))
        begin = {key_of(url, self.web.web.index_names): url for url in self.seeds}
        asyncio.run(crawl.run([Link(url, key, priority=1.0) for key, url in begin.items()]))
        grades = self.web.web.topic(self.topic).grades
        collected = {
            link.url: (grades.get(key, 0), link.depth)
            for key, link in store.pages.items()
            if key not in store.explored and key not in begin
        }
        return Collected(collected, len(store.explored), store.images)


def demo_bench(random_seed: int, links: TextModel) -> Bench:
    """The environmental part of the demo web of a generator seed."""
    folder = cache_directory() / f"environment-{random_seed}-{code_digest()}"
    part = environment_part(random_seed)
    if not (folder / "web.toml").exists():
        DemoWeb((part,)).write(folder)
    web = CachedWeb(VirtualWeb.open(folder))
    return Bench(web, TOPIC, part.topics[TOPIC].seeds, links, {})


def demo_link_model(random_seed: int = TRAINING_WEB) -> TextModel:
    """The link classifier, from pages of a demo web that is used for nothing else.

    Positive are links to pages that give data (grade 2), as in the paper.
    """
    part = environment_part(random_seed)
    grades = {url: grade for url, _, grade in part.labels}
    drawn = Random(random_seed).sample(sorted(grades), TRAINING_PAGES)
    examples = [
        example
        for url in drawn
        for example in links_of(
            Document(part.pages[url].body, url, "text/html"), lambda link: grades.get(link.url, 0) == 2, url
        )
    ]
    return train_links(examples, provenance={"from": f"demo web {random_seed}, {TRAINING_PAGES} pages"})


def tenths(first: int = 1, last: int = 9) -> list[float]:
    """0.1, 0.2, … 0.9."""
    return [number / 10 for number in range(first, last + 1)]


def grid() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every setting of the paper's tables and figures, by a name."""
    for t1 in tenths():
        yield f"f' {t1}", {"selection": "text", "t1": t1}
        yield f"f''' {t1}", {"selection": "both", "t1": t1}
        for t2 in tenths(0, 8):
            if t2 < t1:
                yield f"fS {t1} {t2}", {"selection": "either", "t1": t1, "t2": t2}
        for rule in ("text", "visual", "both"):
            for t3 in tenths(1, 8):
                if t3 < t1 and (rule != "visual" or t3 == 0.1):
                    explore = {"exploration": rule, "t3": t3}
                    yield f"f' {t1} {rule} {t3}", {"selection": "text", "t1": t1, **explore}
    yield "f''", {"selection": "visual"}
    for t1 in tenths(3):
        for t2 in tenths(3):
            if t2 < t1:
                explore = {"exploration": "text", "t3": 0.2}
                yield f"fS {t1} {t2} text 0.2", {"selection": "either", "t1": t1, "t2": t2, **explore}


def measure(
    webs: Sequence[int] = WEBS, say: Callable[[str], None] = print
) -> tuple[TextModel, dict[str, list[Collected]]]:
    """All settings on all webs; the crawls of a setting are in the order of the webs."""
    links = demo_link_model()
    wanted = dict(grid())
    found: dict[str, list[Collected]] = {name: [] for name in wanted}
    for seed in webs:
        bench = demo_bench(seed, links)
        for name, settings in wanted.items():
            found[name].append(bench.crawl(settings))
        for depth in (1, 2):
            for t1 in tenths():
                name = f"f' {t1} depth {depth}"
                found.setdefault(name, []).append(bench.crawl({"selection": "text", "t1": t1}, depth))
        say(f"Demo web {seed}: {len(wanted) + 18} crawls made.")
    return links, found


def save(found: Mapping[str, Sequence[Collected]], path: Path) -> None:
    """Write what was collected, for tables that are drawn later."""
    path.write_bytes(msgspec.json.encode(found))

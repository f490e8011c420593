"""Measures of the profile crawler on a web with page types: type accuracy, harvest over detail pages, capture."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import msgspec

from lycosa.engine.start.prepare import preparation
from lycosa.errors import InputError
from lycosa.learn.topic import TopicModel
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import strategy_class
from lycosa.methods.profile.site.page_types import PageTypes, Site
from lycosa.methods.profile.site.schema import OTHER
from lycosa.methods.profile.site.type_training import TYPES, train_page_types
from lycosa.page.document import Document
from lycosa.spec.sections import JudgeSpec
from lycosa.urls import key_of
from lycosa.values import Link
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import Topic

BLOCK = 1_000


class ProfileRun(msgspec.Struct, frozen=True):
    """One crawl of a sharing site: for each page fetched its key, type and whether it is relevant, in order."""

    name: str
    topic: str
    settings: dict[str, Any]
    fetched: list[int]
    types: list[str]
    relevant: list[bool]

    def about(self, topic: Topic) -> ProfileRun:
        """The same crawl, counted for another topic."""
        wanted = topic.relevant()
        relevant = [key in wanted for key in self.fetched]
        return msgspec.structs.replace(self, topic=topic.name, relevant=relevant)

    def pages_for(self, share: float = 0.95) -> int:
        """After how many pages this share of what the crawl found had been found: then the topic is used up."""
        wanted, found = share * sum(self.relevant), 0
        for number, is_relevant in enumerate(self.relevant, start=1):
            found += is_relevant
            if found >= wanted:
                return number
        return 0

    def harvest(self, pages: int) -> float:
        """Relevant detail pages / detail pages, among the first `pages` pages [eq. 7]."""
        return self._ratio(0, pages)

    def capture(self, pages: int) -> float:
        """Detail pages / all pages, among the first `pages`."""
        return self.types[:pages].count("detail") / (len(self.types[:pages]) or 1)

    def blocks(self, size: int = BLOCK) -> list[float]:
        """Harvest of consecutive blocks of pages: robustness [figures 16, 17]."""
        return [self._ratio(start, start + size) for start in range(0, len(self.types), size)]

    def _ratio(self, start: int, end: int) -> float:
        return sum(self.relevant[start:end]) / (self.types[start:end].count("detail") or 1)


def example_pages(web: CachedWeb, each: int = 3, random_seed: int = 1) -> dict[str, list[Document]]:
    """Example pages of each type, drawn from the web's page types."""
    chance = Random(f"{random_seed}/page types")
    by_type: dict[str, list[int]] = {kind: [] for kind in TYPES}
    for key, kind in sorted(web.web.page_types.items()):
        if kind in by_type and key in web.pages:
            by_type[kind].append(key)
    if not all(by_type.values()):
        raise InputError(
            f"{web.web.path} has no page types. It needs page-types.csv with {', '.join(TYPES)}."
        )
    drawn = {kind: chance.sample(keys, min(each, len(keys))) for kind, keys in by_type.items()}
    return {kind: [page for key in keys if (page := web.document(key))] for kind, keys in drawn.items()}


def trained_site(web: CachedWeb, each: int = 3, random_seed: int = 1) -> Site:
    """Page types learned from a few pages of each type."""
    return train_page_types(example_pages(web, each, random_seed), name=web.web.title)


def lab_settings(web: CachedWeb, topic: Topic, random_seed: int = 1) -> dict[str, Any]:
    """The settings with which the lab gives `profile` a web's page types and a topic's tags."""
    return {
        "page_types": PageTypes(trained_site(web, random_seed=random_seed)),
        "topic_tags": topic.tags or (topic.name,),
    }


def confusion(web: CachedWeb, site: Site) -> Counter[tuple[str, str]]:
    """How many pages of which true type were given which type."""
    types = PageTypes(site)
    found: Counter[tuple[str, str]] = Counter()
    for key, kind in web.web.page_types.items():
        document = web.document(key)
        if document is not None:
            found[kind, types.type_of(document.outline, document.url)[0]] += 1
    return found


def accuracy(found: Mapping[tuple[str, str], int]) -> float:
    """The share of pages with the right type.

    >>> accuracy({("list", "list"): 3, ("list", "other"): 1})
    0.75
    """
    total = sum(found.values())
    return sum(count for (true, said), count in found.items() if true == said) / total if total else 0.0


def crawl_site(
    strategy_name: str,
    web: CachedWeb,
    topic: Topic,
    pages: int,
    settings: Mapping[str, Any] | None = None,
    name: str = "",
) -> ProfileRun:
    """Crawl a sharing site from its start pages with one strategy; `name` identifies the variant."""
    strategy = fitted(strategy_name, settings or {})
    store = CountingStore(frozenset(), pages)
    crawl = make_crawl(strategy, web, store)
    store.crawl = crawl
    start = [Link(url, key_of(url, web.web.folding), priority=1.0) for url in web.web.start]
    # A web may have other sites, without page types.
    asyncio.run(crawl.run([link for link in start if link.key in web.web.page_types] or start))
    fetched = [link.key for link in store.counted[:pages]]
    wanted = topic.relevant()
    shown = {key: value for key, value in (settings or {}).items() if key != "page_types"}
    return ProfileRun(
        name or strategy_name,
        topic.name,
        shown,
        fetched,
        [web.web.page_types.get(key, OTHER) for key in fetched],
        [key in wanted for key in fetched],
    )


def fitted(name: str, settings: Mapping[str, Any]) -> BaseStrategy:
    """A strategy with its settings that needs no topic but its own."""
    ready = preparation(TopicModel("english", {}), JudgeSpec(kind="all"))
    return strategy_class(name)(**settings).fit(ready)

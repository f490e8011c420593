"""A strategy of one's own, compared with two others on the demo web, in memory and in seconds.

Run it with: python examples/own_strategy.py
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lycosa import strategies
from lycosa.config import JudgeSpec, TopicSpec
from lycosa.lab.cache import CachedWeb
from lycosa.lab.demo import demo_web
from lycosa.lab.run import make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.prepare import make_topic, preparation
from lycosa.store.memory import MemoryStore
from lycosa.strategies import BaseStrategy, strategy_class
from lycosa.urls import key_of
from lycosa.values import Decision, Judgement, Link, Page


class ShortPaths(BaseStrategy):
    """Links of good pages first, and among these the ones with the shortest URLs."""

    def __init__(self, *, fading: float = 0.01) -> None:
        """Store the settings.

        fading: what each character of the URL costs.
        """
        self.fading = fading

    def rank(self, page: Page, judgement: Judgement) -> Sequence[Decision]:
        """One Decision a link; `rule` is what `lycosa why` will say."""
        return [
            Decision(link, judgement.score - self.fading * len(link.url), rule="short URLs of good pages")
            for link in page.links
        ]


# An installed package does this by an entry point in the group `lycosa.strategies`.
strategies.BUILT_IN["short-paths"] = f"{__name__}:ShortPaths"

PAGES = 150

with tempfile.TemporaryDirectory() as folder:
    demo_web().write(Path(folder))
    web = VirtualWeb.open(Path(folder))
    topic = web.topic("owls")
    cached = CachedWeb(web)
    vector = make_topic(TopicSpec(keywords=topic.keywords), [], [])
    for name in ("breadth-first", "best-first", "short-paths"):
        ready = preparation(vector, JudgeSpec())
        crawl = make_crawl(strategy_class(name)().fit(ready), cached, store := MemoryStore())
        crawl.limits = type(crawl.limits)(concurrency=1, pages=PAGES)
        asyncio.run(crawl.run([Link(url, key_of(url), priority=1.0) for url in topic.seeds]))
        labelled = topic.relevant()
        found = sum(key in labelled for key in store.judgements)
        print(f"{name:15} {found:3} of {len(store.judgements)} pages are labelled as relevant")

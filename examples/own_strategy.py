"""A strategy of one's own, compared with two others on the demo web, in memory and in seconds.

Run it with: python examples/own_strategy.py
Or by its name: lycosa lab run WEB --topic owls --strategy examples/own_strategy.py:ShortPaths
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lycosa.spec.sections import JudgeSpec, TopicSpec
from lycosa.lab.cache import CachedWeb
from lycosa.demo import demo_web
from lycosa.lab.run import make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.prepare.topic import make_topic, preparation
from lycosa.store.memory import MemoryStore
from lycosa.methods import BaseStrategy, strategy_class
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


PAGES = 150


def compare(folder: Path) -> None:
    """Crawl the demo web with each strategy, and count by its labels."""
    demo_web().write(folder)
    web = VirtualWeb.open(folder)
    topic = web.topic("owls")
    cached = CachedWeb(web)
    vector = make_topic(TopicSpec(keywords=topic.keywords), [], [])
    for kind in (strategy_class("breadth-first"), strategy_class("best-first"), ShortPaths):
        ready = preparation(vector, JudgeSpec())
        crawl = make_crawl(kind().fit(ready), cached, store := MemoryStore())
        crawl.limits = type(crawl.limits)(concurrency=1, pages=PAGES)
        asyncio.run(crawl.run([Link(url, key_of(url), priority=1.0) for url in topic.seeds]))
        labelled = topic.relevant()
        found = sum(key in labelled for key in store.judgements)
        print(f"{kind.__name__:15} {found:3} of {len(store.judgements)} pages are labelled as relevant")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        compare(Path(place))

"""How many URLs are under way at once: few before anything has been learned."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lycosa.engine.loop import FIRST_AT_ONCE, VISITS_EACH
from lycosa.engine.rules.limits import Limits
from lycosa.fetch import CrawlFetcher
from lycosa.methods.lookup import fitted
from lycosa.values import Fetched, Later, Link, NotFetched
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import make_crawl
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb


class Counting:
    """A fetcher whose answers take a while: how many of them were under way when each began."""

    def __init__(self, fetcher: CrawlFetcher) -> None:
        self.fetcher = fetcher
        self.under_way = 0
        self.seen: list[int] = []

    async def fetch(self, link: Link) -> Fetched | NotFetched | Later:
        """The answer, after all others that can begin have begun."""
        self.under_way += 1
        self.seen.append(self.under_way)
        for _ in range(20):
            await asyncio.sleep(0)
        self.under_way -= 1
        return await self.fetcher.fetch(link)


def test_few_urls_are_taken_before_pages_have_taught_anything(demo_folder: Path):
    """With a limit of 32 the first pages do not use up a small crawl; later more are under way."""
    web = CachedWeb(VirtualWeb.open(demo_folder))
    laboratory = Laboratory(web, "owls", 1, Options(pages=200))
    laboratory.prepare(["breadth-first"])
    strategy = fitted("breadth-first", {}, laboratory.preparations["breadth-first"])
    crawl = make_crawl(strategy, web, MemorySink(), limits=Limits(concurrency=32, pages=200))
    counting = Counting(crawl.visits.fetcher)
    crawl.visits.fetcher = counting
    hosts = {web.url(key).split("/")[2]: key for key in sorted(web.pages)}
    asyncio.run(crawl.run([Link(web.url(key), key, priority=1.0) for key in hosts.values()]))

    assert len(hosts) > FIRST_AT_ONCE
    assert max(counting.seen[:VISITS_EACH]) == FIRST_AT_ONCE
    assert FIRST_AT_ONCE < max(counting.seen) <= 32

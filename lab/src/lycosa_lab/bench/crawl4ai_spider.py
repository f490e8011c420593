"""crawl4ai without a browser on the benchmark's web, for comparison: breadth-first, as its documentation shows. Run as a program.

    python -m lycosa_lab.bench.crawl4ai_spider STARTS PORT PAGES CONCURRENCY

Prints the number of pages as JSON, on the last line. Needs crawl4ai, best in an environment of its own (`--peers`).
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from importlib import import_module
from typing import Any

MAX_DEPTH = 50


async def main(starts: str, port: int, pages: int, concurrency: int) -> int:
    """Crawl from space-separated URLs; every host name resolves to 127.0.0.1:port."""
    crawl4ai, deep = import_module("crawl4ai"), import_module("crawl4ai.deep_crawling")
    http, aiohttp = import_module("crawl4ai.async_crawler_strategy"), import_module("aiohttp")

    class Loopback(aiohttp.abc.AbstractResolver):  # type: ignore[misc, name-defined]
        """Send every connection to the local server; there is no setting like connect_to."""

        async def resolve(self, host: str, *_: Any, **__: Any) -> list[dict[str, Any]]:
            here = {"hostname": host, "host": "127.0.0.1", "port": port}
            return [here | {"family": socket.AF_INET, "proto": 0, "flags": socket.AI_NUMERICHOST}]

        async def close(self) -> None:
            pass

    connect = aiohttp.TCPConnector.__init__
    aiohttp.TCPConnector.__init__ = lambda self, **named: connect(self, **{**named, "resolver": Loopback()})
    strategy = deep.BFSDeepCrawlStrategy(max_depth=MAX_DEPTH, max_pages=pages, include_external=True)
    config = crawl4ai.CrawlerRunConfig(
        deep_crawl_strategy=strategy,
        stream=True,
        cache_mode=crawl4ai.CacheMode.BYPASS,
        check_robots_txt=True,
        semaphore_count=concurrency,
        verbose=False,
    )
    fetched = 0
    crawler_strategy = http.AsyncHTTPCrawlerStrategy(max_connections=concurrency)
    async with crawl4ai.AsyncWebCrawler(crawler_strategy=crawler_strategy) as crawler:
        async for result in await crawler.arun(starts.split()[0], config=config):
            fetched += result.success and result.status_code == 200
            if fetched >= pages:
                strategy.cancel()
                break
    return fetched


if __name__ == "__main__":
    starts, *numbers = sys.argv[1:]
    found = asyncio.run(main(starts, *map(int, numbers)))
    print("\n" + json.dumps({"pages": found}))

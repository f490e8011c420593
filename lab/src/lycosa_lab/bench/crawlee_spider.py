"""Crawlee on the benchmark's web, for comparison: its ParselCrawler, following links and keeping nothing. Run as a program.

    python -m lycosa_lab.bench.crawlee_spider STARTS PORT PAGES CONCURRENCY

Prints the number of pages as JSON. Needs crawlee[parsel], best in an environment of its own (`--peers`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from importlib import import_module
from typing import Any


async def main(starts: str, port: int, pages: int, concurrency: int) -> int:
    """Crawl from space-separated URLs, through the server at 127.0.0.1:port as a proxy."""
    logging.disable(logging.CRITICAL)
    crawlee, crawlers = import_module("crawlee"), import_module("crawlee.crawlers")
    proxies, storage = import_module("crawlee.proxy_configuration"), import_module("crawlee.storage_clients")
    crawler = crawlers.ParselCrawler(
        max_requests_per_crawl=pages,
        concurrency_settings=crawlee.ConcurrencySettings(
            min_concurrency=concurrency, desired_concurrency=concurrency, max_concurrency=concurrency
        ),
        # There is no setting like connect_to; the server also answers proxy requests.
        proxy_configuration=proxies.ProxyConfiguration(proxy_urls=[f"http://127.0.0.1:{port}"]),
        storage_client=storage.MemoryStorageClient(),
        respect_robots_txt_file=True,
    )
    fetched = 0

    @crawler.router.default_handler  # type: ignore[untyped-decorator]
    async def follow(context: Any) -> None:
        nonlocal fetched
        fetched += 1
        await context.enqueue_links(strategy="all")

    await crawler.run(starts.split())
    return fetched


if __name__ == "__main__":
    starts, *numbers = sys.argv[1:]
    found = asyncio.run(main(starts, *map(int, numbers)))
    print("\n" + json.dumps({"pages": found}))

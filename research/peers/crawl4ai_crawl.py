"""Crawl best-first with crawl4ai, without a browser. Reads a job as JSON on standard input, prints the fetched URLs.

Needs crawl4ai in its own environment; `research.peers.compare` starts it. Links are ranked by KeywordRelevanceScorer
(the share of the keywords in the URL), as its documentation shows; `resume_state` puts all seeds into one queue.
Pages with status 200 count.

Command line: PEERS/bin/python -m research.peers.crawl4ai_crawl < job.json
Expected time: ten to thirty seconds for 200 pages.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

MAX_DEPTH = 20


async def crawl(job: dict[str, Any]) -> list[str]:
    """Fetch the first pages, seeds included."""
    crawl4ai, deep = import_module("crawl4ai"), import_module("crawl4ai.deep_crawling")
    scorers = import_module("crawl4ai.deep_crawling.scorers")
    http = import_module("crawl4ai.async_crawler_strategy")
    seeds = job["seeds"]
    waiting = [{"score": -1.0, "depth": 0, "url": url, "parent_url": None} for url in seeds]
    begun = {
        "visited": [],
        "queue_items": waiting,
        "depths": dict.fromkeys(seeds, 0),
        "pages_crawled": 0,
    }
    strategy = deep.BestFirstCrawlingStrategy(
        max_depth=MAX_DEPTH,
        url_scorer=scorers.KeywordRelevanceScorer(keywords=job["keywords"]),
        resume_state=begun,
    )
    config = crawl4ai.CrawlerRunConfig(
        deep_crawl_strategy=strategy,
        stream=True,
        cache_mode=crawl4ai.CacheMode.BYPASS,
        proxy_config=crawl4ai.ProxyConfig(server=job["proxy"]),
        verbose=False,
    )
    fetched: list[str] = []
    async with crawl4ai.AsyncWebCrawler(crawler_strategy=http.AsyncHTTPCrawlerStrategy()) as crawler:
        async for result in await crawler.arun(seeds[0], config=config):
            if result.success and result.status_code == 200:
                fetched.append(result.url)
            if len(fetched) == job["pages"]:
                strategy.cancel()
                break
    return fetched


if __name__ == "__main__":
    found = asyncio.run(crawl(json.load(sys.stdin)))
    print("\n" + json.dumps(found))

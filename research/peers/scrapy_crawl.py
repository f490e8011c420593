"""Follow every link with Scrapy. Reads a job as JSON on standard input, prints the fetched URLs in order.

Needs Scrapy; `research.peers.compare` starts it. `order` "depth" is Scrapy's default, "breadth" the breadth-first order
of its FAQ. Concurrency is Scrapy's default.

Command line: PEERS/bin/python -m research.peers.scrapy_crawl < job.json
Expected time: five seconds for 200 pages.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

BREADTH = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}
PLAIN = {"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "ROBOTSTXT_OBEY": True, "DOWNLOAD_DELAY": 0}


def crawl(job: dict[str, Any]) -> list[str]:
    """Fetch the first pages, seeds included."""
    scrapy, process = import_module("scrapy"), import_module("scrapy.crawler")
    extract = import_module("scrapy.linkextractors").LinkExtractor().extract_links
    closed = import_module("scrapy.exceptions").CloseSpider
    html = import_module("scrapy.http").HtmlResponse
    fetched: list[str] = []

    def parse(_self: Any, response: Any) -> Any:
        if not isinstance(response, html):
            return
        if len(fetched) == job["pages"]:
            raise closed("enough pages")
        fetched.append(response.url)
        for link in extract(response):
            yield response.follow(link, meta={"proxy": job["proxy"]})

    async def start(_self: Any) -> Any:
        for url in job["seeds"]:
            yield scrapy.Request(url, meta={"proxy": job["proxy"]})

    spider = type("Follower", (scrapy.Spider,), {"name": "follower", "start": start, "parse": parse})
    crawler = process.CrawlerProcess(PLAIN | (BREADTH if job["order"] == "breadth" else {}))
    crawler.crawl(spider)
    crawler.start()
    return fetched


if __name__ == "__main__":
    print("\n" + json.dumps(crawl(json.load(sys.stdin))))

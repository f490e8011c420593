"""Scrapy on the benchmark's web, for comparison: follows links, keeps nothing. Run as a program.

    python -m lycosa_lab.bench.scrapy_spider STARTS PORT PAGES CONCURRENCY

Prints the number of pages as JSON. Needs the extra: pip install 'lycosa[bench]'.
"""

from __future__ import annotations

import json
import sys
from typing import Any


def main(starts: str, port: int, pages: int, concurrency: int) -> int:
    """Crawl from space-separated URLs; every host name resolves to 127.0.0.1:port."""
    import scrapy
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor
    from twisted.internet import endpoints
    from twisted.web import client

    class Loopback(endpoints.HostnameEndpoint):  # type: ignore[misc]
        """Send every connection to the local server; Scrapy has no setting like connect_to."""

        def __init__(self, reactor: Any, _host: Any, _port: int, *args: Any, **named: Any) -> None:
            super().__init__(reactor, b"127.0.0.1", port, *args, **named)

    for module in (endpoints, client):
        setattr(module, "HostnameEndpoint", Loopback)  # noqa: B010 - typed as a class, not a variable
    fetched = 0

    class Follower(scrapy.Spider):  # type: ignore[misc]
        name = "follower"
        start_urls = starts.split()
        extract = LinkExtractor().extract_links

        def parse(self, response: Any) -> Any:
            nonlocal fetched
            fetched += 1
            for link in Follower.extract(response):
                yield response.follow(link)

    process = CrawlerProcess(
        {
            "CLOSESPIDER_PAGECOUNT": pages,
            "CONCURRENT_REQUESTS": concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
            "DOWNLOAD_DELAY": 0,
            "DOWNLOAD_TIMEOUT": 5,  # of an archived web https is not served: Scrapy would wait three minutes, three times
            "RETRY_ENABLED": False,
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Follower)
    process.start()
    return fetched


if __name__ == "__main__":
    print(json.dumps({"pages": main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))}))

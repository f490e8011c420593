"""The web that a benchmark crawls: the generated site, or an archived web served on loopback."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from lycosa.errors import InputError
from lycosa.fetch.decode import decoded_body
from lycosa.testing import CannedResponse, Page, Pages, SiteProcess
from lycosa.urls import authority_of, key_of
from lycosa.values import Link, NotFetched, Refusal
from lycosa_lab.bench.web import HOSTS, KEYWORDS, start
from lycosa_lab.webs.web import VirtualWeb

MAX_BODY = 10_000_000
SENT = ("content-type", "location")


@dataclass(frozen=True)
class Crawled:
    """A web to crawl: its server, start URLs and keywords."""

    name: str
    maker: str
    arguments: dict[str, object]
    starts: tuple[str, ...]
    keywords: tuple[str, ...]
    hosts: str = "*.test"
    """Pattern of the host names served here. An archived web serves all, so no request leaves the machine."""

    def served(self) -> SiteProcess:
        """Start its server in a separate process."""
        return SiteProcess(self.maker, **self.arguments)


def made_site(pages: int) -> Crawled:
    """Return the generated benchmark site."""
    return Crawled(
        f"a site of {pages} pages of 45 KB",
        "lycosa_lab.bench.web:bench_pages",
        {"pages": pages, "hosts": HOSTS},
        (start(),),
        tuple(KEYWORDS),
    )


def archived_web(folder: Path) -> Crawled:
    """Return an archived web (docs/webs.md) with the keywords of its first topic that has any."""
    web = VirtualWeb.open(folder)
    if not web.start:
        raise InputError(f'{folder} names no start pages. Add to its web.toml: start = ["http://…"]')
    keywords = next((topic.keywords for topic in web.topics.values() if topic.keywords), tuple(KEYWORDS))
    return Crawled(
        web.title,
        "lycosa_lab.bench.crawled:archived_pages",
        {"folder": str(folder.resolve())},
        web.start,
        keywords,
        hosts="*",
    )


def archived_pages(folder: str) -> Pages:
    """Return every archived response by (host, path), decoded."""
    web = VirtualWeb.open(folder)
    made: dict[str | tuple[str, str], Page] = {}
    for url in web.archive.urls():
        fetched = asyncio.run(web.archive.fetch(Link(url, key_of(url, web.folding))))
        if isinstance(fetched, NotFetched):
            continue
        body = decoded_body(fetched, MAX_BODY)
        if isinstance(body, Refusal):
            continue
        headers = tuple((name, value) for name, value in fetched.headers if name.lower() in SENT)
        authority = authority_of(url)
        path = url[len(authority) :] or "/"
        made[authority.partition("://")[2], path] = CannedResponse(body, fetched.status, headers)
    return made

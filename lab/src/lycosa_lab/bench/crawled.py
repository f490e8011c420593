"""What a benchmark crawls: the made site, or an archived web served on loopback. In: its name. Out: what a crawl needs of it."""

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
    """A web to crawl: who serves it, where a crawl starts, and what it looks for."""

    name: str
    maker: str
    arguments: dict[str, object]
    starts: tuple[str, ...]
    keywords: tuple[str, ...]
    hosts: str = "*.test"
    """A pattern of the host names that are served here. Of an archived web all are: no request leaves the machine."""

    def served(self) -> SiteProcess:
        """Its server, in a process of its own."""
        return SiteProcess(self.maker, **self.arguments)


def made_site(pages: int) -> Crawled:
    """The benchmark's own site."""
    return Crawled(
        f"a site of {pages} pages of 45 KB",
        "lycosa_lab.bench.web:bench_pages",
        {"pages": pages, "hosts": HOSTS},
        (start(),),
        tuple(KEYWORDS),
    )


def archived_web(folder: Path) -> Crawled:
    """An archived web with the format of docs/webs.md; the keywords are those of its first topic that has some."""
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
    """Every archived response by (host, path), without any transfer or content coding of its own."""
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

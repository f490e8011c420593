"""The same few pages behind every kind of fetcher, for the suites that all of them must pass."""

from __future__ import annotations

import gc
import io
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lycosa.fetch import Fetcher
from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.http.client import HttpClient
from lycosa.fetch.http.fetcher import HttpFetcher
from lycosa.fetch.http.resolver import Resolver
from lycosa.testing import CannedResponse, Page, Site
from lycosa.urls import parse
from lycosa.values import Fetched, Link, NotFetched, Reason, Refusal
from tests.fetch.conftest import PAGE_TYPES, spec_with
from tests.misbehaviours import hangs_up

HOST = "http://a.test"
BROKEN: None = None
"""Instead of an answer: the connection breaks."""

Answers = Mapping[str, CannedResponse | None]
Asked = Callable[[], list[str]]
"""Tells the URLs that a server was asked for."""


@dataclass
class FakeFetcher:
    """Answers from memory; `asked` tells what it was asked for."""

    answers: Answers
    asked: list[str] = field(default_factory=list)

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        if parse(link.url) is None:
            return NotFetched(link, Refusal(Reason.NOT_HTTP))
        self.asked.append(link.url)
        if not link.url.startswith(HOST + "/"):
            return NotFetched(link, Refusal(Reason.DNS))
        answer = self.answers.get(link.url.removeprefix(HOST), CannedResponse(b"", 404))
        if answer is None:
            return NotFetched(link, Refusal(Reason.BROKEN_RESPONSE), passing=True)
        return Fetched(link, answer.status, answer.headers, answer.body, b"", b"", 0.0, 0.0)


@asynccontextmanager
async def over_http(answers: Answers) -> AsyncIterator[tuple[Fetcher, Asked]]:
    """The fetcher of the live web with a server of its own, and what that server was asked for."""
    pages: dict[str | tuple[str, str], Page] = {
        ("a.test", path): hangs_up() if answer is None else answer for path, answer in answers.items()
    }

    async def lookup(host: str) -> list[str]:
        if host != "127.0.0.1":
            raise OSError("there is no such host")
        return [host]

    with Site(pages) as site:
        to = {"a.test": f"127.0.0.1:{site.port}"}
        spec = spec_with(connect_to=to, allow_private=("a.test",))
        async with HttpClient(spec, Resolver(to, lookup=lookup)) as client:
            yield HttpFetcher(client, PAGE_TYPES, max_bytes=100_000), site.urls


@asynccontextmanager
async def in_memory(answers: Answers) -> AsyncIterator[tuple[Fetcher, Asked]]:
    """A fetcher that asks nobody, and what it was asked for."""
    fetcher = FakeFetcher(answers)
    yield fetcher, lambda: fetcher.asked


def archived(answers: Answers, path: Path) -> Fetcher:
    """The fetcher of an archived web."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    for name, answer in answers.items():
        assert answer is not None
        http = StatusAndHeaders(f"{answer.status} X", list(answer.headers), protocol="HTTP/1.1")
        payload = io.BytesIO(answer.body)
        writer.write_record(
            writer.create_warc_record(HOST + name, "response", payload=payload, http_headers=http)
        )
    path.write_bytes(buffer.getvalue())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        del writer
        gc.collect()  # warcio leaves its temporary files to the garbage collector
    return ArchiveFetcher([path])

"""A crawl ends when it is told to, and goes on where a request hangs, whatever servers and fetchers do."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.engine.loop import Crawl
from lycosa.engine.start.given import AlreadyFetched
from lycosa.testing import Page, Site, html, links
from lycosa.values import Fetched, Later, Link, NotFetched
from tests.crawling import crawl, crawling, pages_of, refusal_of, spec_text
from tests.misbehaviours import stalls

FIRST, HANGING = "http://h0.test/", "http://h1.test/hangs"
LIMIT_S = 15.0
"""The timeouts of requests are longer: a crawl that waits for them takes longer than this."""


@pytest.fixture
def site() -> Any:
    pages: dict[str | tuple[str, str], Page] = {
        ("h0.test", "/"): links(HANGING, "http://h0.test/a", "http://h0.test/b"),
        ("h0.test", "/a"): html("<p>a"),
        ("h0.test", "/b"): html("<p>b"),
        ("h1.test", "/hangs"): html("<p>at last"),
    }
    with Site(pages) as local:
        yield local


class Deaf:
    """A fetcher that answers one URL never, and ignores that it is cancelled. The first page `waits` until that was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, waits: bool = False) -> None:
        self.asked = asyncio.Event()
        fetch = AlreadyFetched.fetch

        async def deaf(fetcher: AlreadyFetched, link: Link) -> Fetched | NotFetched | Later:
            if link.url == FIRST and waits:
                await self.asked.wait()
            while link.url == HANGING:
                self.asked.set()
                try:
                    await asyncio.sleep(300)
                except asyncio.CancelledError:
                    continue
            return await fetch(fetcher, link)

        monkeypatch.setattr(AlreadyFetched, "fetch", deaf)


@pytest.mark.parametrize("how", ["stop", "limit"])
def test_a_stop_ends_whatever_hangs(site, tmp_path, monkeypatch, how):
    """The request that ignores everything is given back, named, and fetched by a later run."""
    said: list[str] = []
    out = tmp_path / "c"
    limits = {"bytes": 1} if how == "limit" else {}
    with monkeypatch.context() as patch:
        deaf = Deaf(patch, waits=how == "limit")

        async def stop(crawl: Crawl) -> None:
            if how == "stop":
                await deaf.asked.wait()
                crawl.stop("interrupted")

        text = spec_text(site, [FIRST, HANGING], fetch=_fetch(site), limits=limits)
        begun = time.monotonic()
        summary = crawl(text, out, say=said.append, watch=lambda crawl: asyncio.ensure_future(stop(crawl)))
    assert time.monotonic() - begun < LIMIT_S
    assert summary.resumable
    assert any(HANGING in message and "later run" in message for message in said)
    with Collection.open(out) as collection:
        assert collection.connection.execute("SELECT COUNT(*) FROM leases").fetchone() == (0,)
    crawl(spec_text(site, [FIRST], fetch=_fetch(site), limits={"pages": 10}), out)
    assert HANGING in pages_of(out)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_crawl_whose_servers_hang(tmp_path, number):
    """In a process of its own, with a real server that never answers."""
    pages: dict[str | tuple[str, str], Page] = {
        ("h0.test", "/"): links("http://h0.test/a", *(f"http://x{host}.test/" for host in range(8))),
        ("h0.test", "/a"): html("<p>a"),
        **{(f"x{host}.test", "/"): stalls() for host in range(8)},
    }
    with Site(pages) as site:
        (tmp_path / "c.toml").write_text(spec_text(site, [FIRST], fetch=_fetch(site)))
        with crawling(tmp_path / "c.toml", tmp_path / "out") as process:
            while not any("x1.test" in url for url in site.urls()):
                time.sleep(0.05)
            begun = time.monotonic()
            process.send_signal(number)
            process.wait(LIMIT_S)
            assert time.monotonic() - begun < LIMIT_S
            assert process.returncode == 0


def test_requests_that_hang_are_dropped_and_the_crawl_goes_on(site, tmp_path, monkeypatch):
    """When nothing has ended for several timeouts, what hangs is named and refused, and the rest is fetched."""
    Deaf(monkeypatch)
    said: list[str] = []
    out = tmp_path / "c"
    timeouts = {"connect_timeout_s": 0.3, "read_timeout_s": 0.3, "total_timeout_s": 0.3, "retries": 1}
    text = spec_text(site, [FIRST, HANGING], fetch={**_fetch(site), **timeouts} | {"concurrency": 1})
    summary = crawl(text, out, say=said.append)
    assert summary.ended == "nothing is left to fetch"
    assert {FIRST, "http://h0.test/a", "http://h0.test/b"} <= set(pages_of(out))
    assert refusal_of(out, HANGING) == "TIMEOUT"
    assert sum(HANGING in message and "hung" in message for message in said) == 2
    assert f"({HANGING})" in (out / "crawl.log").read_text()


def _fetch(site: Site) -> dict[str, Any]:
    return {
        "per_host_delay_s": 0,
        "per_ip_concurrency": 64,
        "stop_patience_s": 1,
        "read_timeout_s": 60,
        "connect_to": site.connect_to,
        "allow_private": list(site.allow_private),
    }

"""What every fetcher promises: one exchange, no policy, and values instead of exceptions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lycosa.fetch import Fetcher
from lycosa.fetch.redirects import redirect_target
from lycosa.testing import CannedResponse, html, redirect, status
from lycosa.values import Fetched, NotFetched, Reason
from tests.fetch.conftest import link_to
from tests.fetch.fetchers import HOST, archived, in_memory, over_http

ANSWERS: dict[str, CannedResponse | None] = {
    "/page": html("<p>Hello", etag='"7"'),
    "/moved": redirect("/page"),
    "/gone": status(410),
    "/busy": status(503, Retry_After="120"),
}

pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file <tempfile.SpooledTemporaryFile:ResourceWarning")


@pytest.fixture(params=["http", "archive", "fake"])
async def fetcher(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Fetcher]:
    """Each fetcher over the same pages."""
    if request.param == "archive":
        yield archived(ANSWERS, tmp_path / "web.warc.gz")
        return
    async with over_http(ANSWERS) if request.param == "http" else in_memory(ANSWERS) as (made, _):
        yield made


async def test_a_page_is_a_response(fetcher: Fetcher) -> None:
    """Status, headers and body are the server's, and the link is the one that was asked for."""
    link = link_to(HOST + "/page", anchor="a page", depth=3)
    page = await fetcher.fetch(link)
    assert isinstance(page, Fetched)
    assert (page.status, page.body, page.header("ETag")) == (200, b"<p>Hello", '"7"')
    assert page.link == link


async def test_a_redirect_is_a_response(fetcher: Fetcher) -> None:
    """It is not followed: its target is a link of its own."""
    moved = await fetcher.fetch(link_to(HOST + "/moved"))
    assert isinstance(moved, Fetched)
    assert redirect_target(moved) == HOST + "/page"


async def test_an_error_is_a_response(fetcher: Fetcher) -> None:
    """What it means is decided elsewhere."""
    gone = await fetcher.fetch(link_to(HOST + "/gone"))
    assert isinstance(gone, Fetched)
    assert gone.status == 410


@pytest.mark.parametrize("url", ["http://nowhere.test/", "ftp://a.test/page", "mailto:me@a.test", "http://["])
async def test_what_cannot_be_had_is_a_value(fetcher: Fetcher, url: str) -> None:
    """No server, no scheme, no URL at all: a NotFetched with its reason, never an exception."""
    result = await fetcher.fetch(link_to(url))
    assert isinstance(result, NotFetched)
    assert isinstance(result.refusal.reason, Reason)
    assert result.link.url == url


@pytest.mark.parametrize("path", ["/page", "/moved", "/gone", "/busy"])
async def test_it_has_no_policy(fetcher: Fetcher, path: str) -> None:
    """Nobody is told to rest or to come back; a busy server's Retry-After is handed on, not obeyed."""
    result = await fetcher.fetch(link_to(HOST + path))
    assert isinstance(result, Fetched)
    assert result.rest_s == 0
    assert (result.header("retry-after") == "120") == (path == "/busy")


async def test_fetches_do_not_depend_on_each_other(fetcher: Fetcher) -> None:
    """Many at once, and the same one again: each gets its own answer."""
    links = [link_to(HOST + path) for path in [*ANSWERS, *ANSWERS] * 3]
    results = await asyncio.gather(*map(fetcher.fetch, links))
    assert [result.link.url for result in results] == [link.url for link in links]
    assert [result.status for result in results] == [200, 302, 410, 503] * 6


async def test_one_fetch_is_one_request() -> None:
    """Nothing is tried again behind the back of whoever keeps the delays, and robots.txt is not its business."""
    async with over_http({**ANSWERS, "/broken": None}) as (fetcher, asked):
        paths = ["/page", "/broken", "/busy", "/moved", "/broken"]
        broken = [await fetcher.fetch(link_to(HOST + path)) for path in paths][1]
        assert asked() == [HOST + path for path in paths]
    assert isinstance(broken, NotFetched)
    assert (broken.refusal.reason, broken.passing) == (Reason.BROKEN_RESPONSE, True)
    assert (broken.rest_s, broken.again_in_s) == (0, None)


async def test_what_a_given_up_response_had_said_is_not_lost() -> None:
    """A 503 whose body is too long still says how long to wait."""
    flood = CannedResponse(b"x" * 200_000, 503, (("Content-Type", "image/png"), ("Retry-After", "90")))
    async with over_http({"/busy": flood}) as (fetcher, _):
        result = await fetcher.fetch(link_to(HOST + "/busy"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.status, result.retry_after) == (Reason.TOO_LARGE, 503, "90")

"""What politeness promises around any live fetcher."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from random import Random

import pytest

from lycosa.fetch import Fetcher
from lycosa.fetch.polite.fetcher import PoliteFetcher
from lycosa.fetch.polite.robots import StoredRobots
from lycosa.testing import CannedResponse, html, status, text
from lycosa.values import Fetched, Later, Link, NotFetched, Reason, Refusal
from tests.fetch.conftest import link_to, spec_with
from tests.fetch.fetchers import BROKEN, HOST, Answers, Asked, in_memory, over_http

Open = Callable[..., Awaitable[tuple[PoliteFetcher, Asked]]]
PAGE = link_to(HOST + "/page")


@pytest.fixture(params=["http", "fake"])
async def polite(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """Wraps each live fetcher; also tells what its server was asked for. Two seconds of delay."""
    async with AsyncExitStack() as stack:

        async def open_it(
            answers: Answers, store: dict[str, StoredRobots] | None = None, **spec: object
        ) -> tuple[PoliteFetcher, Asked]:
            web = over_http if request.param == "http" else in_memory
            fetcher, asked = await stack.enter_async_context(web(answers))
            wrapped = PoliteFetcher(
                fetcher,
                spec_with(**{"per_host_delay_s": 2, "obey_robots": True, **spec}),
                robots_fetcher=fetcher,
                robots_store=store,
                rng=Random(1),
            )
            stack.push_async_callback(wrapped.close)
            return wrapped, asked

        yield open_it


def paths(asked: Asked) -> list[str]:
    return [url.removeprefix(HOST) for url in asked()]


async def test_each_fetch_is_at_most_one_request(polite: Open) -> None:
    """robots.txt comes first and the page is put off; then it is the page's turn."""
    fetcher, asked = await polite({"/robots.txt": text(""), "/page": html("<p>Hello")})
    assert await fetcher.fetch(PAGE) == Later(PAGE, rest_s=2)
    assert paths(asked) == ["/robots.txt"]
    page = await fetcher.fetch(PAGE)
    assert isinstance(page, Fetched)
    assert (page.body, page.rest_s) == (b"<p>Hello", 2)
    assert paths(asked) == ["/robots.txt", "/page"]


async def test_what_robots_disallows_is_not_asked_for(polite: Open) -> None:
    """Neither now nor later; the host was asked for its robots.txt and rests for that."""
    fetcher, asked = await polite({"/robots.txt": text("User-agent: *\nDisallow: /")})
    assert await fetcher.fetch(PAGE) == NotFetched(PAGE, Refusal(Reason.ROBOTS), rest_s=2)
    assert await fetcher.fetch(PAGE) == NotFetched(PAGE, Refusal(Reason.ROBOTS))
    assert paths(asked) == ["/robots.txt"]


async def test_a_longer_crawl_delay_counts(polite: Open) -> None:
    """Already for the rest after robots.txt itself."""
    fetcher, _ = await polite({"/robots.txt": text("User-agent: *\nCrawl-delay: 9"), "/page": html("<p>x")})
    assert [(await fetcher.fetch(PAGE)).rest_s for _ in range(2)] == [9, 9]


async def test_a_host_that_a_crash_made_us_forget_rests_as_it_asked_to(polite: Open) -> None:
    """Its rules were stored at once, but not that it was asked: they tell when, and how long it wants to rest."""
    asked_at = time.time() - 1
    store = {HOST: StoredRobots("User-agent: *\nCrawl-delay: 600", 200, asked_at)}
    fetcher, asked = await polite({"/page": html("<p>x")}, store, max_crawl_delay_s=3600)
    put_off = await fetcher.fetch(PAGE)
    assert isinstance(put_off, Later)
    assert asked_at + 600 <= time.time() + put_off.rest_s <= time.time() + 600
    assert not asked()
    store[HOST] = StoredRobots("User-agent: *\nCrawl-delay: 600", 200, asked_at - 600)
    again, asked = await polite({"/page": html("<p>x")}, store, max_crawl_delay_s=3600)
    assert isinstance(await again.fetch(PAGE), Fetched)


async def test_robots_are_kept_in_the_store(polite: Open) -> None:
    """With a durable one, a restart asks for none again."""
    store: dict[str, StoredRobots] = {}
    answers = {"/robots.txt": text("User-agent: *\nDisallow: /no"), "/page": html("<p>x")}
    first, _ = await polite(answers, store)
    await first.fetch(PAGE)
    second, asked = await polite(answers, store, per_host_delay_s=0)
    assert isinstance(await second.fetch(PAGE), Fetched)
    assert paths(asked) == ["/page"]


@pytest.mark.parametrize("broken", [BROKEN, status(503)], ids=["breaks", "503"])
async def test_robots_that_cannot_be_read_disallow(polite: Open, broken: CannedResponse | None) -> None:
    """They are tried again, and after the retries everything of the host is refused without a request."""
    fetcher, asked = await polite({"/robots.txt": broken, "/page": html("<p>x")}, retries=1)
    first = await fetcher.fetch(PAGE)
    assert isinstance(first, NotFetched)
    assert first.refusal.reason is Reason.ROBOTS_UNREACHABLE
    assert first.again_in_s is not None
    assert first.again_in_s >= first.rest_s >= 4
    for attempts in (1, 0):
        refused = await fetcher.fetch(link_to(HOST + "/page", attempts=attempts))
        assert isinstance(refused, NotFetched)
        assert (refused.refusal.reason, refused.again_in_s) == (Reason.ROBOTS_UNREACHABLE, None)
    assert paths(asked) == ["/robots.txt", "/robots.txt"]


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        (status(503), Refusal(Reason.RATE_LIMITED, "status 503")),
        (status(429), Refusal(Reason.RATE_LIMITED, "status 429")),
        (status(500), Refusal(Reason.HTTP_ERROR, "status 500")),
    ],
)
async def test_busy_servers_are_asked_again(polite: Open, answer: CannedResponse, refusal: Refusal) -> None:
    """While retries are left, after the rest; the last answer is kept as it is."""
    fetcher, _ = await polite({"/page": answer}, obey_robots=False, retries=1)
    first = await fetcher.fetch(PAGE)
    assert isinstance(first, NotFetched)
    assert first.refusal == refusal
    assert first.again_in_s is not None
    assert first.again_in_s >= first.rest_s >= 4
    last = await fetcher.fetch(link_to(HOST + "/page", attempts=1))
    assert isinstance(last, Fetched)
    assert last.status == answer.status
    assert last.rest_s >= 8


async def test_retry_after_is_the_least_rest(polite: Open) -> None:
    """Up to the cap of the spec."""
    busy = {"/page": status(429, Retry_After="90")}
    for cap, rest in ((3600, 90), (10, 10)):
        fetcher, _ = await polite(busy, obey_robots=False, max_retry_after_s=cap)
        assert (await fetcher.fetch(PAGE)).rest_s == rest


async def test_retry_after_holds_though_the_response_was_given_up(polite: Open) -> None:
    """A busy server is a busy server, however long its apology."""
    flood = CannedResponse(b"x" * 200_000, 503, (("Content-Type", "image/png"), ("Retry-After", "90")))
    fetcher, _ = await polite({"/page": flood}, obey_robots=False)
    result = await fetcher.fetch(PAGE)
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.rest_s) == (Reason.RATE_LIMITED, 90)
    assert result.again_in_s is not None


async def test_rest_doubles_with_faults_and_ends_with_them(polite: Open) -> None:
    """Whether a server says no or its connection breaks; a good answer ends it."""
    answers = {"/no": status(500), "/broken": BROKEN, "/page": html("<p>x")}
    fetcher, _ = await polite(answers, obey_robots=False)
    names = ("no", "broken", "no", "page", "broken")
    rests = [(await fetcher.fetch(link_to(f"{HOST}/{name}"))).rest_s for name in names]
    assert rests == [4, 8, 16, 2, 4]


async def test_what_will_never_go_better_is_not_asked_again(polite: Open) -> None:
    """A host that does not exist, a scheme that nobody speaks, a URL without end."""
    fetcher, asked = await polite({}, obey_robots=False)
    for url in ("http://nowhere.test/", "ftp://a.test/", HOST + "/" + "x" * 3000):
        result = await fetcher.fetch(link_to(url))
        assert isinstance(result, NotFetched)
        assert result.again_in_s is None
    assert not any(url.startswith(HOST) for url in asked())


async def test_hosts_that_share_an_address_share_its_limit() -> None:
    """No more at once to one IP address than allowed, robots.txt included; other addresses do not wait."""
    under_way: dict[str, int] = {"1": 0, "2": 0}
    most = dict(under_way)

    class Slow(Fetcher):
        async def fetch(self, link: Link) -> Fetched | NotFetched:
            address = link.url.removeprefix("http://")[0]
            under_way[address] += 1
            most[address] = max(most[address], under_way[address])
            for _ in range(5):
                await asyncio.sleep(0)
            under_way[address] -= 1
            return Fetched(link, 404, (), b"", b"", b"", 0.0, 0.0)

    async def addresses(host: str) -> list[str]:
        return [f"192.0.2.{host[0]}"]

    slow, spec = Slow(), spec_with(per_ip_concurrency=2, obey_robots=True)
    fetcher = PoliteFetcher(slow, spec, robots_fetcher=slow, addresses=addresses)
    links = [link_to(f"http://{n % 2 + 1}-{n}.test/") for n in range(16)]
    for kind in (Later, Fetched):
        results = await asyncio.gather(*map(fetcher.fetch, links))
        assert all(isinstance(result, kind) for result in results)
    assert most == {"1": 2, "2": 2}

"""robots.txt by RFC 9309."""

from __future__ import annotations

import asyncio
import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import urls
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.polite.robots import MAX_BYTES, Rules, StoredRobots
from lycosa.values import Fetched, Later, NotFetched, Reason
from tests.fetch.conftest import PAGE_TYPES, link_to, reply, spec_with


def rules(text: str, status: int = 200) -> Rules:
    return Rules(StoredRobots(text, status, 0.0), 60.0)


def robots(text: str | bytes, *headers: str, status: str = "200 OK") -> bytes:
    return reply(text.encode() if isinstance(text, str) else text, *headers, status=status, kind="text/plain")


async def outcome(fetcher, url):
    """What finally comes of a link that is taken again as often as the fetcher asks for."""
    for attempts in range(10):
        result = await fetcher.fetch(link_to(url, attempts=max(0, attempts - 1)))
        if isinstance(result, Fetched) or (isinstance(result, NotFetched) and result.again_in_s is None):
            return result
    raise AssertionError("never ends")


# --- the rules --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /a", "/a/b", False),
        ("User-agent: *\nDisallow: /a", "/b", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b", True),  # the longest match wins
        ("User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),  # of equals, allow
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /*/private/", "/x/private/y", False),
        ("User-agent: *\nDisallow: /a?b=", "/a?b=c", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: LYCOSA\nDisallow: /\n\nUser-agent: *\nAllow: /", "/a", False),
        ("User-agent: lycosa/1.0 # us\nAllow: /\nUser-agent: *\nDisallow: /", "/a", True),
        ("User-agent: a\nUser-agent: lycosa\nDisallow: /", "/a", False),
        ("User-agent: lyc\nDisallow: /", "/a", True),  # the whole token, not a part of it
        (
            "User-agent: lycosa\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: lycosa\nDisallow: /c",
            "/c",
            False,
        ),
        ("User-agent: *\nRequest-rate: 1/600\nDisallow: /a", "/b", True),
        ("User-agent: *\rDisallow: /a", "/a", False),
        ("<html><body>Not found</body></html>", "/a", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
    ],
)
def test_rules(text, path, allowed):
    """Groups, longest match, * and $ mean what the RFC says."""
    assert (rules(text).refusal(f"http://a.test{path}") is None) == allowed


def test_a_crawl_delay_that_is_too_long_refuses_the_host():
    """And says so."""
    assert rules("User-agent: *\nCrawl-delay: 7.5").crawl_delay_s == 7.5
    refusal = rules("User-agent: *\nCrawl-delay: 90").refusal("http://a.test/")
    assert refusal is not None
    assert refusal.reason is Reason.ROBOTS
    assert "90 s is above fetch.max_crawl_delay_s (60 s)" in refusal.detail


line = st.sampled_from(
    ["User-agent: ", "Disallow: ", "Allow: ", "Crawl-delay: ", "Sitemap: ", "user agent ", ""]
)
robots_like = st.lists(st.builds(str.__add__, line, st.text(max_size=20))).map("\n".join)


@given(
    st.one_of(robots_like, st.text(), st.binary().map(lambda raw: raw.decode("utf-8", "replace"))), st.text()
)
def test_any_text_has_rules(text, path):
    """Garbage never crashes, and a delay is a number that can be waited for."""
    found = rules(text)
    found.refusal(urls.join("http://a.test/", path) or "http://a.test/")
    assert 0 <= found.crawl_delay_s < float("inf")


def test_agents_times_rules_do_not_explode():
    """Twice as many agents that share twice as many rules and signals cost about twice as much, not four times."""

    def seconds(count: int) -> float:
        agents = [f"User-agent: a{n}" for n in range(count)] * 2
        shared = [f"Disallow: /{n}" for n in range(count)] + ["Content-Signal: ai-train=no"] * count
        text = "\n".join(agents + shared)
        started = time.process_time()
        assert rules(text).refusal("http://a.test/1") is None
        return time.process_time() - started

    assert min(seconds(8_000) for _ in range(3)) < 7 * min(seconds(2_000) for _ in range(3))


@pytest.mark.parametrize(
    "rule",
    [
        "/" + "*a" * 1000 + "b",
        "/" + "*a*" * 1000 + "b$",
        "/*a*a*a*a*a*a*a*b",
        "/" + "*" * 2000 + "b",
        "/*?" * 600,
    ],
)
def test_patterns_of_stars_are_matched_in_linear_time(rule):
    """One pattern, and a file full of them, on a long path that nearly matches."""
    text = "User-agent: *\n" + f"Disallow: {rule}\n" * (400_000 // len(rule))
    started = time.process_time()
    assert rules(text).refusal("http://a.test/" + "a" * 1900) is None
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("status", "age", "fresh"),
    [
        (200, 86_399, True),
        (200, 86_401, False),
        (404, 86_399, True),
        (503, 599, True),
        (503, 601, False),
        (200, -9, False),
    ],
)
def test_how_long_a_file_is_used(status, age, fresh):
    """A day at most; what could not be read is tried again after ten minutes."""
    assert StoredRobots("", status, 1e6).is_fresh(1e6 + age) == fresh


# --- fetching it ------------------------------------------------------------------------------


async def test_robots_come_first_and_once(site):
    """The first fetch of a host is for robots.txt; the page waits for the next polite moment."""
    web = await site({"/robots.txt": robots("User-agent: *\nDisallow: /no\nCrawl-delay: 9"), "/a": reply()})
    store: dict[str, StoredRobots] = {}
    spec = spec_with(obey_robots=True, per_host_delay_s=3)
    async with live_fetcher(spec, PAGE_TYPES, robots_store=store) as fetcher:
        assert await fetcher.fetch(link_to(web.base + "/a")) == Later(link_to(web.base + "/a"), 9)
        assert web.paths() == ["/robots.txt"]
        second = await fetcher.fetch(link_to(web.base + "/a"))
        assert isinstance(second, Fetched)
        assert second.rest_s == 9
        third = await fetcher.fetch(link_to(web.base + "/no"))
        assert isinstance(third, NotFetched)
        assert (third.refusal.reason, third.rest_s, third.again_in_s) == (Reason.ROBOTS, 0, None)
    assert web.paths() == ["/robots.txt", "/a"]
    async with live_fetcher(spec, PAGE_TYPES, robots_store=store) as fetcher:
        later = await fetcher.fetch(link_to(web.base + "/a"))  # remembered over a restart, with its delay
        assert isinstance(later, Later)
        assert 0 < later.rest_s < 9
    assert web.paths() == ["/robots.txt", "/a"]
    assert store[web.base].status == 200


async def test_a_page_that_is_disallowed_need_not_come_back(site):
    """When robots.txt was fetched for a link that it forbids, that is the answer."""
    web = await site({"/robots.txt": robots("User-agent: *\nDisallow: /")})
    async with live_fetcher(spec_with(obey_robots=True, per_host_delay_s=3), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to(web.base + "/a"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.rest_s, result.again_in_s) == (Reason.ROBOTS, 3, None)


async def test_requests_at_once_share_one_robots(site):
    """Ten links of an unknown host cost one request for robots.txt, even if the first gives up."""
    web = await site({"/robots.txt": robots("")})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        tasks = [asyncio.create_task(fetcher.fetch(link_to(f"{web.base}/{n}"))) for n in range(10)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(results[0], asyncio.CancelledError)
    assert all(isinstance(result, Later) for result in results[1:])
    assert web.paths() == ["/robots.txt"]


@pytest.mark.parametrize("status", ["401 No", "403 No", "404 No", "410 Gone"])
async def test_4xx_allows_all(site, status):
    """No robots.txt, no rules."""
    web = await site({"/robots.txt": robots("User-agent: *\nDisallow: /", status=status), "/a": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        assert isinstance(await outcome(fetcher, web.base + "/a"), Fetched)


async def test_429_says_slow_down(site):
    """It is no permission: the host rests as long as it asked to, and is asked again."""
    slow = robots("", "Retry-After: 77", status="429 Slow")
    web = await site({"/robots.txt": slow, "/a": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        first = await fetcher.fetch(link_to(web.base + "/a"))
        assert isinstance(first, NotFetched)
        assert (first.refusal.reason, first.rest_s) == (Reason.ROBOTS_UNREACHABLE, 77)
        assert first.again_in_s is not None
        assert first.again_in_s >= 77
        web.pages["/robots.txt"] = robots("")
        assert isinstance(await outcome(fetcher, web.base + "/a"), Fetched)


async def test_a_crawl_delay_above_the_cap_is_not_rested_for(site):
    """The host is refused and nothing more is asked of it: there is nothing to wait for."""
    web = await site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 7200")})
    async with live_fetcher(spec_with(obey_robots=True, per_host_delay_s=3), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to(web.base + "/a"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.rest_s, result.again_in_s) == (Reason.ROBOTS, 3, None)


async def test_5xx_disallows_all_for_a_while(site):
    """After the retries the host is refused without requests, until ten minutes have passed."""
    web = await site({"/robots.txt": robots("", status="503 No"), "/a": reply()})
    now = 1e9
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES, clock=lambda: now) as fetcher:
        first = await fetcher.fetch(link_to(web.base + "/a"))
        assert isinstance(first, NotFetched)
        assert first.refusal.reason is Reason.ROBOTS_UNREACHABLE
        assert first.again_in_s is not None
        assert first.rest_s > 0
        await outcome(fetcher, web.base + "/a")
        asked = len(web.asked)
        refused = await fetcher.fetch(link_to(web.base + "/b"))
        assert isinstance(refused, NotFetched)
        assert (refused.refusal.reason, refused.again_in_s) == (Reason.ROBOTS_UNREACHABLE, None)
        assert len(web.asked) == asked == 3
        web.pages["/robots.txt"] = robots("")
        now += 601
        assert isinstance(await outcome(fetcher, web.base + "/a"), Fetched)
    assert web.paths().count("/a") == 1


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", b"nonsense\r\n\r\n"]
)
async def test_broken_robots_disallow(site, sent):
    """What cannot be read is not permission."""

    async def page(writer):
        writer.write(sent)

    web = await site({"/robots.txt": page, "/a": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await outcome(fetcher, web.base + "/a")
        again = await fetcher.fetch(link_to(web.base + "/a"))
    for refused in (result, again):
        assert isinstance(refused, NotFetched)
        assert refused.refusal.reason is Reason.ROBOTS_UNREACHABLE
    assert "/a" not in web.paths()


@pytest.mark.parametrize(("hops", "allowed"), [(5, False), (6, True)])
async def test_redirects_of_robots(site, hops, allowed):
    """Five redirects are followed, also to other hosts; more mean that there is none."""
    other = await site()
    web = await site({"/a": reply()})
    for sites, step in ((web, 0), *((other, step) for step in range(1, hops))):
        path = "/robots.txt" if step == 0 else f"/{step}"
        sites.pages[path] = reply(b"", f"Location: {other.base}/{step + 1}", status="301 Moved")
    other.pages[f"/{hops}"] = robots("User-agent: *\nDisallow: /")
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await outcome(fetcher, web.base + "/a")
    assert isinstance(result, Fetched) == allowed


async def test_redirects_of_robots_are_as_polite_as_pages(site):
    """Each is a request of its own, after the rest of the host that is asked, whoever asks on whose behalf."""
    now = 1e9
    shared = await site({"/robots.txt": robots("User-agent: *\nDisallow: /no"), "/page": reply()})
    moved = reply(b"", f"Location: {shared.base}/robots.txt", status="301 Moved")
    first, second = await site({"/robots.txt": moved}), await site({"/robots.txt": moved})
    rests: dict[str, float] = {}
    spec = spec_with(obey_robots=True, per_host_delay_s=5)
    async with live_fetcher(spec, PAGE_TYPES, clock=lambda: now, rests=rests) as fetcher:
        assert await fetcher.fetch(link_to(first.base + "/a")) == Later(link_to(first.base + "/a"), 5)
        assert await fetcher.fetch(link_to(second.base + "/a")) == Later(link_to(second.base + "/a"), 5)
        assert not shared.asked
        now += 5
        assert await fetcher.fetch(link_to(first.base + "/a")) == Later(link_to(first.base + "/a"), 5)
        assert rests == {shared.base: now + 5}
        # It has been asked just now, on behalf of the first: it rests, and what it said serves the others too.
        assert await fetcher.fetch(link_to(shared.base + "/page")) == Later(link_to(shared.base + "/page"), 5)
        refused = await fetcher.fetch(link_to(second.base + "/no"))
        assert isinstance(refused, NotFetched)
        assert refused.refusal.reason is Reason.ROBOTS
        now += 5
        assert isinstance(await fetcher.fetch(link_to(shared.base + "/page")), Fetched)
    assert shared.paths() == ["/robots.txt", "/page"]


async def test_a_host_that_is_being_asked_is_not_asked_on_behalf_of_another(site):
    """The other one waits for its rest."""
    now = 1e9
    shared = await site({"/robots.txt": robots(""), "/page": reply(), "/rules": robots("")})
    other = await site({"/robots.txt": reply(b"", f"Location: {shared.base}/rules", status="302 Found")})
    spec = spec_with(obey_robots=True, per_host_delay_s=5)
    async with live_fetcher(spec, PAGE_TYPES, clock=lambda: now) as fetcher:
        await fetcher.fetch(link_to(other.base + "/a"))
        await fetcher.fetch(link_to(shared.base + "/page"))
        now += 2
        assert await fetcher.fetch(link_to(other.base + "/a")) == Later(link_to(other.base + "/a"), 3)
        now += 3
        assert await fetcher.fetch(link_to(other.base + "/a")) == Later(link_to(other.base + "/a"), 5)
    assert shared.paths() == ["/robots.txt", "/rules"]


async def test_robots_may_not_redirect_to_private_addresses(site):
    """The guards hold for robots.txt as they do for pages."""
    inner = await site({"/robots.txt": robots("")})
    web = await site(
        {"/robots.txt": reply(b"", f"Location: http://127.0.0.2:{inner.port}/robots.txt", status="302 Found")}
    )
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await outcome(fetcher, web.base + "/a")
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.PRIVATE_ADDRESS
    assert not inner.asked


async def test_huge_robots_are_read_to_the_limit(site):
    """500 KiB are read and obeyed, however much more comes."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /no\n")
        while True:
            writer.write(b"# filler " * 1000 + b"\n")
            await writer.drain()

    web = await site({"/robots.txt": page, "/yes": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        assert isinstance(await outcome(fetcher, web.base + "/yes"), Fetched)
        refused = await fetcher.fetch(link_to(web.base + "/no"))
        assert isinstance(refused, NotFetched)
        assert refused.refusal.reason is Reason.ROBOTS


async def test_large_robots_that_say_their_length_are_read_to_the_limit(site):
    """However they arrive; and of what is cut no half line counts, as half an Allow allows more."""
    start = b"User-agent: *\nDisallow: /no\n"
    filler = b"# filler filler\n" * ((MAX_BYTES - len(start) - 20) // 16)
    cut = b"#" * (MAX_BYTES - len(start + filler) - len(b"\nAllow: /no")) + b"\nAllow: /no"
    body = start + filler + cut + b"/but/this\n" + filler

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\nUser" % len(body))
        await writer.drain()
        await asyncio.sleep(0.05)  # so that the rest comes apart
        writer.write(body[4:])
        await writer.drain()

    web = await site({"/robots.txt": page, "/yes": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        assert isinstance(await outcome(fetcher, web.base + "/yes"), Fetched)
        refused = await fetcher.fetch(link_to(web.base + "/no"))
    assert isinstance(refused, NotFetched)
    assert refused.refusal.reason is Reason.ROBOTS


RULES = b"User-agent: *\nDisallow: /no"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (RULES, "gzip"),
        (RULES, "br"),
        (gzip.compress(RULES), ""),
        (gzip.compress(gzip.compress(RULES)), "gzip"),
    ],
    ids=[
        "no gzip",
        "no brotli",
        "unnamed gzip",
        "gzip twice",
    ],  # gzip notes the time: names have to be the same in all processes
)
async def test_a_wrong_encoding_does_not_hide_the_rules(site, body, encoding):
    """Text that is said to be packed, and packed text that is not said to be."""
    web = await site({"/robots.txt": robots(body, *([f"Content-Encoding: {encoding}"] if encoding else []))})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to(web.base + "/no"))
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.ROBOTS


@pytest.mark.parametrize(
    "sent",
    [
        robots(b"\x1f\x8b no gzip", "Content-Encoding: gzip"),
        robots(gzip.compress(RULES)[:10]),
        robots(b"\x01\x02\x03 nothing", "Content-Encoding: br"),
        robots("", status="300 Choose"),
        b"HTTP/1.1 304 Not Modified\r\n\r\n",
    ],
    ids=["gzip", "cut", "brotli", "300", "304"],
)
async def test_robots_that_cannot_be_read_disallow(site, sent):
    """They may forbid everything; only 4xx says that there are none."""
    web = await site({"/robots.txt": sent, "/a": reply()})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await outcome(fetcher, web.base + "/a")
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.ROBOTS_UNREACHABLE
    assert "/a" not in web.paths()


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (gzip.compress(b"User-agent: *\nDisallow: /no"), ("Content-Encoding: gzip",)),
        (gzip.compress(b"User-agent: *\nDisallow: /no\n" + b"#" * 20_000_000), ("Content-Encoding: gzip",)),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /no", ()),
        (b"\xff\xfe\x00 odd\nUser-agent: *\nDisallow: /no", ()),
    ],
    ids=["gzip", "bomb", "bom", "bytes"],
)
async def test_encoded_robots(site, body, headers):
    """Compression and odd bytes do not hide the rules."""
    web = await site({"/robots.txt": robots(body, *headers)})
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to(web.base + "/no"))
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.ROBOTS

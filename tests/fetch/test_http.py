"""The fetcher of the live web, against servers that behave and that do not."""

from __future__ import annotations

import asyncio
import base64
import io
import re
import resource
import time
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from warcio.statusandheaders import StatusAndHeadersParser

from lycosa.errors import SpecError
from lycosa.fetch.http.client import MAX_COOKIES, HttpClient
from lycosa.fetch.http.resolver import Resolver
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.redirects import redirect_target
from lycosa.values import Fetched, Kind, Notes, NotFetched, Reason, Refusal
from tests.fetch.conftest import PAGE_TYPES, fetch, link_to, reply, spec_with


async def fetched(url, **more) -> Fetched:
    result = await fetch(url, **more)
    assert isinstance(result, Fetched), result
    return result


async def refused(url, **more) -> NotFetched:
    result = await fetch(url, **more)
    assert isinstance(result, NotFetched), result
    return result


async def test_a_page_comes_as_received(site):
    """Body, headers, heads, address and times are those of the exchange."""
    web = await site({"/a": reply(b"<p>hello", "X-Odd: caf\xe9")})
    page = await fetched(web.base + "/a")
    assert (page.status, page.body, page.address) == (200, b"<p>hello", "127.0.0.1")
    assert page.header("x-odd") == "café"
    assert page.request_head.startswith(b"GET /a HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % web.port)
    assert page.response_head.startswith(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX-Odd: caf\xe9\r\n")
    assert abs(page.started - time.time()) < 60
    assert 0 <= page.elapsed_s < 60


@pytest.mark.parametrize(
    "path", ["/", "/?", "/a?", "/%7Ea/%7ea", "/a//b", "/a;b=c?d?e&&f", "/[x]|^'\"?q=%zz'", "/a%20b+c"]
)
async def test_the_url_requested_is_the_one_found(site, path):
    """Not a character of path and query is changed."""
    web = await site()
    await fetched(web.base + path)
    assert web.paths() == [path]


async def test_it_names_itself(site):
    """The User-Agent names project and contact; Accept and encodings are said; extra headers go along."""
    web = await site()
    page = await fetched(web.base + "/", contact="me@site.example", headers={"X-Team": "7", "accept": "*/*"})
    headers = web.asked[0].headers
    assert headers["user-agent"].startswith("Lycosa/")
    assert headers["user-agent"].endswith("(focused crawler; contact: me@site.example)")
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"
    assert (headers["x-team"], headers["accept"]) == ("7", "*/*")
    assert b"X-Team: 7" in page.request_head


async def test_connections_are_kept_alive(site):
    """Ten pages of a host cost one connection."""
    web = await site({f"/{n}": reply() for n in range(10)})
    async with live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        for n in range(10):
            assert isinstance(await fetcher.fetch(link_to(f"{web.base}/{n}")), Fetched)
    assert web.connections == 1


@pytest.mark.parametrize(
    ("head", "body", "kept"),
    [
        (
            "Transfer-Encoding: chunked",
            b"5\r\nhello\r\n0\r\n\r\n",
            b"X-Archive-Orig-Transfer-Encoding: chunked",
        ),
        ("Connection: close", b"hello", b"Connection: close"),
        ("Content-Length: 5", b"hello", b"Content-Length: 5"),
    ],
)
async def test_response_heads_fit_their_bodies(site, head, body, kept):
    """An archived head has the right Content-Length and no transfer coding; warcio can read it."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 Fine\r\n" + head.encode() + b"\r\n\r\n" + body)

    web = await site({"/": page})
    result = await fetched(web.base + "/")
    parsed = StatusAndHeadersParser(["HTTP/1.1"]).parse(io.BytesIO(result.response_head))
    assert result.body == b"hello"
    assert parsed.get_header("Content-Length") == "5"
    assert parsed.get_header("Transfer-Encoding") is None
    assert kept in result.response_head


# --- statuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temp", "308 Perm"])
async def test_redirects_are_responses(site, status):
    """A redirect is not followed: it is a Fetched, and its target is told."""
    web = await site({"/a/b": reply(b"", "Location: ../c#top", status=status)})
    page = await fetched(web.base + "/a/b")
    assert page.status == int(status[:3])
    assert redirect_target(page) == web.base + "/c"
    assert len(web.asked) == 1


@pytest.mark.parametrize(
    "location", ["", "Location: ", "Location: mailto:a@b.example", "Location: http://[", "Location: ftp://x/"]
)
async def test_bad_redirects_are_refused(site, location):
    """A redirect to nowhere usable is a BAD_REDIRECT."""
    web = await site({"/": reply(b"", *([location] if location else []), status="302 Found")})
    target = redirect_target(await fetched(web.base + "/"))
    assert isinstance(target, Refusal)
    assert target.reason is Reason.BAD_REDIRECT


async def test_what_is_no_redirect_has_no_target(site):
    """A Location header of a 200 or 304 means nothing."""
    web = await site({"/": reply(b"", "Location: /x")})
    assert redirect_target(await fetched(web.base + "/")) is None


async def test_error_pages_are_responses(site):
    """A 404 is archived like any other response, whatever its type."""
    web = await site({"/": reply(b"{}", status="404 Not Found", kind="application/json")})
    assert (await fetched(web.base + "/")).status == 404


@pytest.mark.parametrize(
    ("status", "reason"),
    [(429, Reason.RATE_LIMITED), (503, Reason.RATE_LIMITED)]
    + [(code, Reason.HTTP_ERROR) for code in (408, 425, 500, 502, 504)],
)
async def test_passing_statuses_are_tried_again(site, status, reason):
    """They come back while attempts are left, and are kept as they are on the last try."""
    web = await site({"/": reply(b"busy", status=f"{status} No")})
    first = await refused(web.base + "/", link={"attempts": 1})
    assert first.refusal == Refusal(reason, f"status {status}")
    assert first.again_in_s is not None
    assert first.again_in_s >= first.rest_s > 0
    last = await fetched(web.base + "/", link={"attempts": 2})
    assert (last.status, last.body) == (status, b"busy")
    assert last.rest_s > 0


async def test_retry_after_is_honoured(site):
    """429 with Retry-After lets the host rest as long as it asks, up to the cap."""
    web = await site({"/": reply(b"", "Retry-After: 90", status="429 Slow down")})
    assert (await refused(web.base + "/")).rest_s == 90
    assert (await refused(web.base + "/", max_retry_after_s=10)).rest_s == 10
    assert (await fetched(web.base + "/", link={"attempts": 2})).rest_s == 90


async def test_rest_doubles_with_faults_and_ends_with_them(site):
    """Consecutive faults of a host double its rest; a good answer ends that."""
    web = await site({"/bad": reply(status="500 No"), "/good": reply()})
    async with live_fetcher(spec_with(per_host_delay_s=2), PAGE_TYPES, rng=Random(1)) as fetcher:
        rests = [
            (await fetcher.fetch(link_to(web.base + "/" + name))).rest_s
            for name in ("bad", "bad", "good", "bad")
        ]
    assert rests == [4, 8, 2, 4]


async def test_conditional_requests(site):
    """What the notes say of the last capture goes out as conditions; 304 is a response."""
    web = await site({"/": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n"})
    notes = Notes(etag='"abc"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    page = await fetched(web.base + "/", link={"noted": notes})
    assert page.status == 304
    assert web.asked[0].headers["if-none-match"] == '"abc"'
    assert web.asked[0].headers["if-modified-since"] == notes.last_modified


async def test_notes_cannot_smuggle_headers(site):
    """An ETag with a line break is not sent."""
    web = await site({"/": reply()})
    await fetched(web.base + "/", link={"noted": Notes(etag="a\r\nX-Evil: 1", last_modified="\x00")})
    assert not {"x-evil", "if-none-match", "if-modified-since"} & set(web.asked[0].headers)


# --- caps and misbehaviour --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "said", "wanted"),
    [
        (Kind.PAGE, "text/html; charset=x", True),
        (Kind.PAGE, "TEXT/HTML", True),
        (Kind.PAGE, "application/pdf", False),
        (Kind.PAGE, "", True),
        (Kind.IMAGE, "image/png", True),
        (Kind.IMAGE, "text/html", False),
        (Kind.REQUISITE, "font/woff2", True),
    ],
)
async def test_content_types_are_decided_at_the_headers(site, kind, said, wanted):
    """What is not wanted is refused before its body comes."""
    hung = asyncio.Event()

    async def page(writer):
        whole = reply(b"12345", kind=said)
        writer.write(whole if wanted else whole[:-5])
        await hung.wait()

    web = await site({"/": page})
    result = await fetch(web.base + "/", link={"kind": kind})
    hung.set()
    if wanted:
        assert isinstance(result, Fetched)
    else:
        assert isinstance(result, NotFetched)
        assert (result.refusal.reason, result.again_in_s) == (Reason.CONTENT_TYPE, None)


async def test_said_length_is_capped_before_reading(site):
    """A Content-Length above the cap is refused without reading a byte of the body."""
    hung = asyncio.Event()

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        await hung.wait()

    web = await site({"/": page})
    result = await refused(web.base + "/")
    hung.set()
    assert (result.refusal.reason, result.again_in_s) == (Reason.TOO_LARGE, None)


@pytest.mark.parametrize("head", [b"", b"Transfer-Encoding: chunked\r\n"])
async def test_endless_bodies_are_cut(site, head):
    """A body that never ends is given up at the cap."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n")
        while True:
            writer.write(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
            await writer.drain()

    web = await site({"/": page})
    assert (await refused(web.base + "/", max_bytes=100_000)).refusal.reason is Reason.TOO_LARGE


async def test_a_body_of_exactly_the_cap_passes(site):
    """The cap itself is allowed."""
    web = await site({"/": reply(b"x" * 1000)})
    assert len((await fetched(web.base + "/", max_bytes=1000)).body) == 1000


async def test_slow_drip_runs_into_the_total_time(site):
    """A server that sends a byte now and then is given up, and tried again later."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    web = await site({"/": page})
    result = await refused(web.base + "/", total_timeout_s=0.3)
    assert result.refusal.reason is Reason.TIMEOUT
    assert result.again_in_s is not None
    last = await refused(web.base + "/", total_timeout_s=0.3, link={"attempts": 2})
    assert last.again_in_s is None


async def test_silence_runs_into_the_read_time(site):
    """A server that says nothing is a time-out."""
    hung = asyncio.Event()

    async def page(writer):
        await hung.wait()

    web = await site({"/": page})
    result = await refused(web.base + "/", read_timeout_s=0.1)
    hung.set()
    assert result.refusal.reason is Reason.TIMEOUT


@pytest.mark.parametrize(
    ("sent", "passing"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", True),
        (b"", True),
        (b"HTTP/1.1 200 OK\r\nContent-Le", True),
        (b"SSH-2.0-OpenSSH_9.0\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", False),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", False),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 10_000 + b"\r\n", False),
    ],
    ids=[
        "lying long",
        "cut chunk",
        "drop",
        "cut head",
        "not http",
        "negative",
        "two lengths",
        "long header",
        "flood",
    ],
)
async def test_broken_responses(site, sent, passing):
    """What breaks off is tried again, what is nonsense is not; neither crashes."""

    async def page(writer):
        writer.write(sent)

    web = await site({"/": page})
    result = await refused(web.base + "/")
    assert result.refusal.reason is Reason.BROKEN_RESPONSE
    assert (result.again_in_s is not None) == passing
    assert len(web.asked) == 1  # never asked twice behind the frontier's back


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\nX: ", b"y" * 4096),
        (b"HTTP/1.1 200 OK\r\nX: y\r\n", b" y\r\n" * 100),
        (b"HTTP/1.1 200 ", b"y" * 4096),
        (b"", b"HTTP/1.1 103 Early\r\nLink: <x>\r\n\r\n"),
        (b"", b"\r\n" * 100),
        (CHUNKED + b"5;", b"y" * 4096),
        (CHUNKED, b"0" * 4096),
        (CHUNKED + b"1\r\na\r\n0\r\n", b"X: y\r\n" * 100),
        (CHUNKED + b"1\r\na\r\n0\r\nX: ", b"y" * 4096),
    ],
    ids=[
        "headers",
        "header",
        "folds",
        "status line",
        "1xx",
        "empty lines",
        "chunk extension",
        "chunk size",
        "trailers",
        "trailer",
    ],
)
async def test_no_part_of_a_response_may_be_endless(site, start, piece):
    """Whatever never ends is refused by its size or by the total time, and does not fill the memory."""

    async def page(writer):
        writer.write(start)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.001)

    web = await site({"/": page})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = await refused(web.base + "/", total_timeout_s=0.5)
    assert result.refusal.reason in (Reason.BROKEN_RESPONSE, Reason.TIMEOUT)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


@pytest.mark.parametrize(
    "interim",
    [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
)
async def test_a_flood_of_interim_responses_ends_at_once(site, interim):
    """Long before the time-out, and however fast they come: the loop has other work."""
    sent = 0

    async def page(writer):
        nonlocal sent
        while True:
            writer.write(interim * 10_000)
            await writer.drain()
            sent += 10_000

    web = await site({"/": page})
    result = await refused(web.base + "/", total_timeout_s=600)
    assert result.refusal.reason is Reason.BROKEN_RESPONSE
    assert "interim responses" in result.refusal.detail
    assert not result.passing
    assert sent < 1_000_000


async def test_a_few_interim_responses_are_passed_over(site):
    """As they should be."""

    async def page(writer):
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 15 + reply(b"<p>Hello"))

    web = await site({"/": page})
    result = await fetch(web.base + "/")
    assert isinstance(result, Fetched)
    assert result.body == b"<p>Hello"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 99999999999999999999999999",
        b"Content-Length: " + b"9" * 5000,
        b"Content-Length: +5",
        b"Content-Length: 5, 5",
        b"Content-Length: \xc2\xb2",
        b"Content-Length: 0x5",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: chunked, chunked\r\nContent-Length: 5",
    ],
)
async def test_lengths_that_lie_or_disagree(site, head):
    """Nothing but one plain number is a length; where two of them disagree the response is nonsense."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\nhello")

    web = await site({"/": page})
    assert (await refused(web.base + "/")).refusal.reason is Reason.BROKEN_RESPONSE


@given(st.text(max_size=60) | st.sampled_from(["/a\r\nX-Evil: 1", "/a%0d%0aX: 1", "//\r\n", "/\ud800"]))
def test_a_location_cannot_smuggle_headers(location):
    """Where a redirect leads to can be written on a request line."""
    moved = Fetched(link_to("http://a.test/"), 302, (("Location", location),), b"", b"", b"", 0.0, 0.0)
    target = redirect_target(moved)
    assert target is None or isinstance(target, Refusal) or re.fullmatch(r"https?://[!-~]+", target)


async def test_cookies_are_few(site):
    """A flood of cookies, kept where the spec asks for it, does not come back as a flood."""
    cookies = ["Set-Cookie: long=" + "v" * 5000, *(f"Set-Cookie: c{n}=v" for n in range(150))]
    web = await site({"/a": reply(b"", *cookies), "/b": reply()})
    async with live_fetcher(spec_with(cookies=True), PAGE_TYPES) as fetcher:
        assert isinstance(await fetcher.fetch(link_to(web.base + "/a")), Fetched)
        assert isinstance(await fetcher.fetch(link_to(web.base + "/b")), Fetched)
    assert web.asked[-1].headers["cookie"].count("=") == MAX_COOKIES


async def test_broken_chunks(site):
    """A chunk whose size is no number breaks the response."""

    async def page(writer):
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")

    web = await site({"/": page})
    assert (await refused(web.base + "/")).refusal.reason is Reason.BROKEN_RESPONSE


async def test_a_length_too_short_spoils_only_its_own_response(site):
    """Bytes beyond the said length make the response broken; they never reach the next one."""
    web = await site({"/a": reply(b"hello") + b" and more", "/b": reply(b"other")})
    async with live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        first = await fetcher.fetch(link_to(web.base + "/a"))
        second = await fetcher.fetch(link_to(web.base + "/b"))
    assert isinstance(first, NotFetched)
    assert first.refusal.reason is Reason.BROKEN_RESPONSE
    assert isinstance(second, Fetched)
    assert second.body == b"other"


async def test_a_connection_that_dies_on_a_request_is_not_asked_again_at_once(site):
    """The server may have seen the request: the host's rest comes first, then a connection of its own."""
    calls = []

    async def page(writer):
        calls.append(1)
        if len(calls) > 1:
            writer.write(reply(b"fine"))

    web = await site({"/a": reply(b"first"), "/b": page})
    async with live_fetcher(spec_with(per_host_delay_s=2), PAGE_TYPES) as fetcher:
        await fetcher.fetch(link_to(web.base + "/a"))
        dropped = await fetcher.fetch(link_to(web.base + "/b"))
        assert isinstance(dropped, NotFetched)
        assert dropped.refusal.reason is Reason.BROKEN_RESPONSE
        assert dropped.again_in_s is not None
        assert dropped.again_in_s >= dropped.rest_s >= 2
        assert web.paths() == ["/a", "/b"]
        result = await fetcher.fetch(link_to(web.base + "/b", attempts=1))
        for _ in range(2):
            await fetcher.fetch(link_to(web.base + "/a"))
    assert isinstance(result, Fetched)
    assert web.connections == 4  # a server that dropped one gets a new one with each request


async def test_reasons_can_be_stored(site):
    """What a server writes into a reason is one short line of valid text."""
    web = await site({"/": reply(b"", kind="application/\xff\xfe" + "x" * 5000)})
    result = await refused(web.base + "/")
    msgspec.msgpack.encode(result)
    assert len(result.refusal.detail) <= 200


@pytest.mark.parametrize("proxy", ["proxy:80", "http://["])
def test_a_proxy_that_cannot_work_is_refused_by_the_spec(proxy):
    """So `check` refuses what a crawl would."""
    with pytest.raises(ValidationError, match="write a proxy like"):
        spec_with(proxy=proxy)


@pytest.mark.parametrize("wrong", [{"headers": {"X": "a\nb"}}, {"headers": {"X Y": "a"}}])
def test_settings_that_cannot_work_are_refused_at_once(wrong):
    """Before the first request, with the key and the fix."""
    with pytest.raises(SpecError, match=rf"fetch\.{next(iter(wrong))}: "):
        HttpClient(spec_with(**wrong), Resolver({}))


async def test_long_urls_and_other_schemes_are_not_asked():
    """Some links are refused without any request."""
    assert (await refused("http://a.test/" + "x" * 3000)).refusal.reason is Reason.LONG_URL
    assert (await refused("ftp://a.test/")).refusal.reason is Reason.NOT_HTTP


async def test_no_connection_is_a_passing_fault(site):
    """A closed port is CONNECT, and tried again."""
    web = await site()
    port = web.port
    async with live_fetcher(spec_with(connect_to={"gone.test": "127.0.0.1:1"}), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to(f"http://gone.test:{port}/"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.again_in_s is not None) == (Reason.CONNECT, True)


async def test_tls_that_fails_is_final():
    """https to a server that speaks plain http fails as TLS and is not tried again."""

    async def answer(reader, writer):
        await reader.read(10)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        result = await refused(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    assert (result.refusal.reason, result.again_in_s) == (Reason.TLS, None)


# --- cookies, passwords, proxies --------------------------------------------------------------


async def test_cookies_stay_with_their_host(site):
    """Cookies come back only to the host that set them, whatever Domain they claim; off: never."""
    web = await site({"/set": reply(b"", "Set-Cookie: a=1; Domain=town.test; Path=/"), "/get": reply()})
    hosts = {"*.town.test": f"127.0.0.1:{web.port}"}
    for cookies in (True, False):
        web.asked.clear()
        async with live_fetcher(spec_with(cookies=cookies, connect_to=hosts), PAGE_TYPES) as fetcher:
            for url in ("http://www.town.test/set", "http://www.town.test/get", "http://shop.town.test/get"):
                await fetcher.fetch(link_to(url))
        sent = [asked.headers.get("cookie") for asked in web.asked]
        assert sent == [None, "a=1" if cookies else None, None]


async def test_passwords_go_only_to_their_host_and_never_into_the_archive(site):
    """Basic authentication is sent to the named host alone; the archived request hides it."""
    web = await site({"/": reply()})
    hosts = {"*.test": f"127.0.0.1:{web.port}"}
    async with live_fetcher(
        spec_with(auth={"in.test": "me:secret"}, connect_to=hosts), PAGE_TYPES
    ) as fetcher:
        page = await fetcher.fetch(link_to("http://in.test/"))
        await fetcher.fetch(link_to("http://other.test/"))
    coded = base64.b64encode(b"me:secret").decode()
    assert [asked.headers.get("authorization") for asked in web.asked] == [f"Basic {coded}", None]
    assert isinstance(page, Fetched)
    assert coded.encode() not in page.request_head
    assert b"Authorization: (not archived)" in page.request_head


async def test_requests_go_through_the_proxy(site):
    """With a proxy the whole URL is sent there, with the proxy's password; names are not looked up."""
    proxy = await site({"http://far.test/a?b": reply(b"from afar")})
    page = await fetched(
        "http://far.test/a?b", proxy=f"http://me:pw@127.0.0.1:{proxy.port}", allow_private=()
    )
    assert page.body == b"from afar"
    assert page.address == ""
    coded = base64.b64encode(b"me:pw").decode()
    assert proxy.asked[0].headers["proxy-authorization"] == f"Basic {coded}"
    assert coded.encode() not in page.request_head


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "169.254.169.254", "localhost", "a.localhost"])
async def test_the_proxy_is_not_asked_for_private_addresses(site, host):
    """A literal private address is refused before it reaches the proxy."""
    proxy = await site()
    result = await refused(f"http://{host}/", proxy=proxy.base, allow_private=())
    assert result.refusal.reason is Reason.PRIVATE_ADDRESS
    assert not proxy.asked


async def test_a_proxy_that_refuses_a_tunnel_is_no_connection(site):
    """https through a proxy that says no is CONNECT."""
    proxy = await site({"far.test:443": reply(b"", status="403 No")})
    assert (await refused("https://far.test/", proxy=proxy.base)).refusal.reason is Reason.CONNECT


# --- IP addresses -----------------------------------------------------------------------------


async def test_hosts_that_share_an_address_share_its_limit(site):
    """No more requests at once to one IP address than allowed, over all hosts."""
    under_way, most = 0, 0

    async def page(writer):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.02)
        under_way -= 1
        writer.write(reply())

    web = await site({"/": page})
    hosts = {"*.test": f"127.0.0.1:{web.port}"}
    async with live_fetcher(spec_with(per_ip_concurrency=2, connect_to=hosts), PAGE_TYPES) as fetcher:
        links = [link_to(f"http://h{n}.test/") for n in range(8)]
        results = await asyncio.gather(*map(fetcher.fetch, links))
    assert all(isinstance(result, Fetched) for result in results)
    assert 1 <= most <= 2

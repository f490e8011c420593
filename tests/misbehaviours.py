"""Misbehaving servers by name: pages for a local web that break HTTP, HTML or good manners.

`web_with(name)` puts one between a start page and a well-behaved site. Loops and traps also answer below
their path, so their key ends with a star: `{"/it*": deep_trap()}`.
"""

from __future__ import annotations

import asyncio
import gzip
import itertools
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from lycosa.testing.responses import (
    HTML,
    CannedResponse,
    Page,
    Raw,
    Request,
    Wire,
    data,
    html,
    links,
    redirect,
    status,
    text,
)
from lycosa.testing.server import Pages

FOREVER_S = 86_400.0
SENTENCE = "<p>A page of the local web, with a few words and nothing special about it.</p>\n"
FILLING = (SENTENCE * 200).encode()


# --- time ---------------------------------------------------------------------------------------


def slow(seconds: float, page: str = SENTENCE) -> Raw:
    """Answers properly, but only after a while."""

    async def talk(_: Request, wire: Wire) -> None:
        await asyncio.sleep(seconds)
        await wire.send(html(page).plain)

    return Raw(talk)


def stalls() -> Raw:
    """Takes the request and never says a word."""

    async def talk(_: Request, wire: Wire) -> None:
        await asyncio.sleep(FOREVER_S)

    return Raw(talk)


def slow_drip(pause_s: float = 0.05) -> Raw:
    """Sends a long body byte by byte, so that no silence is ever long."""

    async def talk(_: Request, wire: Wire) -> None:
        await wire.send(CannedResponse().head(len(FILLING)))
        for at in range(len(FILLING)):
            await wire.send(FILLING[at : at + 1])
            await asyncio.sleep(pause_s)

    return Raw(talk)


# --- broken responses ---------------------------------------------------------------------------


def sends(wire_bytes: bytes, *, then_close: bool = True) -> Raw:
    """Sends exactly these bytes, whatever they are."""

    async def talk(_: Request, wire: Wire) -> None:
        await wire.send(wire_bytes)
        if then_close:
            wire.close()

    return Raw(talk)


def drops() -> Raw:
    """Closes the connection in the middle of the body."""
    return sends(CannedResponse().head(len(FILLING)) + FILLING[: len(FILLING) // 2])


def hangs_up() -> Raw:
    """Closes the connection without a byte of answer."""
    return sends(b"")


def resets() -> Raw:
    """Resets the connection (RST) in the middle of the body."""

    async def talk(_: Request, wire: Wire) -> None:
        await wire.send(CannedResponse().head(len(FILLING)) + FILLING[:100])
        await asyncio.sleep(0.01)
        wire.abort()

    return Raw(talk)


def lying_length() -> Raw:
    """Says a Content-Length of 20 and sends thousands of bytes."""
    return sends(CannedResponse().head(20) + FILLING, then_close=False)


def broken_chunked() -> Raw:
    """A chunked body whose second chunk size is no number."""
    head = CannedResponse(headers=(*HTML, ("Transfer-Encoding", "chunked"))).head(None)
    return sends(head + b"10\r\n<p>Sixteen bytes\r\nnot-a-size\r\nmore\r\n0\r\n\r\n")


def not_http() -> Raw:
    """Answers in another protocol altogether."""
    return sends(b"220 mail.bad.test ESMTP ready\r\n250 Hello\r\n")


def endless() -> Raw:
    """A body that never ends."""

    async def talk(_: Request, wire: Wire) -> None:
        await wire.send(CannedResponse().head(None))
        while True:
            await wire.send(FILLING)
            await asyncio.sleep(0)

    return Raw(talk)


def header_flood(count: int = 50_000) -> Raw:
    """Tens of thousands of headers before the body."""
    flood = "".join(f"X-Flood-{number}: {'x' * 60}\r\n" for number in range(count)).encode()
    return sends(b"HTTP/1.1 200 OK\r\n" + flood + b"\r\n" + FILLING)


def long_header(length: int = 2_000_000) -> Raw:
    """One header of two million characters."""
    return sends(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * length + b"\r\n\r\n" + FILLING)


def endless_continue() -> Raw:
    """Says '100 Continue' for ever and never comes to the answer."""

    async def talk(_: Request, wire: Wire) -> None:
        while True:
            await wire.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
            await asyncio.sleep(0.01)

    return Raw(talk)


# --- bodies that are not what they seem ---------------------------------------------------------


@lru_cache(maxsize=1)  # packing a hundred megabytes takes a moment
def gzip_bomb(megabytes: int = 100) -> CannedResponse:
    """A small gzip body that unpacks to a hundred megabytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    parts = [packer.compress(b"<html><body>")]
    parts += [packer.compress(bytes(1_000_000)) for _ in range(megabytes)]
    return CannedResponse(b"".join([*parts, packer.flush()]), 200, (*HTML, ("Content-Encoding", "gzip")))


def not_gzip() -> CannedResponse:
    """Says that it is gzipped and is plain HTML."""
    return CannedResponse(FILLING, 200, (*HTML, ("Content-Encoding", "gzip")))


def cut_gzip() -> CannedResponse:
    """A gzip body whose second half is missing, under a true Content-Length."""
    whole = gzip.compress("".join(f"<p>Number {number}</p>" for number in range(5000)).encode(), mtime=0)
    return CannedResponse(whole[: len(whole) // 2], 200, (*HTML, ("Content-Encoding", "gzip")))


def unknown_encoding() -> CannedResponse:
    """A content encoding that nobody knows."""
    return CannedResponse(FILLING, 200, (*HTML, ("Content-Encoding", "x-secret")))


def bad_charset() -> CannedResponse:
    """Declares UTF-8 in the header, another charset in the page, and is in neither."""
    page = '<meta charset="x-unheard-of"><title>Caf\xe9</title><p>Na\xefve caf\xe9, \xa312 \xff\xfe</p>'
    return CannedResponse(page.encode("latin-1"), 200, HTML)


def wrong_type() -> CannedResponse:
    """Says text/html and is a picture."""
    return data(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100, "text/html; charset=utf-8")


def nul_bytes() -> CannedResponse:
    """HTML with zero bytes and control characters in tags, text and links."""
    return CannedResponse(
        b"<ti\0tle>Nu\0ll</title><p\0><a hr\0ef='/\0a'>a\x01b</a><a href='/b\0c'>\x0b\x1f</a>" * 50
    )


def huge_html(depth: int = 100_000) -> CannedResponse:
    """Elements nested a hundred thousand deep."""
    return html("<div>" * depth + "<a href='/deep'>at the bottom</a>")


def many_links(count: int = 100_000) -> CannedResponse:
    """A page with a hundred thousand different links."""
    return html("".join(f"<a href='/many/{number}'>{number}</a>" for number in range(count)))


def long_attribute(length: int = 3_000_000) -> CannedResponse:
    """A link with a URL of three million characters."""
    return html(f"<a href='/{'x' * length}'>long</a>" + SENTENCE)


def bad_links() -> CannedResponse:
    """A page on which no link is a usable URL."""
    targets = [
        *("http://", "http:///", "http://[::1", "http://a b.test/", "http://bad.test:99999/", "//"),
        *(
            "javascript:void(0)",
            "data:text/html,x",
            "mailto:a@b.test",
            "file:///etc/passwd",
            "ftp://bad.test/",
        ),
        *(
            "http://%zz/",
            "http://\ud800.test/",
            "http://xn--/",
            "?" + "q" * 5000,
            "http://" + "a." * 200 + "test/",
        ),
    ]
    anchors = "".join(f'<a href="{target}">x</a>' for target in targets)
    return CannedResponse(anchors.encode("utf-8", "surrogatepass"))


def soft_404() -> Page:
    """Answers 200 OK with the same 'not found' page whatever is asked."""
    return html("<title>Page not found</title><h1>404</h1><p>Sorry, this page does not exist (any more).</p>")


# --- statuses and redirects ---------------------------------------------------------------------


def too_many_requests(retry_after: str = "1", times: int = 2) -> Page:
    """429 with Retry-After for the first few requests, then the page."""
    left = itertools.count(times, -1)
    return lambda _: status(429, Retry_After=retry_after) if next(left) > 0 else html(SENTENCE)


def redirect_loop(path: str = "/it") -> Page:
    """Redirects to a page that redirects back."""
    return lambda request: redirect(path if request.path.endswith("/back") else f"{path}/back")


def endless_redirects(path: str = "/it") -> Page:
    """Each redirect leads to another new URL."""
    return lambda request: redirect(f"{path}?hop={int(request.query.get('hop', 0)) + 1}")


def private_redirect() -> CannedResponse:
    """Redirects to an address inside the crawler's own network."""
    return redirect("http://169.254.169.254/latest/meta-data/")


# --- traps --------------------------------------------------------------------------------------


def calendar_trap(path: str = "/calendar") -> Page:
    """A calendar whose every month links to the next and the one before, for ever."""

    def month(request: Request) -> CannedResponse:
        year, _, number = request.query.get("month", "2020-01").partition("-")
        at = int(year) * 12 + int(number) - 1
        around = [f"{path}?month={m // 12}-{m % 12 + 1:02}" for m in (at - 1, at + 1)]
        return links(*around, title=f"Calendar, month {at % 12 + 1} of {at // 12}")

    return month


def session_trap(path: str = "/shop") -> Page:
    """Every link carries a fresh session id."""
    fresh = itertools.count(1)
    return lambda _: links(*(f"{path}?item={item}&sid={next(fresh):032x}" for item in range(5)), title="Shop")


def deep_trap() -> Page:
    """Relative links that make every path one segment longer."""
    return lambda request: links(f"{request.path.rstrip('/')}/more", f"{request.path.rstrip('/')}/next")


def host_trap() -> Page:
    """Every page links to two hosts that nobody has heard of, with the same pages again."""
    return lambda request: links(*(f"http://{side}.{request.host}/it" for side in ("a", "b")))


@dataclass(frozen=True)
class Misbehaviour:
    """The pages (of one host) that misbehave from `entry` on."""

    pages: Callable[[], Pages]
    entry: str = "/it"


def _at_it(page: Callable[[], Page]) -> Misbehaviour:
    return Misbehaviour(lambda: {"/it": page()})


def _trap(entry: str, page: Callable[[], Page]) -> Misbehaviour:
    return Misbehaviour(lambda: {f"{entry}*": page()}, entry)


def _robots(robots: Callable[[], Page]) -> Misbehaviour:
    return Misbehaviour(lambda: {"/robots.txt": robots(), "/it": SENTENCE})


MISBEHAVIOURS: dict[str, Misbehaviour] = {
    **{
        page.__name__: _at_it(page)
        for page in (
            *(stalls, slow_drip, drops, hangs_up, resets, lying_length, broken_chunked, not_http, endless),
            *(header_flood, long_header, endless_continue, gzip_bomb, not_gzip, cut_gzip, unknown_encoding),
            *(bad_charset, wrong_type, nul_bytes, huge_html, many_links, long_attribute, bad_links),
            *(too_many_requests, private_redirect, host_trap),
        )
    },
    "slow": _at_it(lambda: slow(0.5)),
    "status_503": _at_it(lambda: status(503)),
    "status_500": _at_it(lambda: status(500)),
    "status_unknown": _at_it(lambda: status(799)),
    "rate_limited_for_ever": _at_it(lambda: status(429, Retry_After="31536000")),
    "bad_retry_after": _at_it(lambda: too_many_requests("soon; honestly", 1)),
    "redirect_to_itself": _at_it(lambda: redirect("/it")),
    "redirect_loop": _trap("/it", redirect_loop),
    "endless_redirects": _trap("/it", endless_redirects),
    "bad_redirect": _at_it(lambda: redirect("http://[nowhere")),
    "no_location": _at_it(lambda: status(302)),
    "robots_5xx": _robots(lambda: status(503)),
    "robots_stalls": _robots(stalls),
    "robots_endless": _robots(endless),
    "robots_loop": _robots(lambda: redirect("/robots.txt")),
    "robots_is_html": _robots(lambda: html(SENTENCE * 50)),
    "robots_is_binary": _robots(lambda: data(bytes(range(256)) * 500, "text/plain")),
    "robots_slow_host": _robots(lambda: text("User-agent: *\nCrawl-delay: 86400\n")),
    "calendar_trap": _trap("/calendar", calendar_trap),
    "session_trap": _trap("/shop", session_trap),
    "deep_trap": _trap("/it", deep_trap),
    "soft_404": _trap("/", soft_404),
}
"""Every misbehaviour by name."""


def web_with(name: str) -> Pages:
    """A web that goes from `start.test` to a misbehaving host `bad.test` and to `good.test`.

    The start page links to the misbehaviour first, then to `http://good.test/`, which links on to
    `/one` and `/two`: a crawl must end, and must have these.
    """
    misbehaviour = MISBEHAVIOURS[name]
    pages: dict[str | tuple[str, str], Page] = {
        ("start.test", "/"): links(f"http://bad.test{misbehaviour.entry}", "http://good.test/"),
        ("good.test", "/"): links("/one", "/two"),
        ("good.test", "/one"): html(f"<title>One</title>{SENTENCE}"),
        ("good.test", "/two"): html(f"<title>Two</title>{SENTENCE}{SENTENCE}"),
    }
    if name == "host_trap":
        return pages | {"/it": host_trap()}
    return pages | {("bad.test", str(path)): page for path, page in misbehaviour.pages().items()}

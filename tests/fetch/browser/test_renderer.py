"""The browser, fed by a fetcher of the test's own: what it sees, what it asks for, and what brings it down."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping

import pytest

from lycosa.errors import SpecError
from lycosa.fetch.browser import chromium
from lycosa.fetch.browser.proxy import RecordingProxy
from lycosa.fetch.browser.renderer import Rendered
from lycosa.fetch.browser.reuse import Reuse
from lycosa.fetch.browser.start import refuse_root, renderer_for
from lycosa.spec.sections import FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal
from tests.browsers import SANDBOX, needs_browser

SPEC = FetchSpec(render="always", browser_sandbox=SANDBOX, render_timeout_s=600.0)
PAGE = "https://owls.example/barn"


def response(url: str, body: str, kind: str = "text/html; charset=utf-8", status: int = 200) -> Fetched:
    headers = (("Content-Type", kind), ("Set-Cookie", "a=b"), ("Alt-Svc", 'h3=":443"'))
    link = Link(url, key_of(url), kind=Kind.PAGE if url == PAGE else Kind.REQUISITE)
    return Fetched(link, status, headers, body.encode(), b"", b"", 0.0, 0.0)


def render(
    html: str, web: Mapping[str, Fetched] | None = None, spec: FetchSpec = SPEC
) -> tuple[Rendered, list[str]]:
    """What is seen of a page, and the URLs that were asked for, in order."""
    asked: list[str] = []

    async def ask(link: Link) -> Fetched | NotFetched:
        asked.append(link.url)
        found = (web or {}).get(link.url)
        return found or NotFetched(link, Refusal(Reason.DNS))

    async def run() -> Rendered:
        async with renderer_for(spec, ask) as renderer:
            assert renderer is not None
            return await renderer.render(response(PAGE, html))

    return asyncio.run(run()), asked


@needs_browser
def test_scripts_data_and_shadow_trees_are_seen():
    """What a script loads over TLS is asked for through us, and closed shadow trees are in the document."""
    script = """
    fetch("/data.json").then(r => r.json()).then(story => {
      document.title = story.title;
      const host = document.createElement("owl-story");
      host.attachShadow({mode: "closed"}).innerHTML = `<p>${story.text}</p><a href="/next">next</a>`;
      document.body.append(host);
    });"""
    url = "https://owls.example"
    web = {
        f"{url}/app.js": response(f"{url}/app.js", script, "text/javascript"),
        f"{url}/data.json": response(
            f"{url}/data.json", '{"title": "Owl", "text": "It hunts."}', "application/json"
        ),
    }
    seen, asked = render('<body><img src=/owl.jpg><script src="/app.js"></script>', web)
    assert not seen.failed
    html = seen.html.decode()
    assert "<title>Owl</title>" in html
    assert '<template shadowrootmode="open"' in html
    assert "<p>It hunts.</p>" in html
    assert asked == [
        f"{url}/app.js",
        f"{url}/data.json",
    ]  # the page was there, and pictures are not asked for
    assert [exchange.link.url for exchange in seen.exchanges] == asked


@needs_browser
def test_a_page_is_scrolled_to_its_end():
    """What is loaded when a reader comes to the end is loaded, until nothing more comes."""
    html = """<body><div id=list></div><p id=end>end</p><script>
    let batch = 0;
    const more = () => {
      if (batch++ < 4) for (let i = 0; i < 30; i++) list.insertAdjacentHTML("beforeend", `<p><a href="/s${batch}-${i}">story</a></p>`);
    };
    more();
    new IntersectionObserver(all => all[0].isIntersecting && more()).observe(end);
    </script>"""
    seen, _ = render(html)
    assert len(set(re.findall(rb'href="(/s\d-\d+)', seen.html))) == 120


@needs_browser
def test_scripts_that_lead_on_are_followed_like_a_redirect():
    """The page has no document then, but says where it leads."""
    seen, _ = render("<script>location.replace('/real')</script>")
    assert (seen.html, seen.moved_to) == (b"", "https://owls.example/real")


@needs_browser
def test_addresses_after_a_script_changed_the_address_lead_where_they_did():
    """Relative links are read by the address that the page has given itself."""
    seen, _ = render(
        "<head></head><a href=egg>egg</a><script>history.pushState(0, '', '/nests/tree/')</script>"
    )
    assert b'<base href="https://owls.example/nests/tree/">' in seen.html


@needs_browser
def test_shared_scripts_are_asked_for_once():
    """Pages of one site use the same scripts: these are asked for once, data for each page."""
    url = "https://owls.example"
    web = {
        f"{url}/app.js": response(f"{url}/app.js", "fetch('/data')", "text/javascript"),
        f"{url}/data": response(f"{url}/data", "1", "application/json"),
    }
    asked: list[str] = []

    async def ask(link: Link) -> Fetched:
        asked.append(link.url)
        return web[link.url]

    async def run() -> None:
        async with renderer_for(SPEC, ask) as renderer:
            assert renderer is not None
            for _ in range(2):
                await renderer.render(response(PAGE, "<script src=/app.js></script>"))

    asyncio.run(run())
    assert asked == [f"{url}/app.js", f"{url}/data", f"{url}/data"]


@needs_browser
def test_a_page_that_hangs_or_fills_the_browser_costs_itself(monkeypatch):
    """The browser is replaced, and the next page is rendered."""

    async def ask(link: Link) -> NotFetched:
        return NotFetched(link, Refusal(Reason.DNS))

    async def run() -> tuple[Rendered, Rendered, Rendered]:
        impatient = SPEC.model_copy(update={"render_timeout_s": 1.0})
        async with renderer_for(impatient, ask) as renderer:
            assert renderer is not None
            with monkeypatch.context() as bound:
                bound.setattr(chromium, "LAST_LOOK_S", 1.0)
                hung = await renderer.render(response(PAGE, "<script>while (true) {}</script>"))
        async with renderer_for(SPEC, ask) as renderer:
            assert renderer is not None
            with monkeypatch.context() as bound:
                bound.setattr(chromium, "MAX_MEMORY", 1)
                # The page must not be ready before memory is measured.
                bound.setattr(chromium, "QUIET_S", 60.0)
                filled = await renderer.render(
                    response(PAGE, "<script>setInterval(() => document.body.append('x'), 50)</script>")
                )
            after = await renderer.render(response(PAGE, "<script>document.write('fine')</script>"))
        return hung, filled, after

    hung, filled, after = asyncio.run(run())
    assert hung.failed
    assert filled.failed
    assert not after.failed
    assert b"fine" in after.html


def test_root_is_refused_a_browser_without_sandbox(monkeypatch):
    """Unless the spec says that it may be so."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(SpecError, match="browser_sandbox = false"):
        refuse_root(FetchSpec(render="needed"))
    refuse_root(FetchSpec(render="needed", browser_sandbox=False))
    refuse_root(FetchSpec())
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    refuse_root(FetchSpec(render="needed"))


def test_a_connection_that_is_not_answered_any_more_is_closed():
    """Also one that was made at the very end, before anything could be read from it."""

    async def ask(link: Link) -> NotFetched:
        return NotFetched(link, Refusal(Reason.DNS))

    async def run() -> bool:
        ours, theirs = socket.socketpair()
        with theirs:
            reader, writer = await asyncio.open_connection(sock=ours)
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            async with RecordingProxy(
                response(PAGE, ""), ask, tls, Reuse(), max_decoded_bytes=1_000
            ) as proxy:
                proxy._accept(reader, writer)
            return writer.is_closing()

    assert asyncio.run(run())

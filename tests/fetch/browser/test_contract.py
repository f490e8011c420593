"""What every renderer promises, checked on Chromium and on a small one that runs no scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lycosa.fetch.browser.chromium import ChromiumRenderer
from lycosa.fetch.browser.proxy import Ask
from lycosa.fetch.browser.renderer import Rendered, Renderer
from lycosa.fetch.browser.start import renderer_for
from lycosa.spec.sections import FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Link, NotFetched, Reason, Refusal
from tests.browsers import SANDBOX, needs_browser

URL = "https://owls.example/barn"
SPEC = FetchSpec(render="always", browser_sandbox=False, render_timeout_s=600.0)


class GivenHtml:
    """Renders a page as its own HTML."""

    def __init__(self, spec: FetchSpec, ask: Ask) -> None:
        self.is_ready = False

    async def start(self) -> None:
        self.is_ready = True

    async def render(self, fetched: Fetched) -> Rendered:
        assert self.is_ready
        return Rendered(fetched.body)

    async def close(self) -> None:
        self.is_ready = False


@pytest.fixture(params=[GivenHtml, pytest.param(ChromiumRenderer, marks=needs_browser)])
def make(request: pytest.FixtureRequest) -> Callable[[FetchSpec, Ask], Renderer]:
    """Makes a renderer."""
    return request.param  # type: ignore[no-any-return]


async def nothing(link: Link) -> NotFetched:
    """Answers no request."""
    return NotFetched(link, Refusal(Reason.DNS))


def page(html: str) -> Fetched:
    """A page of this HTML."""
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return Fetched(Link(URL, key_of(URL)), 200, headers, html.encode(), b"", b"", 0.0, 0.0)


def test_pages_at_the_same_time_get_their_own_documents(make: Callable[[FetchSpec, Ask], Renderer]) -> None:
    """Each page is rendered, and asks for nothing it does not need."""

    async def run() -> list[Rendered]:
        spec = SPEC.model_copy(update={"browser_sandbox": SANDBOX})
        async with renderer_for(spec, nothing, make) as renderer:
            assert renderer is not None
            return await asyncio.gather(*(renderer.render(page(f"<p>owl {n}</p>")) for n in range(3)))

    for number, rendered in enumerate(asyncio.run(run())):
        assert f"<p>owl {number}</p>".encode() in rendered.html
        assert (rendered.failed, rendered.moved_to, rendered.exchanges) == ("", "", ())


def test_a_renderer_may_be_closed_twice_and_started_again(make: Callable[[FetchSpec, Ask], Renderer]) -> None:
    """A closed renderer has ended; a started one renders."""

    async def run() -> Rendered:
        renderer = make(SPEC.model_copy(update={"browser_sandbox": SANDBOX}), nothing)
        await renderer.close()
        await renderer.start()
        await renderer.close()
        await renderer.close()
        await renderer.start()
        try:
            return await renderer.render(page("<p>owl</p>"))
        finally:
            await renderer.close()

    assert b"<p>owl</p>" in asyncio.run(run()).html


def test_nothing_is_started_where_nothing_is_rendered(make: Callable[[FetchSpec, Ask], Renderer]) -> None:
    """With render = "never" there is no renderer, whatever is installed."""

    async def run() -> Renderer | None:
        async with renderer_for(FetchSpec(), nothing, make) as renderer:
            return renderer

    assert asyncio.run(run()) is None

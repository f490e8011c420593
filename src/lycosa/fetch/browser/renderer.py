"""Rendering pages, one after the other. In: a fetched page. Out: what a browser made of it, and all that was asked for meanwhile.

A page that crashes, hangs or fills the browser costs itself: the browser is replaced, and the page is what was fetched.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from lycosa.errors import SpecError
from lycosa.fetch.browser.chromium import Chromium, PageFailed
from lycosa.fetch.browser.proxy import Ask, RecordingProxy
from lycosa.fetch.browser.reuse import Reuse
from lycosa.fetch.http.headers import user_agent
from lycosa.spec.sections import FetchSpec
from lycosa.values import Fetched, NotFetched

RENEWED_AFTER = 100
"""Pages of one browser."""
RENEWED_ABOVE = 800_000_000
"""Bytes of memory that a browser may keep between two pages."""


class Rendered(msgspec.Struct, frozen=True):
    """What a browser made of a page: its document, or where its scripts led, or why neither is known."""

    html: bytes = b""
    moved_to: str = ""
    failed: str = ""
    exchanges: tuple[Fetched | NotFetched, ...] = ()  # what it asked for besides the page
    elapsed_s: float = 0.0


class Renderer:
    """Renders pages with a browser that is started when it is needed, and replaced now and then."""

    def __init__(self, spec: FetchSpec, ask: Ask) -> None:
        self._spec = spec
        self._ask = ask
        self._turn = asyncio.Lock()
        self._reuse = Reuse()
        self._browser: Chromium | None = None
        self._pages = 0

    async def render(self, fetched: Fetched) -> Rendered:
        """What a browser sees of a page that was fetched; one page at a time."""
        async with self._turn:
            try:
                browser = await self.start()
            except SpecError as error:  # it was there when the crawl began: it may come back
                return Rendered(failed=str(error))
            begun = time.monotonic()
            limit = self._spec.max_decoded_bytes
            async with RecordingProxy(
                fetched, self._ask, browser.tls, self._reuse, max_decoded_bytes=limit
            ) as proxy:
                html, moved_to, failed = "", "", ""
                try:
                    html, moved_to = await browser.look(
                        fetched.link.url, proxy, within_s=self._spec.render_timeout_s, max_chars=limit // 4
                    )
                except PageFailed as failure:
                    failed = str(failure)
            self._pages += 1
            return Rendered(
                html.encode("utf-8", "replace"),
                moved_to,
                failed,
                tuple(proxy.exchanges),
                time.monotonic() - begun,
            )

    async def start(self) -> Chromium:
        """The browser; a new one where there is none, or it has served its time. SpecError where none can be started."""
        browser = self._browser
        if browser and browser.is_alive and self._pages < RENEWED_AFTER and browser.memory < RENEWED_ABOVE:
            return browser
        await self.close()
        self._pages = 0
        agent = self._spec.user_agent or user_agent(self._spec.contact)
        self._browser = await Chromium(user_agent=agent, sandbox=self._spec.browser_sandbox).start()
        return self._browser

    async def close(self) -> None:
        """End the browser."""
        if self._browser is not None:
            await self._browser.close()
        self._browser = None


@asynccontextmanager
async def renderer_for(spec: FetchSpec, ask: Ask) -> AsyncIterator[Renderer | None]:
    """A renderer with its browser running, while the context lasts; None where nothing is to be rendered."""
    if spec.render == "never":
        yield None
        return
    refuse_root(spec)
    renderer = Renderer(spec, ask)
    try:
        await renderer.start()  # a browser that is missing is told of now, not hours later
        yield renderer
    finally:
        await renderer.close()


def refuse_root(spec: FetchSpec) -> None:
    """Refuse to run a browser as root, which has no sandbox then, unless the spec says so."""
    if spec.render != "never" and spec.browser_sandbox and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise SpecError(
            "fetch.render: as root Chromium runs without its sandbox, so a hostile page could do whatever root can. "
            "Run the crawl as another user; or, in a container where nothing is to be lost, say "
            "fetch.browser_sandbox = false."
        )

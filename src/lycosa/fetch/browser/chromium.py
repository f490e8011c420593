"""Rendering with Chromium, driven by Playwright.

Each page has its own context, which is deleted with it: no cookies, cache, service workers or downloads are shared.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from lycosa import urls
from lycosa.errors import SpecError
from lycosa.fetch.browser.processes import memory_of
from lycosa.fetch.browser.proxy import Ask, RecordingProxy, throw_away_certificate
from lycosa.fetch.browser.renderer import Rendered
from lycosa.fetch.browser.reuse import Reuse
from lycosa.fetch.browser.scripts import BEFORE, DOCUMENT, SCROLL, STATE
from lycosa.fetch.http.headers import user_agent
from lycosa.spec.sections import FetchSpec
from lycosa.values import Fetched

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright, Request

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET_S = 0.5
"""A page is ready when it makes no request and does not change for this long."""
LOOKS_EVERY_S = 0.1
MAX_SCROLLS = 20
VIEW = {"width": 1280, "height": 1600}
START_TIMEOUT_S = 60.0
CLOSE_TIMEOUT_S = 10.0
LAST_LOOK_S = 10.0
"""Extra time to read the document after the deadline. A page whose scripts still block is given up."""
MAX_MEMORY = 1_500_000_000
"""Bytes of all processes of a browser. Above this the page is given up and the browser killed."""
HEAP_MB = 512
"""Megabytes for the scripts of one page."""
RENEWED_AFTER = 100
"""Pages after which a browser is replaced."""
RENEWED_ABOVE = 800_000_000
"""Bytes of memory between two pages above which a browser is replaced."""

_FLAGS = (
    # Requests of the browser itself (updates, statistics, look-ups) fail.
    "--proxy-server=http://127.0.0.1:1",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--disable-domain-reliability",
    "--no-pings",
    "--disable-gpu",
    # Pictures and fonts have no text.
    "--blink-settings=imagesEnabled=false",
    "--disable-remote-fonts",
    f"--js-flags=--max-old-space-size={HEAP_MB}",
)


class Seen(NamedTuple):
    """The document of a page, or the URL its scripts led to."""

    html: str = ""
    moved_to: str = ""


class PageFailed(Exception):
    """A page crashed or blocked the browser."""


class Chromium:
    """One browser process. It is dead after a PageFailed."""

    def __init__(self, *, user_agent: str, sandbox: bool) -> None:
        self._user_agent = user_agent
        self._sandbox = sandbox
        self._certificate = throw_away_certificate()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._pid = 0

    @property
    def tls(self) -> Any:
        """The TLS context of its proxies, which only this browser trusts."""
        return self._certificate.tls

    @property
    def is_alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    @property
    def memory(self) -> int:
        """The bytes of memory of its processes; 0 if unknown."""
        return memory_of(self._pid) if self._pid else 0

    async def start(self) -> Self:
        """Start the browser. Raise SpecError if that is not possible."""
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise SpecError(
                "fetch.render needs Playwright: pip install 'lycosa[browser]', or set fetch.render = \"never\"."
            ) from error
        self._playwright = await async_playwright().start()
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        trust = f"--ignore-certificate-errors-spki-list={self._certificate.fingerprint}"
        try:
            self._browser = await self._playwright.chromium.launch(
                executable_path=program,
                args=[*_FLAGS, trust],
                chromium_sandbox=self._sandbox,
                timeout=START_TIMEOUT_S * 1000,
                # The crawl stops the browser: a Ctrl-C must not lose the page in flight.
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            session = await self._browser.new_browser_cdp_session()
            told = await session.send("SystemInfo.getProcessInfo")
            self._pid = next(one["id"] for one in told["processInfo"] if one["type"] == "browser")
        except Error as error:
            await self.close()
            first = next(iter(str(error).strip().splitlines()), "")
            raise SpecError(
                f"fetch.render: Chromium does not start ({first}). Install it (apt install chromium, or "
                'playwright install chromium), or set fetch.render = "never".'
            ) from error
        return self

    async def close(self) -> None:
        """End the browser, in whatever state it is."""
        self._kill()
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                if self._browser is not None:
                    await self._browser.close()
        with contextlib.suppress(Exception):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                if self._playwright is not None:
                    await self._playwright.stop()
        self._browser = self._playwright = None

    async def look(self, url: str, proxy: RecordingProxy, *, within_s: float, max_chars: int) -> Seen:
        """Return a page once its scripts are idle, or after `within_s`. Raise PageFailed if there is none."""
        assert self._browser is not None, "call start first"
        deadline = time.monotonic() + within_s
        watch = asyncio.create_task(self._bound_memory())
        try:
            async with asyncio.timeout(within_s + LAST_LOOK_S):
                context = await self._browser.new_context(
                    proxy={"server": proxy.url},
                    user_agent=self._user_agent,
                    viewport=VIEW,  # type: ignore[arg-type]
                    service_workers="block",
                    accept_downloads=False,
                )
                await context.add_init_script(BEFORE)
                page = await context.new_page()
                moved = _moves(page, url)
                seen = await self._seen(page, url, proxy, moved, deadline, max_chars)
                await context.close()
                return seen
        except Exception as error:
            self._kill()
            raise PageFailed(_in_a_line(error)) from error
        finally:
            watch.cancel()

    async def _seen(
        self,
        page: Page,
        url: str,
        proxy: RecordingProxy,
        moved: Callable[[], str],
        deadline: float,
        max_chars: int,
    ) -> Seen:
        from playwright.async_api import Error

        async def settled() -> None:
            await _settle(page, proxy, moved, deadline)

        try:
            await page.goto(url, wait_until="commit", timeout=_left_ms(deadline))
            await settled()
            for _ in range(MAX_SCROLLS):
                if moved() or time.monotonic() >= deadline or not await page.evaluate(SCROLL):
                    break
                await settled()
        except Error:
            if not moved():  # the document is gone because the page moved on
                raise
        if target := moved():
            return Seen(moved_to=target)
        html = await page.evaluate(DOCUMENT, [url, max_chars])
        return Seen(html if isinstance(html, str) else "")

    async def _bound_memory(self) -> None:
        while True:
            await asyncio.sleep(1.0)
            if self.memory > MAX_MEMORY:
                self._kill()

    def _kill(self) -> None:
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        self._pid = 0


class ChromiumRenderer:
    """Renders one page at a time with a Chromium that is replaced now and then, and after a page crashed it."""

    def __init__(self, spec: FetchSpec, ask: Ask) -> None:
        self._spec = spec
        self._ask = ask
        self._turn = asyncio.Lock()
        self._reuse = Reuse()
        self._browser: Chromium | None = None
        self._pages = 0

    async def start(self) -> None:
        """Start Chromium. Raise SpecError if that is not possible."""
        await self._running()

    async def render(self, fetched: Fetched) -> Rendered:
        """Render a fetched page."""
        async with self._turn:
            try:
                browser = await self._running()
            except SpecError as error:  # it started when the crawl began: the next page tries again
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
            exchanges, elapsed_s = tuple(proxy.exchanges), time.monotonic() - begun
            return Rendered(html.encode("utf-8", "replace"), moved_to, failed, exchanges, elapsed_s)

    async def _running(self) -> Chromium:
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


async def _settle(page: Page, proxy: RecordingProxy, moved: Callable[[], str], deadline: float) -> None:
    """Wait until the page is ready, or until the deadline."""
    last, quiet_since = None, time.monotonic()
    while not moved() and time.monotonic() < deadline:
        state = await page.evaluate(STATE)
        now = time.monotonic()
        if proxy.pending or state != last or not state[0]:
            last, quiet_since = state, now
        elif now - quiet_since >= QUIET_S:
            return
        await asyncio.sleep(LOOKS_EVERY_S)


def _moves(page: Page, url: str) -> Callable[[], str]:
    """Return a function that returns the URL a page's scripts moved to, or ''."""
    own, went = urls.parse(url), [""]

    def look(request: Request) -> None:
        with contextlib.suppress(Exception):  # a request of a frame that is gone
            if request.is_navigation_request() and request.frame == page.main_frame:
                target = urls.parse(request.url)
                went[0] = target if target and target != own else ""

    page.on("request", look)
    return lambda: went[0]


def _left_ms(deadline: float) -> float:
    return max(1.0, (deadline - time.monotonic()) * 1000)


def _in_a_line(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "its scripts did not finish in time"
    return (" ".join(str(error).split()) or type(error).__name__)[:200]

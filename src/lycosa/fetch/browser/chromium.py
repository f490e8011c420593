"""One Chromium and one page at a time in it. In: a proxy and a URL. Out: the document that scripts have made of it.

Every page has a context of its own, which is forgotten with it: no cookies, no cache, no service workers, no downloads.
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
from lycosa.fetch.browser.certificate import throw_away_certificate
from lycosa.fetch.browser.processes import memory_of
from lycosa.fetch.browser.proxy import RecordingProxy
from lycosa.fetch.browser.scripts import BEFORE, DOCUMENT, SCROLL, STATE

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Playwright, Request

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET_S = 0.5
"""A page that asks for nothing and changes nothing for this long is ready."""
LOOKS_EVERY_S = 0.1
MAX_SCROLLS = 20
VIEW = {"width": 1280, "height": 1600}
START_TIMEOUT_S = 60.0
CLOSE_TIMEOUT_S = 10.0
LAST_LOOK_S = 10.0
"""Beyond its time, for taking what is there; a page whose scripts do not let us is given up."""
MAX_MEMORY = 1_500_000_000
"""Of all processes of a browser; above it the page is given up and the browser ended."""
HEAP_MB = 512
"""Of the scripts of one page."""

_FLAGS = (
    # Whatever is not asked for by a page in its context (updates, statistics, look-ups) goes nowhere.
    "--proxy-server=http://127.0.0.1:1",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
    "--disable-domain-reliability",
    "--no-pings",
    "--disable-gpu",
    # Pictures and fonts tell no text.
    "--blink-settings=imagesEnabled=false",
    "--disable-remote-fonts",
    f"--js-flags=--max-old-space-size={HEAP_MB}",
)


class Seen(NamedTuple):
    """A page as a browser saw it: its document, or where its scripts went instead."""

    html: str = ""
    moved_to: str = ""


class PageFailed(Exception):
    """A page that brought the browser down, or did not let it look."""


class Chromium:
    """A browser, started by `start`. After a PageFailed it is no longer alive."""

    def __init__(self, *, user_agent: str, sandbox: bool) -> None:
        self._user_agent = user_agent
        self._sandbox = sandbox
        self._certificate = throw_away_certificate()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._pid = 0

    @property
    def tls(self) -> Any:
        """What its proxies speak, and it alone trusts."""
        return self._certificate.tls

    @property
    def is_alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    @property
    def memory(self) -> int:
        """The bytes that its processes hold; 0 where that cannot be known."""
        return memory_of(self._pid) if self._pid else 0

    async def start(self) -> Self:
        """Start it; SpecError where that is not possible."""
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise SpecError(
                "fetch.render needs Playwright: pip install 'lycosa[browser]'. Or say fetch.render = \"never\"."
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
                # Stopping is ours to do: a Ctrl-C that ends the browser would cost the page that is under way.
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
                f"No browser could be started for fetch.render ({first}). Install Chromium (apt install chromium, or "
                'playwright install chromium); or say fetch.render = "never".'
            ) from error
        return self

    async def close(self) -> None:
        """End it, however it is."""
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
        """What a URL shows when its scripts have come to rest, or after `within_s`; PageFailed where it shows nothing."""
        assert self._browser is not None, "it was not started"
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
            if not moved():  # what was looked at is gone because the page went on
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


async def _settle(page: Page, proxy: RecordingProxy, moved: Callable[[], str], deadline: float) -> None:
    """Wait until nothing is asked for and nothing changes, or until the deadline."""
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
    """Tells where a page's scripts went instead of showing something; '' while they did not."""
    own, went = urls.parse(url), [""]

    def look(request: Request) -> None:
        with contextlib.suppress(Exception):  # of a frame that is gone again nothing is known
            if request.is_navigation_request() and request.frame == page.main_frame:
                target = urls.parse(request.url)
                went[0] = target if target and target != own else ""

    page.on("request", look)
    return lambda: went[0]


def _left_ms(deadline: float) -> float:
    return max(1.0, (deadline - time.monotonic()) * 1000)


def _in_a_line(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it did not come to rest in time"
    return (" ".join(str(error).split()) or type(error).__name__)[:200]

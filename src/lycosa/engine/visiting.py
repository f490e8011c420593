"""Visits: fetch a URL, analyse, render and judge its page. A watchdog drops requests that hang."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

from lycosa.engine.conclude import Conclusions
from lycosa.engine.parts import Visit
from lycosa.engine.processes.analysis import Analyser
from lycosa.engine.rendering import NoRendering
from lycosa.engine.rules.limits import Limits
from lycosa.engine.watch.callbacks import NoBatches
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.polite.turns import rest_s as rest_of
from lycosa.page.signs.walls import LOOKED_AT
from lycosa.values import Fetched, Judgement, Kind, Later, Link, NotFetched, Page, Reason, Refusal

CANCEL_S = 1.0
"""Seconds to wait for cancelled requests; at most a tenth of the patience when the crawl stops."""
HANG_TICKS = 12
"""Checks of the progress within `hang_s`. Counted, so that a machine that slept does not look like hanging requests."""


class Visits:
    """The visits of one crawl."""

    def __init__(
        self,
        fetcher: CrawlFetcher,
        analyser: Analyser,
        conclusions: Conclusions,
        limits: Limits,
        rendering: NoRendering,
        batches: NoBatches,
    ) -> None:
        self.fetcher = fetcher
        self.analyser = analyser
        self.conclusions = conclusions
        self.limits = limits
        self.rendering = rendering
        self.batches = batches
        self._asking: dict[asyncio.Task[Any], int] = {}
        """Visits whose request is in flight, each with the tick at which it began."""

        self._tick = 0

    async def visit(self, link: Link) -> Visit:
        """Fetch a URL and analyse its page, unless a rule refuses it."""
        refused = self.conclusions.admission.refuse_waiting(link) or self.conclusions.walls.refusal(link)
        fetched = NotFetched(link, refused) if refused else await self._fetch(link)
        if not isinstance(fetched, Fetched) or not _is_read(fetched):
            return Visit(link, fetched)
        page = await self.analyser.analyse(fetched)
        if not isinstance(page, Page):
            return Visit(link, fetched, page)
        if not self.rendering.is_wanted(fetched, page, self.conclusions.tally):
            return Visit(link, fetched, page, judgement=await self._judged(page))
        seen = await self.rendering.visit(fetched, page, self.analyser)
        judgement = await self._judged(seen.page) if seen.page else None
        return Visit(link, seen.fetched, seen.page, seen.exchanges, seen.gain, judgement)

    async def _judged(self, page: Page) -> Judgement | None:
        return await self.batches.judge(page) if page.link.kind is Kind.PAGE else None

    async def _fetch(self, link: Link) -> Fetched | NotFetched | Later:
        """The response, as a request that the watchdog may give up."""
        task = asyncio.current_task()
        assert task is not None
        self._asking[task] = self._tick
        try:
            return await self.fetcher.fetch(link)
        finally:
            self._asking.pop(task, None)

    async def watch(
        self,
        landings: Callable[[], int],
        drop: Callable[[Sequence[asyncio.Task[Any]]], None],
    ) -> None:
        """Drop and cancel the requests that hang when no visit has ended for `hang_s`."""
        still, landed = 0, landings()
        while True:
            await asyncio.sleep(self.limits.hang_s / HANG_TICKS)
            self._tick += 1
            still = still + 1 if self._asking and landed == landings() else 0
            landed = landings()
            hanging = [task for task, since in self._asking.items() if self._tick - since >= HANG_TICKS]
            if still < HANG_TICKS or not hanging:
                continue
            for task in hanging:
                del self._asking[task]
            drop(hanging)
            await cancelled(hanging, CANCEL_S)

    def hung(self, link: Link) -> NotFetched:
        """A request that is given up, as a passing fault that uses up one of its retries."""
        fetch = self.conclusions.follow.fetch
        rest_s = rest_of(fetch.per_host_delay_s, faults=link.attempts + 1)
        refusal = Refusal(Reason.TIMEOUT, f"the request hung for {self.limits.hang_s:g} s")
        again = rest_s if link.attempts < fetch.retries else None
        return NotFetched(link, refusal, rest_s=rest_s, again_in_s=again, passing=True)


async def cancelled(tasks: Sequence[asyncio.Task[Any]], wait_s: float) -> None:
    """Cancel tasks. Abandon those that do not end in time: the event loop does not wait for them either."""
    for task in tasks:
        task.cancel()
    if not tasks:
        return
    try:
        await asyncio.wait(tasks, timeout=wait_s)
    finally:
        for task in tasks:
            if task.done():
                _ = task.cancelled() or task.exception()
            else:
                asyncio.tasks._unregister_task(task)
                cast(Any, task)._log_destroy_pending = False


def _is_read(fetched: Fetched) -> bool:
    """Whether a response is looked into: a good one, or an error that may say more than its status."""
    if fetched.status == 200:
        return fetched.link.kind is not Kind.REQUISITE
    return fetched.link.kind is Kind.PAGE and fetched.status in LOOKED_AT

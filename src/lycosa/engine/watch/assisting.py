"""An assistant answers questions while a crawl runs, and when it ends. Fetching never waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa.engine.parts import NoAssisting
from lycosa.spec.sections import Spec
from lycosa.values import Say

if TYPE_CHECKING:
    from lycosa.engine.loop import Crawl
    from lycosa.learn.assistant.asking import Assistant

FIRST_PAGES = 50
"""Asked about earlier, the judge would not know yet what to ask."""
LOOK_S = 0.25
LATER = 0.5
"""Share of the questions kept for the end of the crawl, when all pages are known."""
BATCHES = 6
"""Batches that all questions are divided into; the judge is fitted after each."""
GROWTH = 1.5
"""A batch follows when the crawl has this many times the pages of the one before."""


class Assisting(NoAssisting):
    """Asks in batches as the crawl grows, and the remaining questions at its end."""

    def __init__(self, assistant: Assistant, patience_s: float) -> None:
        self._assistant = assistant
        self._patience_s = patience_s
        self._crawl: Crawl | None = None
        self._asking: asyncio.Task[None] | None = None
        self._is_ending = False

    @asynccontextmanager
    async def beside(self, crawl: Crawl) -> AsyncIterator[None]:
        self._crawl = crawl
        async with self._assistant:
            self._asking = asyncio.ensure_future(self._ask_beside(crawl))
            try:
                yield
            finally:
                await self._cancel()
                if told := self._assistant.told:
                    crawl.say(told)

    async def end(self) -> None:
        crawl = self._crawl
        assert crawl is not None
        if crawl.is_stopped:
            return
        until, assistant = asyncio.get_running_loop().time() + self._patience_s, self._assistant
        self._is_ending = True  # the question in flight is answered first
        is_on_time, learned = await self._within(until, self._asking), 0
        while True:
            if len(assistant.answers) > learned:
                learned = len(assistant.answers)
                await crawl.refits.end()
            if not is_on_time or crawl.is_stopped or not assistant.left or not crawl.refits.version:
                return
            is_on_time = await self._within(until, assistant.ask(self._batch))
            if len(assistant.answers) == learned:
                return

    async def _within(self, until: float, work: Awaitable[object] | None) -> bool:
        """Wait for work, but not beyond a time of the event loop. Return whether it was done."""
        if work is None:
            return True
        try:
            async with asyncio.timeout_at(until):
                await work
        except TimeoutError:
            return False
        return True

    @property
    def _batch(self) -> int:
        return max(2, self._assistant.settings.questions // BATCHES)

    async def _ask_beside(self, crawl: Crawl) -> None:
        pages, later = float(FIRST_PAGES), self._assistant.settings.questions * LATER
        while self._assistant.left > later and not self._is_ending:
            if crawl.tally.pages < pages or crawl.refits.version is None:
                await asyncio.sleep(LOOK_S)
                continue
            pages = crawl.tally.pages * GROWTH
            if await self._assistant.ask(min(self._batch, int(self._assistant.left - later))):
                crawl.refits.hear()

    async def _cancel(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            with suppress(asyncio.CancelledError):
                await self._asking


def assisting_of(spec: Spec, directory: Path, say: Say) -> NoAssisting:
    """The assistant of a spec."""
    if not spec.judge.assistant.endpoint:
        return NoAssisting()
    from lycosa.learn.assistant.asking import Assistant  # few crawls have one

    return Assisting(Assistant(directory, spec, say), spec.fetch.stop_patience_s)

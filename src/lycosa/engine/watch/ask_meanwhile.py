"""Asks questions in the terminal while a crawl runs; answers become labels.

The crawl goes on while it waits for answers; its progress makes room for the questions.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TextIO

from lycosa.engine.loop import Crawl
from lycosa.learn.questions import PROMPT, Interview
from lycosa.values import Say

FIRST_PAGES = 50
"""Asked about earlier, the judge would not know yet what to ask."""
LOOK_S = 0.25

Show = Callable[[], Awaitable[None]]


class Asking:
    """Asks `count` questions once a crawl has its first pages; in a terminal, elsewhere it says how to answer."""

    def __init__(self, directory: Path, count: int, say: Say, terminal: TextIO | None = None) -> None:
        self.directory = directory
        self.count = count
        self.say = say
        self.terminal = terminal or sys.stdin
        self._is_done = not count

    async def watch(self, crawl: Crawl, show: Show) -> None:
        """Show a crawl until cancelled, and ask meanwhile."""
        if self._is_done:
            await show()
            return
        async with _shown(show):
            while crawl.tally.pages < FIRST_PAGES:
                await asyncio.sleep(LOOK_S)
            self._is_done = True
            if not self.terminal.isatty():
                self.say(f"{self.count} answers would help. Give them meanwhile: {self._command}")
        if self.terminal.isatty():
            await self._ask()
        await show()

    @property
    def _command(self) -> str:
        return f"lycosa label {self.directory} --count {self.count}"

    async def _ask(self) -> None:
        interview = Interview(self.directory, self.count)
        async with _lines(self.terminal) as lines:
            while text := interview.text:
                self.say(f"{text}\n{PROMPT}")
                if trouble := interview.take(await lines.get()):
                    self.say(f"  {trouble}")
        self.say(f"{len(interview.answers)} answers; they count when the judge is next fitted.")


@asynccontextmanager
async def _shown(show: Show) -> AsyncIterator[None]:
    showing = asyncio.ensure_future(show())
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)


@asynccontextmanager
async def _lines(terminal: TextIO) -> AsyncIterator[asyncio.Queue[str]]:
    """Typed lines. Not read in a thread, which could not be stopped while it waits for a key."""
    loop, lines, number = asyncio.get_running_loop(), asyncio.Queue[str](), terminal.fileno()

    def read() -> None:
        typed = os.read(number, 65_536).decode("utf-8", "replace")
        if not typed:  # Ctrl-D: nobody answers any more
            loop.remove_reader(number)
        for line in typed.splitlines() or ["q"]:
            lines.put_nowait(line)

    loop.add_reader(number, read)
    try:
        yield lines
    finally:
        loop.remove_reader(number)

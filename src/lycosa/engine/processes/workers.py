"""Page analysis in worker processes, with a deadline for each page.

A worker that dies or is late is replaced, and only its page refused. The deadline is CPU time of the worker: waiting for a
busy machine does not count. A worker that dies may have been killed from outside, and one that does nothing may be starved,
so their page gets a second chance.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import socket
import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Self

import msgspec

from lycosa.engine.processes.analysis import InlineAnalyser, Recipe, guarded
from lycosa.errors import LycosaError
from lycosa.processes import Child, answer_all, live_with_parent, start_copy
from lycosa.values import Fetched, Page, Reason, Refusal

STALLED = 10
"""Wall-clock deadlines granted to a worker that hardly uses CPU."""
READY = b"ready"

Note = Callable[[str], None]
"""Hears of workers that were replaced."""


def _unnoted(_: str) -> None:
    """No-op."""


class _Reply(msgspec.Struct, frozen=True, array_like=True):
    page: Page | None
    refusal: Refusal | None
    trouble: str = ""  # of the machine, not of the page
    cpu_s: float = 0.0  # that the worker has used since it was started


_encode = msgspec.msgpack.Encoder().encode
_decode_job = msgspec.msgpack.Decoder(Fetched).decode
_decode_reply = msgspec.msgpack.Decoder(_Reply).decode


def work(channel: socket.socket) -> None:
    """The life of a worker: one response in, one page out, until the channel closes."""
    live_with_parent()
    with contextlib.suppress(ConnectionError), channel.makefile("rwb") as stream:
        # From our own parent, over a socket pair that nobody else has.
        recipe: Recipe = pickle.load(stream)  # noqa: S301
        stream.write(READY)
        stream.flush()
        answer_all(stream, lambda message: _encode(_reply(_decode_job(message), recipe)))


def _reply(job: Fetched, recipe: Recipe) -> _Reply:
    try:
        result = guarded(job, recipe)
    except LycosaError as error:
        return _Reply(None, None, str(error))
    page, refusal = (None, result) if isinstance(result, Refusal) else (result, None)
    return _Reply(page, refusal, cpu_s=time.process_time())


class _Worker:
    """A worker process, and the CPU seconds that it had used when it was last idle."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.before_s = 0.0

    async def ask(self, fetched: Fetched) -> Page | Refusal:
        reply = _decode_reply(await self.child.ask(_encode(fetched)))
        if reply.trouble:
            raise LycosaError(reply.trouble)
        self.before_s = reply.cpu_s  # from the worker itself: asking the system for each page is slow
        return reply.page or reply.refusal or Refusal(Reason.NOT_A_PAGE)

    def cpu_s(self) -> float:
        """The CPU seconds that it has used; infinite where the system does not tell."""
        try:
            stat = Path(f"/proc/{self.child.process.pid}/stat").read_text()
        except OSError:
            return inf
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class WorkerPool:
    """Analysis in `workers` processes, with a deadline for each page."""

    def __init__(self, recipe: Recipe, workers: int, deadline_s: float, note: Note = _unnoted) -> None:
        self.recipe = recipe
        self.workers = workers
        self.deadline_s = deadline_s
        self.note = note
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()

    async def __aenter__(self) -> Self:
        try:
            # A page that is fetched before anybody can read it is asked for in vain, if the crawl ends at once.
            for worker in await asyncio.gather(*(self._start() for _ in range(self.workers))):
                self._idle.put_nowait(worker)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._all:
            worker.child.kill()
        self._all.clear()

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page, from the next idle worker."""
        first, may_be_ours = await self._attempt(fetched)
        return (await self._attempt(fetched))[0] if may_be_ours else first

    async def _attempt(self, fetched: Fetched) -> tuple[Page | Refusal, bool]:
        """The worker's answer, and whether a failure may not be the page's fault."""
        worker = await self._idle.get()
        asked = asyncio.ensure_future(worker.ask(fetched))
        may_be_ours = False
        try:
            worked_s = await self._until_late(worker, asked)
            if asked.done():
                result = asked.result()
            else:
                asked.cancel()
                may_be_ours = worked_s < self.deadline_s
                result = Refusal(Reason.ANALYSIS_TIMEOUT, f"{self.deadline_s:g} s")
                worker = await self._replace(worker, fetched, result)
        except (OSError, RuntimeError, asyncio.IncompleteReadError, msgspec.MsgspecError):
            # RuntimeError: what uvloop says of a channel whose other end is gone
            worker.child.kill()
            may_be_ours = True
            result = Refusal(Reason.ANALYSIS_CRASH, f"exit code {worker.child.process.returncode}")
            worker = await self._replace(worker, fetched, result)
        except asyncio.CancelledError:
            # The worker is still busy with a page that nobody waits for.
            asked.cancel()
            worker.child.kill()
            self._all.discard(worker)
            raise
        self._idle.put_nowait(worker)
        return result, may_be_ours

    async def _until_late(self, worker: _Worker, asked: asyncio.Future[Page | Refusal]) -> float:
        """Wait for the answer, or until the worker has had its time. Returns how long it has worked on it, in seconds."""
        worked_s = 0.0
        for _ in range(STALLED):
            await asyncio.wait([asked], timeout=self.deadline_s)
            if asked.done():
                break
            worked_s = worker.cpu_s() - worker.before_s
            if not worked_s < self.deadline_s:
                break
        return worked_s

    async def _start(self) -> _Worker:
        child = await start_copy(__name__)
        child.writer.write(pickle.dumps(self.recipe))
        worker = _Worker(child)
        self._all.add(worker)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):  # whoever asks it, finds out
            await child.reader.readexactly(len(READY))
        worker.before_s = worker.cpu_s()
        return worker

    async def _replace(self, worker: _Worker, fetched: Fetched, why: Refusal) -> _Worker:
        self.note(f"A worker was replaced: {fetched.link.url}: {why}")
        worker.child.kill()
        self._all.discard(worker)
        return await self._start()


def analyser_for(
    recipe: Recipe, workers: int | None, deadline_s: float, note: Note = _unnoted
) -> InlineAnalyser | WorkerPool:
    """In `workers` processes (None: as many as there are cores), or inline for 0."""
    count = os.cpu_count() or 1 if workers is None else workers
    return WorkerPool(recipe, count, deadline_s, note) if count else InlineAnalyser(recipe)

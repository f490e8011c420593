"""Where a judge is fitted: in a process of its own that stays up, or in this one.

The process reads the catalogue itself, only what is committed and only what it has not read yet, so that the crawl
goes on meanwhile and never loads SciPy. It gets its work over a pair of sockets and dies with its parent:

    python -m lycosa.engine.processes.child lycosa.engine.learning.fitting FD

A crawl makes it beforehand, as a copy of itself, which has nothing to load. That goes only before the catalogue is opened:
SQLite does not work in a copy of a process that had the same file open.

With `process.workers = 0`, in tests and in the lab the same is done at once, in the process of the crawl.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

import msgspec

from lycosa.collection import LearningSink
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.engine.processes.children import (
    FRAME,
    MAX_FRAME,
    Copy,
    Process,
    live_with_parent,
    may_be_copied,
    start_child,
    start_copy,
)
from lycosa.errors import CollectionError, LycosaError, ModelError
from lycosa.learn.fitting.crawl_fitter import CrawlFitter
from lycosa.learn.fitting.fitter import Fit, Said
from lycosa.learn.judges.brief import Brief
from lycosa.learn.judges.version import save_version
from lycosa.values import PageTerms

if TYPE_CHECKING:  # the process that fits has no use for all that it imports
    from lycosa.collection.writer import CollectionWriter

NICE = 10
"""Fetching and analysing come first."""

READ_AT_ONCE = 500
"""Pages: while a reader has not ended, the crawl's own writes pile up beside the catalogue."""

Heard = Callable[[], Said]
"""What people said of pages, by key, as of now."""


class Fits(Protocol):
    """Fits judges, one at a time."""

    is_inline: bool
    """Whether `begin` does it all at once: then it may be called inside of a commit, and what that saves is fitted."""

    def begin(self, number: int) -> None:
        """Begin to fit the version of this number on all pages that there are."""
        ...

    def arrived(self) -> Fit | None:
        """The version that was begun, once it is there; it is handed over once."""
        ...

    async def last(self) -> Fit | None:
        """Wait for the version that was begun; None if none was."""
        ...

    def forget(self) -> None:
        """Read all pages again next time: they have changed."""
        ...


class Job(msgspec.Struct, frozen=True, array_like=True):
    """The first thing a process is told: what to fit from, and where."""

    brief: Brief
    directory: str
    others: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, array_like=True):
    """Which version to fit, and whether pages have to be read from the first one on."""

    number: int
    anew: bool


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """The version with what it says, or what went wrong."""

    fit: Fit | None
    trouble: str = ""


def said_in(directory: Path) -> Said:
    """What people said of pages of a collection."""
    labels = labels_in(directory)
    return Said(
        {key: label.relevant for key, label in labels.items()},
        frozenset(key for key, label in labels.items() if not label.asked),
    )


class InlineFits:
    """Fits at once, in this process: repeatable to the page."""

    is_inline = True

    def __init__(
        self,
        brief: Brief,
        store: LearningSink,
        said: Heard = Said,
        models: Path | None = None,
        others: Sequence[Path] = (),
    ) -> None:
        self.brief = brief
        self.others = others
        self.store = store
        self.said = said
        self.models = models
        self._fit: Fit | None = None
        self.forget()

    def begin(self, number: int) -> None:
        self._fit = self._fitter.fit(self.said(), number)
        if self.models is not None:
            save_version(self._fit.version, self.models)

    def arrived(self) -> Fit | None:
        fit, self._fit = self._fit, None
        return fit

    async def last(self) -> Fit | None:
        return self.arrived()

    def forget(self) -> None:
        self._fitter = CrawlFitter(self.brief, self._pages_of, [*map(str, self.others)])

    def _pages_of(self, whose: str, after: int) -> Iterator[PageTerms]:
        evidence = self.brief.evidence
        return pages_elsewhere(whose, after, evidence) if whose else self.store.page_terms(after, evidence)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


def fits_of(
    brief: Brief,
    collection: CollectionWriter,
    *,
    inline: bool,
    others: Sequence[Path] = (),
    child: FittingProcess | None = None,
) -> InlineFits | ChildFits:
    """What fits the judge of a collection, on its own pages and on those of `others`, the shards of the same crawl."""
    directory = collection.directory
    if inline:
        return InlineFits(brief, collection, partial(said_in, directory), directory / "models", others)
    return ChildFits(brief, directory, others, child)


def pages_elsewhere(directory: str, after: int, evidence: str) -> Iterator[PageTerms]:
    """What another shard has found, for a judge to learn from; one that cannot be read just now teaches it later."""
    with contextlib.suppress(CollectionError):
        yield from pages_in(directory, after, evidence)


def pages_in(directory: str, after: int, evidence: str) -> Iterator[PageTerms]:
    """The pages of a collection as far as they are committed, behind an id."""
    with Collection.open(Path(directory)) as collection:
        while pages := list(islice(collection.reader.terms(after, evidence=evidence), READ_AT_ONCE)):
            yield from pages
            after = pages[-1].id


@dataclass(slots=True)
class FittingProcess:
    """A process that fits, and the line to it."""

    process: Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, request: Request) -> Reply:
        """Have it fit a version."""
        message = _encode(request)
        self.writer.write(FRAME.pack(len(message)) + message)
        await self.writer.drain()
        (size,) = FRAME.unpack(await self.reader.readexactly(FRAME.size))
        if size > MAX_FRAME:
            raise ConnectionError("it sent nonsense")
        return _decode_reply(await self.reader.readexactly(size))

    def kill(self) -> None:
        """End it; it may have ended."""
        self.writer.close()
        self.process.kill()
        self.process.wait()


@asynccontextmanager
async def copied_beforehand(*, wanted: bool) -> AsyncIterator[FittingProcess | None]:
    """A copy of this process that will fit, if one is `wanted` and may be made; no catalogue is open yet."""
    if not wanted or not may_be_copied():
        yield None
        return
    child = FittingProcess(*await start_copy(__name__))
    try:
        yield child
    finally:
        child.kill()


class ChildFits:
    """Fits in a process that is there already or is started with the first version, and stays up."""

    is_inline = False

    def __init__(
        self,
        brief: Brief,
        directory: Path,
        others: Sequence[Path] = (),
        child: FittingProcess | None = None,
    ) -> None:
        self.brief = brief
        self.others = tuple(str(other.absolute()) for other in others)
        self.directory = directory
        self._child: FittingProcess | None = None
        if child is not None:
            self._child = self._told(child)
        self._fitting: asyncio.Task[Fit] | None = None
        self._anew = False

    def begin(self, number: int) -> None:
        if self._fitting is None:
            self._fitting = asyncio.ensure_future(self._fit(Request(number, self._anew)))
            self._anew = False

    def arrived(self) -> Fit | None:
        if self._fitting is None or not self._fitting.done():
            return None
        fitting, self._fitting = self._fitting, None
        return fitting.result()

    async def last(self) -> Fit | None:
        if self._fitting is not None:
            await asyncio.wait([self._fitting])
        return self.arrived()

    def forget(self) -> None:
        self._anew = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._fitting is not None:
            self._fitting.cancel()
            await asyncio.gather(self._fitting, return_exceptions=True)
        self._end()

    async def _fit(self, request: Request) -> Fit:
        """One version; of a process that is gone, another one makes it."""
        try:
            return await self._asked(request)
        except (OSError, RuntimeError, asyncio.IncompleteReadError, msgspec.MsgspecError):
            self._end()
        try:
            return await self._asked(request)
        except (OSError, RuntimeError, asyncio.IncompleteReadError, msgspec.MsgspecError) as error:
            self._end()
            raise ModelError(
                f"The process that fits the judge ended ({error}). Run the same command again, with --set "
                "process.workers=0 to fit it in the crawl itself."
            ) from None

    async def _asked(self, request: Request) -> Fit:
        if self._child is None:
            self._child = await self._start()
        reply = await self._child.ask(request)
        if reply.fit is None and isinstance(self._child.process, Copy):
            raise RuntimeError(reply.trouble)  # it may be the copy's: a process of its own tells
        if reply.fit is None:
            raise ModelError(f"The judge could not be fitted: {reply.trouble}")
        return reply.fit

    async def _start(self) -> FittingProcess:
        return self._told(FittingProcess(*await start_child(__name__)))

    def _told(self, child: FittingProcess) -> FittingProcess:
        job = _encode(Job(self.brief, str(self.directory.absolute()), self.others))
        child.writer.write(FRAME.pack(len(job)) + job)
        return child

    def _end(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


_encode = msgspec.msgpack.Encoder().encode
_decode_reply = msgspec.msgpack.Decoder(Reply).decode
_decode_request = msgspec.msgpack.Decoder(Request).decode


def work(channel: socket.socket) -> None:
    """The life of the process: a request in, a version out, until the channel closes."""
    live_with_parent()
    with contextlib.suppress(OSError):
        os.nice(NICE)
    with contextlib.suppress(ConnectionError), channel.makefile("rwb") as stream:
        job = msgspec.msgpack.decode(_frame(stream.read), type=Job)
        fitter = _fitter_of(job)
        while header := stream.read(FRAME.size):
            request = _decode_request(stream.read(FRAME.unpack(header)[0]))
            if request.anew:
                fitter = _fitter_of(job)
            answer = _encode(_reply(request, fitter, Path(job.directory)))
            stream.write(FRAME.pack(len(answer)) + answer)
            stream.flush()


def _frame(read: Callable[[int], bytes]) -> bytes:
    return read(FRAME.unpack(read(FRAME.size))[0])


def _fitter_of(job: Job) -> CrawlFitter:
    def pages_of(whose: str, after: int) -> Iterator[PageTerms]:
        evidence = job.brief.evidence
        return pages_elsewhere(whose, after, evidence) if whose else pages_in(job.directory, after, evidence)

    return CrawlFitter(job.brief, pages_of, job.others)


def _reply(request: Request, fitter: CrawlFitter, directory: Path) -> Reply:
    try:
        fit = fitter.fit(said_in(directory), request.number)
        save_version(fit.version, directory / "models")
    except (LycosaError, ImportError, OSError) as error:
        return Reply(None, str(error))
    return Reply(fit)

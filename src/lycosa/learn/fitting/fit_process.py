"""Where the judge of a crawl is fitted: in a process of its own that stays up, or at once in this one.

The process reads what the catalogue has committed, so that the crawl goes on meanwhile and never loads SciPy. A crawl forks
it before it opens the catalogue: SQLite does not work in a fork of a process that had the same file open. With
`process.workers = 0`, in tests and in the lab, everything is fitted in the process of the crawl.
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
from typing import Protocol, Self

import msgspec

from lycosa.collection import LearningSink
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.errors import CollectionError, LycosaError, ModelError
from lycosa.learn.fitting.crawl_fitter import CrawlFitter, Fit, Said
from lycosa.learn.judges.version import Brief, save_version
from lycosa.processes import (
    Child,
    Copy,
    answer_all,
    live_with_parent,
    may_be_copied,
    read_frame,
    start_child,
    start_copy,
)
from lycosa.values import PageTerms

NICE = 10
"""Priority of the process: fetching and analysing come first."""

READ_AT_ONCE = 500
"""Pages per read transaction: while one is open, the crawl's writes pile up in the write-ahead log."""

_FAULTS = (OSError, RuntimeError, asyncio.IncompleteReadError, msgspec.MsgspecError)


class Fits(Protocol):
    """Fits versions of a judge, one at a time."""

    is_inline: bool
    """Whether `begin` fits at once. Then it may be called inside a commit, and sees what that has saved."""

    def begin(self, number: int) -> None:
        """Begin to fit the version of this number on all pages."""
        ...

    def arrived(self) -> Fit | None:
        """The version that was begun, once, when it is ready."""
        ...

    async def last(self) -> Fit | None:
        """Wait for the version that was begun; None if none was."""
        ...

    def forget(self) -> None:
        """Read all pages again next time: they have changed."""
        ...


class Job(msgspec.Struct, frozen=True, array_like=True):
    """The first message to the process: what to fit, and from which collections."""

    brief: Brief
    directory: str
    others: tuple[str, ...] = ()


class Request(msgspec.Struct, frozen=True, array_like=True):
    """The number of the version to fit, and whether to read all pages again."""

    number: int
    anew: bool


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """The version, or an error message."""

    fit: Fit | None
    trouble: str = ""


def said_in(directory: Path) -> Said:
    """Labels by people on the pages of a collection."""
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
        said: Callable[[], Said] = Said,
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


def pages_elsewhere(directory: str, after: int, evidence: str) -> Iterator[PageTerms]:
    """The pages of another shard; none while it cannot be read."""
    with contextlib.suppress(CollectionError):
        yield from pages_in(directory, after, evidence)


def pages_in(directory: str, after: int, evidence: str) -> Iterator[PageTerms]:
    """The committed pages of a collection whose ids are greater than `after`."""
    with Collection.open(Path(directory)) as collection:
        while pages := list(islice(collection.reader.terms(after, evidence=evidence), READ_AT_ONCE)):
            yield from pages
            after = pages[-1].id


@asynccontextmanager
async def copied_beforehand(*, wanted: bool) -> AsyncIterator[Child | None]:
    """A fork of this process to fit in, if it is `wanted` and safe. Call it while no catalogue is open."""
    if not wanted or not may_be_copied():
        yield None
        return
    child = await start_copy(__name__)
    try:
        yield child
    finally:
        child.kill()


class ChildFits:
    """Fits in a child process: the one given, or one that starts with the first version."""

    is_inline = False

    def __init__(
        self, brief: Brief, directory: Path, others: Sequence[Path] = (), child: Child | None = None
    ) -> None:
        others_ = tuple(str(other.absolute()) for other in others)
        self._job = _encode(Job(brief, str(directory.absolute()), others_))
        self._child = child
        if child is not None:
            child.tell(self._job)
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
        """Fit one version; if the process has ended, once more in a new one."""
        try:
            return await self._asked(request)
        except _FAULTS:
            self._end()
        try:
            return await self._asked(request)
        except _FAULTS as error:
            self._end()
            raise ModelError(
                f"The process that fits the judge ended ({error}). Run the same command again, with --set "
                "process.workers=0 to fit it in the crawl itself."
            ) from None

    async def _asked(self, request: Request) -> Fit:
        if self._child is None:
            self._child = await start_child(__name__)
            self._child.tell(self._job)
        reply = _decode_reply(await self._child.ask(_encode(request)))
        if reply.fit is None and isinstance(self._child.process, Copy):
            raise RuntimeError(reply.trouble)  # perhaps because it is a fork: try a new process
        if reply.fit is None:
            raise ModelError(f"The judge could not be fitted: {reply.trouble}")
        return reply.fit

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
        job = msgspec.msgpack.decode(read_frame(stream) or b"", type=Job)
        fitter = _fitter_of(job)

        def answer(message: bytes) -> bytes:
            nonlocal fitter
            request = _decode_request(message)
            if request.anew:
                fitter = _fitter_of(job)
            return _encode(_reply(request, fitter, Path(job.directory)))

        answer_all(stream, answer)


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


@dataclass(frozen=True)
class Place:
    """The place to fit: this process, a running child, or a child that starts on demand."""

    inline: bool = False
    child: Child | None = None


def fits_of(
    brief: Brief, store: LearningSink, directory: Path, place: Place, others: Sequence[Path] = ()
) -> InlineFits | ChildFits:
    """Fits the judge of a collection, on its own pages and on those of `others`, the shards of the same crawl."""
    if place.inline:
        return InlineFits(brief, store, partial(said_in, directory), directory / "models", others)
    return ChildFits(brief, directory, others, place.child)

"""From bytes to a Page: a pure function of the response and the recipe, in worker processes.

In: a Fetched response. Out: a frozen Page, or a Refusal. A worker that dies or is late is replaced,
and only its page refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import signal
import socket
import struct
import sys
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from typing import Protocol, Self

import msgspec

from lycosa.evidence import Evidence
from lycosa.fetch.decode import decoded_body
from lycosa.page.document import Document
from lycosa.urls import INDEX_NAMES
from lycosa.values import Fetched, Link, Page, Reason, Refusal

FRAME = struct.Struct("<I")
MAX_FRAME = 1 << 30


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to compute of every page."""

    evidence: tuple[Evidence, ...] = ()
    language: str = "english"
    max_decoded_bytes: int = 50_000_000
    date: bool = False
    text: bool = False
    simhash: bool = False
    images: bool = False
    requisites: bool = False
    index_names: frozenset[str] = INDEX_NAMES


class Analyser(Protocol):
    """Something that makes Pages of responses."""

    async def analyse(self, fetched: Fetched) -> Page | Refusal: ...


def document_of(fetched: Fetched, recipe: Recipe) -> Document | Refusal:
    """The lazy document of a response."""
    body = decoded_body(fetched, recipe.max_decoded_bytes)
    if isinstance(body, Refusal):
        return body
    return Document(
        body,
        fetched.link.url,
        fetched.header("content-type"),
        language=recipe.language,
        index_names=recipe.index_names,
        robots_tag="\n".join(value for name, value in fetched.headers if name.lower() == "x-robots-tag"),
    )


def analyse(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """Parse a response once and compute what the recipe asks for."""
    document = document_of(fetched, recipe)
    return document if isinstance(document, Refusal) else page_of(document, fetched.link, recipe)


def page_of(document: Document, link: Link, recipe: Recipe) -> Page:
    """The frozen Page of a document."""
    found = document.links
    depth, parent = link.depth + 1, link.key
    links = tuple(
        Link(out.url, out.key, out.anchor, out.rel, out.position, depth=depth, parent=parent) for out in found
    )
    evidence, link_evidence = {}, {}
    for kind in recipe.evidence:
        fact = kind.of_page(document)
        if fact is not None:
            evidence[kind.name] = fact
        numbers = kind.of_links(document)
        if numbers is not None:
            link_evidence[kind.name] = tuple(numbers)
    return Page(
        link=link,
        url=link.url,
        title=document.title,
        language=document.language,
        date=document.date if recipe.date else "",
        words=document.words,
        canonical=document.canonical,
        noindex=document.noindex,
        nofollow=document.nofollow,
        soft_404=document.soft_404,
        text=document.main_text if recipe.text else "",
        simhash=document.simhash if recipe.simhash else 0,
        links=links,
        images=document.images if recipe.images else (),
        requisites=document.requisites if recipe.requisites else (),
        evidence=evidence,
        link_evidence=link_evidence,
    )


def guarded(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """Like `analyse`; a page that breaks the analysis is refused, with what went wrong."""
    try:
        return analyse(fetched, recipe)
    except Exception as error:  # whatever a hostile page provokes must cost only that page
        return Refusal(Reason.NOT_A_PAGE, f"{type(error).__name__}: {error}"[:300])


class InlineAnalyser:
    """Analysis in the calling process: for tests, the lab and debugging."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page, at once."""
        return guarded(fetched, self.recipe)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


class _Reply(msgspec.Struct, frozen=True, array_like=True):
    page: Page | None
    refusal: Refusal | None


_encode = msgspec.msgpack.Encoder().encode
_decode_job = msgspec.msgpack.Decoder(Fetched).decode
_decode_reply = msgspec.msgpack.Decoder(_Reply).decode


def _work(channel: socket.socket, recipe: Recipe) -> None:
    """The life of a worker: one response in, one page out, until the channel closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes us
    _die_with_parent()
    with contextlib.suppress(ConnectionError), channel.makefile("rwb") as stream:
        while header := stream.read(FRAME.size):
            job = _decode_job(stream.read(FRAME.unpack(header)[0]))
            result = guarded(job, recipe)
            page, refusal = (None, result) if isinstance(result, Refusal) else (result, None)
            answer = _encode(_Reply(page, refusal))
            stream.write(FRAME.pack(len(answer)) + answer)
            stream.flush()
    os._exit(0)


def _die_with_parent() -> None:
    """Ask Linux to kill this process when its parent is gone, however it went."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def ask(self, fetched: Fetched) -> Page | Refusal:
        job = _encode(fetched)
        self.writer.write(FRAME.pack(len(job)) + job)
        await self.writer.drain()
        (size,) = FRAME.unpack(await self.reader.readexactly(FRAME.size))
        if size > MAX_FRAME:
            raise ConnectionError("a worker sent nonsense")
        reply = _decode_reply(await self.reader.readexactly(size))
        return reply.page or reply.refusal or Refusal(Reason.NOT_A_PAGE)

    def kill(self) -> None:
        self.writer.close()
        self.process.kill()
        self.process.join()


class WorkerPool:
    """Analysis in `workers` processes, with a deadline for each page."""

    def __init__(self, recipe: Recipe, workers: int, deadline_s: float) -> None:
        self.recipe = recipe
        self.workers = workers
        self.deadline_s = deadline_s
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        # A fork server imports once and forks clean children; forking the crawl itself would copy
        # its event loop and open connections.
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__])

    async def __aenter__(self) -> Self:
        for _ in range(self.workers):
            self._idle.put_nowait(await self._start())
        return self

    async def __aexit__(self, *_: object) -> None:
        for worker in self._all:
            worker.kill()
        self._all.clear()

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page, from the next idle worker."""
        worker = await self._idle.get()
        try:
            async with asyncio.timeout(self.deadline_s):
                result = await worker.ask(fetched)
        except TimeoutError:
            result = Refusal(Reason.ANALYSIS_TIMEOUT, f"{self.deadline_s:g} s")
            worker = await self._replace(worker)
        except (OSError, asyncio.IncompleteReadError, msgspec.MsgspecError):
            result = Refusal(Reason.ANALYSIS_CRASH, f"exit code {worker.process.exitcode}")
            worker = await self._replace(worker)
        except asyncio.CancelledError:
            # The worker is still busy with a page that nobody waits for.
            worker.kill()
            self._all.discard(worker)
            raise
        self._idle.put_nowait(worker)
        return result

    async def _start(self) -> _Worker:
        ours, theirs = socket.socketpair()
        process = self._context.Process(target=_work, args=(theirs, self.recipe), daemon=True)
        await asyncio.to_thread(process.start)
        theirs.close()
        reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 22)
        worker = _Worker(process, reader, writer)
        self._all.add(worker)
        return worker

    async def _replace(self, worker: _Worker) -> _Worker:
        worker.kill()
        self._all.discard(worker)
        return await self._start()


def analyser_for(recipe: Recipe, workers: int | None, deadline_s: float) -> InlineAnalyser | WorkerPool:
    """In `workers` processes (None: as many as there are cores), or inline for 0."""
    count = os.cpu_count() or 1 if workers is None else workers
    return WorkerPool(recipe, count, deadline_s) if count else InlineAnalyser(recipe)


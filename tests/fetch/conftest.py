"""A tiny raw server: what it sends is exactly what a test says, however wrong."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import settings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # fastwarc warns of its own old names when it is imported
    import fastwarc  # noqa: F401

from lycosa.fetch.live import live_fetcher
from lycosa.spec.sections import FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Later, Link, NotFetched

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")  # the machine may be busy

Page = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]
PAGE_TYPES = ("text/html", "text/plain")


@dataclass
class Asked:
    """One request as the server saw it."""

    line: str
    headers: dict[str, str]

    @property
    def path(self) -> str:
        return self.line.split(" ")[1]


@dataclass
class Site:
    """A server on loopback. A path that is not in `pages` is a 404."""

    pages: dict[str, Page]
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *rest = head.strip().split("\r\n")
                split = [part.partition(": ") for part in rest]
                asked = Asked(line, {name.lower(): value for name, _, value in split})
                self.asked.append(asked)
                page = self.pages.get(asked.path, reply(b"not here", status="404 Not Found"))
                if isinstance(page, bytes):
                    writer.write(page)
                    await writer.drain()
                else:
                    await page(writer)
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def reply(body: bytes = b"<p>hello", *headers: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if kind:
        lines.append(f"Content-Type: {kind}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def link_to(url: str, **more: object) -> Link:
    return Link(url, key_of(url), **more)  # type: ignore[arg-type]


def spec_with(**more: object) -> FetchSpec:
    """A spec for tests: loopback allowed, no delay, no robots.txt unless asked for."""
    return FetchSpec.model_validate(
        {"allow_private": ("127.0.0.1",), "per_host_delay_s": 0, "obey_robots": False, **more}
    )


@pytest.fixture
async def site() -> AsyncIterator[Callable[..., Awaitable[Site]]]:
    """Starts servers, each with its pages, on ports of their own."""
    servers: list[asyncio.Server] = []
    tasks: set[asyncio.Task[None]] = set()

    async def start(pages: dict[str, Page] | None = None) -> Site:
        made = Site(pages if pages is not None else {})

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            await made.serve(reader, writer)
            tasks.discard(task)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        made.port = server.sockets[0].getsockname()[1]
        servers.append(server)
        return made

    yield start
    for server in servers:
        server.close()
    for task in list(tasks):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def fetch(
    url: str, *, link: dict[str, object] | None = None, **spec: object
) -> Fetched | NotFetched | Later:
    """One fetch with a fetcher of its own."""
    async with live_fetcher(spec_with(**spec), PAGE_TYPES) as fetcher:
        return await fetcher.fetch(link_to(url, **(link or {})))

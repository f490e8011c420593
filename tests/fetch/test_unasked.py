"""Servers that send what nobody asked for: no request hangs, and no byte is taken for another URL's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import aiohttp
import pytest

from lycosa.fetch.http import connections
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.polite.fetcher import PoliteFetcher
from lycosa.values import Fetched, Later, NotFetched, Reason
from tests.fetch.conftest import PAGE_TYPES, link_to, reply, spec_with

UNASKED = reply(b"<p>nobody asked for this")


@asynccontextmanager
async def served(
    serve: Callable[..., Awaitable[None]], greeting: bytes = b"", *, by_request: bool = True
) -> AsyncIterator[tuple[str, list[int]]]:
    """A server that keeps its connections; its URL, and the requests of each connection.

    `serve` gets each path and a writer, or else reader and writer of a connection.
    """
    asked: list[int] = []
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        number = len(asked)
        asked.append(0)
        try:
            if greeting:
                writer.write(greeting)
            while by_request:
                head = await reader.readuntil(b"\r\n\r\n")
                asked[number] += 1
                await serve(head.split()[1].decode(), writer)
                await writer.drain()
            await serve(reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            tasks.discard(task)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def page(path: str, size: int = 0) -> bytes:
    """A response whose body names its path."""
    return reply(body(path, size))


def body(path: str, size: int = 0) -> bytes:
    return b"<p>" + path.encode() + b" " * size


async def fetched(fetcher: PoliteFetcher, url: str) -> Fetched | NotFetched | Later:
    """One fetch that has to end within its total timeout."""
    async with asyncio.timeout(10):
        return await fetcher.fetch(link_to(url))


@pytest.mark.parametrize("size", [0, 30_000, 300_000, 3_000_000])
@pytest.mark.parametrize("behind", [0, 1_000_000])
async def test_a_response_behind_the_response_freezes_nothing(size, behind):
    """It costs the connection; no page hangs or has other bytes, and the host gets no kept connections any more."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path, size) + reply(b"<p>nobody asked" + b" " * behind))

    async with (
        served(serve) as (base, asked),
        live_fetcher(spec_with(total_timeout_s=5, read_timeout_s=2), PAGE_TYPES) as fetcher,
    ):
        for number in range(5):
            result = await fetched(fetcher, f"{base}/p{number}")
            assert isinstance(result, Fetched), result
            assert result.body == body(f"/p{number}", size)
    assert asked == [1] * 5


@pytest.mark.parametrize("late_s", [0.0, 0.001, 0.01, 0.15])
@pytest.mark.parametrize("pause_s", [0.0, 0.003, 0.2])
async def test_a_late_response_is_no_other_pages(late_s, pause_s):
    """Every page that is fetched has its own bytes, whenever the second response comes."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path))
        await asyncio.sleep(late_s)
        writer.write(UNASKED)

    async with served(serve) as (base, _), live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        wrong, right = [], 0
        for number in range(8):
            result = await fetched(fetcher, f"{base}/p{number}")
            if isinstance(result, Fetched):
                right += 1
                wrong += [result.body] * (result.body != body(f"/p{number}"))
            else:
                assert isinstance(result, NotFetched)
                assert result.refusal.reason is Reason.BROKEN_RESPONSE
                assert result.again_in_s is not None
            await asyncio.sleep(pause_s)
    assert wrong == []
    assert right >= 6


@pytest.mark.parametrize(
    "behind", [b"H", b"HTTP/1.1 200 OK\r\nContent-Le", b"HTTP/1.1 103 Early Hints\r\n\r\n", UNASKED[:-5]]
)
async def test_half_a_response_ends_its_connection(behind):
    """The rest of it is not taken for the next response."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path) + behind)

    async with served(serve) as (base, asked), live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        for number in range(3):
            result = await fetched(fetcher, f"{base}/p{number}")
            assert isinstance(result, Fetched), result
            assert result.body == body(f"/p{number}")
    assert asked == [1, 1, 1]


async def test_a_response_that_was_there_before_the_request_is_none(monkeypatch):
    """What a server says as soon as it is connected to answers nothing."""
    connect = aiohttp.TCPConnector.connect

    async def slowly(*arguments):
        connection = await connect(*arguments)
        await asyncio.sleep(0.05)
        return connection

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path))

    monkeypatch.setattr(aiohttp.TCPConnector, "connect", slowly)
    async with (
        served(serve, greeting=UNASKED) as (base, _),
        live_fetcher(spec_with(), PAGE_TYPES) as fetcher,
    ):
        result = await fetched(fetcher, base + "/")
    assert isinstance(result, NotFetched)
    assert result.passing


async def test_what_comes_before_the_server_has_the_request_is_no_answer(monkeypatch):
    """A response cannot be caused by a request that is not acknowledged."""
    seen = []

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path))

    def unacknowledged(handler: connections.Handler) -> bool:
        seen.append(handler)
        return True

    async with served(serve) as (base, _), live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        assert isinstance(await fetched(fetcher, base + "/a"), Fetched)
        monkeypatch.setattr(connections.Handler, "_has_unacknowledged", unacknowledged)
        result = await fetched(fetcher, base + "/b")
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.BROKEN_RESPONSE
    assert result.passing
    assert len(seen) == 1


async def test_an_answer_to_half_a_request_is_none():
    """With a request too long for the server's window, which it does not read: its response comes too early."""

    async def too_early(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(UNASKED)
        with suppress(OSError):
            while await reader.read(1_000_000):
                pass

    async with (
        served(too_early, by_request=False) as (base, _),
        live_fetcher(spec_with(headers={"X-Long": "x" * 20_000_000}), PAGE_TYPES) as fetcher,
    ):
        result = await fetched(fetcher, base + "/")
    assert isinstance(result, NotFetched)
    assert "answer no request" in result.refusal.detail


async def test_an_exchange_ends_whatever_the_transport_does(monkeypatch):
    """The total timeout is that of the event loop: it ends a response that the HTTP library never ends."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path, 100_000))

    async def readany(_: aiohttp.StreamReader) -> bytes:
        await asyncio.Event().wait()
        return b""

    monkeypatch.setattr(aiohttp.StreamReader, "readany", readany)
    async with (
        served(serve) as (base, _),
        live_fetcher(spec_with(total_timeout_s=0.3), PAGE_TYPES) as fetcher,
    ):
        result = await fetched(fetcher, base + "/")
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.TIMEOUT
    assert result.status == 200


async def test_connections_to_honest_servers_are_kept():
    """None of these rules costs a connection where nothing unasked comes."""

    async def serve(path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(page(path, 70_000))

    async with served(serve) as (base, asked), live_fetcher(spec_with(), PAGE_TYPES) as fetcher:
        for number in range(30):
            result = await fetched(fetcher, f"{base}/p{number}")
            assert isinstance(result, Fetched)
    assert asked == [30]

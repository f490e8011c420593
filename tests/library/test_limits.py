"""Connections on which nobody asks keep nobody out."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
import uvicorn

from lycosa.library import connections
from lycosa.library.connections import SILENT, ImpatientProtocol


async def hello(scope, receive, send):
    """An application that answers everything."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


@pytest.fixture
async def port():
    """Where a server listens that takes 120 connections at once."""
    config = uvicorn.Config(
        hello,
        http=ImpatientProtocol,
        port=0,
        limit_concurrency=SILENT + 20,
        lifespan="off",
        log_level="critical",
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await task


ASKED = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BEGUN = {
    "head": ASKED,
    "body": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\na",
}
"""What a client may leave half-sent."""


async def kept_alive(port):
    """A connection that had an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(ASKED + b"\r\n")
    await reader.readuntil(b"hello")
    await reader.readuntil(b"0\r\n\r\n")
    return reader, writer


async def test_idle_connections_lock_nobody_out(port):
    """The oldest silent ones make room, and whoever asks is answered."""
    idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(SILENT + 60)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200")
    for _, one in [*idle, (reader, writer)]:
        one.close()


async def test_a_connection_that_stays_silent_is_closed(port, monkeypatch):
    """After a while, whether others want its place or not."""
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("begun", BEGUN.values(), ids=list(BEGUN))
async def test_a_later_request_that_stays_half_sent_is_given_up(port, monkeypatch, begun):
    """As the first is: that there was one before gives no right to stay."""
    reader, writer = await kept_alive(port)
    monkeypatch.setattr(connections, "REQUEST_S", 0.1)
    writer.write(begun)
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("begun", BEGUN.values(), ids=list(BEGUN))
async def test_half_sent_requests_lock_nobody_out(port, begun):
    """They count as silent: the oldest make room long before they are given up."""
    half = []
    for _ in range(SILENT + 60):
        half.append(await kept_alive(port))
        half[-1][1].write(begun)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(ASKED + b"Connection: close\r\n\r\n")
    assert (await reader.read()).startswith(b"HTTP/1.1 200")
    for _, one in [*half, (reader, writer)]:
        one.close()


async def test_who_asks_again_and_again_is_answered_each_time(port, monkeypatch):
    """Also in pieces, and several at once; nobody is waited for between two requests."""
    monkeypatch.setattr(connections, "REQUEST_S", 600)
    reader, writer = await kept_alive(port)
    writer.write(ASKED)
    writer.write(b"\r\n" + ASKED + b"\r\n" + BEGUN["body"])
    await reader.readuntil(b"0\r\n\r\n")
    await reader.readuntil(b"0\r\n\r\n")
    writer.write(b"a" * 49)
    assert await reader.readuntil(b"0\r\n\r\n")
    writer.close()

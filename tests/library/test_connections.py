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
    monkeypatch.setattr(connections, "FIRST_REQUEST_S", 0.1)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with contextlib.suppress(ConnectionResetError):
        assert await reader.read() == b""
    writer.close()

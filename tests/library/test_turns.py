"""A public library serves everybody: whoever asks for much waits behind those who ask for little."""

from __future__ import annotations

import asyncio
import socket

import pytest
import uvicorn

from lycosa.collection.collection import Collection
from lycosa.errors import TooLong
from lycosa.library import connections, rate_limit
from lycosa.library.connections import ImpatientProtocol
from lycosa.library.rate_limit import AT_ONCE, InTurn, TurnedAwayError, Turns, client_of
from lycosa.library.served_collections import ServedCollections


async def test_who_asks_for_little_goes_first():
    """Sixty clients have asked for much; one who has asked for nothing is next."""
    turns, order = Turns(), []
    for number in range(60):
        await turns.wait("first")
        turns.end(f"heavy {number}", 2.0)
    turns._running = AT_ONCE

    async def ask(who: str) -> None:
        await turns.wait(who)
        order.append(who)
        turns.end(who, 0.0)

    asked = [asyncio.ensure_future(ask(f"heavy {number % 60}")) for number in range(100)]
    await asyncio.sleep(0)
    asked.append(asyncio.ensure_future(ask("light")))
    await asyncio.sleep(0)
    turns.end("heavy 0", 2.0)
    await asyncio.gather(*asked)
    assert order[0] == "light"
    assert len(order) == 101


async def test_too_many_that_wait_are_turned_away_the_heaviest_first(monkeypatch):
    monkeypatch.setattr(rate_limit, "WAITING", 3)
    turns = Turns()
    for _ in range(AT_ONCE):
        await turns.wait("heavy")
    turns.end("heavy", 5.0)
    await turns.wait("heavy")
    heavy = [asyncio.ensure_future(turns.wait("heavy")) for _ in range(3)]
    await asyncio.sleep(0)
    light = asyncio.ensure_future(turns.wait("light"))
    await asyncio.sleep(0.01)
    (refused,) = (one for one in heavy if one.done())
    with pytest.raises(TurnedAwayError):
        refused.result()
    turns.end("heavy", 1.0)
    await light
    for one in heavy:
        one.cancel()
    await asyncio.gather(*heavy, return_exceptions=True)


async def test_a_turn_that_nobody_waits_for_any_more_is_given_on():
    turns = Turns()
    for _ in range(AT_ONCE):
        await turns.wait("a")
    gone, stays = (asyncio.ensure_future(turns.wait(who)) for who in ("b", "c"))
    await asyncio.sleep(0)
    turns.end("a", 1.0)
    gone.cancel()  # together with its turn
    await asyncio.gather(gone, return_exceptions=True)
    await asyncio.wait_for(stays, 1)
    for _ in range(AT_ONCE):
        turns.end("a", 1.0)
    assert turns._running == 0


async def test_a_slow_reader_holds_no_turn():
    """A turn ends when the response begins."""
    reading = asyncio.Event()

    async def answer(scope, receive, send):
        await send({"type": "http.response.start"})
        await send({"type": "http.response.body"})

    async def slow(message):
        if message["type"] == "http.response.body":
            await reading.wait()

    async def nothing():
        return {"type": "http.disconnect"}

    application = InTurn(answer)
    scope = {"type": "http", "client": ("192.0.2.1", 1)}
    slow_ones = [asyncio.ensure_future(application(scope, nothing, slow)) for _ in range(2 * AT_ONCE)]
    await asyncio.sleep(0.01)
    reading.set()
    assert application._turns._running == 0
    await asyncio.gather(*slow_ones)


def test_all_addresses_of_a_network_are_one_client():
    """Whoever has one IPv6 address has 2**64 of them."""
    first, second = ({"client": (f"2001:db8::{last}", 1)} for last in ("1", "ffff"))
    assert client_of(first) == client_of(second) != client_of({"client": ("2001:db8:0:1::1", 1)})


def test_a_query_ends_with_its_budget(storm):
    """The CPU time of the request's own thread counts; the next request has its own."""
    with Collection.open(storm) as collection:
        collection.limit_queries(0.05)
        with pytest.raises(TooLong, match="Ask for less"):
            list(
                collection.search._rows(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
                )
            )


def test_a_search_that_takes_too_long_is_said(storm):
    """And views that all share are made without a budget."""
    served = ServedCollections([storm], query_s=-1.0)
    with served.open(next(iter(served.directories))) as collection:
        assert served.cached(collection, "many", _count) > 1_000_000
        with pytest.raises(TooLong):
            _count(collection)


def _count(collection: Collection) -> int:
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT count(*) FROM n"
    return collection.statistics._number(sql)


async def test_a_client_that_does_not_read_is_dropped(monkeypatch):
    """It would hold its connection and the response for ever."""
    monkeypatch.setattr(connections, "READ_S", 0.2)
    ended = asyncio.Event()

    async def much(scope, receive, send):
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(100):
                await send({"type": "http.response.body", "body": bytes(1_000_000), "more_body": True})
        finally:
            ended.set()

    config = uvicorn.Config(much, http=ImpatientProtocol, port=0, lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await asyncio.wait_for(ended.wait(), 5)
    server.should_exit = True
    await task


async def test_who_asks_once_does_not_wait_for_all_newcomers():
    """None of them has used any time yet, but each asks for four pages at once."""
    turns, order = Turns(), []
    for _ in range(AT_ONCE):
        await turns.wait("first")

    async def ask(who: str) -> None:
        await turns.wait(who)
        order.append(who)
        turns.end(who, 1.0)

    asked = [asyncio.ensure_future(ask(f"heavy {number % 30}")) for number in range(120)]
    await asyncio.sleep(0)
    asked.append(asyncio.ensure_future(ask("light")))
    await asyncio.sleep(0)
    turns.end("first", 1.0)
    await asyncio.gather(*asked)
    assert order[0] == "light"

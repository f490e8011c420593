"""Made-up HTTP/1.1 dialogues over real sockets: no request outlives its timeout, and none gets the bytes of another.

A server answers the requests of each dialogue in a random framing (length, chunked with trailers, until the end of the
connection, without a body), in random pieces, and adds what nobody asked for: a response or a part of one, at once or
late; it breaks off, half-closes, or hangs. Each dialogue follows from its number: `--from NUMBER --dialogues 1`.

A late response is told from the answer only if that answer follows within `SETTLE_S` (docs/politeness.md), so the server
answers at once.

Command line: python -m research.endurance.dialogues [--dialogues 100000] [--from 0] [--at-once 50]
Expected time: a minute for 12,000
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from lycosa.fetch.live import live_fetcher
from lycosa.spec.sections import FetchSpec
from lycosa.urls import key_of
from lycosa.values import Fetched, Link
from research.measured import arguments

TOTAL_S, SILENCE_S = 1.5, 0.5
SPARE_S = 3.0
"""How much later than its timeout a request may end, on a busy machine."""
UNASKED = b"nobody asked"
FRAMINGS = ("length", "chunked", "until the end", "no body")
ENDS = ("keep", "keep", "keep", "keep", "keep", "close", "half-close", "reset", "break off", "hang")
EXTRAS = ("", "", "", "response", "large response", "half a head", "half a body", "interim", "empty line")
SIZES = (0, 10, 5_000, 70_000, 300_000)
LATE_S = (0.0, 0.0, 0.001, 0.003, 0.01, 0.03)
PAUSES_S = (0.0, 0.0, 0.002, 0.015, 0.04)


@dataclass(frozen=True)
class Turn:
    """How one request is answered."""

    framing: str
    size: int
    interim: int
    end: str
    extra: str
    late_s: float
    pieces: int


@dataclass(frozen=True)
class Dialogue:
    """What the server of one host does, and how long the client pauses between requests."""

    turns: tuple[Turn, ...]
    pause_s: float


def dialogue(number: int) -> Dialogue:
    """The dialogue with a number, always the same."""
    chance = Random(f"dialogue {number}")
    turns = []
    for _ in range(chance.randrange(2, 6)):
        framing, end, extra = chance.choice(FRAMINGS), chance.choice(ENDS), chance.choice(EXTRAS)
        if framing == "until the end":
            extra = ""  # whatever comes belongs to its body
            end = "half-close" if end == "half-close" else "close"
        size, interim = chance.choice(SIZES), chance.choice((0, 0, 0, 1, 3))
        turns.append(
            Turn(framing, size, interim, end, extra, chance.choice(LATE_S), chance.choice((1, 1, 2, 4)))
        )
    return Dialogue(tuple(turns), chance.choice(PAUSES_S))


def body_of(number: int, turn: int, size: int) -> bytes:
    """The bytes that belong to one URL."""
    return f"<p>dialogue {number} page {turn} ".encode() + b"x" * size


def response(turn: Turn, body: bytes) -> bytes:
    """A response as it goes over the wire."""
    before = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * turn.interim
    kind = b"Content-Type: text/html\r\n"
    if turn.framing == "no body":
        return before + b"HTTP/1.1 204 No Content\r\n\r\n"
    if turn.framing == "length":
        return before + b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (kind, len(body), body)
    if turn.framing == "until the end":
        return before + b"HTTP/1.1 200 OK\r\n%sConnection: close\r\n\r\n%s" % (kind, body)
    middle = len(body) // 2
    chunks = b"".join(
        b"%x;a=b\r\n%s\r\n" % (len(part), part) for part in (body[:middle], body[middle:]) if part
    )
    head = b"HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n" % kind
    return before + head + chunks + b"0\r\nX-Trailer: 1\r\n\r\n"


def extra_bytes(extra: str) -> bytes:
    """What nobody asked for."""
    large = UNASKED * 30_000
    whole = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
    return {
        "": b"",
        "response": whole % len(UNASKED) + UNASKED,
        "large response": whole % len(large) + large,
        "half a head": whole[:40],
        "half a body": whole % 1000 + UNASKED,
        "interim": b"HTTP/1.1 103 Early Hints\r\n\r\n",
        "empty line": b"\r\n",
    }[extra]


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    late: list[asyncio.Task[None]] = []
    with suppress(OSError, asyncio.IncompleteReadError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            number, place = (int(part) for part in head.split()[1].strip("/").split("/"))
            turn = dialogue(number).turns[place]
            wire = response(turn, body_of(number, place, turn.size))
            if turn.end in ("break off", "hang"):
                wire = wire[: Random(number).randrange(len(wire))]
            behind = extra_bytes(turn.extra) if turn.end not in ("break off", "hang") else b""
            if turn.extra and not turn.late_s:
                wire += behind
            step = max(1, -(-len(wire) // turn.pieces))
            for start in range(0, len(wire), step):
                writer.write(wire[start : start + step])
                await writer.drain()
                if turn.pieces > 1:
                    await asyncio.sleep(0.001)
            if behind and turn.late_s:
                late.append(asyncio.ensure_future(_write_late(writer, behind, turn.late_s)))
            if turn.end == "hang":
                await reader.read()
            if turn.end == "reset":
                writer.transport.abort()
            if turn.end == "half-close":
                writer.write_eof()
                await reader.read()
            if turn.end != "keep":
                break
    await asyncio.gather(*late)
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


async def _write_late(writer: asyncio.StreamWriter, data: bytes, late_s: float) -> None:
    await asyncio.sleep(late_s)
    if not writer.is_closing():
        with suppress(OSError, RuntimeError):
            writer.write(data)


async def run_dialogues(numbers: range, at_once: int) -> tuple[Counter[str], list[str]]:
    """Hold the dialogues; how requests ended, and what went wrong."""
    results: Counter[str] = Counter()
    wrong: list[str] = []
    server = await asyncio.start_server(_serve, "127.0.0.1", 0, limit=1_000_000)
    port = server.sockets[0].getsockname()[1]
    spec = FetchSpec(
        allow_private=("*.test",),
        connect_to={"*.test": f"127.0.0.1:{port}"},
        per_host_delay_s=0,
        per_ip_concurrency=at_once,
        obey_robots=False,
        read_timeout_s=SILENCE_S,
        total_timeout_s=TOTAL_S,
    )
    free = asyncio.Semaphore(at_once)

    async def hold(number: int) -> None:
        planned = dialogue(number)
        async with free:
            for place, turn in enumerate(planned.turns):
                url = f"http://d{number}.test/{number}/{place}"
                begun = time.perf_counter()
                try:
                    async with asyncio.timeout(TOTAL_S + SPARE_S):
                        result = await fetcher.fetch(Link(url, key_of(url)))
                except TimeoutError:
                    wrong.append(f"{url} hangs: {planned}")
                    return
                if time.perf_counter() - begun > TOTAL_S + SPARE_S:
                    wrong.append(f"{url} took too long: {planned}")
                if isinstance(result, Fetched):
                    own = b"" if turn.framing == "no body" else body_of(number, place, turn.size)
                    is_cut = turn.framing == "until the end"  # where it ends is for the server to say
                    if not (result.body == own or (is_cut and own.startswith(result.body))):
                        wrong.append(f"{url} has other bytes, {result.body[:60]!r}: {planned}")
                    results["fetched"] += 1
                else:
                    results[str(getattr(result, "refusal", "later"))[:60]] += 1
                await asyncio.sleep(planned.pause_s)

    async with server, live_fetcher(spec, ("text/html",)) as fetcher:
        await asyncio.gather(*(hold(number) for number in numbers))
    return results, wrong


def main() -> None:
    """Hold them, and say what went wrong."""
    parser = arguments(__doc__)
    parser.add_argument("--dialogues", type=int, default=100_000)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--at-once", type=int, default=50)
    asked = parser.parse_args()
    begun = time.perf_counter()
    numbers = range(asked.first, asked.first + asked.dialogues)
    results, wrong = asyncio.run(run_dialogues(numbers, asked.at_once))
    print(f"{asked.dialogues:,} dialogues, {results.total():,} requests, {time.perf_counter() - begun:.0f} s")
    for name, count in results.most_common():
        print(f"{count:10,}  {name}")
    for word in wrong:
        print(word)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

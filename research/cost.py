"""Compare the CPU of a page with a fixed piece of work, and fail where it has grown.

The fixed work (parsing and hashing the same pages) runs after our own work on each page, so that a busy machine slows
both alike. The lowest ratio of CPU time over all rounds counts; a ratio over the limit is measured again.
`make test` fails if a ratio is 15 % above the one in research/cost.json: make the page cheaper, or commit the new
figure with the reason.

Command line: python -m research.cost; with --write the figures of now become those of research/cost.json; with --web FOLDER …
only the analysis of pages of archived webs is measured, and printed
Expected time: half a minute of CPU
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

from lycosa.engine.processes.analysis import Recipe, analyse
from lycosa.testing import CannedResponse
from lycosa.urls import key_of
from lycosa.values import Fetched, Link, Page, Refusal
from lycosa_lab.bench.crawled import made_site
from lycosa_lab.bench.run import inline_crawl, spec_text
from lycosa_lab.bench.web import HOSTS, bench_pages, url_of
from lycosa_lab.webs.web import VirtualWeb
from research.measured import arguments

FILE = Path(__file__).with_name("cost.json")
LIMIT = 1.15
"""A ratio may be this multiple of the committed one."""
ANALYSED, CRAWLED = 120, 500
ROUNDS = {"analysis": 5, "crawl": 2}
ATTEMPTS = 3
_HTML = (("content-type", "text/html; charset=utf-8"),)
_EVERYTHING = Recipe(text=True, simhash=True, terms=True)


class Cost(msgspec.Struct, frozen=True):
    """CPU of analysis and of a crawl, as multiples of parsing and hashing the same pages."""

    analysis: float
    crawl: float


def complaints(now: Cost, committed: Cost) -> list[str]:
    """Describe ratios that have grown too much.

    >>> complaints(Cost(10.0, 24.0), Cost(9.0, 20.0))
    ['crawl: 24.0 times the fixed work, 1.20 times the committed 20.0 (limit 1.15)']
    """
    return [
        f"{name}: {getattr(now, name):.1f} times the fixed work, {getattr(now, name) / getattr(committed, name):.2f} times "
        f"the committed {getattr(committed, name):.1f} (limit {LIMIT})"
        for name in ROUNDS
        if getattr(now, name) > LIMIT * getattr(committed, name)
    ]


class FixedWork:
    """Parse and hash, alternating with our own work, so that a busy machine slows both alike. Holds its CPU seconds."""

    def __init__(self) -> None:
        self.spent = 0.0

    def do(self, body: bytes) -> None:
        """Do the work for one page."""
        begun = time.thread_time()
        LexborHTMLParser(body.decode(errors="replace"))
        hashlib.sha256(body).digest()
        self.spent += time.thread_time() - begun


class _InTurn:
    """An analyser that does the fixed work after every page."""

    def __init__(self, inner: Any, fixed: FixedWork, bodies: Mapping[int, bytes]) -> None:
        self._inner = inner
        self._fixed = fixed
        self._bodies = bodies

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        found: Page | Refusal = await self._inner.analyse(fetched)
        self._fixed.do(self._bodies[fetched.link.key])
        return found


def ratio_of(work: Callable[[FixedWork], None]) -> float:
    """CPU of some work minus the fixed work, as a multiple of the fixed work."""
    fixed = FixedWork()
    begun = time.process_time()
    work(fixed)
    return (time.process_time() - begun - fixed.spent) / fixed.spent


def made_pages(count: int) -> list[Fetched]:
    """Pages of the benchmark's site, as if fetched."""
    made = bench_pages(count)
    fetched = []
    for url in (url_of(number, HOSTS) for number in range(count)):
        page = made[urlsplit(url).netloc, urlsplit(url).path]
        assert isinstance(page, CannedResponse)
        fetched.append(Fetched(Link(url, key_of(url)), 200, _HTML, page.body, b"", b"", 0.0, 0.0))
    return fetched


def archived_pages(folder: Path, count: int) -> list[Fetched]:
    """HTML pages from all parts of an archived web."""
    archive = VirtualWeb.open(folder).archive
    urls = archive.urls()
    some = urls[:: max(1, len(urls) // (2 * count))]
    answers = (asyncio.run(archive.fetch(Link(url, key_of(url)))) for url in some)
    pages = [page for page in answers if isinstance(page, Fetched) and page.status == 200]
    return [page for page in pages if "html" in page.header("content-type")][:count]


def analysis_of(pages: list[Fetched]) -> Callable[[FixedWork], None]:
    """Analyse pages, each followed by the fixed work."""

    def work(fixed: FixedWork) -> None:
        for page in pages:
            assert isinstance(analyse(page, _EVERYTHING), Page)
            fixed.do(page.body)

    return work


def measured(say: Callable[[str], None], committed: Cost | None = None) -> Cost:
    """Measure the current ratios; measure again if one is above the committed one."""
    pages = made_pages(CRAWLED)
    bodies = {page.link.key: page.body for page in pages}

    analysis = analysis_of(pages[:ANALYSED])
    with made_site(CRAWLED).served() as site, tempfile.TemporaryDirectory() as folder:
        text, numbers = spec_text(site, CRAWLED, "now", 0), iter(range(1000))

        def crawl(fixed: FixedWork) -> None:
            def watch(started: Any) -> None:
                started.visits.analyser = _InTurn(started.visits.analyser, fixed, bodies)

            inline_crawl(Path(folder) / str(next(numbers)), text, watch)

        least = {"analysis": inf, "crawl": inf}
        for _ in range(ATTEMPTS):
            for name, work in (("analysis", analysis), ("crawl", crawl)):
                least[name] = min(least[name], *(ratio_of(work) for _ in range(ROUNDS[name])))
            now = Cost(round(least["analysis"], 2), round(least["crawl"], 2))
            say(f"analysis {now.analysis}, crawl {now.crawl} times the fixed work")
            if committed is None or not complaints(now, committed):
                break
    return now


def main() -> None:
    """Measure, and compare with the committed figures or write them."""
    parser = arguments(__doc__)
    parser.add_argument("--write", action="store_true", help="commit the figures of now")
    parser.add_argument("--web", type=Path, nargs="+", default=[], help="archived webs")
    given = parser.parse_args()
    for web in given.web:
        work = analysis_of(archived_pages(web, ANALYSED))
        least = min(ratio_of(work) for _ in range(ROUNDS["analysis"]))
        print(f"{web.name}: analysis {least:.2f} times the fixed work")
    if given.web:
        return
    if given.write:
        FILE.write_bytes(msgspec.json.format(msgspec.json.encode(measured(print)), indent=1) + b"\n")
        return
    committed = msgspec.json.decode(FILE.read_bytes(), type=Cost)
    if grown := complaints(measured(print, committed), committed):
        sys.exit(
            "A page costs more than it did. " + "; ".join(grown) + ". See which stage with: lycosa bench"
        )


if __name__ == "__main__":
    main()

"""Kill a crawl again and again, and compare its result with that of an undisturbed crawl.

Pages are compared by URL: status, title, verdict, refusal, text, and links with target, anchor and refusal. Every
WARC record is read and its digest checked. Priorities of strategies that learn depend on the order of arrival and are
not compared.

Command line: python -m research.endurance.kills [--strategy selective] [--pages 3334] [--kills 334] [--note]
Expected time: two seconds of CPU for each kill and 15 ms for each page: a quarter of an hour for each strategy
"""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from fastwarc.warc import ArchiveIterator
from tests.misbehaviours import drops

from lycosa.collection.collection import Collection
from lycosa.testing import Raw, Request, SiteProcess, Wire, data, html, status, text
from lycosa.testing.responses import CannedResponse
from research.endurance.noting import write_note
from research.measured import arguments, table

STRATEGIES = ("selective", "event", "fused")
WHOLE_KILLS, WHOLE_PAGES = 1_000, 10_000
"""Sizes of a complete run, all strategies together."""
TOPIC = ("granite", "summit", "glacier", "ridge")
WORDS = [
    f"{first}{second}{third}"
    for first in ("ka", "lo", "mi", "nu")
    for second in ("rt", "sk", "lm")
    for third in "aeiou"
]
PAGES_A_HOST = 100
FAULTS = ("drops", "503", "slow")
FAULTY = 100
"""Each fault affects one URL in this many."""
SLOW_S = 0.3
POLL_S = 0.02


# --- the web ------------------------------------------------------------------------------------


class FaultyWeb:
    """Pages with images and stylesheets on many hosts. Some URLs fail when they are first requested."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.asked: Counter[str] = Counter()

    def __call__(self, request: Request) -> CannedResponse | Raw:
        """The answer to any request."""
        self.asked[request.url] += 1
        fault = Random(request.url).randrange(FAULTY) if request.path != "/robots.txt" else FAULTY
        if fault < len(FAULTS) and self.asked[request.url] == 1:
            return self._fault(FAULTS[fault], request)
        return self._answer(request)

    def _fault(self, name: str, request: Request) -> CannedResponse | Raw:
        if name == "drops":
            return drops()
        if name == "503":
            return status(503)

        async def talk(_: Request, wire: Wire) -> None:
            await asyncio.sleep(SLOW_S)
            await wire.send(self._answer(request).plain)

        return Raw(talk)

    def _answer(self, request: Request) -> CannedResponse:
        path = request.path
        if path == "/robots.txt":
            return text("")
        if path.endswith(".css"):
            return data(b"body { background: url(/back.png) }", "text/css")
        if path.endswith(".png"):
            return data(_picture(path), "image/png")
        host = int(request.host.removeprefix("h").removesuffix(".test"))
        number = (
            host * PAGES_A_HOST + int(path.removeprefix("/p") or 0) if path != "/" else host * PAGES_A_HOST
        )
        return html(_page(number, self.pages)) if number < self.pages else status(404)


def faulty_web(pages: int) -> FaultyWeb:
    """Entry point for `SiteProcess`."""
    return FaultyWeb(pages)


def _url(number: int) -> str:
    return f"http://h{number // PAGES_A_HOST}.test/p{number % PAGES_A_HOST}"


def _page(number: int, pages: int) -> str:
    chance = Random(f"page {number}")
    words = chance.choices(WORDS, k=60) + chance.choices(TOPIC, k=chance.randrange(8))
    chance.shuffle(words)
    targets = [2 * number + 1, 2 * number + 2, *(chance.randrange(pages) for _ in range(4))]
    links = "".join(
        f'<li><a href="{_url(target)}">{" ".join(chance.sample(words, 3))}</a>'
        for target in dict.fromkeys(targets)
        if target < pages
    )
    event = "<p>2 May 2024. A storm over Rome, Italy." if number % 3 == 0 else ""
    return (
        f"<title>Page {number}</title><link rel=stylesheet href=/s.css><h1>Page {number}</h1>"
        f"<p>{' '.join(words)}{event}<img src=/i{number % 20}.png width=120 height=120><ul>{links}</ul>"
    )


def _picture(path: str) -> bytes:
    """A grey PNG of 120 by 120."""
    side, shade = 120, zlib.crc32(path.encode()) & 255

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    rows = (b"\x00" + bytes([shade]) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


# --- the crawls ---------------------------------------------------------------------------------


def write_spec(folder: Path, strategy: str, pages: int, site: SiteProcess, judge: str = "all") -> Path:
    """A spec that keeps every page by default, with requisites."""
    tables: dict[str, dict[str, Any]] = {
        "seeds": {"urls": [_url(0)]},
        "topic": {"keywords": list(TOPIC), **_examples(folder)},
        "judge": {"kind": judge},
        "limits": {"pages": pages, "site_share": 1.0},
        "frontier": {"selectivity": 0},
        "archive": {"requisites": "all", "revisit_after_h": 0.02},
        "scope": {"avoid_traps": False},  # which of many alike came first depends on the order of arrival
        "fetch": {
            "per_host_delay_s": 0.02,
            "per_ip_concurrency": 64,
            "retries": 8,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        },
        "process": {"workers": 1},
    }
    if strategy == "event":
        tables["event"] = {"what": ["storm"], "where": ["Rome"]}
    if strategy == "selective":
        tables["selective"] = {"drop": False}
    lines = [f'strategy = "{strategy}"']
    for name, table_ in tables.items():
        lines += [f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table_.items())]
    path = folder / "crawl.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def _examples(folder: Path) -> dict[str, list[str]]:
    """Write files to train a classifier."""
    named: dict[str, list[str]] = {"examples": [], "negatives": []}
    for kind, words in (("examples", TOPIC), ("negatives", ())):
        for number in range(6):
            chance = Random(f"{kind} {number}")
            said = chance.choices(WORDS, k=60) + [*words] * 4
            name = f"{kind}{number}.html"
            (folder / name).write_text(f"<title>{kind} {number}</title><p>{' '.join(said)}", encoding="utf-8")
            named[kind].append(name)
    return named


def crawl_command(spec: Path, out: Path) -> list[str]:
    """The command that starts or resumes a crawl."""
    return [sys.executable, "-m", "lycosa", "crawl", str(spec), "--out", str(out), "--quiet"]


def crawl(spec: Path, out: Path) -> subprocess.Popen[bytes]:
    """Run that command quietly in a child process."""
    return subprocess.Popen(crawl_command(spec, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def pages_in(out: Path) -> int:
    """Number of committed pages."""
    try:
        connection = sqlite3.connect(f"file:{out / 'catalogue.db'}?mode=ro", uri=True)
    except sqlite3.OperationalError:
        return 0
    try:
        return int(connection.execute("SELECT count(*) FROM pages WHERE relevant IS NOT NULL").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def kill_again_and_again(spec: Path, out: Path, pages: int, kills: int) -> int:
    """Resume and kill at random moments. Return the number of kills before the crawl ended by itself."""
    chance = Random(kills)
    for killed in range(kills):
        process = crawl(spec, out)
        goal = (killed + 1) * (pages - pages // 10) // kills  # leave some for the last run
        at_once = chance.random() < 0.2
        until = time.monotonic() + chance.random() * 3
        while process.poll() is None and (time.monotonic() < until if at_once else pages_in(out) < goal):
            time.sleep(POLL_S)
        time.sleep(chance.random() * 0.1)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            return killed
    return kills


def contents(out: Path) -> dict[str, Any]:
    """The results of a crawl in canonical order, and its requisites."""
    pages, links = {}, {}
    with Collection.open(out) as collection:
        reader = collection.reader
        for page in reader.pages():
            if page.judgement is None:
                continue
            url, verdict = page.link.url, page.judgement
            refused = page.refusal.reason if page.refusal else None
            pages[url] = (page.status, page.title, verdict.relevant, refused, reader.text(page.id))
            for link in reader.links(page.id):
                links[url, link.position] = (link.target, link.anchor, link.refusal)
    return {"pages": pages, "links": links}


def records_in(out: Path) -> int:
    """Number of records in the archive. Each is read whole and its digest checked."""
    count = 0
    for path in sorted((out / "archive").glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                assert "WARC-Block-Digest" not in record.headers or record.verify_block_digest(), path
                count += 1
    return count


@dataclass(frozen=True)
class Result:
    """Result for one strategy; `differing` names parts that differ."""

    strategy: str
    pages: int
    kills: int
    records: int
    differing: tuple[str, ...]
    seconds: float


def endure(strategy: str, pages: int, kills: int) -> Result:
    """Crawl once without and once with kills, and compare."""
    begun = time.monotonic()
    with TemporaryDirectory() as name:
        folder = Path(name)
        with SiteProcess("research.endurance.kills:faulty_web", pages=pages) as site:
            spec = write_spec(folder, strategy, pages, site)
            assert crawl(spec, folder / "whole").wait() == 0
        with SiteProcess("research.endurance.kills:faulty_web", pages=pages) as site:
            spec = write_spec(folder, strategy, pages, site)
            killed = kill_again_and_again(spec, folder / "killed", pages, kills)
            assert crawl(spec, folder / "killed").wait() == 0
        whole, other = contents(folder / "whole"), contents(folder / "killed")
        differing = tuple(part for part in whole if whole[part] != other[part])
        return Result(
            strategy,
            len(other["pages"]),
            killed,
            records_in(folder / "killed"),
            differing,
            time.monotonic() - begun,
        )


def main() -> None:
    """Run, and report differences."""
    parser = arguments(__doc__)
    parser.add_argument("--strategy", action="append", choices=STRATEGIES)
    parser.add_argument("--pages", type=int, default=WHOLE_PAGES // len(STRATEGIES) + 1)
    parser.add_argument("--kills", type=int, default=WHOLE_KILLS // len(STRATEGIES) + 1)
    parser.add_argument("--note", action="store_true", help="write the figures into research/endurance.md")
    asked = parser.parse_args()
    rows, is_same = [], True
    for strategy in asked.strategy or STRATEGIES:
        found = endure(strategy, asked.pages, asked.kills)
        same = "the same" if not found.differing else f"other {' and '.join(found.differing)}"
        rows.append(
            [
                strategy,
                f"{found.pages:,}",
                f"{found.kills:,}",
                f"{found.records:,}",
                same,
                f"{found.seconds / 60:.0f}",
            ]
        )
        print(rows[-1], flush=True)
        is_same &= not found.differing
    if asked.note:
        figures = table(["strategy", "pages", "kills", "records read", "what was found", "minutes"], rows)
        is_whole = asked.kills * len(rows) >= WHOLE_KILLS and asked.pages * len(rows) >= WHOLE_PAGES
        write_note("kills", figures, whole="" if is_whole else "makes 1,000 kills over 10,000 pages")
    sys.exit(not is_same)


if __name__ == "__main__":
    main()

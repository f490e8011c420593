"""Three passes over a site that changes: what asking by an estimate of change saves against asking for everything, and what it misses.

Command line: python -m tools.three_passes [--passes N] [--write]     prints the table of docs/revisits.md; `--write`: puts it there
Expected time: one to three minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from random import Random
from typing import NamedTuple
from unittest.mock import patch

from lycosa.clock import SystemClock
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.testing import CannedResponse, Request, Site, html, status, text
from tools.measured import ROOT, table, write_part

DAY_S, WEEK = 86_400.0, 7.0
BEFORE = 365.0
"""Days before the first pass in which pages have changed too: what their servers can tell of it."""
EVERY_DAYS = {1.0: 4, 7.0: 8, 30.0: 13, 0.0: 25}
"""How many pages of each site change how often in the mean (0: never)."""
SAYS = ("nothing", "etag", "last-modified", "sitemap")
"""Four sites: what each tells of its pages besides their text."""
WAYS = {"everything": 1.0, "share 1.0": 1.0, "share 0.5": 0.5, "share 0.2": 0.2}


class Page(NamedTuple):
    """A page, and the days at which it changes; the first pass is day 0."""

    says: str
    path: str
    changes: tuple[float, ...]

    def version(self, day: float) -> int:
        """How often it has changed until then."""
        return sum(change <= day for change in self.changes)

    def changed_at(self, day: float) -> float:
        """The day of its last change until then."""
        return max((change for change in self.changes if change <= day), default=-BEFORE)


class Told(NamedTuple):
    """What passes after the first asked for, and what became of the changes since."""

    requests: int = 0
    bodies: int = 0
    changes: int = 0
    overwritten: int = 0
    unseen: int = 0
    late_days: float = 0.0  # of all that were seen, together


def pages() -> list[Page]:
    """The pages of the four sites, which are alike but for what they tell."""
    found = []
    for says in SAYS:
        number = 0
        for every, count in EVERY_DAYS.items():
            for _ in range(count):
                chance, at, changes = Random(f"three passes/{number}"), -BEFORE, []
                while every and (at := at + chance.expovariate(1 / every)) < 365:
                    changes.append(at)
                found.append(Page(says, f"/{number}", tuple(changes)))
                number += 1
    return found


class _Web:
    """The four sites at a day that the passes set, and a note of what was asked for."""

    def __init__(self, found: list[Page]) -> None:
        self.day, self.began = 0.0, time.time()
        self.asked: list[tuple[float, Page, bool]] = []
        self._pages = {(f"{page.says}.test", page.path): page for page in found}

    def __call__(self, request: Request) -> CannedResponse:
        own = {path: page for (host, path), page in self._pages.items() if host == request.host}
        if request.path == "/robots.txt":
            is_listed = request.host == "sitemap.test"
            return text(f"Sitemap: http://{request.host}/sitemap.xml" if is_listed else "")
        if request.path == "/sitemap.xml":
            return text(f"<urlset>{''.join(map(self._listed, own.values()))}</urlset>", "application/xml")
        if request.path == "/":
            return html(
                f"<title>All of {request.host}</title>"
                + "".join(f'<p><a href="{path}">{path}</a>' for path in own)
            )
        page = own.get(request.path)
        return self._answer(page, request.headers) if page else status(404)

    def _answer(self, page: Page, headers: Mapping[str, str]) -> CannedResponse:
        version, modified = page.version(self.day), self._time(page.changed_at(self.day))
        tag, date = f'"{version}"', format_datetime(modified, usegmt=True)
        said = {"etag": ("ETag", tag), "last-modified": ("Last-Modified", date)}
        is_same = tag == headers.get("if-none-match") or date == headers.get("if-modified-since")
        self.asked.append((self.day, page, not is_same))
        words = " ".join(Random(f"{page.says}{page.path}/{version}").choices(_WORDS, k=60))
        whole = html(f"<title>{page.path}</title><p>{words}")
        told = (*whole.headers, said[page.says]) if page.says in said else whole.headers
        return CannedResponse(status=304, headers=()) if is_same else CannedResponse(whole.body, headers=told)

    def _listed(self, page: Page) -> str:
        modified = self._time(page.changed_at(self.day)).date().isoformat()
        return f"<url><loc>http://sitemap.test{page.path}</loc><lastmod>{modified}</lastmod></url>"

    def _time(self, day: float) -> datetime:
        return datetime.fromtimestamp(self.began + day * DAY_S, UTC).replace(microsecond=0)


_WORDS = [
    f"{first}{second}{third}" for first in "bdfgklmn" for second in "aeiou" for third in ("r", "st", "lm")
]


def measure(way: str, found: list[Page], passes: int, folder: Path) -> dict[str, Told]:
    """Crawl the sites once a week, and compare what was seen with what has changed; by what each site tells."""
    web = _Web(found)

    class Weeks(SystemClock):
        """The time of the pass that is made."""

        def now(self) -> float:
            return super().now() + web.day * DAY_S

    with Site(web) as site, patch("lycosa.engine.session.SystemClock", Weeks):
        for number in range(passes):
            web.day = number * WEEK
            spec = _spec(site, WAYS[way], len(found), 12 if way == "everything" else WEEK * 24)
            asyncio.run(run_crawl(CrawlRequest(parse_spec(spec, all_settings()), spec, folder, folder / way)))
    return {says: _told([page for page in found if page.says == says], web, passes) for says in SAYS}


def _spec(site: Site, share: float, count: int, after_h: float) -> str:
    connect = ", ".join(f'"{name}" = "{to}"' for name, to in site.connect_to.items())
    return f"""
strategy = "breadth-first"
[seeds]
urls = {json.dumps([f"http://{says}.test/" for says in SAYS])}
[judge]
kind = "all"
[limits]
pages = {count + len(SAYS)}
[archive]
revisit_after_h = {after_h}
revisit_share = {share}
[fetch]
per_host_delay_s = 0
per_ip_concurrency = 32
allow_private = ["*.test"]
connect_to = {{ {connect} }}
[process]
workers = 0
"""


def _told(found: list[Page], web: _Web, passes: int) -> Told:
    """What was seen of some pages."""
    total, end = Told(), (passes - 1) * WEEK
    for page in found:
        visits = [(day, whole) for day, asked, whole in web.asked if asked is page]
        later = [(day, whole) for day, whole in visits if day > 0]
        changes = [change for change in page.changes if 0 < change <= end]
        seen_at = [next((day for day, _ in visits if day >= change), None) for change in changes]
        last = {
            day: number for number, day in enumerate(seen_at) if day is not None
        }  # that a visit could still see
        seen = {number: day for day, number in last.items()}
        unseen = sum(day is None for day in seen_at)
        total = Told(
            total.requests + len(later),
            total.bodies + sum(whole for _, whole in later),
            total.changes + len(changes),
            total.overwritten + len(changes) - len(seen) - unseen,
            total.unseen + unseen,
            total.late_days + sum(day - changes[number] for number, day in seen.items()),
        )
    return total


def _rows(way: str, told: Mapping[str, Told]) -> list[list[str]]:
    whole = Told(*(sum(values) for values in zip(*told.values(), strict=True)))
    rows = []
    for says, one in {**told, "all": whole}.items():
        seen = one.changes - one.overwritten - one.unseen
        numbers = (one.requests, one.bodies, one.changes, seen, one.overwritten, one.unseen)
        late = f"{one.late_days / seen:.1f}" if seen else ""
        rows.append([way, says, *map(str, numbers), late])
    return rows


def main() -> None:
    """Print the table, or write it."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--passes", type=int, default=3)
    options.add_argument("--write", action="store_true", help="put the table into docs/revisits.md")
    chosen = options.parse_args()
    heads = "asked for,its site tells,requests,bodies,changes,seen,written over,not seen yet,days late"
    rows, found = [], pages()
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            rows += _rows(way, measure(way, found, chosen.passes, Path(folder)))
    figures = table(heads.split(","), rows)
    print(figures)
    if chosen.write:
        write_part(ROOT / "docs" / "revisits.md", "three passes", figures)


if __name__ == "__main__":
    main()

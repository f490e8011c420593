"""The demo web: a small web of many hosts, shipped as an archive. `lycosa-lab` generates it."""

from __future__ import annotations

import csv
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from os import PathLike
from pathlib import Path

from lycosa.testing import CannedResponse, Request, Site, status

FOLDER = Path(__file__).parent / "archive"
NOT_FOUND = status(404)


@dataclass(frozen=True)
class DemoEvent:
    """When and where a topic that is an event happened: a row of events.csv."""

    date: str
    place: str
    lat: float
    lon: float


@dataclass(frozen=True)
class DemoTopic:
    """A topic to crawl for: what a user would write into a spec."""

    title: str
    keywords: tuple[str, ...]
    description: str
    seeds: tuple[str, ...]
    tags: tuple[str, ...] = ()  # on sharing sites
    event: DemoEvent | None = field(default=None, repr=False)  # of topics that happened


@dataclass(frozen=True)
class ArchivedDemo:
    """A demo web on disk, in the format of a virtual web."""

    folder: Path = FOLDER

    @cached_property
    def pages(self) -> Mapping[str, CannedResponse]:
        """Every page, image, robots.txt, feed and redirect by its URL."""
        return {url: page for file in sorted(self.folder.glob("*.warc.gz")) for url, page in _responses(file)}

    @cached_property
    def labels(self) -> list[tuple[str, str, int]]:
        """(url, topic, grade): 2 on the topic, 1 partly, 0 close to it but not on it."""
        return [(row["url"], row["topic"], int(row["grade"])) for row in self._rows("labels.csv")]

    @cached_property
    def page_types(self) -> list[tuple[str, str]]:
        """(url, type) of the pages of sharing sites."""
        return [(row["url"], row["type"]) for row in self._rows("page-types.csv")]

    @cached_property
    def topics(self) -> Mapping[str, DemoTopic]:
        """The topics by name."""
        about = tomllib.loads((self.folder / "web.toml").read_text(encoding="utf-8"))
        events = {
            row["topic"]: DemoEvent(
                row["date"], f"{row['place']}, {row['state']}", float(row["lat"]), float(row["lon"])
            )
            for row in self._rows("events.csv")
        }
        return {
            name: DemoTopic(
                title=topic["title"],
                keywords=tuple(topic["keywords"]),
                description=topic["description"],
                seeds=tuple(topic["seeds"]),
                tags=tuple(topic["tags"]),
                event=events.get(name),
            )
            for name, topic in about["topics"].items()
        }

    def answer(self, request: Request) -> CannedResponse:
        """Answer a request to the local server."""
        return self.pages.get(request.url, NOT_FOUND)

    def serve(self, port: int = 0) -> Site:
        """Return a local server of this web; use it in a `with` block."""
        return Site(self.answer, port)

    def write(self, folder: str | PathLike[str]) -> None:
        """Copy it as a virtual web (WARC, labels.csv, page-types.csv, events.csv, web.toml)."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)

    def _rows(self, name: str) -> Iterator[dict[str, str]]:
        with (self.folder / name).open(encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines)


@cache
def demo_web() -> ArchivedDemo:
    """Return the demo web that is shipped with Lycosa."""
    return ArchivedDemo()


def _responses(file: Path) -> Iterator[tuple[str, CannedResponse]]:
    from fastwarc.warc import ArchiveIterator

    for record in ArchiveIterator(str(file), parse_http=True):
        head = record.http_headers
        if head is not None and head.status_code is not None:
            headers = tuple((name, value) for name, value in head if name.lower() != "content-length")
            page = CannedResponse(record.reader.read(), head.status_code, headers)
            yield record.headers["WARC-Target-URI"], page

"""Gather what a crawl is doing, for the monitor and JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec

from lycosa.cluster.division import directories_in
from lycosa.collection.catalogue.progress import LAST_PAGES, PageJudgement, curve_of
from lycosa.collection.collection import Collection
from lycosa.engine.watch.control import ask
from lycosa.errors import NoCollection
from lycosa.frontier.rows import HostQueue, host_queues, urls_waiting
from lycosa.learn.history import figures_of, jump_told
from lycosa.values import Reason

HOSTS = 25
LATELY = 200
"""Number of last pages in the monitor."""
TITLES = 8
PER_SPAN = 5
"""Mean number of pages for each point of the speed curve."""
COURSE = 24
"""Number of spans of the last run in the course of refusals."""


def status(collection: Collection, patience_s: float = 1.0) -> dict[str, Any]:
    """Return the status of the crawl, from the running crawl or from the catalogue."""
    with watched(collection) as monitor:
        return monitor.status(patience_s)


class ShardStatus(msgspec.Struct, frozen=True):
    """Progress and queue of one shard."""

    shard: int
    pages: int
    relevant: int
    waiting: int


class LatestPage(msgspec.Struct, frozen=True):
    """A page that was kept just now. `id` and `image`: ids in the collection, if it has them already."""

    title: str
    score: float
    id: int | None
    image: int | None


class Lately(msgspec.Struct, frozen=True):
    """The last pages: how many, how many are kept, and the interval of that share."""

    pages: int
    kept: int
    low: float
    high: float
    latest: list[LatestPage]  # of those that are kept, the newest first
    pages_per_second: float  # over the last minute of the crawl
    seconds_left: float | None

    @property
    def has_images(self) -> bool:
        """Whether one of the latest pages has an image."""
        return any(page.image for page in self.latest)


@contextmanager
def watched(collection: Collection) -> Iterator[Monitor]:
    """Yield the monitor of a crawl, with all of its shards, because the collection has their pages only after merging."""
    with ExitStack() as opened:
        parts = []
        for directory in directories_in(collection.directory):
            try:
                part = Collection.open(directory)
            except NoCollection:
                continue  # it has not begun yet
            parts.append(opened.enter_context(part))
        yield Monitor(collection, parts)


class Monitor:
    """A watched crawl, in one process or by shards."""

    def __init__(self, collection: Collection, shards: Sequence[Collection] = ()) -> None:
        self._collection, self._shards = collection, shards
        self._parts = shards or [collection]
        runs = [runs[-1] for part in self._parts if (runs := part.reader.runs())]
        self._started = min((run.started for run in runs), default=0.0)
        self._ended = max((run.ended for run in runs), default=0.0)

    def status(self, patience_s: float = 1.0) -> dict[str, Any]:
        """Return the status of the crawl, from the running crawl or from the catalogue."""
        runs, counts = self._collection.reader.runs(), [part.reader.counts() for part in self._parts]
        live = ask(self._collection.directory, "status", patience_s)
        last = self._last()[:LAST_PAGES]
        known = {
            "running": live is not None,
            "paused": False,
            "fetched": sum(count.fetched for count in counts),
            "pages": sum(count.judged for count in counts),
            "relevant": sum(count.relevant for count in counts),
            "bytes": sum(count.bytes for count in counts),
            "seconds": round(self._collection.reader.seconds(), 1),
            "waiting": sum(urls_waiting(part.connection) for part in self._parts),
            "ended": runs[-1].reason if runs else "",
            "limit": None,
            "shards": [],
            "last_pages": len(last),
            "last_relevant": sum(page.relevant for page in last),
            **figures_of(self._collection).as_json(),
            "changed": jump_told(self._collection),
        }
        # A crawl counts all responses as pages; the library counts judged pages.
        told = {"fetched" if name == "pages" else name: value for name, value in (live or {}).items()}
        # Running shards do not know the harvest of the whole, so it is that of the last merge.
        return known | {
            name: value
            for name, value in told.items()
            if name in known and name != "relevant" and value is not None
        }

    def shards(self, now: Mapping[str, Any]) -> list[ShardStatus]:
        """Return each shard, from the status `now` of the running crawl or from its catalogue."""
        if now["shards"]:
            return msgspec.convert(now["shards"], list[ShardStatus])
        found = []
        for part in self._shards:
            counts = part.reader.counts()
            number = int(part.directory.name)
            found.append(ShardStatus(number, counts.judged, counts.relevant, urls_waiting(part.connection)))
        return found

    def lately(self, now: Mapping[str, Any]) -> Lately:
        """Return the recent harvest and speed; `now` is the status."""
        last = self._last()
        kept = [page for page in last if page.relevant]
        low, high = wilson(len(kept), len(last))
        span = min(60.0, self._ended - self._started)
        times = [at for part in self._parts for at in part.reader.page_times(self._ended - span)]
        speed = len(times) / span if span > 0 else 0.0
        left = None
        if now["running"] and now["limit"] and speed > 0:
            left = min(now["limit"] - now["fetched"], now["waiting"]) / speed
        return Lately(len(last), len(kept), low, high, self._shown(kept[:TITLES]), speed, left)

    def _last(self) -> list[PageJudgement]:
        found = [page for part in self._parts for page in part.reader.latest(LATELY)]
        return sorted(found, key=lambda page: -page.at)[:LATELY] if self._shards else found

    def _shown(self, pages: Sequence[PageJudgement]) -> list[LatestPage]:
        """Return these pages with their ids in the collection, which differ from those in a shard."""
        numbers = {page.key: page.id for page in pages}
        if self._shards:
            stored = (self._collection.reader.page(page.key) for page in pages)
            numbers = {page.link.key: page.id for page in stored if page}
        images = self._collection.statistics.first_images(list(numbers.values()))
        return [
            LatestPage(
                page.title or page.url,
                page.score,
                number := numbers.get(page.key),
                images.get(number) if number else None,
            )
            for page in pages
        ]

    def harvest_curve(self, points: int) -> list[tuple[int, int]]:
        """Return (pages judged, of these collected) along the crawl."""
        if not self._shards:
            return self._collection.reader.harvest_curve(points)
        found = sorted(pair for part in self._shards for pair in part.reader.judged_at())
        return curve_of([collected for _, collected in found], points)

    def queue(self) -> list[HostQueue]:
        """Return hosts with the most waiting URLs. A host belongs to one shard."""
        found = [host for part in self._parts for host in host_queues(part.connection, HOSTS)]
        return sorted(found, key=lambda host: (-host.waiting, host.host))[:HOSTS]

    def not_taken(self) -> list[dict[str, Any]]:
        """Return what was not taken, by reason: requests, pages, links. `course`: counts by span of the last run."""
        courses, kinds = self._courses(), {"requests": Counter[str](), "pages": Counter(), "links": Counter()}
        for part in self._parts:
            counts = part.reader.counts_by_reason()
            for kind, counter in kinds.items():
                counter.update(getattr(counts, kind))
        return [
            {
                "kind": kind,
                "reason": Reason[name].value,
                "count": count,
                "course": courses.get((kind, name), []),
            }
            for kind, counter in kinds.items()
            for name, count in counter.most_common()
        ]

    def _courses(self) -> dict[tuple[str, str], list[int]]:
        """Count each reason by span of the last run."""
        start, courses = self._started, dict[tuple[str, str], list[int]]()
        width = max(self._ended - start, 1.0) / COURSE
        for part in self._parts:
            for kind, reason, at in part.reader.refusal_times(start):
                course = courses.setdefault((kind, reason), [0] * COURSE)
                course[min(COURSE - 1, max(0, int((at - start) / width)))] += 1
        return courses

    def speed_curve(self, bins: int = 60) -> list[tuple[float, float]]:
        """Return (seconds since the last run began, pages per second) along it."""
        start = self._started
        return binned(
            sorted(at - start for part in self._parts for at in part.reader.page_times(start)), bins
        )


def wilson(found: int, tries: int, z: float = 1.28) -> tuple[float, float]:
    """Return Wilson's 80 % interval of a share.

    >>> [round(side, 2) for side in wilson(30, 100)], wilson(0, 0)
    ([0.24, 0.36], (0.0, 1.0))
    """
    if not tries:
        return 0.0, 1.0
    share, spread = found / tries, z * z / tries
    middle = (share + spread / 2) / (1 + spread)
    off = z * math.sqrt(share * (1 - share) / tries + spread / (4 * tries)) / (1 + spread)
    return max(0.0, middle - off), min(1.0, middle + off)


def windowed(curve: Sequence[tuple[int, int]], window: int = 100) -> list[tuple[float, float]]:
    """Return the share kept of about the last `window` pages, along a curve of (pages, kept).

    >>> windowed([(50, 10), (100, 40), (150, 40), (200, 40)])
    [(100.0, 0.4), (150.0, 0.3), (200.0, 0.0)]
    """
    points = [(0, 0), *curve]
    found = []
    for at, (pages, kept) in enumerate(points):
        before = next((point for point in reversed(points[:at]) if pages - point[0] >= window), None)
        if before:
            found.append((float(pages), (kept - before[1]) / (pages - before[0])))
    return found


def binned(times: Sequence[float], bins: int) -> list[tuple[float, float]]:
    """Return events per second in equal spans of time, fewer spans if there are few events.

    >>> binned([0.5, 1.0, 1.5, 1.6, 1.7, 2.5, 2.6, 2.7, 2.8, 3.5], 60)
    [(1.75, 2.86), (3.5, 2.86)]
    """
    if not times or times[-1] <= 0:
        return []
    bins = max(1, min(bins, len(times) // PER_SPAN))
    width = times[-1] / bins
    counts = [0] * bins
    for at in times:
        counts[min(bins - 1, max(0, int(at / width)))] += 1
    return [((number + 1) * width, round(count / width, 2)) for number, count in enumerate(counts)]

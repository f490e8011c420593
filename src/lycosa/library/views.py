"""What the pages of the library show, as plain data. In: an open collection. Out: values for templates and JSON."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lycosa.engine.control import ask, harvest_figures
from lycosa.engine.refit import harvest_of
from lycosa.frontier.waiting import HostQueue, host_queues, urls_waiting
from lycosa.library.search_query import SearchQuery, page_filter_of
from lycosa.report.description import described
from lycosa.report.summary import gist_of
from lycosa.report.why import opened_by
from lycosa.store.collection import Collection
from lycosa.store.labels import labels_in
from lycosa.store.page_filter import JUDGED, PageFilter, Relevance
from lycosa.store.reader import LAST_PAGES, PageJudgement, StoredPage
from lycosa.store.search import DatedPage
from lycosa.store.statistics import EntityKind, PlaceCount
from lycosa.urls import key_of
from lycosa.values import Reason, Score

HOSTS = 25
LATELY = 200
"""The last pages, by which a crawl is watched."""
FIELDS = {
    "sources": "source",
    "languages": "language",
    "places": "place",
    "people": "entity",
    "organisations": "entity",
    "genres": "genre",
    "dates": "since",
    "trails": "trail",
}
"""What can be browsed, and the condition of a search that each becomes."""

ENTITY_KINDS: dict[str, EntityKind] = {"people": "person", "organisations": "organisation"}
"""What can be browsed by name, and what the catalogue calls it."""


def about(collection: Collection) -> dict[str, Any]:
    """What a collection is, in figures."""
    counts, runs = collection.reader.counts(), collection.reader.runs()
    return {
        **msgspec.structs.asdict(described(collection)),
        "pages": counts.judged,
        "relevant": counts.relevant,
        **harvest_figures(harvest_of(collection)),
        "bytes": counts.bytes,
        "last_at": day_of(max((run.ended for run in runs), default=0.0)),
        "seconds": round(collection.reader.seconds(), 1),
    }


def summary(collection: Collection) -> dict[str, Any]:
    """Key sentences, terms, places, people, organisations, sources, languages, genres and the time course."""
    counted, gist = collection.statistics, gist_of(collection)
    return {
        "sentences": [msgspec.structs.asdict(one) for one in gist.sentences],
        "terms": [list(term) for term in gist.terms],
        "places": [_place(place) for place in counted.places(limit=12)],
        **{
            field: [list(pair) for pair in counted.entities(kind, limit=12)]
            for field, kind in ENTITY_KINDS.items()
        },
        "sources": [list(pair) for pair in counted.values("source", limit=12)],
        "languages": [list(pair) for pair in counted.values("language", limit=12)],
        "genres": [list(pair) for pair in counted.genres(limit=12)],
        "days": [list(pair) for pair in counted.days()],
    }


def _place(place: PlaceCount) -> dict[str, Any]:
    return {**msgspec.structs.asdict(place), "key": place.key}


def choices(collection: Collection) -> dict[str, list[str]]:
    """What the filters of the search offer."""
    counted = collection.statistics
    return {
        "sources": [value for value, _ in counted.values("source", JUDGED, 200)],
        "languages": [value for value, _ in counted.values("language", JUDGED, 50)],
        "genres": [value for value, _ in counted.genres(JUDGED, 50)],
        "places": [place.key for place in counted.places(JUDGED, 200)],
        "entities": [
            name for kind in ENTITY_KINDS.values() for name, _ in counted.entities(kind, JUDGED, 100)
        ],
    }


def browse(collection: Collection, field: str, query: SearchQuery) -> list[tuple[str, int]]:
    """Values of a field of FIELDS with the number of pages, most pages first (dates: latest first)."""
    wanted, counted = page_filter_of(query, collection.directory), collection.statistics
    if field == "places":
        return [(place.key, place.pages) for place in counted.places(wanted, 1000)]
    if field in ENTITY_KINDS:
        return counted.entities(ENTITY_KINDS[field], wanted, 1000)
    if field == "genres":
        return counted.genres(wanted, 1000)
    if field == "dates":
        months: dict[str, int] = {}
        for day, count in counted.days(wanted):
            months[day[:7]] = months.get(day[:7], 0) + count
        return sorted(months.items(), reverse=True)
    if field == "trails":
        return [(str(trail), count) for trail, count in counted.trails()]
    return counted.values("language" if field == "languages" else "source", wanted, 1000)


def entries(collection: Collection, query: SearchQuery) -> list[DatedPage]:
    """Dated pages in the order of their days: the words of a timeline."""
    wanted = page_filter_of(query, collection.directory)
    return collection.search.best_dated(msgspec.structs.replace(wanted, distinct=True))


def page(collection: Collection, number: int) -> dict[str, Any] | None:
    """All about one page: text, metadata and the reasons why it is (not) in the collection."""
    reader = collection.reader
    stored = reader.page_by_id(number)
    if stored is None:
        return None
    label = labels_in(collection.directory).get(stored.link.key)
    judgement, this = stored.judgement, PageFilter(relevance=Relevance.JUDGED, page=number)
    return {
        "id": stored.id,
        "key": str(stored.link.key),
        "url": stored.link.url,
        "title": stored.title,
        "source": stored.source,
        "language": stored.language,
        "date": stored.date,
        "date_source": stored.date_source,
        "doubtful_date": stored.doubtful_date,
        "words": stored.words,
        "status": stored.status,
        "content_type": stored.content_type,
        "fetched_at": time_of(stored.at),
        "bytes": stored.bytes,
        "elapsed_s": round(stored.elapsed_s, 3),
        "canonical": stored.canonical,
        "relevant": judgement.relevant if judgement else None,
        "score": judgement.score if judgement else None,
        "rule": judgement.rule if judgement else "",
        "refusal": str(stored.refusal or ""),
        "explored": stored.explored,
        "depth": stored.link.depth,
        "trail": stored.link.trail,
        "evidence": dict(reader.evidence(number)),
        "found": _found_on(collection, stored),
        "path": _path(collection, stored),
        "places": [_place(place) for place in collection.statistics.places(this, 30)],
        **{
            field: [name for name, _ in collection.statistics.entities(kind, this, 30)]
            for field, kind in ENTITY_KINDS.items()
        },
        "near_duplicates": [msgspec.structs.asdict(one) for one in reader.near_duplicates(stored)],
        "captures": [
            {"at": time_of(one.at), "status": one.status, "file": one.capture.file, "offset": one.capture.offset, "revisit": one.capture.revisit}
            for one in reader.captures(number)
        ],
        "label": None if label is None else label.relevant,
        "text": reader.text(number),
    }  # fmt: skip


def _found_on(collection: Collection, stored: StoredPage) -> dict[str, Any] | None:
    """The page whose link led here, and what was decided on the link there."""
    parent = collection.reader.page(stored.link.parent) if stored.link.parent else None
    if parent is None:
        return None
    link = collection.reader.link_between(parent.id, stored.link.key)
    return {
        "id": parent.id,
        "url": parent.link.url,
        "title": parent.title,
        "anchor": (link or stored.link).anchor,
        "priority": (link or stored.link).priority,
        "rule": link.rule if link else "",
        "evidence": collection.reader.told_of_link(parent.id, link.position) if link else {},
        "image": _image(collection, stored),
    }


def _image(collection: Collection, stored: StoredPage) -> dict[str, Any] | None:
    """The image that has opened the way here, where one has."""
    image = opened_by(collection.reader, stored.link)
    if image is None:
        return None
    shows = image.shows or Score(0.0)
    return {"url": image.url, "label": shows.label, "value": shows.value}


def _path(collection: Collection, stored: StoredPage) -> list[dict[str, Any]]:
    steps = []
    for url in collection.reader.path_from_seed(stored.link.key, 200):
        page = collection.reader.page(key_of(url))
        judgement = page.judgement if page else None
        steps.append(
            {
                "url": url,
                "id": page.id if page else None,
                "title": page.title if page else "",
                "score": judgement.score if judgement else None,
                "relevant": judgement.relevant if judgement else None,
            }
        )
    return steps


def status(collection: Collection, patience_s: float = 1.0) -> dict[str, Any]:
    """What the crawl is doing: from the running crawl where there is one, else from the catalogue."""
    runs, counts = collection.reader.runs(), collection.reader.counts()
    live = ask(collection.directory, "status", patience_s)
    known = {
        "running": live is not None,
        "paused": False,
        "fetched": counts.fetched,
        "pages": counts.judged,
        "relevant": counts.relevant,
        "bytes": counts.bytes,
        "seconds": round(collection.reader.seconds(), 1),
        "waiting": urls_waiting(collection.connection),
        "ended": runs[-1].reason if runs else "",
        "limit": None,
        "last_pages": len(last := collection.reader.latest(LAST_PAGES)),
        "last_relevant": sum(page.relevant for page in last),
        **harvest_figures(harvest_of(collection)),
    }
    # A crawl counts as pages whatever was answered; here, and in every curve, a page is one that was judged.
    told = {"fetched" if name == "pages" else name: value for name, value in (live or {}).items()}
    now = {**known, **{name: value for name, value in told.items() if name in known and name != "relevant"}}
    return now


class Lately(msgspec.Struct, frozen=True):
    """What the last pages brought: how many of them, how many are kept, and between what that share lies."""

    pages: int
    kept: int
    low: float
    high: float
    titles: list[PageJudgement]  # the last that are kept, the newest first
    pages_per_second: float  # over the last minute of the crawl
    seconds_left: float | None


def lately(collection: Collection, now: Mapping[str, Any]) -> Lately:
    """What a crawl brings just now, `now` being its status."""
    last = collection.reader.latest(LATELY)
    kept = [page for page in last if page.relevant]
    low, high = wilson(len(kept), len(last))
    runs = collection.reader.runs()
    end = max((run.ended for run in runs), default=0.0)
    span = min(60.0, end - runs[-1].started) if runs else 0.0
    speed = len(collection.reader.page_times(end - span)) / span if span > 0 else 0.0
    left = None
    if now["running"] and now["limit"] and speed > 0:
        left = min(now["limit"] - now["fetched"], now["waiting"]) / speed
    return Lately(len(last), len(kept), low, high, kept[:8], speed, left)


def wilson(found: int, tries: int, z: float = 1.28) -> tuple[float, float]:
    """Between what a share lies in 80 of 100 cases (Wilson's interval).

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
    """The share kept among the last `window` pages or so, along a curve of (pages, kept).

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


def queue(collection: Collection) -> list[HostQueue]:
    """Hosts with the URLs that wait for them, most first."""
    return host_queues(collection.connection, HOSTS)


COURSE = 24
"""Spans that the last run is divided into, to show when something went wrong."""


def not_taken(collection: Collection) -> list[dict[str, Any]]:
    """What was not taken, by reason: requests and pages first, then links. `course`: how many in each span of the last run."""
    counts, courses = collection.reader.counts_by_reason(), _courses(collection)
    kinds = (("requests", counts.requests), ("pages", counts.pages), ("links", counts.links))
    return [
        {"kind": kind, "reason": Reason[name].value, "count": count, "course": courses.get((kind, name), [])}
        for kind, of_kind in kinds
        for name, count in sorted(of_kind.items(), key=lambda pair: -pair[1])
    ]


def _courses(collection: Collection) -> dict[tuple[str, str], list[int]]:
    """How often each reason came up in each span of the last run."""
    runs = collection.reader.runs()
    if not runs:
        return {}
    start, courses = runs[-1].started, dict[tuple[str, str], list[int]]()
    width = max(runs[-1].ended - start, 1.0) / COURSE
    for kind, reason, at in collection.reader.refusal_times(start):
        course = courses.setdefault((kind, reason), [0] * COURSE)
        course[min(COURSE - 1, max(0, int((at - start) / width)))] += 1
    return courses


def speed_curve(collection: Collection, bins: int = 60) -> list[tuple[float, float]]:
    """(seconds since the last run began, pages per second) along it."""
    runs = collection.reader.runs()
    if not runs:
        return []
    start = runs[-1].started
    return binned([at - start for at in collection.reader.page_times(start)], bins)


def binned(times: Sequence[float], bins: int) -> list[tuple[float, float]]:
    """Events per second in equal spans of time, at the end of each.

    >>> binned([0.5, 1.0, 3.5], 2)
    [(1.75, 1.14), (3.5, 0.57)]
    """
    if not times or times[-1] <= 0:
        return []
    width = times[-1] / bins
    counts = [0] * bins
    for at in times:
        counts[min(bins - 1, max(0, int(at / width)))] += 1
    return [((number + 1) * width, round(count / width, 2)) for number, count in enumerate(counts)]


def time_of(at: float) -> str:
    """A time for reading."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def day_of(at: float) -> str:
    """A day for reading; '' for the beginning of time."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%-d %B %Y") if at else ""

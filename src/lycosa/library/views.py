"""What the pages of the library show, as plain data. In: an open collection. Out: values for templates and JSON."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import msgspec

from lycosa.engine.control import ask
from lycosa.frontier.entry import WAITING
from lycosa.library.filters import Filters
from lycosa.library.find import condition
from lycosa.report.overview import (
    ENTITY_KINDS,
    KEPT,
    Chosen,
    Spot,
    counted,
    days,
    entities,
    genres,
    has_table,
    spots,
    words_of,
)
from lycosa.report.summary import gist_of
from lycosa.report.why import opened_by
from lycosa.store.collection import ReadCollection
from lycosa.store.labels import labels_in
from lycosa.store.reader import StoredPage
from lycosa.urls import key_of
from lycosa.values import Fact, Reason

HOSTS = 25
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
"""What can be browsed, and the filter that each becomes."""


def about(collection: ReadCollection) -> dict[str, Any]:
    """What a collection is, in figures."""
    spec, counts, runs = collection.spec(), collection.reader.counts(), collection.reader.runs()
    top, topic = spec.get("", {}), spec.get("topic", {})
    return {
        "title": str(top.get("name") or collection.directory.name),
        "strategy": str(top.get("strategy", "best-first")),
        "description": str(topic.get("description", "")),
        "keywords": words_of(topic.get("keywords")),
        "pages": counts.judged,
        "relevant": counts.relevant,
        "harvest": round(counts.relevant / counts.judged, 4) if counts.judged else 0.0,
        "bytes": counts.bytes,
        "last_at": day_of(max((run.ended for run in runs), default=0.0)),
        "seconds": round(collection.reader.seconds(), 1),
    }


def summary(collection: ReadCollection) -> dict[str, Any]:
    """Key sentences, terms, places, people, organisations, sources, languages, genres and the time course."""
    db, gist = collection.connection, gist_of(collection)
    return {
        "sentences": [msgspec.structs.asdict(one) for one in gist.sentences],
        "terms": [list(term) for term in gist.terms],
        "places": [msgspec.structs.asdict(spot) for spot in spots(db, KEPT, 12)],
        **{
            field: [list(pair) for pair in entities(db, kind, KEPT, 12)]
            for field, kind in ENTITY_KINDS.items()
        },
        "sources": [list(pair) for pair in counted(db, "source", KEPT, 12)],
        "languages": [list(pair) for pair in counted(db, "language", KEPT, 12)],
        "genres": [list(pair) for pair in genres(db, KEPT, 12)],
        "days": [list(pair) for pair in days(db)],
    }


def choices(collection: ReadCollection) -> dict[str, list[str]]:
    """What the filters of the search offer."""
    db, every = collection.connection, condition(collection, Filters(relevant="all"))
    return {
        "sources": [value for value, _ in counted(db, "source", every, 200)],
        "languages": [value for value, _ in counted(db, "language", every, 50)],
        "genres": [value for value, _ in genres(db, every, 50)],
        "places": [spot.name for spot in spots(db, every, 200)],
        "entities": [name for kind in ENTITY_KINDS.values() for name, _ in entities(db, kind, every, 100)],
    }


def browse(collection: ReadCollection, field: str, filters: Filters) -> list[tuple[str, int]]:
    """Values of a field of FIELDS with the number of pages, most pages first (dates: latest first)."""
    chosen, db = condition(collection, filters), collection.connection
    if field == "places":
        return [(spot.name, spot.pages) for spot in spots(db, chosen, 1000)]
    if field in ENTITY_KINDS:
        return entities(db, ENTITY_KINDS[field], chosen, 1000)
    if field == "genres":
        return genres(db, chosen, 1000)
    if field == "dates":
        months: dict[str, int] = {}
        for day, count in days(db, chosen):
            months[day[:7]] = months.get(day[:7], 0) + count
        return sorted(months.items(), reverse=True)
    if field == "trails":
        sql = "SELECT trail, count(*) FROM pages WHERE relevant IS NOT NULL GROUP BY 1 ORDER BY 1"
        return [(str(trail), count) for trail, count in db.execute(sql)]
    return counted(db, FIELDS[field], chosen, 1000)


def entries(collection: ReadCollection, filters: Filters, most: int = 60) -> list[dict[str, Any]]:
    """Dated pages in the order of their days: the words of a timeline."""
    chosen = condition(collection, filters)
    rows = collection.connection.execute(
        "SELECT id, title, url, source, date, score FROM (SELECT * FROM pages WHERE id IN (SELECT id FROM pages"
        f" WHERE {chosen.sql} AND date != '' AND near_duplicate_of = 0 ORDER BY score DESC LIMIT ?)) ORDER BY date, id",
        (*chosen.values, most),
    )
    names = ("id", "title", "url", "source", "date", "score")
    return [dict(zip(names, row, strict=True)) for row in rows]


def undated(collection: ReadCollection, filters: Filters) -> int:
    """How many pages of a search have no date."""
    chosen = condition(collection, filters)
    sql = f"SELECT count(*) FROM pages WHERE {chosen.sql} AND date = ''"
    return int(collection.connection.execute(sql, chosen.values).fetchone()[0])


def page(collection: ReadCollection, number: int) -> dict[str, Any] | None:
    """All about one page: text, metadata and the reasons why it is (not) in the collection."""
    reader = collection.reader
    stored = reader.page_by_id(number)
    if stored is None:
        return None
    label = labels_in(collection.directory).get(stored.link.key)
    judgement, this = stored.judgement, Chosen("pages.id = ?", (number,))
    return {
        "id": stored.id,
        "key": str(stored.link.key),
        "url": stored.link.url,
        "title": stored.title,
        "source": stored.source,
        "language": stored.language,
        "date": stored.date,
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
        "evidence": {name: {"value": fact.value, "label": fact.label} for name, fact in reader.evidence(number).items()},
        "found": _found_on(collection, stored),
        "path": _path(collection, stored),
        "places": [msgspec.structs.asdict(one) for one in _places(collection, number)],
        **{
            field: [name for name, _ in entities(collection.connection, kind, this, 30)]
            for field, kind in ENTITY_KINDS.items()
        },
        "near_duplicates": _cluster(collection, stored),
        "captures": [
            {"at": time_of(one.at), "status": one.status, "file": one.capture.file, "offset": one.capture.offset, "revisit": one.capture.revisit}
            for one in reader.captures(number)
        ],
        "label": None if label is None else label.relevant,
        "text": reader.text(number),
    }  # fmt: skip


def _found_on(collection: ReadCollection, stored: StoredPage) -> dict[str, Any] | None:
    """The page whose link led here, and what was decided on the link there."""
    parent = collection.reader.page(stored.link.parent) if stored.link.parent else None
    if parent is None:
        return None
    row = collection.connection.execute(
        "SELECT position, anchor, priority, rules.text FROM links LEFT JOIN rules ON rules.id = rule"
        " WHERE page = ? AND target = ? ORDER BY position LIMIT 1",
        (parent.id, stored.link.key),
    ).fetchone()
    position, anchor, priority, rule = row or (-1, stored.link.anchor, stored.link.priority, "")
    numbers = collection.reader.link_evidence(parent.id) if position >= 0 else {}
    return {
        "id": parent.id,
        "url": parent.link.url,
        "title": parent.title,
        "anchor": anchor,
        "priority": priority,
        "rule": rule or "",
        "evidence": {name: values[position] for name, values in numbers.items() if position < len(values)},
        "image": _image(collection, stored),
    }


def _image(collection: ReadCollection, stored: StoredPage) -> dict[str, Any] | None:
    """The image that has opened the way here, where one has."""
    image = opened_by(collection.reader, stored.link)
    if image is None:
        return None
    shows = image.shows or Fact(0.0)
    return {"url": image.url, "label": shows.label, "value": shows.value}


def _path(collection: ReadCollection, stored: StoredPage) -> list[dict[str, Any]]:
    steps = []
    for url in collection.reader.path_from_seed(stored.link.key, 200):
        row = collection.connection.execute(
            "SELECT id, title, score, relevant FROM pages WHERE key = ?", (key_of(url),)
        ).fetchone()
        number, title, score, relevant = row or (None, "", None, None)
        steps.append({"url": url, "id": number, "title": title, "score": score, "relevant": relevant})
    return steps


def _places(collection: ReadCollection, number: int) -> list[Spot]:
    if not has_table(collection.connection, "places"):
        return []
    return spots(collection.connection, Chosen("pages.id = ?", (number,)), 30)


def _cluster(collection: ReadCollection, stored: StoredPage) -> list[dict[str, Any]]:
    first = stored.near_duplicate_of or stored.link.key
    rows = collection.connection.execute(
        "SELECT id, url, title FROM pages WHERE (near_duplicate_of = ? OR key = ?) AND id != ? LIMIT 20",
        (first, first, stored.id),
    )
    return [{"id": number, "url": url, "title": title} for number, url, title in rows]


def status(collection: ReadCollection, patience_s: float = 1.0) -> dict[str, Any]:
    """How the crawl stands: from the running crawl where there is one, else from the catalogue."""
    runs, counts = collection.reader.runs(), collection.reader.counts()
    live = ask(collection.directory, "status", patience_s)
    known = {
        "running": live is not None,
        "paused": False,
        "pages": counts.judged,
        "relevant": counts.relevant,
        "bytes": counts.bytes,
        "seconds": round(collection.reader.seconds(), 1),
        "waiting": sum(row["waiting"] for row in queue(collection, 10_000)),
        "ended": runs[-1].reason if runs else "",
        "limit": None,
    }
    now = {**known, **{name: value for name, value in (live or {}).items() if name in known}}
    now["harvest"] = round(now["relevant"] / now["pages"], 4) if now["pages"] else 0.0
    return now


def queue(collection: ReadCollection, most: int = HOSTS) -> list[dict[str, Any]]:
    """Hosts with the URLs that wait for them, most first."""
    db = collection.connection
    if not has_table(db, "authorities"):
        return []
    rows = db.execute(
        "SELECT name, waiting, done, may_go_at FROM (SELECT authority, count(*) AS waiting FROM urls"
        f" WHERE state = {WAITING} GROUP BY authority ORDER BY 2 DESC LIMIT ?) JOIN authorities ON id = authority"
        " ORDER BY waiting DESC, name",
        (most,),
    )
    return [dict(zip(("host", "waiting", "done", "may_go_at"), row, strict=True)) for row in rows]


def troubles(collection: ReadCollection) -> list[dict[str, Any]]:
    """What was not taken, by reason: requests and pages first, then links."""
    counts = collection.reader.counts_by_reason()
    kinds = (("requests", counts.requests), ("pages", counts.pages), ("links", counts.links))
    return [
        {"kind": kind, "reason": Reason[name].value, "count": count}
        for kind, of_kind in kinds
        for name, count in sorted(of_kind.items(), key=lambda pair: -pair[1])
    ]


def speed_curve(collection: ReadCollection, bins: int = 60) -> list[tuple[float, float]]:
    """(seconds since the last run began, pages per second) along it."""
    runs = collection.reader.runs()
    if not runs:
        return []
    start = runs[-1].started
    sql = "SELECT at FROM pages WHERE at >= ? AND kind = 'page' ORDER BY at"
    times = [at - start for (at,) in collection.connection.execute(sql, (start,))]
    return binned(times, bins)


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

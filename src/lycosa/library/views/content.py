"""Gather what the pages of the library show, as plain data for templates and JSON."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import Any

import msgspec

from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.statistics import ENTITY_KINDS, PlaceCount
from lycosa.collection.collection import Collection
from lycosa.collection.labels import answers_in, people_labels_in
from lycosa.collection.search.search import SearchHit
from lycosa.learn.history import figures_of, jump_told
from lycosa.library.views.search import SearchQuery, page_filter_of
from lycosa.methods.registry import facets
from lycosa.report.description import described
from lycosa.report.summary import gist_of
from lycosa.values import Score, is_uncertain
from lycosa.why import opened_by

COUNTED = {
    "sources": "source",
    "languages": "language",
    "people": "person",
    "organisations": "organisation",
    **{facet.plural: facet.name for facet in facets()},
}
"""What can be browsed by a value, and its name in `Statistics.values`."""
FIELDS = {
    **{field: "entity" if name in ENTITY_KINDS else name for field, name in COUNTED.items()},
    "places": "place",
    "dates": "since",
    "trails": "trail",
}
"""What can be browsed, and the condition of a search that it becomes."""


_PLAIN = (
    "id title source language date date_source doubtful_date words status content_type bytes canonical explored"
).split()
"""Columns of a page that are shown as stored."""


def fields_of(collection: Collection) -> list[str]:
    """Return what a collection can be browsed by: by trails only if its crawl has explored pages."""
    explored = collection.reader.counts().explored
    return [field for field in FIELDS if explored or field != "trails"]


def about(collection: Collection) -> dict[str, Any]:
    """Return the heading and the figures of a collection."""
    counts, runs = collection.reader.counts(), collection.reader.runs()
    heading = msgspec.structs.asdict(described(collection))
    return {
        **heading,
        **heading["sections"],
        "pages": counts.judged,
        "relevant": counts.relevant,
        **figures_of(collection).as_json(),
        "changed": jump_told(collection),
        "bytes": counts.bytes,
        "last_at": day_of(max((run.ended for run in runs), default=0.0)),
        "seconds": round(collection.reader.seconds(), 1),
    }


def summary(collection: Collection) -> dict[str, Any]:
    """Return key sentences, terms, counted values, places and the time course."""
    counted, gist = collection.statistics, gist_of(collection)
    return {
        "sentences": [msgspec.structs.asdict(one) for one in gist.sentences],
        "terms": [list(term) for term in gist.terms],
        "places": [_place(place) for place in counted.places(limit=12)],
        **{field: [list(pair) for pair in counted.values(name, limit=12)] for field, name in COUNTED.items()},
        "number_of_sources": counted.collected_sources(),
        "days": [list(pair) for pair in counted.days()],
    }


def _place(place: PlaceCount) -> dict[str, Any]:
    return {**msgspec.structs.asdict(place), "key": place.key, "in_words": place.in_words}


def browse(collection: Collection, field: str, query: SearchQuery) -> list[tuple[str, int]]:
    """Return the values of a field of FIELDS with their pages, most pages first (dates: latest first)."""
    wanted, counted = page_filter_of(query, collection.directory), collection.statistics
    if field in COUNTED:
        return counted.values(COUNTED[field], wanted, 1000)
    if field == "places":
        return [(place.key, place.pages) for place in counted.places(wanted, 1000)]
    if field == "trails":
        return [(str(trail), count) for trail, count in counted.trails()]
    months = Counter[str]()
    for day, count in counted.days(wanted):
        months[day[:7]] += count
    return sorted(months.items(), reverse=True)


def entries(collection: Collection, query: SearchQuery) -> list[SearchHit]:
    """Return dated pages in the order of their days, for a timeline."""
    wanted = page_filter_of(query, collection.directory)
    return collection.search.best_dated(msgspec.structs.replace(wanted, distinct=True))


def page(collection: Collection, number: int) -> dict[str, Any] | None:
    """Return all about one page: text, metadata and the reasons why it is (not) in the collection."""
    reader = collection.reader
    stored = reader.page_by_id(number)
    if stored is None:
        return None
    label = people_labels_in(collection.directory).get(stored.link.key)
    answer = answers_in(collection.directory).get(stored.link.key)
    judgement, this = stored.judgement, PageFilter(relevance=Relevance.JUDGED, page=number)
    return {
        **{name: getattr(stored, name) for name in _PLAIN},
        "key": str(stored.link.key),
        "url": stored.link.url,
        "fetched_at": time_of(stored.at),
        "elapsed_s": round(stored.elapsed_s, 3),
        "relevant": judgement.relevant if judgement else None,
        "score": judgement.score if judgement else None,
        "rule": judgement.rule if judgement else "",
        "uncertain": judgement is not None and is_uncertain(judgement),
        "refusal": str(stored.refusal or ""),
        "depth": stored.link.depth,
        "trail": stored.link.trail,
        "evidence": dict(reader.evidence(number)),
        "found": _found_on(collection, stored),
        "path": _path(collection, stored),
        "places": [_place(place) for place in collection.statistics.places(this, 30)],
        **{
            field: [name for name, _ in collection.statistics.values(COUNTED[field], this, 30)]
            for field in ("people", "organisations")
        },
        "near_duplicates": [msgspec.structs.asdict(one) for one in reader.near_duplicates(stored)],
        "captures": [
            {"at": time_of(one.at), "status": one.status, "file": one.capture.file, "offset": one.capture.offset, "revisit": one.capture.revisit}
            for one in reader.captures(number)
        ],
        "label": None if label is None else label.relevant,
        "answer": None if answer is None else msgspec.structs.asdict(answer),
        "text": reader.text(number),
    }  # fmt: skip


def _found_on(collection: Collection, stored: StoredPage) -> dict[str, Any] | None:
    """Return the page whose link led here, and the decision on that link."""
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
    """Return the image that made the link here worth following."""
    image = opened_by(collection.reader, stored.link)
    if image is None:
        return None
    shows = image.shows or Score(0.0)
    return {"url": image.url, "label": shows.label, "value": shows.value}


def _path(collection: Collection, stored: StoredPage) -> list[dict[str, Any]]:
    steps = []
    for url in collection.reader.path_from_seed(stored.link.key, 200):
        page = collection.reader.page(collection.reader.key_of(url))
        judgement = page.judgement if page else None
        known = (page.id, page.title) if page else (None, "")
        judged = (judgement.score, judgement.relevant) if judgement else (None, None)
        steps.append(
            dict(zip(("url", "id", "title", "score", "relevant"), (url, *known, *judged), strict=True))
        )
    return steps


def time_of(at: float) -> str:
    """Return a time for reading."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def day_of(at: float) -> str:
    """Return a day for reading; '' of time 0."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%-d %B %Y") if at else ""

"""What the pages of the library show, as plain data. In: an open collection. Out: values for templates and JSON."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec

from lycosa.collection.catalogue.page_filter import JUDGED, PageFilter, Relevance
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.statistics import EntityKind, PlaceCount
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.search.search import DatedPage
from lycosa.engine.watch.control import harvest_figures
from lycosa.learn.history import harvest_of
from lycosa.library.views.search_query import SearchQuery, page_filter_of
from lycosa.methods.registry import facets
from lycosa.report.description import described
from lycosa.report.summary import gist_of
from lycosa.values import Score
from lycosa.why import opened_by

FIELDS = {
    "sources": "source",
    "languages": "language",
    "places": "place",
    "people": "entity",
    "organisations": "entity",
    **{facet.plural: facet.name for facet in facets()},
    "dates": "since",
    "trails": "trail",
}
"""What can be browsed, and the condition of a search that each becomes."""

ENTITY_KINDS: dict[str, EntityKind] = {"people": "person", "organisations": "organisation"}
"""What can be browsed by name, and what the catalogue calls it."""


def fields_of(collection: Collection) -> list[str]:
    """What pages of a collection can be browsed by: by trails only where a crawl has looked through some."""
    explored = collection.reader.counts().explored
    return [field for field in FIELDS if explored or field != "trails"]


def about(collection: Collection) -> dict[str, Any]:
    """What a collection is, in figures."""
    counts, runs = collection.reader.counts(), collection.reader.runs()
    heading = msgspec.structs.asdict(described(collection))
    return {
        **heading,
        **heading["sections"],
        "pages": counts.judged,
        "relevant": counts.relevant,
        **harvest_figures(harvest_of(collection)),
        "bytes": counts.bytes,
        "last_at": day_of(max((run.ended for run in runs), default=0.0)),
        "seconds": round(collection.reader.seconds(), 1),
    }


def summary(collection: Collection) -> dict[str, Any]:
    """Key sentences, terms, places, people, organisations, sources, languages, categories and the time course."""
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
        "number_of_sources": counted.collected_sources(),
        "languages": [list(pair) for pair in counted.values("language", limit=12)],
        **{
            facet.plural: [list(pair) for pair in counted.categories(facet.name, limit=12)]
            for facet in facets()
        },
        "days": [list(pair) for pair in counted.days()],
    }


def _place(place: PlaceCount) -> dict[str, Any]:
    return {**msgspec.structs.asdict(place), "key": place.key, "in_words": place.in_words}


def choices(collection: Collection) -> dict[str, list[str]]:
    """What the filters of the search offer."""
    counted = collection.statistics
    return {
        "sources": [value for value, _ in counted.values("source", JUDGED, 200)],
        "languages": [value for value, _ in counted.values("language", JUDGED, 50)],
        **{
            facet.plural: [value for value, _ in counted.categories(facet.name, JUDGED, 50)]
            for facet in facets()
        },
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
    for facet in facets():
        if field == facet.plural:
            return counted.categories(facet.name, wanted, 1000)
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
        page = collection.reader.page(collection.reader.key_of(url))
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


def time_of(at: float) -> str:
    """A time for reading."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def day_of(at: float) -> str:
    """A day for reading; '' for the beginning of time."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%-d %B %Y") if at else ""

"""Gather all that one search of Explore shows: hits, counted facets, map, timeline and scores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.search.facets import FacetCounts, Facets
from lycosa.collection.search.search import Order
from lycosa.library.views.search import PER_PAGE, ResultPage, SearchGround, SearchQuery, page_filter_of

NEIGHBOURS = 2000
"""Number of pages of a search that a reader can step through."""


class Explored(msgspec.Struct, frozen=True):
    """One state of Explore."""

    results: ResultPage
    counts: FacetCounts


def explore(collection: Collection, query: SearchQuery, ground: SearchGround, facets: Facets) -> Explored:
    """Run one search."""
    understood = collection.search.understood(query.q, ground.languages)
    words = facets.rows_of(collection.search.matching(understood))
    if query.q and words is None:
        words = facets.rows_of(())
    wanted, labels = page_filter_of(query, collection.directory), labels_in(collection.directory)
    counts = facets.count(wanted, words, {key: label.relevant for key, label in labels.items()})
    ids, page, instead = list[int](), 1, ""
    if counts.total:
        page = query.page
        ids = ids_of(collection, query, ground, facets, limit=PER_PAGE, skip=(page - 1) * PER_PAGE)
    elif query.q:
        instead = collection.search.correction(query.q, ground.languages)
    hits = tuple(collection.search.hits(ids, understood)) if ids else ()
    return Explored(ResultPage(hits, counts.total, page, understood, counts.near_misses, instead), counts)


class Neighbours(msgspec.Struct, frozen=True):
    """The place of a page in a search, from 1, and the pages before and after it."""

    place: int
    total: int
    previous: int | None
    next: int | None


def neighbours(ids: Sequence[int], number: int) -> Neighbours | None:
    """Return the neighbours of a page among the pages of a search; None if it is not among them.

    >>> neighbours([7, 3, 9], 3)
    Neighbours(place=2, total=3, previous=7, next=9)
    """
    if number not in ids:
        return None
    at = ids.index(number)
    return Neighbours(
        at + 1, len(ids), ids[at - 1] if at else None, ids[at + 1] if at + 1 < len(ids) else None
    )


def ids_of(
    collection: Collection,
    query: SearchQuery,
    ground: SearchGround,
    facets: Facets,
    *,
    limit: int = NEIGHBOURS,
    skip: int = 0,
) -> list[int]:
    """Return the ids of a search in their order."""
    wanted = page_filter_of(query, collection.directory)
    understood = collection.search.understood(query.q, ground.languages)
    if understood.wanted and query.order == Order.BEST:
        return collection.search.best_ids(understood, wanted, limit, skip)
    words = facets.rows_of(collection.search.matching(understood))
    found = facets.ordered(wanted, Order(query.order), ground.threshold, words)
    return [int(number) for number in found[skip : skip + limit]]

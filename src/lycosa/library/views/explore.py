"""Explore: hits, counted facets, map, timeline and scores of one search. In: a search as asked. Out: all of them, in step."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.search.facets import FacetCounts, Facets
from lycosa.collection.search.search import Order
from lycosa.library.views.search import PER_PAGE, ResultPage, SearchGround
from lycosa.library.views.search_query import SearchQuery, page_filter_of

NEIGHBOURS = 2000
"""Pages of a search among which a reader goes on to the next."""


class Explored(msgspec.Struct, frozen=True):
    """One state of Explore."""

    results: ResultPage
    counts: FacetCounts


def explore(collection: Collection, query: SearchQuery, ground: SearchGround, facets: Facets) -> Explored:
    """All that one search shows."""
    understood = collection.search.understood(query.q, ground.languages)
    words = facets.rows_of(collection.search.matching(understood))
    if query.q and words is None:
        words = facets.rows_of(())
    wanted, labels = page_filter_of(query, collection.directory), labels_in(collection.directory)
    counts = facets.count(wanted, words, {key: label.relevant for key, label in labels.items()})
    skip = (query.page - 1) * PER_PAGE
    if not counts.total:
        ids: list[int] = []
    elif understood.wanted and query.order == Order.BEST:
        ids = collection.search.ids(
            query.q,
            wanted,
            order=Order.BEST,
            limit=PER_PAGE,
            skip=skip,
            languages=ground.languages,
        )
    else:
        found = facets.ordered(wanted, Order(query.order), ground.threshold, words)
        ids = [int(number) for number in found[skip : skip + PER_PAGE]]
    instead = "" if counts.total or not query.q else collection.search.correction(query.q, ground.languages)
    hits = tuple(collection.search.hits(ids, understood)) if ids else ()
    page = query.page if counts.total else 1
    return Explored(ResultPage(hits, counts.total, page, understood, counts.near_misses, instead), counts)


class Neighbours(msgspec.Struct, frozen=True):
    """The place of a page in a search, counted from 1, and the pages before and after it."""

    place: int
    total: int
    previous: int | None
    next: int | None


def neighbours(ids: Sequence[int], number: int) -> Neighbours | None:
    """The neighbours of a page among the pages of a search; None if it is none of them.

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
    collection: Collection, query: SearchQuery, ground: SearchGround, facets: Facets, limit: int = NEIGHBOURS
) -> list[int]:
    """The pages of a search in their order, the first `limit` of them."""
    wanted = page_filter_of(query, collection.directory)
    understood = collection.search.understood(query.q, ground.languages)
    if understood.wanted and query.order == Order.BEST:
        return collection.search.ids(
            query.q, wanted, order=Order.BEST, limit=limit, languages=ground.languages
        )
    words = facets.rows_of(collection.search.matching(understood))
    found = facets.ordered(wanted, Order(query.order), ground.threshold, words)[:limit]
    return [int(number) for number in found]

"""Finding pages by their words. In: what somebody typed, and a page filter. Out: hits with snippets, best first."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from lycosa.collection.catalogue.page_filter import COLLECTED, JUDGED, Condition, PageFilter, condition_of
from lycosa.collection.catalogue.queries import Queries
from lycosa.collection.catalogue.schema import plain_errors
from lycosa.collection.search.phrases import (
    READ_CHARS,
    TypedQuery,
    as_written,
    match_of,
    query_in,
    snippet_of,
)
from lycosa.collection.search.word_forms import WordForms

COUNTED = 10_000
"""Hits beyond this number are not counted: nobody reads them, and counting would read them all."""

COMMON = 20_000
"""A word that this many pages contain does not tell them apart: their hits come by the judge's score."""

BEGINNING_CHARS = 600
"""How much of a page's text is read for what is shown of it, if it was not found by words."""

_COLUMNS = "pages.id, pages.url, pages.title, source, language, date, words, relevant, score, at"


class Order(StrEnum):
    """Which hits come first."""

    BEST = "best"
    NEWEST = "newest"
    OLDEST = "oldest"
    SCORE = "score"
    UNCERTAIN = "uncertain"


_ORDERS = {
    Order.BEST: "score DESC, id",
    Order.NEWEST: "date DESC, score DESC, id",
    Order.OLDEST: "date = '', date, score DESC, id",
    Order.SCORE: "score DESC, id",
    Order.UNCERTAIN: "abs(score - {threshold:.6f}), id",
}


def _order_by(order: Order, threshold: float) -> str:
    return _ORDERS[order].format(threshold=threshold)


class SearchHit(msgspec.Struct, frozen=True, array_like=True):
    """A page as a search shows it. In the snippet, the words that were found are between MARK and END_MARK."""

    id: int
    url: str
    title: str
    source: str
    language: str
    date: str
    words: int
    relevant: bool
    score: float | None
    at: float
    snippet: str = ""


class SearchResults(msgspec.Struct, frozen=True):
    """Some of the hits. `total` is how many there are, but never more than COUNTED.

    `query` is what was searched for, with all forms of its words; `instead` what may have been meant, where a word of
    it is on no page.
    """

    hits: tuple[SearchHit, ...]
    total: int
    query: TypedQuery = TypedQuery()
    instead: str = ""


class IndexedText(msgspec.Struct, frozen=True):
    """A page (by its id) with its title and the beginning of its text."""

    page: int
    title: str
    source: str
    text: str


class BestPage(msgspec.Struct, frozen=True):
    """A page on the list of the best."""

    url: str
    title: str
    score: float | None
    language: str
    date: str
    category: str  # by the evidence that was asked for


class DatedPage(msgspec.Struct, frozen=True):
    """A page on a timeline."""

    id: int
    title: str
    url: str
    source: str
    date: str
    score: float | None


class Search(Queries):
    """Pages by words, or the best of those that a filter lets through."""

    def find(
        self,
        typed: str,
        wanted: PageFilter = JUDGED,
        *,
        order: Order = Order.BEST,
        limit: int = 20,
        skip: int = 0,
        languages: Sequence[str] = ("en",),
        threshold: float = 0.5,
    ) -> SearchResults:
        """Pages that contain what is typed; without words all that the filter lets through.

        Words are found in all their forms in the `languages`. Whatever is typed, nothing is raised. Pages whose score is
        next to the `threshold` are the most uncertain ones.
        """
        query, by = self.understood(typed, languages), _order_by(order, threshold)
        chosen = _without(condition_of(wanted), query)
        if typed and not query.wanted and not query.unwanted and not query.conditions:
            return SearchResults((), 0)
        if not query.wanted:
            return self._listed(chosen, by, limit, skip)
        found = self._matching(query, chosen, by, order is Order.BEST, limit, skip)
        if found.total:
            return found
        return msgspec.structs.replace(found, instead=self.correction(typed, languages))

    def ids(
        self,
        typed: str,
        wanted: PageFilter,
        *,
        order: Order,
        limit: int,
        skip: int = 0,
        languages: Sequence[str] = ("en",),
    ) -> list[int]:
        """The pages with the words that are typed, by their ids, in an order that may look at their text."""
        query = self.understood(typed, languages)
        chosen = _without(condition_of(wanted), query)
        return self._matching_ids(
            match_of(query), chosen, _order_by(order, 0.5), order is Order.BEST, limit, skip
        )

    def understood(self, typed: str, languages: Sequence[str] = ("en",)) -> TypedQuery:
        """What somebody typed, with all forms of its words that pages contain."""
        query = query_in(typed)
        return self._forms(languages).widened(query) if query.wanted or query.unwanted else query

    def hits(self, ids: Sequence[int], query: TypedQuery) -> list[SearchHit]:
        """These pages, in this order, with what they say of the query; its beginning where it has no words."""
        chars = READ_CHARS if query.wanted else BEGINNING_CHARS
        rows = self._rows(
            f"SELECT {_COLUMNS}, substr(body, 1, {chars}) FROM pages LEFT JOIN texts ON texts.rowid = pages.id"
            f" WHERE pages.id IN ({', '.join(str(int(number)) for number in ids)})"
        )
        by_id = {
            row[0]: _hit((*row[:-1], snippet_of(as_written(row[-1] or ""), query.wanted, row[2])))
            for row in rows
        }
        return [by_id[number] for number in ids if number in by_id]

    def matching(self, query: TypedQuery) -> list[int] | None:
        """The ids of all pages with the words of a query, in no order; None where it has no words."""
        if query.wanted:
            rows = self._rows("SELECT rowid FROM texts WHERE texts MATCH ?", match_of(query))
        elif query.unwanted:
            chosen = _without(Condition("1", ()), query)
            rows = self._rows(f"SELECT id FROM pages WHERE {chosen.sql}", *chosen.values)
        else:
            return None
        return [number for (number,) in rows]

    def correction(self, typed: str, languages: Sequence[str]) -> str:
        """What may have been meant, where a word is on no page; '' where nothing is alike."""
        return self._forms(languages).correction(query_in(typed))

    def count(self, query: TypedQuery, wanted: PageFilter) -> int:
        """How many pages match, but never more than COUNTED."""
        chosen = _without(condition_of(wanted), query)
        if not query.wanted:
            return min(
                COUNTED, self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql}", *chosen.values)
            )
        return self._count(match_of(query), chosen)

    def _forms(self, languages: Sequence[str]) -> WordForms:
        with plain_errors(self._path):
            return WordForms(self._connection, languages)

    def has_text(self) -> bool:
        """Whether any page can be found by its words."""
        return any(self._rows("SELECT 1 FROM texts_docsize LIMIT 1"))

    def best_texts(self, wanted: PageFilter, limit: int, chars: int) -> list[IndexedText]:
        """The texts of the pages with the best scores."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT id, pages.title, source, substr(body, 1, ?) FROM (SELECT id, title, source, score FROM pages"
            f" WHERE {chosen.sql} ORDER BY score DESC, id LIMIT ?) AS pages"
            " JOIN texts ON texts.rowid = pages.id ORDER BY score DESC, id",
            chars,
            *chosen.values,
            limit,
        )
        return [IndexedText(page, title, source, as_written(text)) for page, title, source, text in rows]

    def best(self, wanted: PageFilter, limit: int, category: str = "") -> list[BestPage]:
        """The pages with the best scores, and their label by the evidence `category`."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT url, title, score, language, date, coalesce(evidence.label, '') FROM pages"
            " LEFT JOIN evidence ON evidence.page = pages.id AND evidence.name = ?"
            f" WHERE {chosen.sql} ORDER BY score DESC, id LIMIT ?",
            category,
            *chosen.values,
            limit,
        )
        return [BestPage(*row) for row in rows]

    def best_dated(self, wanted: PageFilter = COLLECTED, limit: int = 60) -> list[DatedPage]:
        """The pages with the best scores that have a date, in the order of their days."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT id, title, url, source, date, score FROM (SELECT * FROM pages WHERE id IN (SELECT id FROM pages"
            f" WHERE {chosen.sql} AND date != '' ORDER BY score DESC LIMIT ?)) ORDER BY date, id",
            *chosen.values,
            limit,
        )
        return [DatedPage(*row) for row in rows]

    def _listed(self, chosen: Condition, by: str, limit: int, skip: int) -> SearchResults:
        total = self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql}", *chosen.values)
        rows = self._rows(
            f"SELECT {_COLUMNS}, substr(body, 1, {BEGINNING_CHARS}) FROM (SELECT * FROM pages WHERE id IN"
            f" (SELECT id FROM pages WHERE {chosen.sql} ORDER BY {by} LIMIT ? OFFSET ?)) AS pages"
            f" LEFT JOIN texts ON texts.rowid = pages.id ORDER BY {by}",
            *chosen.values,
            limit,
            skip,
        )
        return SearchResults(tuple(map(_hit, rows)), min(total, COUNTED))

    def _matching(
        self, query: TypedQuery, chosen: Condition, by: str, is_by_rank: bool, limit: int, skip: int
    ) -> SearchResults:
        match = match_of(query)
        ids = self._matching_ids(match, chosen, by, is_by_rank, limit, skip)
        total = self._count(match, chosen)
        return SearchResults(tuple(self.hits(ids, query)), total, query)

    def _matching_ids(
        self, match: str, chosen: Condition, by: str, is_by_rank: bool, limit: int, skip: int
    ) -> list[int]:
        if is_by_rank and not self._is_common(match):
            by = "rank"
        found = self._rows(
            "SELECT pages.id FROM texts JOIN pages ON pages.id = texts.rowid"
            f" WHERE texts MATCH ? AND {chosen.sql} ORDER BY {by} LIMIT ? OFFSET ?",
            match,
            *chosen.values,
            limit,
            skip,
        )
        return [number for (number,) in found]

    def _count(self, match: str, chosen: Condition) -> int:
        return self._number(
            "SELECT count(*) FROM (SELECT 1 FROM texts JOIN pages ON pages.id = texts.rowid"
            f" WHERE texts MATCH ? AND {chosen.sql} LIMIT {COUNTED})",
            match,
            *chosen.values,
        )

    def _is_common(self, match: str) -> bool:
        """Whether COMMON pages or more match: their ranks would tell little, and take long to work out."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT {COMMON})"
        return self._number(sql, match) == COMMON


def _without(chosen: Condition, query: TypedQuery) -> Condition:
    """The condition, and that what is not wanted is not there, where nothing is wanted that could say so."""
    if query.wanted or not query.unwanted:
        return chosen
    match = match_of(TypedQuery(wanted=(query.unwanted,)))
    return Condition(
        f"{chosen.sql} AND pages.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)",
        (*chosen.values, match),
    )


def _hit(row: tuple[Any, ...]) -> SearchHit:
    snippet = " ".join(as_written(row[-1] or "").split())
    return msgspec.convert((*row[:7], bool(row[7]), *row[8:-1], snippet), SearchHit, strict=False)

"""Find pages by their words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

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
from lycosa.values import UNCERTAIN

COUNTED = 10_000
"""Maximum number of hits counted: counting more would read them all."""

COMMON = 20_000
"""From this number of hits on, the judge's score orders them: computing ranks would take too long."""

BEGINNING_CHARS = 600
"""Characters read of a text that was not found by words."""

_COLUMNS = (
    "pages.id, pages.url, pages.title, source, language, date, words, relevant, score, at, relevant AND "
    f"coalesce((SELECT text LIKE '%{UNCERTAIN}' FROM rules WHERE rules.id = pages.rule), 0)"
)


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
    Order.UNCERTAIN: "abs(score - 0.5), id",
}


class SearchHit(msgspec.Struct, frozen=True, array_like=True):
    """A hit. In the snippet, found words are between MARK and END_MARK."""

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
    uncertain: bool  # kept by a judge that cannot tell yet
    snippet: str = ""


class SearchResults(msgspec.Struct, frozen=True):
    """Some of the hits. `total` counts all, up to COUNTED.

    `query` has all forms of the words; `instead` is a suggestion if no page has one of them.
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
    category: str  # label of the evidence that was asked for


class Search(Queries):
    """Pages by words, or the best of those that a filter selects."""

    def find(
        self,
        typed: str,
        wanted: PageFilter = JUDGED,
        *,
        order: Order = Order.BEST,
        limit: int = 20,
        skip: int = 0,
        languages: Sequence[str] = ("en",),
    ) -> SearchResults:
        """Find pages with the typed words; without words, all that the filter selects. Any text is valid.

        Words are found in all their forms in the `languages`. `Order.UNCERTAIN` puts scores near 0.5 first.
        """
        query = self.understood(typed, languages)
        if typed and not query.wanted and not query.unwanted and not query.conditions:
            return SearchResults((), 0)
        tables, chosen = _chosen(query, wanted)
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {tables} WHERE {chosen.sql} LIMIT {COUNTED})"
        total = self._number(sql, *chosen.values)
        if order is Order.BEST:
            ids = self.best_ids(query, wanted, limit, skip)
        else:
            ids = self._ids(tables, chosen, _ORDERS[order], limit, skip)
        instead = "" if total or not query.wanted else self.correction(typed, languages)
        return SearchResults(tuple(self.hits(ids, query)), total, query, instead)

    def best_ids(self, query: TypedQuery, wanted: PageFilter, limit: int, skip: int = 0) -> list[int]:
        """Return the ids of the best hits of an understood query: by rank, or by score if there are many."""
        by = "rank" if query.wanted and not self._is_common(match_of(query)) else _ORDERS[Order.BEST]
        return self._ids(*_chosen(query, wanted), by, limit, skip)

    def understood(self, typed: str, languages: Sequence[str] = ("en",)) -> TypedQuery:
        """Parse typed text, and add all forms of its words that pages contain."""
        query = query_in(typed)
        return self._forms(languages).widened(query) if query.wanted or query.unwanted else query

    def hits(self, ids: Sequence[int], query: TypedQuery) -> list[SearchHit]:
        """Return these pages in this order, with snippets for the query, or the beginning of their texts."""
        chars = READ_CHARS if query.wanted else BEGINNING_CHARS
        rows = self._rows(
            f"SELECT {_COLUMNS}, substr(body, 1, {chars}) FROM pages LEFT JOIN texts ON texts.rowid = pages.id"
            f" WHERE pages.id IN ({', '.join(str(int(number)) for number in ids)})"
        )
        by_id = {}
        for *row, body in rows:
            snippet = snippet_of(as_written(body or ""), query.wanted, row[2])
            by_id[row[0]] = msgspec.convert((*row, snippet), SearchHit, strict=False)
        return [by_id[number] for number in ids if number in by_id]

    def matching(self, query: TypedQuery) -> list[int] | None:
        """Return the ids of all pages with the words of a query, in no order; None if it has no words."""
        if query.wanted:
            rows = self._rows("SELECT rowid FROM texts WHERE texts MATCH ?", match_of(query))
        elif query.unwanted:
            unwanted = _without(query)
            rows = self._rows(f"SELECT id FROM pages WHERE {unwanted.sql}", *unwanted.values)
        else:
            return None
        return [number for (number,) in rows]

    def correction(self, typed: str, languages: Sequence[str]) -> str:
        """Return a suggestion for words that no page has; '' if no word is similar."""
        return self._forms(languages).correction(query_in(typed))

    def has_text(self) -> bool:
        """Return whether any page can be found by its words."""
        return any(self._rows("SELECT 1 FROM texts_docsize LIMIT 1"))

    def best_texts(self, wanted: PageFilter, limit: int, chars: int) -> list[IndexedText]:
        """Return the texts of the pages with the best scores."""
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
        """Return the pages with the best scores, and their label by the evidence `category`."""
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

    def best_dated(self, wanted: PageFilter = COLLECTED, limit: int = 60) -> list[SearchHit]:
        """Return the dated pages with the best scores, in the order of their days."""
        chosen = condition_of(wanted)
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM pages WHERE id IN (SELECT id FROM pages"
            f" WHERE {chosen.sql} AND date != '' ORDER BY score DESC LIMIT ?) ORDER BY date, id",
            *chosen.values,
            limit,
        )
        return [msgspec.convert(row, SearchHit, strict=False) for row in rows]

    def _ids(self, tables: str, chosen: Condition, by: str, limit: int, skip: int) -> list[int]:
        sql = f"SELECT pages.id FROM {tables} WHERE {chosen.sql} ORDER BY {by} LIMIT ? OFFSET ?"
        return [number for (number,) in self._rows(sql, *chosen.values, limit, skip)]

    def _forms(self, languages: Sequence[str]) -> WordForms:
        with plain_errors(self._path):
            return WordForms(self._connection, languages)

    def _is_common(self, match: str) -> bool:
        """Return whether there are COMMON hits or more."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT {COMMON})"
        return self._number(sql, match) == COMMON


def _chosen(query: TypedQuery, wanted: PageFilter) -> tuple[str, Condition]:
    """Return the tables of a search and the condition of its hits."""
    chosen = condition_of(wanted)
    if query.wanted:
        words = Condition("texts MATCH ?", (match_of(query),))
        return "texts JOIN pages ON pages.id = texts.rowid", _both(words, chosen)
    return "pages", _both(chosen, _without(query)) if query.unwanted else chosen


def _without(query: TypedQuery) -> Condition:
    """Return the condition that pages lack the unwanted words of a query that wants none."""
    match = match_of(TypedQuery(wanted=(query.unwanted,)))
    return Condition("pages.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH ?)", (match,))


def _both(one: Condition, other: Condition) -> Condition:
    return Condition(f"{one.sql} AND {other.sql}", (*one.values, *other.values))

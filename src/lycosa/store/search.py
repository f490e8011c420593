"""Finding pages by their words. In: what somebody typed, and a page filter. Out: hits with snippets, best first."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from lycosa.store.page_filter import COLLECTED, JUDGED, Condition, PageFilter, condition_of
from lycosa.store.phrases import READ_CHARS, Phrase, as_written, match_of, phrases_in, snippet_of
from lycosa.store.queries import Queries

COUNTED = 10_000
"""Hits beyond this number are not counted: nobody reads them, and counting would read them all."""

COMMON = 20_000
"""A word that this many pages contain does not tell them apart: their hits come by the judge's score."""

BEGINNING_CHARS = 240
"""How much of a page's text is shown if it was not found by words."""

_COLUMNS = "pages.id, pages.url, pages.title, source, language, date, words, relevant, score, at"


class Order(StrEnum):
    """Which hits come first."""

    BEST = "best"
    NEWEST = "newest"
    OLDEST = "oldest"


_ORDERS = {
    Order.BEST: "score DESC, id",
    Order.NEWEST: "date DESC, score DESC, id",
    Order.OLDEST: "date = '', date, score DESC, id",
}


class SearchHit(msgspec.Struct, frozen=True, array_like=True):
    """A page as a search shows it. In the snippet, the words that were found stand between MARK and END_MARK."""

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
    """Some of the hits. `total` is how many there are, but never more than COUNTED."""

    hits: tuple[SearchHit, ...]
    total: int


class IndexedText(msgspec.Struct, frozen=True):
    """A page (by its id) with its title and the beginning of its text."""

    page: int
    title: str
    text: str


class BestPage(msgspec.Struct, frozen=True):
    """A page on the list of the best."""

    url: str
    title: str
    score: float | None
    language: str
    date: str
    genre: str


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
    ) -> SearchResults:
        """Pages that contain all words; without words all that the filter lets through. Whatever is typed, nothing is raised."""
        phrases, chosen = phrases_in(typed), condition_of(wanted)
        if typed and not phrases:
            return SearchResults((), 0)
        if phrases:
            return self._matching(phrases, chosen, order, limit, skip)
        return self._listed(chosen, order, limit, skip)

    def has_text(self) -> bool:
        """Whether any page can be found by its words."""
        return any(self._rows("SELECT 1 FROM texts_docsize LIMIT 1"))

    def best_texts(self, wanted: PageFilter, limit: int, chars: int) -> list[IndexedText]:
        """The texts of the pages with the best scores."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT id, pages.title, substr(body, 1, ?) FROM (SELECT id, title, score FROM pages"
            f" WHERE {chosen.sql} ORDER BY score DESC, id LIMIT ?) AS pages"
            " JOIN texts ON texts.rowid = pages.id ORDER BY score DESC, id",
            chars,
            *chosen.values,
            limit,
        )
        return [IndexedText(page, title, as_written(text)) for page, title, text in rows]

    def best(self, wanted: PageFilter, limit: int) -> list[BestPage]:
        """The pages with the best scores, and their genre where it was judged."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT url, title, score, language, date, coalesce(genre.label, '') FROM pages"
            " LEFT JOIN evidence AS genre ON genre.page = pages.id AND genre.name = 'genre'"
            f" WHERE {chosen.sql} ORDER BY score DESC, id LIMIT ?",
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

    def _listed(self, chosen: Condition, order: Order, limit: int, skip: int) -> SearchResults:
        total = self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql}", *chosen.values)
        rows = self._rows(
            f"SELECT {_COLUMNS}, substr(body, 1, {BEGINNING_CHARS}) FROM (SELECT * FROM pages WHERE id IN"
            f" (SELECT id FROM pages WHERE {chosen.sql} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?)) AS pages"
            f" LEFT JOIN texts ON texts.rowid = pages.id ORDER BY {_ORDERS[order]}",
            *chosen.values,
            limit,
            skip,
        )
        return SearchResults(tuple(map(_hit, rows)), min(total, COUNTED))

    def _matching(
        self, phrases: Sequence[Phrase], chosen: Condition, order: Order, limit: int, skip: int
    ) -> SearchResults:
        match = match_of(phrases)
        by = "rank" if order is Order.BEST and not self._is_common(match) else _ORDERS[order]
        found = self._rows(
            "SELECT pages.id FROM texts JOIN pages ON pages.id = texts.rowid"
            f" WHERE texts MATCH ? AND {chosen.sql} ORDER BY {by} LIMIT ? OFFSET ?",
            match,
            *chosen.values,
            limit,
            skip,
        )
        ids = [number for (number,) in found]
        total = self._number(
            "SELECT count(*) FROM (SELECT 1 FROM texts JOIN pages ON pages.id = texts.rowid"
            f" WHERE texts MATCH ? AND {chosen.sql} LIMIT {COUNTED})",
            match,
            *chosen.values,
        )
        rows = self._rows(
            f"SELECT {_COLUMNS}, substr(body, 1, {READ_CHARS}) FROM pages JOIN texts ON texts.rowid = pages.id"
            f" WHERE pages.id IN ({', '.join(map(str, ids))})"
        )
        by_id = {row[0]: _hit((*row[:-1], snippet_of(as_written(row[-1] or ""), phrases))) for row in rows}
        return SearchResults(tuple(by_id[number] for number in ids if number in by_id), total)

    def _is_common(self, match: str) -> bool:
        """Whether COMMON pages or more match: their ranks would tell little, and take long to work out."""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT {COMMON})"
        return self._number(sql, match) == COMMON


def _hit(row: tuple[Any, ...]) -> SearchHit:
    snippet = " ".join(as_written(row[-1] or "").split())
    return msgspec.convert((*row[:7], bool(row[7]), *row[8:-1], snippet), SearchHit, strict=False)

"""Searching a collection. In: filters. Out: hits with snippets, and how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from markupsafe import Markup, escape

from lycosa.library.filters import Filters, chosen_of
from lycosa.report.overview import Chosen, has_table
from lycosa.store.collection import ReadCollection
from lycosa.store.labels import labels_in
from lycosa.store.phrases import END_MARK, MARK, READ_CHARS, Phrase, match_of, phrases_in, snippet_of

PER_PAGE = 20
COUNTED = 10_000
"""Hits beyond so many are not counted: nobody reads them, and counting would read them all."""

COMMON = 20_000
"""Words of so many pages tell them apart no more: their hits come by the judge's score."""

_COLUMNS = "pages.id, pages.url, pages.title, source, language, date, words, relevant, score, at"
_ORDERS = {
    "best": "score DESC, id",
    "newest": "date DESC, score DESC, id",
    "oldest": "date = '', date, score DESC, id",
}


class Found(msgspec.Struct, frozen=True, array_like=True):
    """A page as a search shows it. The snippet's found words stand between MARK and END_MARK."""

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

    @property
    def marked(self) -> Markup:
        """The snippet as HTML: nothing of the page's own text is markup."""
        return marked(self.snippet)


class Results(msgspec.Struct, frozen=True):
    """One page of hits. `total` is at most COUNTED; then there are more."""

    hits: tuple[Found, ...]
    total: int
    page: int

    @property
    def pages(self) -> int:
        """How many pages of results there are."""
        return -(-self.total // PER_PAGE)


def marked(snippet: str) -> Markup:
    """A snippet with the found words in `mark`.

    >>> marked("<b> " + MARK + "owls" + END_MARK)
    Markup('&lt;b&gt; <mark>owls</mark>')
    """
    return escape(snippet).replace(MARK, Markup("<mark>")).replace(END_MARK, Markup("</mark>"))


def condition(collection: ReadCollection, filters: Filters) -> Chosen:
    """The condition of a search in this collection."""
    labelled: dict[str, list[int]] = {"yes": [], "no": []}
    if filters.label:
        for label in labels_in(collection.directory).values():
            labelled["yes" if label.relevant else "no"].append(label.key)
    has_places = has_table(collection.connection, "places")
    return chosen_of(filters, has_places=has_places, labelled=labelled)


def find(collection: ReadCollection, filters: Filters) -> Results:
    """Search: by words, best match first, or all pages that the conditions leave."""
    chosen = condition(collection, filters)
    phrases = phrases_in(filters.q)
    if filters.q and not phrases:
        return Results((), 0, 1)
    return (
        _matching(collection, filters, chosen, phrases) if phrases else _listed(collection, filters, chosen)
    )


def _listed(collection: ReadCollection, filters: Filters, chosen: Chosen) -> Results:
    run = collection.connection.execute
    (total,) = run(f"SELECT count(*) FROM pages WHERE {chosen.sql}", chosen.values).fetchone()
    rows = run(
        f"SELECT {_COLUMNS}, substr(body, 1, 240) FROM (SELECT * FROM pages WHERE id IN (SELECT id FROM pages"
        f" WHERE {chosen.sql} ORDER BY {_ORDERS[filters.order]} LIMIT ? OFFSET ?)) AS pages"
        f" LEFT JOIN texts ON texts.rowid = pages.id ORDER BY {_ORDERS[filters.order]}",
        (*chosen.values, PER_PAGE, (filters.page - 1) * PER_PAGE),
    )
    return Results(tuple(map(_found, rows)), min(total, COUNTED), filters.page)


def _matching(
    collection: ReadCollection, filters: Filters, chosen: Chosen, phrases: Sequence[Phrase]
) -> Results:
    run, match = collection.connection.execute, match_of(phrases)
    order = _ORDERS[filters.order]
    if filters.order == "best" and not _is_common(collection, match):
        order = "rank"
    ids = [
        number
        for (number,) in run(
            f"SELECT pages.id FROM texts JOIN pages ON pages.id = texts.rowid WHERE texts MATCH ? AND {chosen.sql}"
            f" ORDER BY {order} LIMIT ? OFFSET ?",
            (match, *chosen.values, PER_PAGE, (filters.page - 1) * PER_PAGE),
        )
    ]
    (total,) = run(
        "SELECT count(*) FROM (SELECT 1 FROM texts JOIN pages ON pages.id = texts.rowid"
        f" WHERE texts MATCH ? AND {chosen.sql} LIMIT {COUNTED})",
        (match, *chosen.values),
    ).fetchone()
    rows = run(
        f"SELECT {_COLUMNS}, substr(body, 1, {READ_CHARS}) FROM pages JOIN texts ON texts.rowid = pages.id"
        f" WHERE pages.id IN ({', '.join(map(str, ids))})"
    ).fetchall()
    by_id = {row[0]: _found((*row[:-1], snippet_of(row[-1] or "", phrases))) for row in rows}
    return Results(tuple(by_id[number] for number in ids if number in by_id), total, filters.page)


def _is_common(collection: ReadCollection, match: str) -> bool:
    """Whether so many pages match that how well they do tells little, and would take long to work out for all."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? LIMIT {COMMON})"
    return int(collection.connection.execute(sql, (match,)).fetchone()[0]) == COMMON


def _found(row: tuple[Any, ...]) -> Found:
    snippet = " ".join((row[-1] or "").split())
    return msgspec.convert((*row[:7], bool(row[7]), *row[8:-1], snippet), Found, strict=False)

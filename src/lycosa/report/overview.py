"""What a collection is made of: places, people, organisations, genres, sources, languages and days, counted.

In: an open collection and a condition on its pages. Out: counts. Tables that a collection does not have
(no place was looked for, no genre judged) count as empty.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec


class Chosen(msgspec.Struct, frozen=True):
    """A condition on the rows of `pages`, with its values. Composed of our own constants only."""

    sql: str = "relevant AND NOT explored"
    values: tuple[Any, ...] = ()


KEPT = Chosen()
"""The pages that the collection is about: relevant, and not fetched only to be looked through."""


def words_of(value: object) -> list[str]:
    """A list of words of a spec that anybody may have written.

    >>> words_of(["owl", 5]), words_of("owl")
    (['owl', '5'], [])
    """
    return [str(word) for word in value] if isinstance(value, list) else []


class Spot(msgspec.Struct, frozen=True):
    """A place with the number of pages that name it."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str
    pages: int


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the catalogue has this table."""
    sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return connection.execute(sql, (name,)).fetchone() is not None


def spots(
    connection: sqlite3.Connection, chosen: Chosen = KEPT, most: int = 500, *, mapped: bool = False
) -> list[Spot]:
    """The places that most pages name; only those with coordinates if `mapped`."""
    if not has_table(connection, "places"):
        return []
    # The pages first, and no index for the grouping: it would fetch the rows of both tables in random order.
    rows = connection.execute(
        "SELECT places.canonical, max(places.kind), max(lat), max(lon), max(country), count(*) FROM places"
        f" WHERE places.page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
        f"{' AND lat IS NOT NULL AND lon IS NOT NULL' if mapped else ''}"
        " GROUP BY +places.canonical ORDER BY 6 DESC, 1 LIMIT ?",
        (*chosen.values, most),
    )
    return [Spot(*row) for row in rows]


ENTITY_KINDS = {"people": "person", "organisations": "organisation"}
"""What can be browsed by name, and what the catalogue calls it."""


def entities(
    connection: sqlite3.Connection, kind: str, chosen: Chosen = KEPT, most: int = 100
) -> list[tuple[str, int]]:
    """The people or organisations (`kind` as in the catalogue) that most pages name."""
    rows = connection.execute(
        "SELECT entities.name, count(*), sum(entities.count) FROM entities"
        f" WHERE entities.kind = ? AND entities.page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
        " GROUP BY +entities.name ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?",
        (kind, *chosen.values, most),
    )
    return [(name, pages) for name, pages, _ in rows]


def genres(connection: sqlite3.Connection, chosen: Chosen = KEPT, most: int = 100) -> list[tuple[str, int]]:
    """The genres that pages were judged to be of."""
    rows = connection.execute(
        "SELECT label, count(*) FROM evidence JOIN pages ON pages.id = evidence.page"
        f" WHERE evidence.name = 'genre' AND label != '' AND {chosen.sql} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (*chosen.values, most),
    )
    return [(label, count) for label, count in rows]


def counted(
    connection: sqlite3.Connection, column: str, chosen: Chosen = KEPT, most: int = 100
) -> list[tuple[str, int]]:
    """How many pages have each value of a text column (`source`, `language`)."""
    rows = connection.execute(
        f"SELECT {column}, count(*) FROM pages WHERE {chosen.sql} AND {column} != ''"
        " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (*chosen.values, most),
    )
    return [(value, count) for value, count in rows]


def days(connection: sqlite3.Connection, chosen: Chosen = KEPT) -> list[tuple[str, int]]:
    """(day of publication, pages), in the order of days. Undated pages are left out."""
    rows = connection.execute(
        f"SELECT substr(date, 1, 10), count(*) FROM pages WHERE {chosen.sql} AND date != '' GROUP BY 1 ORDER BY 1",
        chosen.values,
    )
    return [(day, count) for day, count in rows if len(day) == 10]


def periods(by_day: Sequence[tuple[str, int]], most: int = 80) -> tuple[str, list[tuple[str, int]]]:
    """Days, months or years, whichever are the finest that make at most so many, gaps included.

    >>> periods([("2024-01-30", 2), ("2024-02-02", 1)])
    ('day', [('2024-01-30', 2), ('2024-01-31', 0), ('2024-02-01', 0), ('2024-02-02', 1)])
    >>> periods([("2022-12-30", 2), ("2024-02-02", 1)], most=20)[1][:2]
    [('2022-12', 2), ('2023-01', 0)]
    """
    if not by_day:
        return "day", []
    for unit, length in (("day", 10), ("month", 7), ("year", 4)):
        sums: dict[str, int] = {}
        for day, count in by_day:
            sums[day[:length]] = sums.get(day[:length], 0) + count
        steps = _between(min(sums), max(sums), unit, most if unit != "year" else 10_000)
        if steps:
            return unit, [(step, sums.get(step, 0)) for step in steps]
    return "year", [(day[:4], count) for day, count in by_day]


def _between(first: str, last: str, unit: str, most: int) -> list[str]:
    """All periods from the first to the last; none if they are more than `most` or not dates."""
    import datetime

    try:
        at, end = (datetime.date.fromisoformat((text + "-01-01")[:10]) for text in (first, last))
    except ValueError:
        return []
    length, steps = len(first), [at.isoformat()[: len(first)]]
    while at < end:
        if len(steps) == most:
            return []
        if unit == "day":
            at += datetime.timedelta(days=1)
        else:
            months = at.month if unit == "month" else 12
            at = datetime.date(at.year + months // 12, months % 12 + 1, 1)
        steps.append(at.isoformat()[:length])
    return steps

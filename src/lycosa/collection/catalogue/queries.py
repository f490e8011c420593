"""The base of all classes that read a catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from lycosa.collection.archive.warc import EarlierCapture
from lycosa.collection.catalogue.schema import plain_errors


def fact_in(connection: sqlite3.Connection, name: str) -> bytes | None:
    """Return a fact about the collection as a whole."""
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return bytes(row[0]) if row else None


def first_capture(
    connection: sqlite3.Connection, condition: str, *values: object, order: str = "ASC"
) -> EarlierCapture | None:
    """Return the first good capture that meets a condition on `captures` and `pages`."""
    sql = (
        "SELECT pages.url, captures.at, captures.digest FROM captures JOIN pages ON pages.id = captures.page"
        f" WHERE captures.status = 200 AND {condition} ORDER BY captures.at {order} LIMIT 1"
    )
    row = connection.execute(sql, values).fetchone()
    return EarlierCapture(*row) if row else None


class Queries:
    """Named queries on `catalogue.db`; each subclass has those of one purpose."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def _rows(self, sql: str, *values: object) -> Iterator[tuple]:  # type: ignore[type-arg]
        with plain_errors(self._path):
            # `chain`, because `yield from` closes a cursor, which fails once its connection is closed.
            yield from chain(self._connection.execute(sql, values))

    def _number(self, sql: str, *values: object) -> int:
        """Return the single number that a query gives."""
        return int(next(self._rows(sql, *values))[0])

    def _fact(self, name: str) -> bytes | None:
        with plain_errors(self._path):
            return fact_in(self._connection, name)

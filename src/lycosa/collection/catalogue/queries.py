"""What the readers of a catalogue share. In: a connection. Out: rows, and errors in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from lycosa.collection.catalogue.schema import plain_errors


class Queries:
    """Named queries on `catalogue.db`; each subclass has those of one purpose."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def _rows(self, sql: str, *values: object) -> Iterator[tuple]:  # type: ignore[type-arg]
        with plain_errors(self._path):
            yield from self._connection.execute(sql, values)

    def _number(self, sql: str, *values: object) -> int:
        """The one number that a query gives."""
        return int(next(self._rows(sql, *values))[0])

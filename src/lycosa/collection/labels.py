"""Store and read labels: what people say about pages, relevant or not.

The library never writes to the catalogue, so labels have a database of their own, `labels.db`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.schema import plain_errors

FILE = "labels.db"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS labels "
    "(key INTEGER PRIMARY KEY, url TEXT NOT NULL, relevant INTEGER NOT NULL, at REAL NOT NULL, "
    "asked INTEGER NOT NULL DEFAULT 1)"
)


class Label(msgspec.Struct, frozen=True):
    """A person's answer about a page (by its key). `asked`: Lycosa asked; otherwise the person chose the page."""

    key: int
    url: str
    relevant: bool
    at: float
    asked: bool = True


def labels_in(directory: Path) -> dict[int, Label]:
    """Return all labels of a collection by key, newest first."""
    if not (directory / FILE).is_file():
        return {}
    with _opened(directory) as connection:
        rows = connection.execute(
            "SELECT key, url, relevant, at, asked FROM labels ORDER BY at DESC"
        ).fetchall()
    return {row[0]: Label(row[0], row[1], bool(row[2]), row[3], bool(row[4])) for row in rows}


def set_label(directory: Path, label: Label) -> None:
    """Store a label; it replaces an earlier one on the same page."""
    with _opened(directory) as connection:
        row = (label.key, label.url, label.relevant, label.at, label.asked)
        connection.execute("INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?, ?)", row)


def clear_label(directory: Path, key: int) -> None:
    """Delete the label of a page."""
    with _opened(directory) as connection:
        connection.execute("DELETE FROM labels WHERE key = ?", (key,))


@contextmanager
def _opened(directory: Path) -> Iterator[sqlite3.Connection]:
    path = directory / FILE
    with plain_errors(path):
        connection = sqlite3.connect(path)
        try:
            with connection:
                connection.execute(_TABLE)
                yield connection
        finally:
            connection.close()

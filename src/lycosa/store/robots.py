"""The robots.txt files that were read, kept with the collection so that a restart asks for none again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Protocol, TypeVar

from lycosa.store.schema import plain_errors


class RobotsText(Protocol):
    """A robots.txt as it is kept: `lycosa.fetch.robots.StoredRobots` is one."""

    @property
    def text(self) -> str: ...
    @property
    def status(self) -> int: ...
    @property
    def fetched_at(self) -> float: ...


T = TypeVar("T", bound=RobotsText)


class RobotsTable(MutableMapping[str, T]):
    """authority -> robots.txt, as a mapping over the catalogue. A write outside `commit` is its own."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, make: Callable[[str, int, float], T]
    ) -> None:
        self._connection = connection
        self._path = path
        self._make = make

    def __getitem__(self, authority: str) -> T:
        sql = "SELECT text, status, fetched_at FROM robots WHERE authority = ?"
        with plain_errors(self._path):
            row = self._connection.execute(sql, (authority,)).fetchone()
        if row is None:
            raise KeyError(authority)
        return self._make(row[0].decode("utf-8", "surrogatepass"), row[1], row[2])

    def __setitem__(self, authority: str, robots: T) -> None:
        text = robots.text.encode("utf-8", "surrogatepass")
        with plain_errors(self._path):
            self._connection.execute(
                "INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)",
                (authority, text, robots.status, robots.fetched_at),
            )

    def __delitem__(self, authority: str) -> None:
        with plain_errors(self._path):
            gone = self._connection.execute("DELETE FROM robots WHERE authority = ?", (authority,)).rowcount
        if not gone:
            raise KeyError(authority)

    def __iter__(self) -> Iterator[str]:
        with plain_errors(self._path):
            rows = self._connection.execute("SELECT authority FROM robots").fetchall()
        return (authority for (authority,) in rows)

    def __len__(self) -> int:
        with plain_errors(self._path):
            return int(self._connection.execute("SELECT count(*) FROM robots").fetchone()[0])

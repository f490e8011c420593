"""Store robots.txt files and rests with the collection, so that a restart respects both."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, MutableMapping
from math import isinf
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.rows import Catalogue
from lycosa.collection.catalogue.schema import plain_errors
from lycosa.fetch.polite.robots import StoredRobots


class RobotsTable(MutableMapping[str, StoredRobots]):
    """Authority -> robots.txt, as a mapping over the catalogue. A write outside `commit` is a transaction of its own."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def __getitem__(self, authority: str) -> StoredRobots:
        sql = "SELECT text, status, fetched_at FROM robots WHERE authority = ?"
        with plain_errors(self._path):
            row = self._connection.execute(sql, (authority,)).fetchone()
        if row is None:
            raise KeyError(authority)
        return StoredRobots(row[0].decode("utf-8", "surrogatepass"), row[1], row[2])

    def __setitem__(self, authority: str, robots: StoredRobots) -> None:
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


FACT = "rests"
"""The fact that holds them."""


class Rests(dict[str, float]):
    """Authority -> seconds since the epoch. Infinite while a request is in flight.

    A host whose request was in flight at a crash rests from `now` for `restart_rest_s`.
    """

    def __init__(self, catalogue: Catalogue, now: float, restart_rest_s: float) -> None:
        packed = catalogue.fact(FACT)
        found = msgspec.msgpack.decode(packed, type=dict[str, float]) if packed else {}
        until = {name: now + restart_rest_s if isinf(at) else at for name, at in found.items()}
        super().__init__({name: at for name, at in until.items() if at > now})
        self._catalogue = catalogue

    def __setitem__(self, authority: str, until: float) -> None:
        super().__setitem__(authority, until)
        self._catalogue.set_fact(FACT, msgspec.msgpack.encode(dict(self)))

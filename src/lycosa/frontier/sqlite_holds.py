"""Holds in SQLite. The caller owns the tables and the transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from lycosa.frontier.holds import Holds
from lycosa.frontier.rows import over_keys, pack, read_link
from lycosa.values import Decision, Link


class SqliteHolds(Holds):
    """Holds in three tables; memory has only their number, and the ripe ones."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._db = connection
        self.links = self._number("SELECT count(*) FROM held")
        self._awaited = self._number("SELECT count(*) FROM awaited")
        self.ripe = dict(
            connection.execute(
                "SELECT name, id FROM holds WHERE NOT EXISTS (SELECT 1 FROM awaited WHERE hold = holds.id)"
            )
        )

    def names(self) -> tuple[str, ...]:
        return tuple(name for (name,) in self._db.execute("SELECT name FROM holds ORDER BY id"))

    def holding(self, keys: Collection[int]) -> set[int]:
        if not self.links:
            return set()
        rows = over_keys(self._db, "SELECT hash FROM held WHERE hash IN ({})", keys)
        return {key for (key,) in rows}

    def find(self, key: int) -> tuple[str, Link] | None:
        row = self._db.execute(
            "SELECT name, link FROM held JOIN holds ON holds.id = hold WHERE hash = ?", (key,)
        ).fetchone()
        return None if row is None else (row[0], read_link(row[1]))

    def hold(self, decisions: Iterable[Decision], pending: Collection[int]) -> None:
        held: list[tuple[int, int, bytes]] = []
        awaited: set[tuple[int, int]] = set()
        numbers: dict[str, int] = {}
        for decision in decisions:
            name = decision.hold
            if name not in numbers:
                numbers[name] = self._number_of(name)
            held.append((decision.link.key, numbers[name], pack(decision.link)))
            awaited.update((key, numbers[name]) for key in decision.waits_for if key in pending)
        self._db.executemany("INSERT INTO held (hash, hold, link) VALUES (?, ?, ?)", held)
        cursor = self._db.executemany("INSERT OR IGNORE INTO awaited VALUES (?, ?)", sorted(awaited))
        self.links += len(held)
        self._awaited += max(0, cursor.rowcount)
        for name, number in numbers.items():
            self._note_ripe(name, number)

    def leave(self, keys: Iterable[int]) -> None:
        cursor = self._db.executemany("DELETE FROM held WHERE hash = ?", [(key,) for key in keys])
        self.links -= max(0, cursor.rowcount)

    def wait_too(self, key: int, other: int) -> None:
        cursor = self._db.execute(
            "INSERT OR IGNORE INTO awaited SELECT ?, hold FROM awaited WHERE hash = ?", (other, key)
        )
        self._awaited += max(0, cursor.rowcount)

    def ended(self, keys: Collection[int]) -> tuple[str, ...]:
        if not self._awaited:
            return ()
        rows = over_keys(self._db, "SELECT hold, hash FROM awaited WHERE hash IN ({})", keys)
        self._db.executemany("DELETE FROM awaited WHERE hold = ? AND hash = ?", rows)
        self._awaited -= len(rows)
        ripe = []
        for number in sorted({number for number, _ in rows}):
            name = self._db.execute("SELECT name FROM holds WHERE id = ?", (number,)).fetchone()[0]
            if self._note_ripe(name, number):
                ripe.append(name)
        return tuple(ripe)

    def release(self, name: str) -> tuple[tuple[Link, ...], list[int]]:
        row = self._db.execute("SELECT id FROM holds WHERE name = ?", (name,)).fetchone()
        if row is None:
            return (), []
        self.ripe.pop(name, None)
        links = self._db.execute("SELECT link FROM held WHERE hold = ? ORDER BY id", row).fetchall()
        alone = self._db.execute(
            "SELECT hash FROM awaited AS mine WHERE hold = ? AND NOT EXISTS"
            " (SELECT 1 FROM awaited WHERE hash = mine.hash AND hold <> mine.hold) ORDER BY hash",
            row,
        ).fetchall()
        self.links -= len(links)
        self._awaited -= self._db.execute("DELETE FROM awaited WHERE hold = ?", row).rowcount
        self._db.execute("DELETE FROM held WHERE hold = ?", row)
        self._db.execute("DELETE FROM holds WHERE id = ?", row)
        return tuple(read_link(link) for (link,) in links), [key for (key,) in alone]

    def _number(self, query: str) -> int:
        return int(self._db.execute(query).fetchone()[0])

    def _number_of(self, name: str) -> int:
        self._db.execute("INSERT OR IGNORE INTO holds (name) VALUES (?)", (name,))
        return int(self._db.execute("SELECT id FROM holds WHERE name = ?", (name,)).fetchone()[0])

    def _note_ripe(self, name: str, number: int) -> bool:
        if self._db.execute("SELECT 1 FROM awaited WHERE hold = ? LIMIT 1", (number,)).fetchone():
            self.ripe.pop(name, None)
            return False
        self.ripe[name] = number
        return True

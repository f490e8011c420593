"""Holds: named groups of links that wait outside the queue for other URLs."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

from lycosa.frontier.rows import over_keys, pack, read_link
from lycosa.values import Decision, Link


class Holds(ABC):
    """The open holds. A hold that waits for nothing is *ripe*; it stays open until released."""

    def __init__(self) -> None:
        self.links = 0  # held links
        self.ripe: dict[str, int] = {}  # name -> number by age

    def orphans(self) -> tuple[str, ...]:
        """Return the ripe holds, oldest first."""
        return tuple(sorted(self.ripe, key=self.ripe.__getitem__))

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return all open holds, oldest first."""

    @abstractmethod
    def holding(self, keys: Collection[int]) -> set[int]:
        """Return the keys that are held."""

    @abstractmethod
    def find(self, key: int) -> tuple[str, Link] | None:
        """Return the hold and the link of a held key."""

    @abstractmethod
    def hold(self, decisions: Iterable[Decision], pending: Collection[int]) -> None:
        """Hold links. They wait for their `waits_for` that are pending."""

    @abstractmethod
    def leave(self, keys: Iterable[int]) -> None:
        """Remove links from their holds, which stay open."""

    @abstractmethod
    def wait_too(self, key: int, other: int) -> None:
        """Let holds that wait for `key` also wait for `other`, which is pending."""

    @abstractmethod
    def ended(self, keys: Collection[int]) -> tuple[str, ...]:
        """Note that URLs are done or dropped. Return the holds that are ripe now, oldest first."""

    @abstractmethod
    def release(self, name: str) -> tuple[tuple[Link, ...], list[int]]:
        """Remove a hold. Return its links, and the pending keys that no other hold waits for."""


class MemoryHolds(Holds):
    """Holds in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._links: dict[str, dict[int, Link]] = {}
        self._pending: dict[str, set[int]] = {}
        self._hold_of: dict[int, str] = {}
        self._waiting_for: dict[int, set[str]] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def holding(self, keys: Collection[int]) -> set[int]:
        return {key for key in keys if key in self._hold_of} if self._hold_of else set()

    def find(self, key: int) -> tuple[str, Link] | None:
        name = self._hold_of.get(key)
        return None if name is None else (name, self._links[name][key])

    def hold(self, decisions: Iterable[Decision], pending: Collection[int]) -> None:
        for decision in decisions:
            name, key = decision.hold, decision.link.key
            if name not in self._numbers:
                self._count += 1
                self._numbers[name] = self._count
                self._links[name], self._pending[name] = {}, set()
            self._links[name][key] = decision.link
            self._hold_of[key] = name
            for awaited in decision.waits_for:
                if awaited in pending:
                    self._pending[name].add(awaited)
                    self._waiting_for.setdefault(awaited, set()).add(name)
            self._note_ripe(name)
        self.links = len(self._hold_of)

    def leave(self, keys: Iterable[int]) -> None:
        for key in keys:
            del self._links[self._hold_of.pop(key)][key]
        self.links = len(self._hold_of)

    def wait_too(self, key: int, other: int) -> None:
        for name in self._waiting_for.get(key, ()):
            self._pending[name].add(other)
            self._waiting_for.setdefault(other, set()).add(name)

    def ended(self, keys: Collection[int]) -> tuple[str, ...]:
        names: set[str] = set()
        for key in keys if self._waiting_for else ():
            for name in self._waiting_for.pop(key, ()):
                self._pending[name].discard(key)
                names.add(name)
        return tuple(sorted(filter(self._note_ripe, names), key=self._numbers.__getitem__))

    def release(self, name: str) -> tuple[tuple[Link, ...], list[int]]:
        if self._numbers.pop(name, None) is None:
            return (), []
        self.ripe.pop(name, None)
        links = self._links.pop(name)
        for key in links:
            del self._hold_of[key]
        self.links = len(self._hold_of)
        alone = []
        for key in sorted(self._pending.pop(name)):
            others = self._waiting_for[key]
            others.discard(name)
            if not others:
                del self._waiting_for[key]
                alone.append(key)
        return tuple(links.values()), alone

    def _note_ripe(self, name: str) -> bool:
        if self._pending[name]:
            self.ripe.pop(name, None)
            return False
        self.ripe[name] = self._numbers[name]
        return True


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

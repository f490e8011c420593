"""A frontier in SQLite, for crawls that must survive a crash."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from sqlite3 import Connection as Connection  # for those who hand one over
from typing import Any

from lycosa import urls
from lycosa.frontier import Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import DONE, WAITING, Entry
from lycosa.frontier.holds import SqliteHolds
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.rows import (
    AUTHORITY,
    BY_ID,
    FIRST_AGAIN,
    FIRST_LATER,
    HEADS,
    INSERT,
    LOOK_UP,
    NUMBER_OF_KIND,
    PAGES,
    READ,
    SINK,
    SUNK,
    UPDATE,
    UPDATE_DONE,
    UPDATE_RANK,
    WAITING_PER_AUTHORITY,
    WEIGHTS,
    WORST,
    entry_of,
    found_of,
    link_of,
    make_tables,
    over_keys,
)
from lycosa.frontier.storage import Loaded, Weights

REMEMBERED = 1 << 14
"""Maximum number of entries cached (about 6 MB): pages of a site link to the same URLs again and again."""


class SqliteStorage:
    """URLs as rows, numbered by discovery, in tables of the caller's database."""

    window = 8

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._authorities: Sequence[Authority] = ()
        self._stored = 0  # authorities
        self._taken: dict[int, Entry] = {}  # by key
        self._leased: set[int] = set()  # their numbers
        self._remembered: dict[int, Entry] = {}  # by key, as stored; none that is taken
        self._interrupted: dict[int, int] = {}
        make_tables(connection)

    def load(self, authorities: Sequence[Authority]) -> Loaded:
        db, self._authorities = self._db, authorities
        self._interrupted = dict(db.execute("SELECT authority, times FROM interrupted"))
        leases = db.execute("SELECT authority FROM leases").fetchall()
        db.execute("DELETE FROM leases")
        asked = sorted({number for (number,) in leases})
        for number in asked:
            self._interrupted[number] = self._interrupted.get(number, 0) + 1
        interrupted = {number: self._interrupted[number] for number in asked}
        db.executemany("INSERT OR REPLACE INTO interrupted VALUES (?, ?)", interrupted.items())
        known = db.execute(
            "SELECT name, source, may_go_at, rest, pages, done, tries FROM authorities ORDER BY id"
        ).fetchall()
        self._stored = len(known)
        return Loaded(
            db.execute("SELECT name, good, bad FROM sources ORDER BY id").fetchall(),
            known,
            {number: (count, later) for number, count, later in db.execute(WAITING_PER_AUTHORITY)},
            db.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()[0],
            dict(db.execute("SELECT reason, count FROM dropped")),
            len(leases),
            interrupted,
        )

    def look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        taken, remembered = self._taken, self._remembered
        found: dict[int, Entry] = {}
        others = []
        for key in keys:
            entry = remembered.get(key) or taken.get(key)
            if entry is None:
                others.append(key)
            else:
                found[key] = entry
        for row in over_keys(self._db, LOOK_UP, others) if others else ():
            found[row[1]] = entry = entry_of(row, self._authorities[row[2]])
            self._remember(entry)
        return found

    def entries(self, ids: Collection[int]) -> list[Entry]:
        found = {row[0]: self._entry(row) for row in over_keys(self._db, BY_ID, ids)}
        return [found[id] for id in ids]

    def read(self, id: int) -> Entry:
        row = self._db.execute(READ, (id,)).fetchone()
        entry = entry_of(row[:11], self._authorities[row[2]])
        entry.link = link_of(row, entry.authority.name)
        return entry

    def insert(self, entries: Collection[Entry]) -> None:
        self._db.executemany(
            INSERT,
            [
                (
                    entry.id,
                    entry.key,
                    entry.authority.id,
                    WAITING,
                    entry.priority,
                    None,
                    entry.trail,
                    entry.depth,
                    entry.attempts,
                    NUMBER_OF_KIND[entry.kind],
                    entry.record or None,
                    *found_of(entry),
                )
                for entry in entries
            ],
        )
        for entry in entries:
            entry.link = None
            self._remember(entry)

    def update(self, entries: Collection[Entry]) -> None:
        whole, ranks, done = [], [], []
        for e in entries:
            self._remember(e)
            if e.link is not None:
                kind, record = NUMBER_OF_KIND[e.kind], e.record or None
                ranked = (e.state, e.priority, e.at, e.trail, e.depth, e.attempts, kind, record)
                whole.append((*ranked, *found_of(e), e.id))
                e.link = None
            elif e.state == DONE:
                done.append((e.trail, e.id))
            else:
                ranks.append((e.state, e.priority, e.at, e.trail, e.depth, e.record or None, e.id))
        for statement, rows in ((UPDATE, whole), (UPDATE_RANK, ranks), (UPDATE_DONE, done)):
            if rows:
                self._db.executemany(statement, rows)

    def delete(self, entries: Collection[Entry]) -> None:
        self._db.executemany("DELETE FROM urls WHERE id = ?", [(entry.id,) for entry in entries])
        for entry in entries:
            self._remembered.pop(entry.key, None)

    def lease(self, entry: Entry) -> None:
        self._db.execute("INSERT INTO leases VALUES (?, ?)", (entry.id, entry.authority.id))
        self._leased.add(entry.id)
        self._taken[entry.key] = entry
        self._remembered.pop(entry.key, None)

    def end_lease(self, entry: Entry) -> None:
        self._db.execute("DELETE FROM leases WHERE id = ?", (entry.id,))
        self._leased.discard(entry.id)
        self._taken.pop(entry.key, None)
        entry.link = None  # as stored
        if self._interrupted and self._interrupted.pop(entry.authority.id, 0):
            self._db.execute("DELETE FROM interrupted WHERE authority = ?", (entry.authority.id,))

    def heads(self, authority: Authority, limit: int) -> list[Head]:
        rows = self._db.execute(HEADS, (authority.id, limit + authority.in_flight))
        return [item for item in rows if item[1] not in self._leased]

    def later(self, limit: int, *, again: bool) -> list[tuple[float, int]]:
        return self._db.execute(FIRST_AGAIN if again else FIRST_LATER, (limit,)).fetchall()

    def worst(self, count: int) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(WORST, (count,))]

    def pages(self, authority: Authority) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(PAGES, (authority.id,))]

    def sink(self) -> None:
        self._db.execute(SINK, (-math.inf,))
        self._remembered.clear()

    def sunk(self, limit: int) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(SUNK, (-math.inf, limit)).fetchall()]

    def note(
        self,
        authorities: Collection[Authority] = (),
        weights: Collection[Weights] = (),
        dropped: Mapping[str, int] = {},
    ) -> None:
        for a in authorities:
            if a.id >= self._stored:
                self._insert_authority(a)
            else:
                self._db.execute(AUTHORITY, (a.may_go_at, a.rest, a.pages, a.done, a.tries, a.id))
        if weights:
            self._db.executemany(WEIGHTS, weights)
        if dropped:
            self._db.executemany("INSERT OR REPLACE INTO dropped VALUES (?, ?)", dropped.items())

    def _insert_authority(self, authority: Authority) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO sources (id, name) VALUES (?, ?)",
            (authority.source, urls.source_of(authority.name)),
        )
        self._db.execute(
            "INSERT INTO authorities (id, name, source) VALUES (?, ?, ?)",
            (authority.id, authority.name, authority.source),
        )
        self._stored = authority.id + 1

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        return self._remembered.get(row[1]) or entry_of(row, self._authorities[row[2]])

    def _remember(self, entry: Entry) -> None:
        if len(self._remembered) >= REMEMBERED:
            self._remembered.clear()
        self._remembered[entry.key] = entry


class SqliteFrontier(QueuedFrontier):
    """A frontier in tables of the caller's database.

    It never begins or commits: the caller owns the transaction, and reopens the frontier after a rollback.
    """

    def __init__(self, connection: Connection, policy: Policy, *, now: float, restart_rest_s: float) -> None:
        storage = SqliteStorage(connection)
        super().__init__(storage, SqliteHolds(connection), policy, now=now, restart_rest_s=restart_rest_s)

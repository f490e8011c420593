"""A frontier on disk, for crawls that must survive. In and out: as `Frontier`.

URLs are rows, numbered by discovery. Memory holds the authorities and, of each, the few best
waiting URLs; the rest of a queue is read when those are used up.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Collection, Iterable
from sqlite3 import Connection as Connection  # for those who hand one over
from typing import Any

import msgspec

from lycosa import urls
from lycosa.frontier import Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import DONE, LATER, WAITING, Entry
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.sqlite_holds import SqliteHolds
from lycosa.frontier.statements import over_keys
from lycosa.frontier.stored_links import packed_notes, read_notes
from lycosa.values import AGAIN, Kind, Link, Outcome, Reason

SET_BACK_S = 60.0  # a clock that goes back by less is followed without a word
HEADS = 4  # read at once into memory when an authority's queue has run out there
MAX_HEADS = 2 * HEADS  # kept in memory
REMEMBERED = 1 << 14
"""URLs, at most, whose entries stay in memory, about 6 MB: pages of a site link to the same URLs again and again."""

KINDS = tuple(Kind)
NUMBER_OF_KIND = {kind: number for number, kind in enumerate(KINDS)}

TABLES = (
    "CREATE TABLE IF NOT EXISTS sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " good REAL NOT NULL DEFAULT 0, bad REAL NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS authorities (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " source INTEGER NOT NULL, may_go_at REAL NOT NULL DEFAULT 0, rest REAL NOT NULL DEFAULT 0,"
    " pages INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0)",
    # `path` is the URL without its authority. What looking up and changing states needs comes first.
    "CREATE TABLE IF NOT EXISTS urls (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
    " authority INTEGER NOT NULL, state INTEGER NOT NULL, priority REAL NOT NULL, at REAL,"
    " trail INTEGER NOT NULL, depth INTEGER NOT NULL, attempts INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " redirects INTEGER NOT NULL, position INTEGER NOT NULL, parent INTEGER NOT NULL,"
    " path TEXT NOT NULL, anchor TEXT, rel TEXT, memo BLOB, record BLOB)",
    "CREATE UNIQUE INDEX IF NOT EXISTS urls_hash ON urls (hash)",
    f"CREATE INDEX IF NOT EXISTS urls_waiting ON urls (authority, priority DESC) WHERE state = {WAITING}",
    f"CREATE INDEX IF NOT EXISTS urls_later ON urls (at) WHERE state = {LATER}",
    f"CREATE INDEX IF NOT EXISTS urls_again ON urls (at) WHERE state = {LATER} AND attempts = {AGAIN}",
    # A taken URL keeps its row as a waiting one, so that a lease costs one small page to write.
    "CREATE TABLE IF NOT EXISTS leases (id INTEGER PRIMARY KEY, authority INTEGER NOT NULL)",
    # How often runs ended while the authority was being asked, since it last answered one.
    "CREATE TABLE IF NOT EXISTS interrupted (authority INTEGER PRIMARY KEY, times INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS dropped (reason TEXT PRIMARY KEY, count INTEGER NOT NULL)",
    # Of sources that came from another shard: what the pages say of them that stayed there.
    "CREATE TABLE IF NOT EXISTS carried (source TEXT PRIMARY KEY, good REAL NOT NULL, bad REAL NOT NULL)",
)
ENTRY = "id, hash, authority, state, priority, at, trail, depth, attempts, kind, record"
LINK = "path, anchor, rel, position, redirects, parent, memo"
LOOK_UP = f"SELECT {ENTRY} FROM urls WHERE hash IN ({{}})"
FIND = f"SELECT {ENTRY}, {LINK} FROM urls WHERE hash = ?"
READ = f"SELECT {ENTRY}, {LINK} FROM urls WHERE id = ?"
INSERT = f"INSERT INTO urls ({ENTRY}, {LINK}) VALUES ({', '.join('?' * 18)})"
REWRITE = (
    "UPDATE urls SET priority = ?, trail = ?, depth = ?, kind = ?, record = ?, path = ?, anchor = ?, rel = ?,"
    " position = ?, redirects = ?, parent = ?, memo = ? WHERE id = ?"
)
REWRITE_RANK = "UPDATE urls SET priority = ?, depth = ?, record = ? WHERE id = ?"
LEASE = "INSERT INTO leases VALUES (?, ?)"
END_LEASE = "DELETE FROM leases WHERE id = ?"
FINISH = f"UPDATE urls SET state = {DONE} WHERE id = ?"
PUT_BACK = (
    f"UPDATE urls SET state = {LATER}, at = ?, priority = ?, attempts = ?, path = ?, redirects = ?, memo = ?"
    " WHERE id = ?"
)
WAKE = (
    f"UPDATE urls SET state = {WAITING}, at = NULL WHERE state = {LATER} AND at <= ? AND attempts <> {AGAIN}"
    f" RETURNING {ENTRY}"
)
DUE_AGAIN = (
    f"SELECT {ENTRY}, {LINK} FROM urls WHERE state = {LATER} AND at <= ? AND attempts = {AGAIN}"
    " AND id NOT IN (SELECT id FROM leases) ORDER BY at, id LIMIT ?"
)
REFILL = (
    f"SELECT -priority, id FROM urls WHERE state = {WAITING} AND authority = ?"
    " ORDER BY authority, priority DESC, id LIMIT ?"
)
BEST = (
    f"SELECT {ENTRY} FROM urls WHERE state = {WAITING} AND authority = ? AND id NOT IN (SELECT id FROM leases)"
    " ORDER BY authority, priority DESC, id LIMIT ?"
)
WORST = (
    f"SELECT {ENTRY} FROM urls WHERE id IN (SELECT id FROM"
    f" (SELECT priority, id FROM urls WHERE state = {WAITING} AND id NOT IN (SELECT id FROM leases)"
    f" UNION ALL SELECT priority, id FROM urls WHERE state = {LATER})"
    " ORDER BY priority, id DESC LIMIT ?)"
)
RESCORED = (
    f"state IN ({WAITING}, {LATER}) AND attempts <> {AGAIN} AND kind = {NUMBER_OF_KIND[Kind.PAGE]} AND parent <> 0"
    " AND redirects = 0 AND id NOT IN (SELECT id FROM leases)"
)
SINK = f"UPDATE urls SET priority = ? WHERE {RESCORED}"
SUNK = f"SELECT {ENTRY} FROM urls WHERE priority = ? AND {RESCORED} LIMIT ?"
PAGES_OF = " UNION ALL ".join(
    f"SELECT {ENTRY} FROM urls WHERE authority = ?1 AND state = {state} AND attempts <> {AGAIN}"
    f" AND kind = {NUMBER_OF_KIND[Kind.PAGE]} AND id NOT IN (SELECT id FROM leases)"
    for state in (WAITING, LATER)
)
REWEIGH = "INSERT INTO sources VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET good = ?3, bad = ?4"
NOTE = "UPDATE authorities SET may_go_at = ?, rest = ?, pages = ?, done = ?, tries = ? WHERE id = ?"

FIRST_REST_S, MAX_INTERRUPTED_REST_S = 0.25, 60.0
"""How long an authority rests after the second interruption in a row, and after many."""

_pack = msgspec.msgpack.Encoder().encode


def rest_after_interruptions(times: int) -> float:
    """Seconds that an authority rests after so many runs that ended while it was being asked.

    >>> [rest_after_interruptions(times) for times in (1, 2, 3, 4, 50)]
    [0.0, 0.25, 0.5, 1.0, 60.0]
    """
    return min(FIRST_REST_S * 2.0 ** min(times - 2, 20), MAX_INTERRUPTED_REST_S) if times > 1 else 0.0


class SqliteFrontier(QueuedFrontier):
    """A frontier in tables of the caller's database.

    It never begins or commits: the caller owns the transaction, and reopens the frontier if it has
    rolled one back. Opening makes what was taken wait again; its authority first rests from `now`
    for `restart_rest_s` or, if that is longer, as long as it wanted to rest the last time. With every further run
    that ends before the authority has answered it rests twice as long: runs that are killed at once, again and again,
    do not ask for the same URL each time.
    """

    def __init__(
        self,
        connection: Connection,
        policy: Policy,
        *,
        now: float,
        restart_rest_s: float,
    ) -> None:
        self._db = connection
        make_tables(connection)
        super().__init__(SqliteHolds(connection), policy)
        self._leased: set[int] = set()
        self._remembered: dict[int, Entry] = {}  # by key, as stored; of taken ones `_taken` has the entries
        self._reweighed: dict[str, tuple[float, float]] = {}
        self._interrupted: dict[int, int] = dict(
            connection.execute("SELECT authority, times FROM interrupted")
        )
        self._choice.now = now
        self._follow_clock(now)
        self._load()
        self._end_leases(now, restart_rest_s)
        for authority in self._choice.authorities:
            self._refile(authority)
        for authority in self._choice.authorities:
            if authority.waiting and authority.full:  # a limit may be lower than it was
                self._drop(self._pages_of(authority), Reason.HOST_FULL)

    def reweigh(self, source: str, good: float, bad: float) -> None:
        super().reweigh(source, good, bad)
        self._reweighed[source] = float(good), float(bad)
        if not self._is_gathering:
            self._settle()

    def _settle(self) -> None:
        super()._settle()
        if self._reweighed:
            number = self._choice.sources
            known = [(number[name], name, *weights) for name, weights in self._reweighed.items()]
            self._db.executemany(REWEIGH, known)
            self._reweighed.clear()

    # opening

    def _load(self) -> None:
        db, choice = self._db, self._choice
        for name, good, bad in db.execute("SELECT name, good, bad FROM sources ORDER BY id").fetchall():
            number = choice.source(name)
            choice.good[number], choice.bad[number] = good, bad
        for name, source, *rest in db.execute(
            "SELECT name, source, may_go_at, rest, pages, done, tries FROM authorities ORDER BY id"
        ):
            authority = choice.meet(name, source)
            authority.may_go_at, authority.rest, authority.pages, authority.done, authority.tries = rest
            choice.recall(authority)
            self._done += authority.done
            choice.step += authority.tries
        for state in (WAITING, LATER):
            rows = db.execute(
                f"SELECT authority, count(*) FROM urls WHERE state = {state} GROUP BY authority"
            ).fetchall()
            for number, count in rows:
                authority = choice.authorities[number]
                authority.later += count if state == LATER else 0
                self._count_waiting(authority, count)
        self._last_id = db.execute("SELECT coalesce(max(id), 0) FROM urls").fetchone()[0]
        self._dropped = dict(db.execute("SELECT reason, count FROM dropped"))
        self._earliest, self._earliest_again = self._first_later(), self._first_later(again=True)

    def _follow_clock(self, now: float) -> None:
        """Bring times back to where they belong, if the machine's clock was set back since they were noted."""
        (seen,) = self._db.execute("SELECT max(may_go_at - rest) FROM authorities").fetchone()
        if seen is not None and seen > now + SET_BACK_S:
            self._db.execute("UPDATE authorities SET may_go_at = min(may_go_at, ?1 + rest)", (now,))
            self._db.execute(f"UPDATE urls SET at = at - ? WHERE state = {LATER}", (seen - now,))

    def _end_leases(self, now: float, restart_rest_s: float) -> None:
        leases = self._db.execute("SELECT authority FROM leases").fetchall()
        self._db.execute("DELETE FROM leases")
        self._choice.step += len(leases)
        for number in {number for (number,) in leases}:
            authority = self._choice.authorities[number]
            times = self._interrupted[number] = self._interrupted.get(number, 0) + 1
            self._db.execute("INSERT OR REPLACE INTO interrupted VALUES (?, ?)", (number, times))
            rested = now + max(restart_rest_s, authority.rest, rest_after_interruptions(times))
            authority.may_go_at = max(authority.may_go_at, rested)
            authority.rest = authority.may_go_at - now
            self._note(authority)

    # storage

    def _look_up(self, keys: Collection[int]) -> dict[int, Entry]:
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
            found[row[1]] = entry = self._entry(row)
            self._remember(entry)
        return found

    def _remember(self, entry: Entry) -> None:
        if len(self._remembered) >= REMEMBERED:
            self._remembered.clear()
        self._remembered[entry.key] = entry

    def _read(self, key: int) -> Entry | None:
        row = None if key in self._taken else self._db.execute(FIND, (key,)).fetchone()
        return self._taken.get(key) if row is None else self._entry_with_link(row)

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        return self._remembered.get(row[1]) or self._read_entry(row)

    def _read_entry(self, row: tuple[Any, ...]) -> Entry:
        id, key, authority, state, priority, at, trail, depth, attempts, kind, record = row
        owner = self._choice.authorities[authority]
        return Entry(
            id, key, owner, state, priority, at, trail, depth, attempts, KINDS[kind], None, record or b""
        )

    def _entry_with_link(self, row: tuple[Any, ...]) -> Entry:
        entry = self._read_entry(row[:11])
        path, anchor, rel, position, redirects, parent, memo = row[11:]
        entry.link = Link(
            entry.authority.name + path,
            entry.key,
            anchor or "",
            rel or "",
            position,
            entry.kind,
            entry.depth,
            entry.trail,
            redirects,
            entry.attempts,
            entry.priority,
            parent,
            read_notes(memo),
            entry.record,
        )
        return entry

    def _insert(self, entries: Collection[Entry]) -> None:
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
                    *_found(entry),
                )
                for entry in entries
            ],
        )
        for entry in entries:
            entry.link = None
            self._remember(entry)

    def _rewrite(self, entries: Collection[Entry]) -> None:
        whole = [entry for entry in entries if entry.link is not None]
        self._db.executemany(
            REWRITE,
            [
                (e.priority, e.trail, e.depth, NUMBER_OF_KIND[e.kind], e.record or None, *_found(e), e.id)
                for e in whole
            ],
        )
        ranks = [(e.priority, e.depth, e.record or None, e.id) for e in entries if e.link is None]
        self._db.executemany(REWRITE_RANK, ranks)
        for entry in whole:
            entry.link = None

    def _promote(self, entries: Collection[Entry]) -> None:
        self._db.executemany("UPDATE urls SET trail = 0 WHERE id = ?", [(entry.id,) for entry in entries])

    def _delete(self, entries: Collection[Entry]) -> None:
        self._db.executemany("DELETE FROM urls WHERE id = ?", [(entry.id,) for entry in entries])
        for entry in entries:
            self._remembered.pop(entry.key, None)

    def _lease(self, authority: Authority) -> Entry:
        _, id = authority.queue.pop(0)
        entry = self._entry_with_link(self._db.execute(READ, (id,)).fetchone())
        self._db.execute(LEASE, (id, authority.id))
        self._leased.add(id)
        self._remembered.pop(entry.key, None)
        return entry

    def _finish(self, entry: Entry) -> None:
        self._db.execute(FINISH, (entry.id,))
        self._end_lease(entry)
        entry.link, entry.record = None, b""  # of a done one nobody asks for them
        self._remember(entry)

    def _put_back(self, entry: Entry, link: Link) -> None:
        path = link.url[len(entry.authority.name) :]
        values = (
            entry.at,
            entry.priority,
            entry.attempts,
            path,
            link.redirects,
            packed_notes(link.noted),
            entry.id,
        )
        self._db.execute(PUT_BACK, values)
        self._end_lease(entry)

    def _end_lease(self, entry: Entry) -> None:
        self._db.execute(END_LEASE, (entry.id,))
        self._leased.discard(entry.id)

    def _due(self, now: float) -> Iterable[Entry]:
        rows = self._db.execute(WAKE, (now,)).fetchall()
        for row in rows:
            self._remembered.pop(row[1], None)
        return [self._entry(row) for row in rows]

    def _first_later(self, *, again: bool = False) -> float:
        sql = f"SELECT at FROM urls WHERE state = {LATER} AND attempts {'=' if again else '<>'} {AGAIN}"
        leased = " AND id NOT IN (SELECT id FROM leases)" if again else ""
        row = self._db.execute(f"{sql}{leased} ORDER BY at LIMIT 1").fetchone()
        return math.inf if row is None else float(row[0])

    def _due_again(self, now: float, limit: int) -> list[Entry]:
        return [self._entry_with_link(row) for row in self._db.execute(DUE_AGAIN, (now, limit))]

    def _lease_again(self, entry: Entry) -> None:
        # It stays as it is until its lease has ended: after a crash its next visit is due again.
        self._db.execute(LEASE, (entry.id, entry.authority.id))
        self._leased.add(entry.id)
        self._remembered.pop(entry.key, None)

    def _advance(self, entries: Collection[Entry]) -> None:
        self._db.executemany("UPDATE urls SET at = ? WHERE id = ?", [(one.at, one.id) for one in entries])

    def _worst(self, count: int) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(WORST, (count,))]

    def _sink(self) -> None:
        self._db.execute(SINK, (-math.inf,))
        self._remembered.clear()
        for authority in self._choice.authorities:
            authority.queue.clear()  # `_head` reads the best ones when they are needed

    def _sunk(self, limit: int) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(SUNK, (-math.inf, limit)).fetchall()]

    def _pages_of(self, authority: Authority) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(PAGES_OF, (authority.id,))]

    def _best(self, authority: Authority, limit: int) -> list[Entry]:
        return [self._entry(row) for row in self._db.execute(BEST, (authority.id, limit))]

    def _enqueue(self, entry: Entry) -> None:
        entry.filed = entry.priority
        authority = entry.authority
        queue, item = authority.queue, (-entry.priority, entry.id)
        all_here = len(queue) == authority.waiting - authority.later - 1
        if all_here or (queue and item < queue[-1]):
            insort(queue, item)
            del queue[MAX_HEADS:]

    def _dequeue(self, entry: Entry) -> None:
        item = (-entry.filed, entry.id)
        if item in entry.authority.queue:
            entry.authority.queue.remove(item)

    def _head(self, authority: Authority) -> Head | None:
        queue = authority.queue
        if not queue and authority.waiting > authority.later:
            rows = self._db.execute(REFILL, (authority.id, HEADS + authority.in_flight))
            queue += [item for item in rows if item[1] not in self._leased]
        return queue[0] if queue else None

    def _note_new(self, authority: Authority) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO sources (id, name) VALUES (?, ?)",
            (authority.source, urls.source_of(authority.name)),
        )
        self._db.execute(
            "INSERT INTO authorities (id, name, source) VALUES (?, ?, ?)",
            (authority.id, authority.name, authority.source),
        )

    def done(self, link: Link, outcome: Outcome) -> tuple[str, ...]:
        if self._interrupted and link.key in self._taken:
            number = self._taken[link.key].authority.id
            if self._interrupted.pop(number, 0):
                self._db.execute("DELETE FROM interrupted WHERE authority = ?", (number,))
        return super().done(link, outcome)

    def _note(self, authority: Authority) -> None:
        a = authority
        self._db.execute(NOTE, (a.may_go_at, a.rest, a.pages, a.done, a.tries, a.id))

    def _count_dropped(self, reason: Reason, count: int) -> None:
        super()._count_dropped(reason, count)
        if count:
            self._db.execute(
                "INSERT OR REPLACE INTO dropped VALUES (?, ?)", (reason.name, self._dropped[reason.name])
            )


def make_tables(connection: Connection) -> None:
    """The tables of a frontier; in one that was made before there were records, URLs get a place for them."""
    for statement in TABLES:
        connection.execute(statement)
    if not has_records(connection):
        connection.execute("ALTER TABLE urls ADD COLUMN record BLOB")


def has_records(connection: Connection) -> bool:
    """Whether its URLs have a place for records: a frontier that was made before there were any has none."""
    return "record" in {name for _, name, *_ in connection.execute("PRAGMA table_info(urls)")}


def _found(entry: Entry) -> tuple[str, str | None, str | None, int, int, int, bytes | None]:
    """How a URL was found, as stored (in the order of LINK)."""
    link = entry.link
    assert link is not None
    return (
        link.url[len(entry.authority.name) :],
        link.anchor or None,
        link.rel or None,
        link.position,
        link.redirects,
        link.parent,
        packed_notes(link.noted),
    )

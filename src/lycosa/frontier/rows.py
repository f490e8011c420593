"""The tables of a frontier in SQLite: their statements, and rows as entries, links and notes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping
from sqlite3 import Connection
from typing import Any

import msgspec

from lycosa import urls
from lycosa.frontier import UrlState
from lycosa.frontier.choice import Authority
from lycosa.frontier.entry import DONE, LATER, WAITING, Entry
from lycosa.values import AGAIN, Kind, Link, Notes, Reason, Refusal

KINDS = tuple(Kind)
NUMBER_OF_KIND = {kind: number for number, kind in enumerate(KINDS)}

TABLES = (
    "CREATE TABLE IF NOT EXISTS sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " good REAL NOT NULL DEFAULT 0, bad REAL NOT NULL DEFAULT 0)",
    "CREATE TABLE IF NOT EXISTS authorities (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
    " source INTEGER NOT NULL, may_go_at REAL NOT NULL DEFAULT 0, rest REAL NOT NULL DEFAULT 0,"
    " pages INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0)",
    # `path` is the URL without its authority. Columns that look-ups and state changes need come first.
    "CREATE TABLE IF NOT EXISTS urls (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
    " authority INTEGER NOT NULL, state INTEGER NOT NULL, priority REAL NOT NULL, at REAL,"
    " trail INTEGER NOT NULL, depth INTEGER NOT NULL, attempts INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " redirects INTEGER NOT NULL, position INTEGER NOT NULL, parent INTEGER NOT NULL,"
    " path TEXT NOT NULL, anchor TEXT, rel TEXT, memo BLOB, record BLOB)",
    "CREATE UNIQUE INDEX IF NOT EXISTS urls_hash ON urls (hash)",
    f"CREATE INDEX IF NOT EXISTS urls_waiting ON urls (authority, priority DESC) WHERE state = {WAITING}",
    f"CREATE INDEX IF NOT EXISTS urls_later ON urls (at) WHERE state = {LATER}",
    f"CREATE INDEX IF NOT EXISTS urls_again ON urls (at) WHERE state = {LATER} AND attempts = {AGAIN}",
    # A taken URL keeps its row as a waiting one, so that a lease writes one small page.
    "CREATE TABLE IF NOT EXISTS leases (id INTEGER PRIMARY KEY, authority INTEGER NOT NULL)",
    # Runs that ended while the authority was being asked, since it last answered.
    "CREATE TABLE IF NOT EXISTS interrupted (authority INTEGER PRIMARY KEY, times INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS dropped (reason TEXT PRIMARY KEY, count INTEGER NOT NULL)",
    # Weights of moved sources that rest on pages which another shard keeps.
    "CREATE TABLE IF NOT EXISTS holds (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL UNIQUE,"
    " hold INTEGER NOT NULL, link BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS held_hold ON held (hold)",
    "CREATE TABLE IF NOT EXISTS awaited (hash INTEGER NOT NULL, hold INTEGER NOT NULL,"
    " PRIMARY KEY (hash, hold)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS awaited_hold ON awaited (hold)",
)
ENTRY = "id, hash, authority, state, priority, at, trail, depth, attempts, kind, record"
LINK = "path, anchor, rel, position, redirects, parent, memo"
LOOK_UP = f"SELECT {ENTRY} FROM urls WHERE hash IN ({{}})"
BY_ID = f"SELECT {ENTRY} FROM urls WHERE id IN ({{}})"
FIND = f"SELECT {ENTRY}, {LINK} FROM urls WHERE hash = ?"
READ = f"SELECT {ENTRY}, {LINK} FROM urls WHERE id = ?"
INSERT = f"INSERT INTO urls ({ENTRY}, {LINK}) VALUES ({', '.join('?' * 18)})"
UPDATE = (
    "UPDATE urls SET state = ?, priority = ?, at = ?, trail = ?, depth = ?, attempts = ?, kind = ?, record = ?,"
    " path = ?, anchor = ?, rel = ?, position = ?, redirects = ?, parent = ?, memo = ? WHERE id = ?"
)
UPDATE_RANK = "UPDATE urls SET state = ?, priority = ?, at = ?, trail = ?, depth = ?, record = ? WHERE id = ?"
UPDATE_DONE = f"UPDATE urls SET state = {DONE}, trail = ? WHERE id = ?"
UNLEASED = "id NOT IN (SELECT id FROM leases)"
HEADS = (
    f"SELECT -priority, id FROM urls WHERE state = {WAITING} AND authority = ?"
    " ORDER BY authority, priority DESC, id LIMIT ?"
)
FIRST_LATER = (
    f"SELECT at, id FROM urls WHERE state = {LATER} AND attempts <> {AGAIN} AND {UNLEASED}"
    " ORDER BY at, id LIMIT ?"
)
FIRST_AGAIN = FIRST_LATER.replace("<>", "=")
WORST = (
    f"SELECT {ENTRY} FROM urls WHERE id IN (SELECT id FROM"
    f" (SELECT priority, id FROM urls WHERE state = {WAITING} AND {UNLEASED}"
    f" UNION ALL SELECT priority, id FROM urls WHERE state = {LATER} AND {UNLEASED})"
    " ORDER BY priority, id DESC LIMIT ?)"
)
IS_PAGE = f"attempts <> {AGAIN} AND kind = {NUMBER_OF_KIND[Kind.PAGE]} AND {UNLEASED}"
PAGES = " UNION ALL ".join(
    f"SELECT {ENTRY} FROM urls WHERE authority = ?1 AND state = {state} AND {IS_PAGE}"
    for state in (WAITING, LATER)
)
FOUND_AS_LINK = f"state IN ({WAITING}, {LATER}) AND {IS_PAGE} AND parent <> 0 AND redirects = 0"
SINK = f"UPDATE urls SET priority = ? WHERE {FOUND_AS_LINK}"
SUNK = f"SELECT {ENTRY} FROM urls WHERE priority = ? AND {FOUND_AS_LINK} LIMIT ?"
WAITING_PER_AUTHORITY = (
    "SELECT authority, sum(waiting), sum(later) FROM"
    f" (SELECT authority, count(*) AS waiting, 0 AS later FROM urls WHERE state = {WAITING} GROUP BY authority"
    f" UNION ALL SELECT authority, count(*), count(*) FROM urls WHERE state = {LATER} GROUP BY authority)"
    " GROUP BY authority"
)
WEIGHTS = "INSERT INTO sources VALUES (?1, ?2, ?3, ?4) ON CONFLICT (id) DO UPDATE SET good = ?3, bad = ?4"
AUTHORITY = "UPDATE authorities SET may_go_at = ?, rest = ?, pages = ?, done = ?, tries = ? WHERE id = ?"

MAX_PARAMETERS = 512  # far below SQLite's limit on parameters
STEP = 16  # few lengths, so that the connection's cache of prepared statements serves them

pack = msgspec.msgpack.Encoder().encode
read_link = msgspec.msgpack.Decoder(Link).decode
_notes = msgspec.msgpack.Decoder(Notes).decode


def make_tables(connection: Connection) -> None:
    """Make the tables of a frontier that are not there yet."""
    for statement in TABLES:
        connection.execute(statement)


def over_keys(connection: Connection, statement: str, keys: Collection[int]) -> list[Any]:
    """Run a statement whose `{}` stands for keys, in batches that SQLite allows."""
    rows: list[Any] = []
    distinct = list(dict.fromkeys(keys))
    for start in range(0, len(distinct), MAX_PARAMETERS):
        part = distinct[start : start + MAX_PARAMETERS]
        part += part[-1:] * (-len(part) % STEP)
        rows += connection.execute(statement.format(",".join("?" * len(part))), part).fetchall()
    return rows


def packed_notes(notes: Notes | None) -> bytes | None:
    """Return notes as stored: a memo alone, where there is nothing else."""
    if notes is None:
        return None
    return notes.memo if notes.memo and notes == Notes(notes.memo) else pack(notes)


def read_notes(data: bytes | None) -> Notes | None:
    """Return the notes that `packed_notes` stored."""
    if data is None:
        return None
    return _notes(data) if data[0] >> 4 == 0x9 else Notes(data)  # a list; a memo alone is a map


DECODERS: dict[str, Callable[[Mapping[str, Any]], object]] = {
    "urls": lambda row: (KINDS[row["kind"]], read_notes(row["memo"])),
    "held": lambda row: read_link(row["link"]),
    "dropped": lambda row: Reason[row["reason"]],
}
"""How a row of a table is decoded, to look for damage."""
ORPHANS = {
    "urls": "authority NOT IN (SELECT id FROM authorities)",
    "authorities": "source NOT IN (SELECT id FROM sources)",
    "held": "hold NOT IN (SELECT id FROM holds)",
}
"""The condition of rows that refer to a row that is not there."""


def entry_of(row: tuple[Any, ...], authority: Authority) -> Entry:
    """Return a row of ENTRY, without its link."""
    id, key, _, state, priority, at, trail, depth, attempts, kind, record = row
    return Entry(
        id, key, authority, state, priority, at, trail, depth, attempts, KINDS[kind], None, record or b""
    )


def link_of(row: tuple[Any, ...], authority: str) -> Link:
    """Return the link of a row of ENTRY and LINK."""
    _, key, _, _, priority, _, trail, depth, attempts, kind, record = row[:11]
    path, anchor, rel, position, redirects, parent, memo = row[11:]
    return Link(
        authority + path,
        key,
        anchor or "",
        rel or "",
        position,
        KINDS[kind],
        depth,
        trail,
        redirects,
        attempts,
        priority,
        parent,
        read_notes(memo),
        record or b"",
    )


def found_of(entry: Entry) -> tuple[str, str | None, str | None, int, int, int, bytes | None]:
    """Return how a URL was found, as stored (in the order of LINK)."""
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


HELD = "SELECT name, link FROM held JOIN holds ON holds.id = hold WHERE hash = ?"


def rests_in(connection: sqlite3.Connection, now: float, restart_rest_s: float) -> dict[str, float]:
    """Return until when authorities rest. Those with a lease start their rest now."""
    if not has_frontier(connection):
        return {}
    rows = connection.execute(
        "SELECT name, may_go_at, rest, id IN (SELECT authority FROM leases) FROM authorities"
    )
    # A rest must not end later than its length from now: the clock may have been set back.
    rests = {
        name: max(min(may_go_at, now + rest), now + max(rest, restart_rest_s) if leased else 0.0)
        for name, may_go_at, rest, leased in rows
    }
    return {name: until for name, until in rests.items() if until > now}


def has_frontier(connection: sqlite3.Connection) -> bool:
    """Whether a catalogue has a frontier. It gets one with its first crawl."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'urls'")
    return found.fetchone() is not None


def dropped_for(
    connection: sqlite3.Connection, url: str, limits: tuple[int | None, int | None]
) -> list[Refusal]:
    """Return why an offered URL may have been dropped: its full host or site, or else all reasons of dropped URLs.

    `limits` are the page limits of a host and of a site. The reason for a single URL is not stored.
    """
    if not has_frontier(connection):
        return []
    for limit, pages, name in zip(limits, _given_by(connection, url), ("host", "site"), strict=True):
        if limit is not None and pages >= limit:
            return [Refusal(Reason.HOST_FULL, f"limits.pages_per_{name} = {limit}")]
    reasons = [
        Reason[name] for (name,) in connection.execute("SELECT reason FROM dropped ORDER BY count DESC")
    ]
    return [Refusal(reason) for reason in reasons if reason is not Reason.HOST_FULL]


def pages_of_site(connection: sqlite3.Connection, url: str) -> int:
    """Return the number of pages fetched from the site of a URL."""
    return _given_by(connection, url)[1] if has_frontier(connection) else 0


def _given_by(connection: sqlite3.Connection, url: str) -> tuple[int, int]:
    """Return the numbers of pages fetched from the host and from the site of a URL."""
    host, source = urls.host_of(urls.authority_of(url)), urls.source_of(urls.authority_of(url))
    rows = connection.execute(
        "SELECT authorities.name, sources.name, pages FROM authorities JOIN sources ON sources.id = source"
    ).fetchall()
    return (
        sum(pages for name, _, pages in rows if urls.host_of(name) == host),
        sum(pages for _, site, pages in rows if site == source),
    )


def url_state_in(connection: sqlite3.Connection, key: int) -> UrlState | None:
    """Return the state of a URL; None if it is unknown."""
    if not has_frontier(connection):
        return None
    row = connection.execute(FIND, (key,)).fetchone()
    if row is None:
        held = connection.execute(HELD, (key,)).fetchone()
        return UrlState("held", read_link(held[1]), hold=held[0]) if held else None
    number, _, authority, state = row[:4]
    name, may_go_at = connection.execute(
        "SELECT name, may_go_at FROM authorities WHERE id = ?", (authority,)
    ).fetchone()
    leased = connection.execute("SELECT 1 FROM leases WHERE id = ?", (number,)).fetchone()
    word = "taken" if leased else "done" if state == DONE else "waiting"
    return UrlState(word, link_of(row, name), may_go_at)


class HostQueue(msgspec.Struct, frozen=True):
    """An authority, its numbers of URLs, and when its next request may go."""

    host: str
    waiting: int
    done: int
    may_go_at: float


def host_queues(connection: sqlite3.Connection, limit: int) -> list[HostQueue]:
    """Return the authorities with most waiting URLs."""
    if not has_frontier(connection):
        return []
    rows = connection.execute(
        "SELECT name, waiting, done, may_go_at FROM (SELECT authority, count(*) AS waiting FROM urls"
        f" WHERE state = {WAITING} GROUP BY authority ORDER BY 2 DESC LIMIT ?) JOIN authorities ON id = authority"
        " ORDER BY waiting DESC, name",
        (limit,),
    )
    return [HostQueue(*row) for row in rows]


def urls_waiting(connection: sqlite3.Connection) -> int:
    """Return the number of waiting URLs."""
    if not has_frontier(connection):
        return 0
    row = connection.execute(f"SELECT count(*) FROM urls WHERE state = {WAITING}").fetchone()
    return int(row[0])


def urls_known_below(
    connection: sqlite3.Connection, authority: str, folder: str, limit: int
) -> list[tuple[int, str]]:
    """Return (key of the parent page, URL) of known URLs of an authority below a folder."""
    if not has_frontier(connection):
        return []
    rows = connection.execute(
        "SELECT DISTINCT parent, authorities.name || path FROM urls"
        " JOIN authorities ON authorities.id = authority"
        " WHERE authorities.name = ? AND parent != 0 AND instr(path, ?) = 1 LIMIT ?",
        (authority, f"{folder.removeprefix(authority)}/", limit),
    )
    return list(rows)

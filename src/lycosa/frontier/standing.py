"""Where one URL stands in a frontier on disk, without opening the frontier (a crawl may be running)."""

from __future__ import annotations

import sqlite3

import msgspec

from lycosa.frontier import Standing
from lycosa.frontier.entry import DONE
from lycosa.frontier.sqlite import FIND, KINDS
from lycosa.values import Link, Memo

HELD = "SELECT name, link FROM held JOIN holds ON holds.id = hold WHERE hash = ?"

_unpack = msgspec.msgpack.Decoder(Memo).decode
_link = msgspec.msgpack.Decoder(Link).decode


def rests_in(connection: sqlite3.Connection, now: float, restart_rest_s: float) -> dict[str, float]:
    """Until when authorities rest; those that were being asked when the crawl ended begin to rest now."""
    if not _has_urls(connection):
        return {}
    rows = connection.execute(
        "SELECT name, may_go_at, rest, id IN (SELECT authority FROM leases) FROM authorities"
    )
    rests = {
        name: max(may_go_at, now + max(rest, restart_rest_s) if leased else 0.0)
        for name, may_go_at, rest, leased in rows
    }
    return {name: until for name, until in rests.items() if until > now}


def _has_urls(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'urls'")
    return found.fetchone() is not None


def standing_in(connection: sqlite3.Connection, key: int) -> Standing | None:
    """Waiting, taken, done or held; None if the URL is unknown (or nothing was crawled yet)."""
    if not _has_urls(connection):
        return None
    row = connection.execute(FIND, (key,)).fetchone()
    if row is None:
        held = connection.execute(HELD, (key,)).fetchone()
        return Standing("held", _link(held[1]), hold=held[0]) if held else None
    number, _, authority, state, priority, _, trail, depth, attempts, kind = row[:10]
    path, anchor, rel, position, redirects, parent, memo = row[10:]
    name, may_go_at = connection.execute(
        "SELECT name, may_go_at FROM authorities WHERE id = ?", (authority,)
    ).fetchone()
    link = Link(
        name + path, key, anchor or "", rel or "", position, KINDS[kind], depth, trail, redirects,
        attempts, priority, parent, {} if memo is None else _unpack(memo),
    )  # fmt: skip
    leased = connection.execute("SELECT 1 FROM leases WHERE id = ?", (number,)).fetchone()
    word = "taken" if leased else "done" if state == DONE else "waiting"
    return Standing(word, link, may_go_at)

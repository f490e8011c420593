"""Merge the frontiers of shards, in SQL on an attached database.

Each source belongs to one shard, so only the numbers of sources, authorities and URLs have to be reassigned.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable
from itertools import islice

from lycosa.frontier import Policy
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.values import Decision, Link

_URL = (
    "hash, authority, state, priority, at, trail, depth, attempts, kind, redirects, position, parent, path,"
    " anchor, rel, memo, record"
)


ADDED_AT_ONCE = 1_000


def add_frontier(connection: sqlite3.Connection, shard: str) -> None:
    """Add the frontier of the attached database `shard`. Its taken URLs wait; its held URLs are unknown again."""
    if not _has_urls(connection, shard):
        return
    _add_sources(connection, shard)
    connection.execute(
        f"INSERT INTO main.dropped SELECT reason, count FROM {shard}.dropped WHERE true"
        " ON CONFLICT (reason) DO UPDATE SET count = count + excluded.count"
    )


def add_links(connection: sqlite3.Connection, links: Iterable[Link], now: float) -> None:
    """Queue links whose URLs are unknown, each with its own priority."""
    frontier = SqliteFrontier(connection, Policy(max_waiting=sys.maxsize), now=now, restart_rest_s=0.0)
    some = iter(links)
    while batch := [Decision(link, link.priority) for link in islice(some, ADDED_AT_ONCE)]:
        frontier.add(batch)


def _has_urls(connection: sqlite3.Connection, shard: str) -> bool:
    return (
        connection.execute(f"SELECT 1 FROM {shard}.sqlite_master WHERE name = 'urls'").fetchone() is not None
    )


def _add_sources(connection: sqlite3.Connection, shard: str) -> None:
    """Add the sources, with their authorities and URLs."""
    run = connection.execute
    (sources,) = run("SELECT count(*) FROM main.sources").fetchone()
    run(
        f"INSERT INTO main.sources SELECT row_number() OVER (ORDER BY id) - 1 + ?, name, good, bad FROM {shard}.sources"
        " WHERE name NOT IN (SELECT name FROM main.sources)",
        (sources,),
    )
    (authorities,) = run("SELECT count(*) FROM main.authorities").fetchone()
    run(
        "INSERT INTO main.authorities SELECT row_number() OVER (ORDER BY theirs.id) - 1 + ?, theirs.name, ours.id,"
        f" may_go_at, rest, pages, done, tries FROM {shard}.authorities AS theirs"
        f" JOIN {shard}.sources AS known ON known.id = theirs.source"
        " JOIN main.sources AS ours ON ours.name = known.name"
        " WHERE theirs.name NOT IN (SELECT name FROM main.authorities)",
        (authorities,),
    )
    run(
        "CREATE TEMP TABLE numbers AS SELECT theirs.id AS theirs, ours.id AS ours"
        f" FROM {shard}.authorities AS theirs JOIN main.authorities AS ours ON ours.name = theirs.name"
    )
    run("CREATE UNIQUE INDEX temp.numbers_theirs ON numbers (theirs)")
    columns = _URL.replace(" authority,", " ours,")
    run(
        f"INSERT OR IGNORE INTO main.urls ({_URL}) SELECT {columns} FROM {shard}.urls"
        " JOIN temp.numbers ON theirs = authority ORDER BY id"
    )
    run("DROP TABLE temp.numbers")

"""Merging the frontiers of shards, and moving sources between them, in SQL on an attached database.

Each source belongs to one shard, so only the numbers of sources, authorities and URLs have to be reassigned.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from lycosa.frontier import Policy
from lycosa.frontier.inspection import has_frontier
from lycosa.frontier.rows import read_link
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.values import Decision, Link

_URL = (
    "hash, authority, state, priority, at, trail, depth, attempts, kind, redirects, position, parent, path,"
    " anchor, rel, memo, record"
)


ADDED_AT_ONCE = 1_000

IsMoved = Callable[[str], bool]
"""Whether the source with this name moves to another shard."""


def add_frontier(connection: sqlite3.Connection, shard: str) -> None:
    """Add the frontier of the attached database `shard`. Its taken URLs wait; its held URLs are unknown again."""
    if not _has_urls(connection, shard):
        return
    connection.create_function("is_moved", 1, lambda _: True, deterministic=True)
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


def take_over(connection: sqlite3.Connection, shard: str, is_moved: IsMoved) -> None:
    """Add sources of the attached database `shard`: their URLs, leases, rests and weights.

    The part of a weight that comes from pages which stay in `shard` is noted in `carried`.
    """
    if not _has_urls(connection, shard):
        return
    run = connection.execute
    connection.create_function("is_moved", 1, is_moved, deterministic=True)
    run(
        "INSERT OR REPLACE INTO main.carried SELECT theirs.name, theirs.good - coalesce(ours.good, 0),"
        f" theirs.bad - coalesce(ours.bad, 0) FROM {shard}.sources AS theirs"
        " LEFT JOIN main.sources AS ours ON ours.name = theirs.name WHERE is_moved(theirs.name)"
    )
    _add_sources(connection, shard)
    run(
        f"UPDATE main.sources SET good = theirs.good, bad = theirs.bad FROM {shard}.sources AS theirs"
        " WHERE theirs.name = sources.name AND is_moved(theirs.name)"
    )
    theirs = (
        f"FROM {shard}.authorities AS theirs JOIN {shard}.sources AS known ON known.id = theirs.source"
        " AND is_moved(known.name) JOIN main.authorities AS ours ON ours.name = theirs.name"
    )
    # An authority that was here before still has its row, without URLs.
    run(
        "UPDATE main.authorities SET may_go_at = max(authorities.may_go_at, moved.may_go_at), rest = moved.rest,"
        " pages = moved.pages, done = moved.done, tries = moved.tries FROM (SELECT ours.id, theirs.may_go_at, theirs.rest,"
        f" theirs.pages, theirs.done, theirs.tries {theirs}) AS moved WHERE moved.id = authorities.id"
    )
    run(
        f"INSERT OR IGNORE INTO main.leases SELECT urls.id, ours.id {theirs}"
        f" JOIN {shard}.leases AS lease ON lease.authority = theirs.id"
        f" JOIN {shard}.urls AS taken ON taken.id = lease.id JOIN main.urls ON urls.hash = taken.hash"
    )
    run(
        f"INSERT OR REPLACE INTO main.interrupted SELECT ours.id, times {theirs}"
        f" JOIN {shard}.interrupted AS earlier ON earlier.authority = theirs.id"
    )


def hand_over(connection: sqlite3.Connection, is_moved: IsMoved) -> None:
    """Delete the URLs of sources that another shard has taken over. Holds no longer wait for them."""
    if not has_frontier(connection):
        return
    run = connection.execute
    connection.create_function("is_moved", 1, is_moved, deterministic=True)
    run(
        "CREATE TEMP TABLE gone AS SELECT authorities.id FROM authorities JOIN sources ON sources.id = source"
        " WHERE is_moved(sources.name)"
    )
    gone = "authority IN (SELECT id FROM temp.gone)"
    run(f"DELETE FROM awaited WHERE hash IN (SELECT hash FROM urls WHERE {gone})")
    for table in ("urls", "leases", "interrupted"):
        run(f"DELETE FROM {table} WHERE {gone}")
    # Numbers of authorities have no gaps, so the rows stay.
    run("UPDATE authorities SET pages = 0, done = 0, tries = 0 WHERE id IN (SELECT id FROM temp.gone)")
    run(
        "UPDATE sources SET good = sources.good - carried.good, bad = sources.bad - carried.bad FROM carried"
        " WHERE carried.source = sources.name AND is_moved(sources.name)"
    )
    run("DELETE FROM carried WHERE is_moved(source)")
    run("DROP TABLE temp.gone")


def held_in(connection: sqlite3.Connection) -> Iterator[Link]:
    """Return the held links of a frontier."""
    if has_frontier(connection):
        for (link,) in connection.execute("SELECT link FROM held ORDER BY id"):
            yield read_link(link)


def release_all(connection: sqlite3.Connection) -> None:
    """Delete all holds and their links."""
    for table in ("held", "holds", "awaited") if has_frontier(connection) else ():
        connection.execute(f"DELETE FROM {table}")


def carried_in(connection: sqlite3.Connection) -> dict[str, tuple[float, float]]:
    """Return the weights (good, bad) of sources from pages that another shard has."""
    return {source: (good, bad) for source, good, bad in connection.execute("SELECT * FROM carried")}


def _has_urls(connection: sqlite3.Connection, shard: str) -> bool:
    return (
        connection.execute(f"SELECT 1 FROM {shard}.sqlite_master WHERE name = 'urls'").fetchone() is not None
    )


def _add_sources(connection: sqlite3.Connection, shard: str) -> None:
    """Add the moved sources, with their authorities and URLs."""
    run = connection.execute
    (sources,) = run("SELECT count(*) FROM main.sources").fetchone()
    run(
        f"INSERT INTO main.sources SELECT row_number() OVER (ORDER BY id) - 1 + ?, name, good, bad FROM {shard}.sources"
        " WHERE is_moved(name) AND name NOT IN (SELECT name FROM main.sources)",
        (sources,),
    )
    (authorities,) = run("SELECT count(*) FROM main.authorities").fetchone()
    run(
        "INSERT INTO main.authorities SELECT row_number() OVER (ORDER BY theirs.id) - 1 + ?, theirs.name, ours.id,"
        f" may_go_at, rest, pages, done, tries FROM {shard}.authorities AS theirs"
        f" JOIN {shard}.sources AS known ON known.id = theirs.source"
        " JOIN main.sources AS ours ON ours.name = known.name"
        " WHERE is_moved(known.name) AND theirs.name NOT IN (SELECT name FROM main.authorities)",
        (authorities,),
    )
    run(
        "CREATE TEMP TABLE numbers AS SELECT theirs.id AS theirs, ours.id AS ours"
        f" FROM {shard}.authorities AS theirs JOIN main.authorities AS ours ON ours.name = theirs.name"
        f" JOIN {shard}.sources AS known ON known.id = theirs.source WHERE is_moved(known.name)"
    )
    run("CREATE UNIQUE INDEX temp.numbers_theirs ON numbers (theirs)")
    columns = _URL.replace(" authority,", " ours,")
    run(
        f"INSERT OR IGNORE INTO main.urls ({_URL}) SELECT {columns} FROM {shard}.urls"
        " JOIN temp.numbers ON theirs = authority ORDER BY id"
    )
    run("DROP TABLE temp.numbers")

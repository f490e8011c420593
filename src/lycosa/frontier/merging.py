"""The frontiers of several shards as one. In: their databases, attached one after the other. Out: the tables of one frontier.

Sources belong to one shard each, so nothing has to be merged but numbers: those of sources, authorities and URLs.
"""

from __future__ import annotations

import sqlite3

from lycosa.frontier.sqlite import TABLES

_URL = (
    "hash, authority, state, priority, at, trail, depth, attempts, kind, redirects, position, parent, path,"
    " anchor, rel, memo, record"
)


def make_frontier(connection: sqlite3.Connection) -> None:
    """The tables of an empty frontier."""
    for statement in TABLES:
        connection.execute(statement)


def add_frontier(connection: sqlite3.Connection, shard: str) -> None:
    """Add the frontier of the attached database `shard`. What was taken there waits; what was held is unknown again."""
    run = connection.execute
    if not run(f"SELECT 1 FROM {shard}.sqlite_master WHERE name = 'urls'").fetchone():
        return
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
    columns = _URL.replace(" authority,", " (SELECT ours FROM temp.numbers WHERE theirs = authority),")
    run(f"INSERT OR IGNORE INTO main.urls ({_URL}) SELECT {columns} FROM {shard}.urls ORDER BY id")
    run("DROP TABLE temp.numbers")
    run(
        f"INSERT INTO main.dropped SELECT reason, count FROM {shard}.dropped WHERE true"
        " ON CONFLICT (reason) DO UPDATE SET count = count + excluded.count"
    )

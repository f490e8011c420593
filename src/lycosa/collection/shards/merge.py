"""Merge the collections of shards into one.

WARC files are hard links where possible. The new catalogue replaces the old one when it is complete,
so readers have the old one meanwhile.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from lycosa.collection import Counts
from lycosa.collection.catalogue.progress import PAUSED
from lycosa.collection.catalogue.queries import fact_in
from lycosa.collection.catalogue.schema import (
    UNINDEXED,
    open_for_reading,
    open_for_writing,
    plain_errors,
    transaction,
)
from lycosa.collection.collection import Collection
from lycosa.collection.shards.mail import outgoing
from lycosa.frontier.merging import add_frontier, add_links
from lycosa.frontier.rows import make_tables

OWN_FACTS = ("counts", "warc", "name", "rests", "indexed", PAUSED)
"""Facts of one shard that do not hold for the whole."""
_SHARES = "shares"
_TEXTS = {"rule": "rules", "refusal": "reasons", "reason": "reasons", "warc": "warcs"}
"""Columns with the number of a text, and the table of the text."""
INDEXED_AT_ONCE, SQLITES_OWN = 16_000_000, 1 << 20
"""Bytes of the full-text index buffered in memory: here, and SQLite's default."""
OF_PAGE = ("captures", "links", "evidence", "link_evidence", "places", "entities", "terms", "lessons")
"""Tables whose rows belong to a page."""


def merge_shards(shards: Sequence[Path], out: Path) -> Counts:
    """Merge the collections of shards, and return the counts of the whole."""
    for shard in shards:  # refuse a damaged shard before anything is written
        Collection.open_checked(shard).close()
    (out / "archive").mkdir(parents=True, exist_ok=True)
    for shard in shards:
        for path in sorted((shard / "archive").glob("*.warc.gz")):
            _link(path, out / "archive" / path.name)
    draft = out / "catalogue.db.draft"
    for path in _files_of(draft):
        path.unlink(missing_ok=True)
    with plain_errors(draft), closing(open_for_writing(draft)) as connection:
        # An interrupted merge starts again, so the draft needs no journal.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        _index_in_memory(connection, INDEXED_AT_ONCE)
        make_tables(connection)
        twice = _number_pages(connection, shards)
        for number, shard in enumerate(shards):
            with _attached(connection, shard), transaction(connection):
                _add(connection, number)
        _add_undelivered(connection, shards)
        counts = _conclude(connection, shards, twice)
        _index_in_memory(connection, SQLITES_OWN)
    for path in _files_of(out / "catalogue.db")[1:]:
        path.unlink(missing_ok=True)
    draft.replace(out / "catalogue.db")
    return counts


def _add_undelivered(connection: sqlite3.Connection, shards: Sequence[Path]) -> None:
    """Add undelivered links to the frontier: no other shard has them."""
    for shard in shards:
        with _attached(connection, shard):
            links = list(outgoing(connection, "shard"))
        if links:
            with transaction(connection):
                add_links(connection, links, time.time())


def _index_in_memory(connection: sqlite3.Connection, size: int) -> None:
    connection.execute("INSERT INTO texts (texts, rank) VALUES ('hashsize', ?)", (size,))


def shares_in(connection: sqlite3.Connection) -> list[Counts]:
    """Return the counts of the shards that a collection was merged from."""
    packed = fact_in(connection, _SHARES)
    return msgspec.msgpack.decode(packed, type=list[Counts]) if packed else []


def _number_pages(connection: sqlite3.Connection, shards: Sequence[Path]) -> int:
    """Number the pages in the order of their fetches. Of pages in several shards, the owner's counts.

    Return the number of duplicate bytes.
    """
    run = connection.execute
    run(
        "CREATE TEMP TABLE found (shard INTEGER, id INTEGER, key INTEGER, at REAL, is_page INTEGER, bytes INTEGER,"
        " PRIMARY KEY (shard, id)) WITHOUT ROWID"
    )
    for number, shard in enumerate(shards):
        with _attached(connection, shard):
            run(
                "INSERT INTO found SELECT ?, id, key, at, kind = 'page', bytes FROM shard.pages",
                (number,),
            )
    run("CREATE INDEX temp.found_key ON found (key, is_page, shard)")
    run(
        "CREATE TEMP TABLE numbered AS SELECT shard, id AS theirs, row_number() OVER (ORDER BY at, shard, id) AS ours"
        " FROM found AS one WHERE NOT EXISTS (SELECT 1 FROM found AS other WHERE other.key = one.key"
        " AND (other.is_page > one.is_page OR (other.is_page = one.is_page AND other.shard < one.shard)))"
    )
    run("CREATE UNIQUE INDEX temp.numbered_theirs ON numbered (shard, theirs)")
    (twice,) = run(
        "SELECT coalesce(sum(bytes), 0) FROM found WHERE (shard, id) NOT IN (SELECT shard, theirs FROM numbered)"
    ).fetchone()
    run("DROP TABLE temp.found")
    return int(twice)


def _add(connection: sqlite3.Connection, shard: int) -> None:
    """Add the rows of the attached shard."""
    run = connection.execute
    for table in ("rules", "reasons", "warcs"):
        run(f"INSERT OR IGNORE INTO main.{table} (text) SELECT text FROM shard.{table}")
        run(
            f"CREATE TEMP TABLE of_{table} AS SELECT theirs.id AS theirs, ours.id AS ours FROM shard.{table} AS theirs"
            f" JOIN main.{table} AS ours ON ours.text = theirs.text"
        )
        run(f"CREATE UNIQUE INDEX temp.of_{table}_theirs ON of_{table} (theirs)")
    number = f"JOIN temp.numbered ON numbered.shard = {shard} AND numbered.theirs"
    columns, values = _columns(connection, "pages", "id")
    run(
        f"INSERT INTO main.pages (id, {columns}) SELECT numbered.ours, {values} FROM shard.pages {number} = pages.id"
    )
    for table in OF_PAGE:
        columns, values = _columns(connection, table, "page")
        run(
            f"INSERT INTO main.{table} (page, {columns}) SELECT numbered.ours, {values} FROM shard.{table} {number} = page"
        )
    newer = "false"  # whether a text has a newer one that is not indexed yet
    if run("SELECT 1 FROM shard.sqlite_master WHERE name = ?", (UNINDEXED,)).fetchone():
        newer = f"texts.rowid IN (SELECT page FROM shard.{UNINDEXED})"
        run(
            f"INSERT INTO main.texts (rowid, title, body) SELECT numbered.ours, title, body FROM shard.{UNINDEXED}"
            f" {number} = page"
        )
    run(
        "INSERT INTO main.texts (rowid, title, body) SELECT numbered.ours, title, body FROM shard.texts"
        f" {number} = texts.rowid WHERE NOT {newer}"
    )
    columns, values = _columns(connection, "outcomes", "key")
    run(f"INSERT OR IGNORE INTO main.outcomes (key, {columns}) SELECT key, {values} FROM shard.outcomes")
    run(
        f"INSERT INTO main.refused_links SELECT {_ours('reason')}, links FROM shard.refused_links WHERE true"
        " ON CONFLICT (reason) DO UPDATE SET links = links + excluded.links"
    )
    run("INSERT OR IGNORE INTO main.robots SELECT * FROM shard.robots")
    # The first runs of all shards are one run, and so on.
    run(
        "INSERT INTO main.runs SELECT row_number() OVER (ORDER BY id), started, ended, pages, reason FROM shard.runs"
        " WHERE true ON CONFLICT (id) DO UPDATE SET started = min(started, excluded.started),"
        " ended = max(ended, excluded.ended), pages = pages + excluded.pages, reason = excluded.reason"
    )
    facts = ", ".join(f"'{fact}'" for fact in OWN_FACTS)
    run(f"INSERT OR IGNORE INTO main.facts SELECT name, value FROM shard.facts WHERE name NOT IN ({facts})")
    add_frontier(connection, "shard")
    for table in ("rules", "reasons", "warcs"):
        run(f"DROP TABLE temp.of_{table}")


def _columns(connection: sqlite3.Connection, table: str, key: str) -> tuple[str, str]:
    """Return the columns of a table except one, and their values in the whole."""
    found = [name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})") if name != key]
    values = [_ours(name) if name in _TEXTS else f"{table}.{name}" for name in found]
    return ", ".join(found), ", ".join(values)


def _ours(column: str) -> str:
    return f"(SELECT ours FROM temp.of_{_TEXTS[column]} WHERE theirs = {column})"


def _conclude(connection: sqlite3.Connection, shards: Sequence[Path], twice: int) -> Counts:
    """Write the facts of the whole, and return its counts."""
    run = connection.execute
    parts, names, paused_s = [], list[bytes](), list[float]()
    for shard in shards:
        with closing(open_for_reading(shard / "catalogue.db")) as other:
            packed = fact_in(other, "counts")
            parts.append(msgspec.msgpack.decode(packed, type=Counts) if packed else Counts())
            names.append(fact_in(other, "name") or b"")
            paused_s.append(float(fact_in(other, PAUSED) or 0.0))
    total = Counts(*map(sum, zip(*map(msgspec.structs.astuple, parts), strict=True)))
    # Seeds are counted in each shard, but exist once.
    (others,) = run("SELECT count(*) FROM pages WHERE kind <> 'page'").fetchone()
    total = msgspec.structs.replace(total, others=others, bytes=total.bytes - twice)
    crawl = names[0].rpartition(b"-")[0]  # the name of a shard is that of its crawl and a number
    shares = msgspec.msgpack.encode(parts)
    for fact, value in (
        ("counts", msgspec.msgpack.encode(total)),
        ("name", crawl),
        (_SHARES, shares),
        (PAUSED, str(min(paused_s)).encode()),  # while all of them were
    ):
        run("INSERT OR REPLACE INTO facts VALUES (?, ?)", (fact, value))
    run("DELETE FROM outcomes WHERE key IN (SELECT key FROM pages)")
    return total


@contextmanager
def _attached(connection: sqlite3.Connection, shard: Path) -> Iterator[None]:
    connection.execute("ATTACH ? AS shard", (str((shard / "catalogue.db").absolute()),))
    try:
        yield
    finally:
        connection.execute("DETACH shard")


def _files_of(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))]


def _link(path: Path, target: Path) -> None:
    """Make a hard link, or a copy; an existing file of the same size stays."""
    if target.exists() and (target.samefile(path) or target.stat().st_size == path.stat().st_size):
        return
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)

"""The collections of several shards as one. In: their folders. Out: a collection like that of a crawl in one process.

WARC files are linked, not copied, where the file system lets them be; the catalogue is made anew and then put in its place,
so whoever reads the collection meanwhile reads the one that was there.
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
from lycosa.collection.catalogue.schema import UNINDEXED, open_for_reading, open_for_writing, plain_errors
from lycosa.collection.shards.mail import outgoing
from lycosa.frontier.merging import add_frontier, add_links, make_frontier

OWN_FACTS = ("counts", "warc", "name", "rests", "indexed", PAUSED)
"""Facts of one shard that say nothing of the whole."""
_SHARES = "shares"
_TEXTS = {"rule": "rules", "refusal": "reasons", "reason": "reasons", "warc": "warcs"}
"""Columns that have the number of a text, and the table that it is in."""
INDEXED_AT_ONCE, SQLITES_OWN = 16_000_000, 1 << 20
"""Bytes of the full-text index that are gathered in memory before they are written, here and otherwise."""
OF_PAGE = ("captures", "links", "evidence", "link_evidence", "places", "entities", "terms", "lessons")
"""Tables whose rows belong to a page."""


def merge_shards(shards: Sequence[Path], out: Path) -> Counts:
    """Make one collection of several, whose URLs differ but for what each of them began with. Returns its counts."""
    for (
        shard
    ) in shards:  # one that is damaged, or that somebody has changed, is named before anything is made
        open_for_reading(shard / "catalogue.db").close()
    (out / "archive").mkdir(parents=True, exist_ok=True)
    for shard in shards:
        for path in sorted((shard / "archive").glob("*.warc.gz")):
            _link(path, out / "archive" / path.name)
    draft = out / "catalogue.db.draft"
    for path in _files_of(draft):
        path.unlink(missing_ok=True)
    with plain_errors(draft), closing(open_for_writing(draft)) as connection:
        # Whatever ends this before it is done, the next one begins anew: nothing has to be written twice for it.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        _index_in_memory(connection, INDEXED_AT_ONCE)
        make_frontier(connection)
        twice = _number_pages(connection, shards)
        for number, shard in enumerate(shards):
            with _attached(connection, shard):
                connection.execute("BEGIN")
                _add(connection, number)
                connection.execute("COMMIT")
        _add_undelivered(connection, shards)
        counts = _conclude(connection, shards, twice)
        _index_in_memory(connection, SQLITES_OWN)
    for path in _files_of(out / "catalogue.db")[1:]:
        path.unlink(missing_ok=True)
    draft.replace(out / "catalogue.db")
    return counts


def _add_undelivered(connection: sqlite3.Connection, shards: Sequence[Path]) -> None:
    """Let wait what shards were about to tell each other: nobody else knows of it, and its pages are not read again."""
    for shard in shards:
        with _attached(connection, shard):
            links = list(outgoing(connection, "shard"))
        if links:
            connection.execute("BEGIN")
            add_links(connection, links, time.time())
            connection.execute("COMMIT")


def _index_in_memory(connection: sqlite3.Connection, size: int) -> None:
    connection.execute("INSERT INTO texts (texts, rank) VALUES ('hashsize', ?)", (size,))


def shares_in(connection: sqlite3.Connection) -> list[Counts]:
    """How much each of the shards had that a collection was made of; none where it was made of none."""
    packed = fact_in(connection, _SHARES)
    return msgspec.msgpack.decode(packed, type=list[Counts]) if packed else []


def _number_pages(connection: sqlite3.Connection, shards: Sequence[Path]) -> int:
    """Give every page its number: in the order in which they were fetched. Of what several have, the page itself.

    Returns how many bytes are there more than once.
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
    newer = "false"  # whether a text was replaced by one that is not indexed yet
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
    # The runs of shards are parts of one run: the first of each belong together, and so on.
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
    """The columns of a table but one, and what they are in the whole."""
    found = [name for _, name, *_ in connection.execute(f"PRAGMA main.table_info({table})") if name != key]
    values = [_ours(name) if name in _TEXTS else f"{table}.{name}" for name in found]
    return ", ".join(found), ", ".join(values)


def _ours(column: str) -> str:
    return f"(SELECT ours FROM temp.of_{_TEXTS[column]} WHERE theirs = {column})"


def _conclude(connection: sqlite3.Connection, shards: Sequence[Path], twice: int) -> Counts:
    """Write what is true of the whole."""
    run = connection.execute
    parts, names, paused_s = [], list[bytes](), list[float]()
    for shard in shards:
        with closing(open_for_reading(shard / "catalogue.db")) as other:
            packed = fact_in(other, "counts")
            parts.append(msgspec.msgpack.decode(packed, type=Counts) if packed else Counts())
            names.append(fact_in(other, "name") or b"")
            paused_s.append(float(fact_in(other, PAUSED) or 0.0))
    total = Counts(*map(sum, zip(*map(msgspec.structs.astuple, parts), strict=True)))
    # What every shard began with is counted in each, and is there once.
    (others,) = run("SELECT count(*) FROM pages WHERE kind <> 'page'").fetchone()
    total = msgspec.structs.replace(total, others=others, bytes=total.bytes - twice)
    crawl = names[0].rpartition(b"-")[0]  # shards are called as their crawl is, with their numbers behind it
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
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("DETACH shard")


def _files_of(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + ending) for ending in ("-wal", "-shm", "-journal"))]


def _link(path: Path, target: Path) -> None:
    """The same file under another name, or a copy; one that is there already and as long is left alone."""
    if target.exists() and (target.samefile(path) or target.stat().st_size == path.stat().st_size):
        return
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)

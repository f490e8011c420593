"""The catalogue's tables, and how a catalogue of an older version becomes one of today.

In: the path of `catalogue.db`. Out: an open connection, in WAL mode, at the current version. The
frontier's own tables (`lycosa.frontier.sqlite`) live in the same file and are not described here.
"""

from __future__ import annotations

import errno
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.spec_text import tables_of
from lycosa.collection.search.phrases import as_indexed
from lycosa.errors import CollectionError, NoCollection

APPLICATION_ID = 0x4C59_434F
"""'LYCO' in the file's header: tells a catalogue from any other SQLite file."""
UNINDEXED = "unindexed_texts"
"""A table of texts that are not in the full-text index yet; only catalogues of shards have it."""
UNNAMED = "crawl"
"""What a crawl is called whose spec has no name (`Spec.name`)."""
SEGMENTS = 16
"""Segments of one size that the full-text index gathers before it merges them: a commit adds one. SQLite's own 4 makes it write
every text once more on the way."""

_FIRST = (
    # Small texts that repeat on thousands of rows; rows refer to them by number.
    "CREATE TABLE rules (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    "CREATE TABLE reasons (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",  # names of Reason
    "CREATE TABLE warcs (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",  # file names in archive/
    # Whatever was answered, in the order of its first commit. `link` is the Link as taken from the
    # frontier (MessagePack), because learning is replayed from it. Times are seconds since the epoch.
    """CREATE TABLE pages (
        id INTEGER PRIMARY KEY,
        key INTEGER NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        url TEXT NOT NULL,
        source TEXT NOT NULL,
        authority TEXT NOT NULL,
        status INTEGER NOT NULL,
        content_type TEXT NOT NULL,
        title TEXT NOT NULL,
        language TEXT NOT NULL,
        date TEXT NOT NULL,
        words INTEGER NOT NULL,
        canonical TEXT NOT NULL,
        depth INTEGER NOT NULL,
        trail INTEGER NOT NULL,
        explored INTEGER NOT NULL,
        parent INTEGER NOT NULL,
        relevant INTEGER,
        score REAL,
        rule INTEGER,
        refusal INTEGER,
        detail TEXT,
        simhash INTEGER NOT NULL,
        near_duplicate_of INTEGER NOT NULL,
        at REAL NOT NULL,
        elapsed_s REAL NOT NULL,
        bytes INTEGER NOT NULL,
        digest BLOB NOT NULL,
        warc INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        length INTEGER NOT NULL,
        link BLOB NOT NULL
    )""",
    """CREATE TABLE captures (
        page INTEGER NOT NULL,
        warc INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        length INTEGER NOT NULL,
        at REAL NOT NULL,
        status INTEGER NOT NULL,
        digest BLOB NOT NULL,
        revisit INTEGER NOT NULL,
        PRIMARY KEY (page, warc, offset)
    ) WITHOUT ROWID""",
    "CREATE INDEX bodies ON captures (digest) WHERE revisit = 0 AND status = 200",
    # Ninety rows a page: appended in key order, no other index. `url` only where the frontier,
    # which has the URLs of all links that were taken in, does not have it.
    """CREATE TABLE links (
        page INTEGER NOT NULL,
        position INTEGER NOT NULL,
        target INTEGER NOT NULL,
        anchor TEXT NOT NULL,
        priority REAL,
        rule INTEGER NOT NULL,
        refusal INTEGER,
        detail TEXT,
        hold TEXT,
        url TEXT,
        PRIMARY KEY (page, position)
    ) WITHOUT ROWID""",
    """CREATE TABLE evidence (
        page INTEGER NOT NULL,
        name TEXT NOT NULL,
        value REAL,
        label TEXT NOT NULL,
        PRIMARY KEY (page, name)
    ) WITHOUT ROWID""",
    # `numbers`: one little-endian double for each link of the page, in their order.
    """CREATE TABLE link_evidence (
        page INTEGER NOT NULL,
        name TEXT NOT NULL,
        numbers BLOB NOT NULL,
        PRIMARY KEY (page, name)
    ) WITHOUT ROWID""",
    # What was asked for and not answered, or not asked for after all: the last try of each URL.
    """CREATE TABLE outcomes (
        key INTEGER PRIMARY KEY,
        url TEXT NOT NULL,
        parent INTEGER NOT NULL,
        reason INTEGER NOT NULL,
        detail TEXT NOT NULL,
        at REAL NOT NULL,
        attempts INTEGER NOT NULL,
        again INTEGER NOT NULL
    )""",
    # How often links were refused, by reason: counting the rows of `links` would read them all.
    "CREATE TABLE refused_links (reason INTEGER PRIMARY KEY, links INTEGER NOT NULL)",
    """CREATE TABLE robots (
        authority TEXT PRIMARY KEY,
        text BLOB NOT NULL,
        status INTEGER NOT NULL,
        fetched_at REAL NOT NULL
    ) WITHOUT ROWID""",
    # `ended` moves with every commit, so that the hours of a killed run count too.
    """CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        started REAL NOT NULL,
        ended REAL NOT NULL,
        pages INTEGER NOT NULL,
        reason TEXT
    )""",
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE texts USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 2')",
)

_PLACES = (
    """CREATE TABLE places (
        page INTEGER NOT NULL,
        name TEXT NOT NULL,
        canonical TEXT NOT NULL,
        kind TEXT NOT NULL,
        lat REAL,
        lon REAL,
        country TEXT NOT NULL,
        state TEXT NOT NULL,
        count INTEGER NOT NULL
    )""",
    "CREATE INDEX places_of_page ON places (page)",
    "CREATE INDEX pages_of_place ON places (canonical)",
)

_ENTITIES = (
    """CREATE TABLE entities (
        page INTEGER NOT NULL,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        count INTEGER NOT NULL
    )""",
    "CREATE INDEX entities_of_page ON entities (page)",
    "CREATE INDEX pages_of_entity ON entities (name)",
    # Nobody looked for them yet: `lycosa index` has to look at every page again.
    "DELETE FROM facts WHERE name = 'indexed'",
)

_TERMS = (
    # What a judge is fitted on again and again, so that no page has to be parsed for it twice:
    # counts by term, as MessagePack and zstd (about 2 KB a page).
    "CREATE TABLE terms (page INTEGER PRIMARY KEY, counts BLOB NOT NULL)",
)

_PUT_OFF = (
    # A link that waited for its host's robots.txt was noted as a refusal that is none any more.
    "DELETE FROM outcomes WHERE reason = (SELECT id FROM reasons WHERE text = 'ROBOTS_PENDING')",
)

_KINDS_OF_EVIDENCE = (
    # Of old, every fact was a value with a label: counts, JSON and 'not said' travelled as labels, the kinds
    # and positions of links as numbers.
    "ALTER TABLE evidence ADD COLUMN kind TEXT NOT NULL DEFAULT 'score'",
    "ALTER TABLE evidence ADD COLUMN words INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE evidence ADD COLUMN data TEXT",  # JSON
    "UPDATE evidence SET kind = 'category' WHERE name IN ('genre', 'page-type')",
    "UPDATE evidence SET kind = 'not said', value = NULL, label = '' WHERE label = 'not said'",
    "UPDATE evidence SET words = CAST(label AS INTEGER), label = ''"
    " WHERE name IN ('topic', 'best-first') AND label GLOB '[0-9]*'",
    "UPDATE evidence SET kind = 'data', value = NULL, label = '',"
    " data = json_object('type', 'profile.texts', 'texts', json(label))"
    " WHERE name IN ('tags', 'sets') AND label LIKE '[%' AND json_valid(label)",
    "UPDATE evidence SET kind = 'data', value = NULL, label = '',"
    " data = json_object('type', 'profile.people', 'people', json(label))"
    " WHERE name IN ('uploader', 'contacts') AND label LIKE '[%' AND json_valid(label)",
    # `numbers` are scores, numbers of classes (in `classes`, a JSON list) or positions of other links.
    "ALTER TABLE link_evidence ADD COLUMN kind TEXT NOT NULL DEFAULT 'scores'",
    "ALTER TABLE link_evidence ADD COLUMN classes TEXT",
    "UPDATE link_evidence SET kind = 'partners' WHERE name = 'uploader'",
    "UPDATE link_evidence SET kind = 'classes', numbers = quarters_as_classes(numbers),"
    """ classes = '["else","list","profile","detail"]' WHERE name = 'page-type'""",
)

_LESSONS = (
    # What a page taught when it was first judged (link, judgement, evidence), where a later capture of it
    # was judged otherwise since: learning is replayed from here.
    "CREATE TABLE lessons (page INTEGER PRIMARY KEY, lesson BLOB NOT NULL)",
    # A page that was fetched again had been taken for its own near duplicate, and counted each time; explored
    # pages had been counted as relevant.
    "UPDATE pages SET near_duplicate_of = 0 WHERE near_duplicate_of = key",
    "UPDATE facts SET value = recounted(value, (SELECT count(relevant) FROM pages),"
    " (SELECT count(*) FROM pages WHERE relevant AND NOT explored), (SELECT count(*) FROM pages WHERE explored),"
    " (SELECT count(refusal) FROM pages)) WHERE name = 'counts'",
)

_SKETCHES = (
    "ALTER TABLE pages ADD COLUMN sketch BLOB NOT NULL DEFAULT x''",
    # Found by the simhash alone, which calls some pages alike that share no sentence: `lycosa index` has to look at
    # them again before a page may be left out as a near duplicate.
    "UPDATE pages SET simhash = 0, near_duplicate_of = 0",
    "DELETE FROM facts WHERE name = 'indexed'",
)

_TEXTS_WITHOUT_BLANKS = (
    # Before version 9 a word of Chinese, Japanese or Korean was found only where a blank or a sign ended it.
    "UPDATE texts SET title = as_indexed(title), body = as_indexed(body)"
    " WHERE as_indexed(body) != body OR as_indexed(title) != title",
)

_KEPT_BODIES = (
    # A page is a duplicate of one that was kept, which need not be the first with these bytes.
    "DROP INDEX bodies",
    "CREATE INDEX bodies ON captures (digest) WHERE status = 200",
)

_SOURCES_OF_DATES = (
    # What names a page's day; one that may be any day the page speaks of is kept apart from `date`.
    "ALTER TABLE pages ADD COLUMN date_source TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE pages ADD COLUMN doubtful_date TEXT NOT NULL DEFAULT ''",
)

_RENDERED = (
    # Length of the record right behind a capture that holds the document a browser made of it.
    "ALTER TABLE captures ADD COLUMN rendered INTEGER NOT NULL DEFAULT 0",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    _FIRST,
    _PLACES,
    _ENTITIES,
    _TERMS,
    _PUT_OFF,
    _KINDS_OF_EVIDENCE,
    _LESSONS,
    _SKETCHES,
    _TEXTS_WITHOUT_BLANKS,
    _KEPT_BODIES,
    _SOURCES_OF_DATES,
    _RENDERED,
)
"""Step n brings a catalogue from version n to n + 1. Steps are only ever added."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open or create the catalogue, tune it, and bring it to the current version."""
    with plain_errors(path):
        connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
        try:
            _check(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            # The WARC is synced before each commit, so a catalogue that lost its last commits in a
            # power cut is only behind the archive, and the archive's tail is cut to fit.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -64000")
            connection.execute("PRAGMA secure_delete = OFF")
            # Four times the default: pages of the index that change with every commit are copied
            # into the database less often. The limit gives the disk back after a large transaction.
            connection.execute("PRAGMA wal_autocheckpoint = 4000")
            connection.execute("PRAGMA journal_size_limit = 64000000")
            _migrate(connection)
            _merge_seldom(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _merge_seldom(connection: sqlite3.Connection) -> None:
    """Set how many segments the full-text index gathers. The index itself keeps that, so it is said once."""
    kept = connection.execute("SELECT v FROM texts_config WHERE k = 'automerge'").fetchone()
    if kept != (SEGMENTS,):
        connection.execute("INSERT INTO texts (texts, rank) VALUES ('automerge', ?)", (SEGMENTS,))


def _collections_in(directory: Path, name: str) -> list[Path]:
    """Folders of a folder that have a catalogue of this name, in the order of the alphabet."""
    return sorted(path.parent for path in directory.glob(f"*/{name}"))


def _is_copy(collection: Path) -> bool:
    """Whether a collection is called otherwise than its crawl: somebody has put a copy beside it, to go back to."""
    try:
        text = (collection / "crawl.toml").read_text("utf-8", "replace")
    except OSError:
        return True
    return bool(tables_of(text).get("", {}).get("name", UNNAMED) != collection.name)


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open an existing catalogue read-only, also while a crawl is writing to it."""
    if not path.is_file():
        if (path.parent / "shards.json").is_file():
            raise NoCollection(
                f"What the shards of {path.parent} have found is not brought together yet. "
                f"Do it with: lycosa merge {path.parent}"
            )
        inside = sorted(_collections_in(path.parent, path.name), key=_is_copy)
        raise NoCollection(
            f"{path.parent} is not a collection: it has no {path.name}. "
            + (f"Did you mean {inside[0]}?" if inside else "Name the directory that `lycosa crawl` wrote.")
        )
    with plain_errors(path):
        connection = _connect_read_only(path)
        try:
            version = _check(connection, path)
        except BaseException:
            connection.close()
            raise
    if version == 0:
        connection.close()
        raise CollectionError(f"{path} is empty. Put a copy of it back, or crawl into a new folder.")
    if version < len(MIGRATIONS):
        connection.close()
        raise CollectionError(
            f"{path} is of an older version ({version}, now {len(MIGRATIONS)}). "
            "Run `lycosa index` on it once: that brings it up to date, and fetches nothing."
        )
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    try:
        connection = sqlite3.connect(f"{uri}?mode=ro", uri=True, isolation_level=None)
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        # WAL needs a writable directory even for reading, unless nothing can be in the WAL.
        wal = path.with_name(path.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            raise
        connection = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The schema version of an open database; 0 for a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """The version, after making sure that the file is a catalogue that this program understands."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if tables and application != APPLICATION_ID:
        raise CollectionError(
            f"{path} is an SQLite file of another program. Choose another directory with --out."
        )
    planted = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')"
    ).fetchone()
    if planted:
        raise CollectionError(
            f"{path} has a {planted[0]} ({planted[1]!r}), which Lycosa never makes: somebody has changed it. "
            "Use it only if you know who did and why, after dropping it with the sqlite3 program."
        )
    version = version_of(connection)
    if version > len(MIGRATIONS):
        raise CollectionError(
            f"{path} was written by a newer Lycosa (schema {version}; this one knows up to "
            f"{len(MIGRATIONS)}). Update with: pip install -U lycosa"
        )
    for table in tables:
        connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()
    return version


def _quarters_as_classes(numbers: bytes) -> bytes:
    """Kinds of links as they were written before version 6 (0, 1/4, 1/2, 1), as 0, 1, 2, 3."""
    told = struct.unpack(f"<{len(numbers) // 8}d", numbers)
    return struct.pack(f"<{len(told)}d", *(min(int(number * 4), 3) for number in told))


def _recounted(packed: bytes, judged: int, relevant: int, explored: int, refused: int) -> bytes:
    """The counts of a collection with what was counted wrongly before version 7."""
    counts = {"judged": judged, "relevant": relevant, "explored": explored, "refused": refused}
    return msgspec.msgpack.encode(msgspec.msgpack.decode(packed) | counts)


def _migrate(connection: sqlite3.Connection) -> None:
    connection.create_function("recounted", 5, _recounted, deterministic=True)
    connection.create_function("quarters_as_classes", 1, _quarters_as_classes, deterministic=True)
    connection.create_function("as_indexed", 1, as_indexed, deterministic=True)
    for version in range(version_of(connection), len(MIGRATIONS)):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in MIGRATIONS[version]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite says about the file into one sentence that names the fix."""
    try:
        yield
    except sqlite3.Error as error:
        raise CollectionError(_sentence(path, error)) from error


def _sentence(path: Path, error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return (
            f"{path} is damaged ({error}). Put back a copy of it, or move the directory away and crawl "
            "again; the WARC files in archive/ are complete by themselves."
        )
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE")):
        return f"{path} cannot grow: the disk is full. Make room, then run the same command: it goes on."
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return (
            f"{path} cannot be written ({error}). Make its directory writable, or choose another with --out."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"{path} is in use by another program. Wait for it or close it, then run the same command."
    return f"{path} cannot be used ({error}). Check the disk and the directory, then run the same command."


def file_trouble(path: Path, error: OSError) -> str:
    """One sentence on a file that could not be written or read, ending with what to do."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{path} cannot grow: the disk is full. Make room, then run the same command: it goes on."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{path} cannot be written ({error.strerror}). Make it writable, or choose another with --out."
    reason = error.strerror or str(error)
    return f"{path} cannot be used ({reason}). Check the disk and the directory, then run the same command."

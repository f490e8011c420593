"""Open and create `catalogue.db`; its tables are in schema.sql."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from shlex import quote

from lycosa.collection.catalogue.spec_text import tables_of
from lycosa.errors import CollectionError, NoCollection, TooLong

APPLICATION_ID = 0x4C59_434F
"""'LYCO' in the file's header, which tells a catalogue from other SQLite files."""
UNINDEXED = "unindexed_texts"
"""A table of texts that are not in the full-text index yet. Only catalogues of shards have it."""
UNNAMED = "crawl"
"""Name of a crawl whose spec has no name (`Spec.name`)."""
SEGMENTS = 16
"""Segments of the full-text index before SQLite merges them. A commit adds one; SQLite's default of 4 writes every text once more."""

DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""How the names of SQLite's errors begin that a damaged file causes."""

VERSION = 12
"""The schema version of a catalogue. A catalogue of another version is refused."""


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open the catalogue, or create it."""
    with plain_errors(path):
        connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
        try:
            version = _check(connection, path)
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
            if version == 0:
                _create(connection)
        except BaseException:
            connection.close()
            raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what happens inside, or nothing of it if it raises."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _create(connection: sqlite3.Connection) -> None:
    tables = resources.files("lycosa.collection.catalogue").joinpath("schema.sql").read_text("utf-8")
    with transaction(connection):
        for statement in re.sub("--.*", "", tables).split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO texts (texts, rank) VALUES ('automerge', ?)", (SEGMENTS,))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _collections_in(directory: Path, name: str) -> list[Path]:
    """Return folders with a catalogue of this name, in alphabetical order."""
    return sorted(path.parent for path in directory.glob(f"*/{name}"))


def _is_copy(collection: Path) -> bool:
    """Return whether a collection has another name than its crawl, as a backup copy has."""
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
                f"The shards of {path.parent} are not merged yet. Merge them with: lycosa merge {path.parent}"
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


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of a catalogue that this program reads; refuse any other file."""
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
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > VERSION:
        raise CollectionError(
            f"{path} was written by a newer Lycosa (schema {version}, this one reads {VERSION}). "
            "Update with: pip install -U lycosa"
        )
    if 0 < version < VERSION:
        raise CollectionError(
            f"{path} was written by an older Lycosa (schema {version}, this one reads {VERSION}). "
            f"Make a new collection from its archive with: {rebuilding(path)}"
        )
    for table in tables:
        connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()
    return version


def rebuilding(path: Path) -> str:
    """Return the command that makes a new collection from the archive beside a catalogue."""
    archive, spec = quote(str(path.parent / "archive")), quote(str(path.parent / "crawl.toml"))
    return f"lycosa import {archive} --spec {spec} --out NEW"


@contextmanager
def plain_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into a CollectionError that names the fix."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite may quote a damaged schema
        if getattr(error, "sqlite_errorname", "") == "SQLITE_INTERRUPT":
            raise TooLong("This takes too long here. Ask for less: whole words, or fewer pages.") from None
        raise CollectionError(_sentence(path, error)) from error


def _sentence(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    is_undecodable = isinstance(error, UnicodeDecodeError) or str(error).startswith(
        "Could not decode to UTF-8"
    )
    if name.startswith(DAMAGE) or is_undecodable:
        from lycosa.collection.catalogue.damage import LOOK_S, damage_in, damaged  # which imports this module

        # SQLite quotes the text that it cannot decode, which is of a page.
        return damaged(path, damage_in(path, LOOK_S) or str(error).partition(" with text ")[0])
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
    """Return a message about a file that could not be written or read, with the fix."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"{path} cannot grow: the disk is full. Make room, then run the same command: it goes on."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{path} cannot be written ({error.strerror}). Make it writable, or choose another with --out."
    reason = error.strerror or str(error)
    return f"{path} cannot be used ({reason}). Check the disk and the directory, then run the same command."

"""Find damage in a catalogue: every row of every table is decoded here, and the first that cannot be is named."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from lycosa.collection import Counts, SetAside
from lycosa.collection.archive.warc import Position
from lycosa.collection.catalogue.facts import stored_fact, stored_link_facts, unpacked_terms
from lycosa.collection.catalogue.lessons import INDEXED, JUDGE_ASIDE, JUDGE_VERSION, decode_lesson
from lycosa.collection.catalogue.progress import PAUSED
from lycosa.collection.catalogue.schema import DAMAGE, rebuilding
from lycosa.collection.labels import FILE as LABELS
from lycosa.errors import CollectionError
from lycosa.frontier.rows import DECODERS as FRONTIER_DECODERS
from lycosa.frontier.rows import ORPHANS as FRONTIER_ORPHANS
from lycosa.frontier.rows import read_link
from lycosa.values import Kind, Reason

LOOK_S = 10.0
"""Seconds to look for the cause of an error. A larger catalogue may be damaged where nobody has looked."""
GLANCE_S = 2.0
"""The same before a report or an export, where no error has been met."""
LAST_SECOND = 253402300799
"""The end of the year 9999: no date is later."""

Row = Mapping[str, Any]

UNEXPECTED = (
    sqlite3.Error,
    msgspec.MsgspecError,
    zstandard.ZstdError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    RuntimeError,
    ExceptionGroup,
)
"""Errors that a damaged row can cause where its values are used."""
_FACTS: dict[str, Callable[[bytes], object]] = {
    "counts": msgspec.msgpack.Decoder(Counts).decode,
    "warc": msgspec.msgpack.Decoder(Position).decode,
    "rests": msgspec.msgpack.Decoder(dict[str, float]).decode,
    JUDGE_VERSION: int,
    JUDGE_ASIDE: msgspec.json.Decoder(SetAside).decode,
    INDEXED: int,
    PAUSED: float,
    "spec": bytes.decode,
}
_DECODERS: dict[str, Callable[[Row], object]] = {
    "facts": lambda row: _FACTS.get(row["name"], bytes)(row["value"]),
    "reasons": lambda row: Reason[row["text"]],
    "pages": lambda row: (Kind(row["kind"]), read_link(row["link"])),
    "evidence": lambda row: stored_fact(row["kind"], row["value"], row["label"], row["words"], row["data"]),
    "link_evidence": lambda row: stored_link_facts(row["kind"], row["numbers"], row["classes"]),
    "terms": lambda row: unpacked_terms(row["counts"]),
    "lessons": lambda row: read_link(decode_lesson(row["lesson"])[0]),
    **FRONTIER_DECODERS,
}
_TYPES = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes}
_ORPHANS = {
    "pages": "warc NOT IN (SELECT id FROM warcs)"
    " OR (rule IS NOT NULL AND rule NOT IN (SELECT id FROM rules))"
    " OR (refusal IS NOT NULL AND refusal NOT IN (SELECT id FROM reasons))",
    "captures": "warc NOT IN (SELECT id FROM warcs)",
    "outcomes": "reason NOT IN (SELECT id FROM reasons)",
    "refused_links": "reason NOT IN (SELECT id FROM reasons)",
    **FRONTIER_ORPHANS,
}
"""Rows that refer to a row that is not there."""


@contextmanager
def damage_said(path: Path) -> Iterator[None]:
    """Turn an unexpected error into a CollectionError if the catalogue is damaged; others pass."""
    try:
        yield
    except UNEXPECTED as error:
        if where := damage_in(path, LOOK_S):
            raise CollectionError(damaged(path, where)) from error
        raise


def refuse_damaged(path: Path) -> None:
    """Raise CollectionError if a short look finds damage."""
    if where := damage_in(path, GLANCE_S):
        raise CollectionError(damaged(path, where))


def damaged(path: Path, where: str) -> str:
    """Return the sentence that a catalogue is damaged, and what to do."""
    if path.name == LABELS:
        return (
            f"{path} is damaged ({where}). Put back a copy of it, or move it away: the labels in it are lost."
        )
    return (
        f"{path} is damaged ({where}). Put back a copy of it, or make a new collection from its WARC files with: "
        f"{rebuilding(path)}"
    )


def damage_in(path: Path, seconds: float) -> str:
    """Return the first damage found, such as 'row 7 of the table pages'; '' if none is found in that time."""
    try:
        state = path.stat()
    except OSError:
        return ""
    return _damage_in(path, state.st_mtime_ns, state.st_size, seconds)


@lru_cache(maxsize=64)  # a library asks at each request
def _damage_in(path: Path, _changed: int, _size: int, seconds: float) -> str:
    deadline = time.monotonic() + seconds
    place = ""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
        try:
            tables = _tables(connection)
            connection.text_factory = _text
            connection.row_factory = sqlite3.Row
            for table in tables:
                place = f"the table {table}: "
                if number := _bad_row(connection, table):
                    return f"row {number} of the table {table}"
            checked = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        except (sqlite3.Error, UnicodeDecodeError) as error:
            is_damage = getattr(error, "sqlite_errorname", "SQLITE_CORRUPT").startswith(DAMAGE)
            return f"{place}{error}" if is_damage else ""  # the time is over, or the file is in use
    return "" if checked == "ok" else checked.splitlines()[-1]


def _tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables with rows of their own, those with the longest rows last."""
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    names = [
        name for name, sql in rows if "VIRTUAL" not in (sql or "")[:20] and not name.startswith("sqlite_")
    ]
    inner = {"texts_data", "texts_idx", "texts_docsize", "texts_config"}
    return sorted(set(names) - inner, key=lambda name: (name.startswith("texts"), name == "links", name))


def _bad_row(connection: sqlite3.Connection, table: str) -> str:
    """Return the number of the first row that cannot be decoded; '' if there is none."""
    columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    kinds = [(name, _TYPES.get(kind), bool(needed)) for _, name, kind, needed, _, _ in columns]
    decode = _DECODERS.get(table, len)
    for row in connection.execute(f'SELECT * FROM "{table}"'):
        try:
            for name, kind, is_needed in kinds:
                value = row[name]
                if (value is None and is_needed) or value is _NO_TEXT:
                    raise TypeError(name)
                if kind and value is not None and not isinstance(value, kind):
                    raise TypeError(name)
                if kind is float and name == "at" and not 0 <= (value or 0) <= LAST_SECOND:
                    raise ValueError(name)
            decode(row)
        except Exception:  # whatever a decoder raises
            return str(row[0])
    if orphans := _ORPHANS.get(table):
        found = connection.execute(f'SELECT * FROM "{table}" WHERE {orphans} LIMIT 1').fetchone()
        return str(found[0]) if found else ""
    return ""


_NO_TEXT = object()


def _text(data: bytes) -> object:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _NO_TEXT

"""Copy the catalogue of a running crawl as of one commit, and restore it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.rows import Catalogue
from lycosa.collection.catalogue.schema import open_for_reading, open_for_writing, plain_errors, transaction
from lycosa.collection.shards.mail import Mail, correspondence


class Copied(msgspec.Struct, frozen=True):
    """What a copy of a catalogue holds: sizes of WARC files, and the last numbers received from other shards."""

    files: dict[str, int | None]  # None: the whole file
    taken_in: dict[int, int]


def copy_catalogue(directory: Path, target: Path) -> Copied:
    """Copy the catalogue as of its last commit to another file."""
    path = directory / "catalogue.db"
    target.unlink(missing_ok=True)
    with (
        plain_errors(path),
        closing(open_for_reading(path)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        position = Catalogue(copy).position()
        files: dict[str, int | None] = dict.fromkeys(
            name for (name,) in copy.execute("SELECT text FROM warcs")
        )
        if position.file:
            files[position.file] = position.offset
        return Copied(files, {shard: taken_in for shard, _, taken_in in correspondence(copy)})


def number_on(path: Path, taken_in: Mapping[int, int]) -> None:
    """Continue the numbers of a restored shard's mail after what other shards have received (`taken_in`).

    Mail sent after the copy was made has arrived, but is not in the copy.
    """
    with plain_errors(path), closing(open_for_writing(path)) as connection, transaction(connection):
        mail = Mail(connection)
        for shard, number in taken_in.items():
            if number:
                mail.confirmed(shard, number)
                mail.number_on(shard, number)

"""The catalogue of a collection copied while its crawl goes on, and put back. In: a directory. Out: a copy as of one commit."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import msgspec

from lycosa.collection.catalogue.rows import Catalogue
from lycosa.collection.catalogue.schema import open_for_reading, open_for_writing, plain_errors
from lycosa.collection.shards.mail import Mail, correspondence


class Copied(msgspec.Struct, frozen=True):
    """What a copy of a catalogue holds: how much of which WARC files, and up to which number what others have sent."""

    files: dict[str, int | None]  # None: all of it
    taken_in: dict[int, int]


def copy_catalogue(directory: Path, target: Path) -> Copied:
    """Write the catalogue as of its last commit into a file of its own."""
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
    """Let a shard that was put back number its mail on from what others have; `taken_in`: by shard, up to where it has all.

    What it sent after the copy was made is not in it, but has arrived.
    """
    with plain_errors(path), closing(open_for_writing(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        mail = Mail(connection)
        for shard, number in taken_in.items():
            if number:
                mail.confirmed(shard, number)
                mail.number_on(shard, number)
        connection.execute("COMMIT")

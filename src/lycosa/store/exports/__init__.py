"""Handing a collection over. In: a collection and a choice of its pages. Out: WACZ, JSON lines or Parquet files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from lycosa.errors import InputError


class Choice(msgspec.Struct, frozen=True):
    """Which pages are exported: all that were judged, or only some of them."""

    only_relevant: bool = False
    dedupe: bool = False
    genres: tuple[str, ...] = ()

    @property
    def is_all(self) -> bool:
        """Whether nothing that was judged is left out."""
        return self == Choice()

    @property
    def sql(self) -> str:
        """As a condition on the rows of `pages`."""
        if not self.dedupe:
            return self._wanted("pages")
        # Of a cluster its first page that is exported stands for all of it.
        return (
            f"{self._wanted('pages')} AND NOT EXISTS (SELECT 1 FROM pages AS first WHERE"
            " pages.near_duplicate_of != 0 AND first.key = pages.near_duplicate_of"
            f" AND {self._wanted('first')})"
        )

    def _wanted(self, table: str) -> str:
        parts = [f"{table}.relevant IS NOT NULL"]
        if self.only_relevant:
            parts = [f"{table}.relevant = 1 AND {table}.explored = 0"]
        if self.genres:
            named = ", ".join("'" + genre.replace("'", "''") + "'" for genre in self.genres)
            parts.append(
                f"{table}.id IN (SELECT page FROM evidence WHERE name = 'genre' AND label IN ({named}))"
            )
        return " AND ".join(parts)


STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))


def check_place(out: Path, *, stream: bool = False) -> None:
    """Refuse a place that cannot be written to; a stream is one only where it may be."""
    if _is_stream(out):
        if not stream:
            raise InputError(
                f"{out} is not a file: this format has to be written back and forth. Name a file, or use --jsonl."
            )
    elif not os.access(out.resolve().parent, os.W_OK):
        raise InputError(
            f"{out} cannot be written (its folder is missing or read-only). Choose another place."
        )


@contextmanager
def written(out: Path) -> Iterator[Path]:
    """A draft beside `out` that takes its name when it is complete, and never before."""
    check_place(out)
    place = out.resolve()  # what a link points to is replaced, and never the link itself
    draft = place.with_name(f".{place.name}.{os.getpid()}.part")
    with _plain_trouble(out):
        try:
            yield draft
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def written_through(out: Path) -> Iterator[IO[bytes]]:
    """A file to write front to back: `-` is standard output, a pipe or device is written as it is."""
    if out in STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif _is_stream(out):
        with _plain_trouble(out), out.open("wb") as stream:
            yield stream
    else:
        with written(out) as draft, draft.open("wb") as file:
            yield file


def _is_stream(out: Path) -> bool:
    """Whether bytes can only be sent there: nothing there may be replaced by a file."""
    named = {*STANDARD_OUTPUT, Path("/dev/stderr")}
    opened = {Path("/dev/fd"), Path("/proc")} & {*out.absolute().parents}
    return out in named or bool(opened) or (out.exists() and not (out.is_file() or out.is_dir()))


@contextmanager
def _plain_trouble(out: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read has had enough: the command line ends quietly
    except OSError as error:
        raise InputError(
            f"{out} cannot be written ({error.strerror or error}). Choose another place."
        ) from None

"""Read the lines of files that may be compressed, huge or broken."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, cast

import msgspec

from lycosa.errors import InputError
from lycosa.files import size_of

MAX_LINE_BYTES = 32_000_000
"""A page of an API in one line has about a megabyte; a longer line than this is skipped."""

BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a hostile line can raise."""


class Skip(StrEnum):
    """Why a line was skipped. The value is what users read."""

    NOT_JSON = "not JSON"
    SHAPE = "JSON, but not in the shape of its format"
    NO_POST = "no post in it (a notice, a like, an empty object)"
    TOO_LONG = f"longer than {MAX_LINE_BYTES // 1_000_000} MB"
    BAD_ROW = "not a row of the table"
    CUT = "the compressed file is damaged from there on"


class Lines:
    """The lines of a file, unpacked by its first bytes (gzip, bzip2). `skipped` counts what was not usable."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skipped: Counter[Skip] = Counter()
        self._raw: IO[bytes] | None = None

    @property
    def bytes_read(self) -> int:
        """How far into the file, as it is on disk, reading has come."""
        return self._raw.tell() if self._raw and not self._raw.closed else 0

    def __iter__(self) -> Iterator[bytes]:
        try:
            size_of(self.path)  # it is a file
            with self.path.open("rb") as self._raw, _unpacked(self._raw) as file:
                yield from self._lines(file)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.skipped[Skip.CUT] += 1
        except OSError as error:
            if error.errno is None:  # how bz2 says that the data is damaged
                self.skipped[Skip.CUT] += 1
                return
            raise InputError(
                f"{self.path}: {error.strerror}. Name a file of posts that can be read."
            ) from None

    def _lines(self, file: IO[bytes]) -> Iterator[bytes]:
        while line := file.readline(MAX_LINE_BYTES):
            if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                self.skipped[Skip.TOO_LONG] += 1
                while line and not line.endswith(b"\n"):
                    line = file.readline(1_000_000)
            elif not line.isspace():
                yield line


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    magic = raw.read(3)
    raw.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.GzipFile(fileobj=raw))
    return cast(IO[bytes], bz2.BZ2File(raw)) if magic == b"BZh" else raw


def whole_or_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines; or all of them as one where the file is one JSON document over many lines."""
    coming = iter(lines)
    first = next(coming, b"").removeprefix(b"\xef\xbb\xbf")
    if not first:
        return
    start = [first]
    if first.lstrip()[:1] in (b"{", b"[") and not _is_json(first):
        size = len(first)
        for line in coming:
            start.append(line)
            size += len(line)
            if size > MAX_LINE_BYTES:
                break
        else:
            whole = b"".join(start)
            start = [whole] if _is_json(whole) else start
    yield from start
    yield from coming


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except BROKEN:
        return False
    return True

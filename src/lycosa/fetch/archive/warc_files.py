"""Finding WARC files in folders, WACZ files and collections. WARC files in a WACZ are read in place."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from lycosa.errors import ArchiveError, InputError
from lycosa.spec.sections import FetchSpec

WARC_FILES = 10_000
"""Maximum number of WARC files read from one WACZ."""
_SUFFIXES = (".warc", ".warc.gz")
_LOCAL_HEADER = struct.Struct("<4s22xHH")


@dataclass(frozen=True)
class PartOfFile:
    """A part of a file: `size` bytes from `start`."""

    path: Path
    name: str
    start: int
    size: int

    def __str__(self) -> str:
        return f"{self.path}, {self.name}"

    def open(self, _mode: str = "rb") -> BinaryIO:
        """Open it like a file."""
        return cast(BinaryIO, io.BufferedReader(_Range(self.path, self.start, self.size), 1 << 16))


WarcFile = Path | PartOfFile
"""A source of WARC records. It can be opened, and `str` names it in messages."""


def archives_of(fetch: FetchSpec, folder: Path) -> list[Path]:
    """Return the archives that a spec names. Relative paths start in `folder`."""
    return [folder / name for name in fetch.web]


def size_of(file: WarcFile) -> int:
    """Return its length in bytes."""
    return file.size if isinstance(file, PartOfFile) else file.stat().st_size


def warc_files(given: Sequence[Path]) -> list[WarcFile]:
    """Return all WARC files in the given paths, in order. Raise InputError for a path without any."""
    found: list[WarcFile] = []
    for path in given:
        files = list(_files(path))
        if not files:
            raise InputError(
                f"{path} has no WARC file. Name WARC or WACZ files, a folder of them, or a collection."
            )
        found += files
    return found


def _files(path: Path) -> Iterator[WarcFile]:
    if path.is_dir():
        archive = path / "archive"  # a collection, or an unpacked WACZ
        folder = archive if archive.is_dir() else path
        for each in sorted(folder.iterdir()):
            if each.name.endswith((*_SUFFIXES, ".wacz")) and each.is_file():
                yield from _files(each)
    elif not path.is_file():
        raise InputError(
            f"{path} does not exist. Name WARC or WACZ files, a folder of them, or a collection."
        )
    elif path.suffix == ".wacz" or zipfile.is_zipfile(path):
        yield from _in_wacz(path)
    else:
        yield path


def _in_wacz(path: Path) -> Iterator[WarcFile]:
    try:
        with zipfile.ZipFile(path) as wacz:
            named = [each for each in wacz.infolist() if each.filename.endswith(_SUFFIXES)][:WARC_FILES]
            if sum(each.file_size for each in named) > path.stat().st_size:
                raise zipfile.BadZipFile("its files are larger than itself")
            for info in sorted(named, key=lambda each: each.filename):
                if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
                    raise ArchiveError(
                        f"{info.filename} in {path} is compressed, which WACZ does not allow: its records cannot "
                        f"be found. Unpack it (unzip {path} -d FOLDER) and name the folder."
                    )
                yield PartOfFile(path, info.filename, _start(path, info), info.file_size)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, struct.error, EOFError) as error:
        raise InputError(f"{path} cannot be read as WACZ: {error}. Get it again, or leave it out.") from error


def _start(path: Path, info: zipfile.ZipInfo) -> int:
    """Return where the bytes of a stored file start: after its header, whose length is in the header itself."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        mark, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    if mark != b"PK\x03\x04":
        raise zipfile.BadZipFile(f"{info.filename} is not where the directory says")
    return info.header_offset + _LOCAL_HEADER.size + int(name_length) + int(extra_length)


class _Range(io.RawIOBase):
    """A readable part of a file."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._file = path.open("rb", buffering=0)
        self._start, self._size, self._at = start, size, 0
        self._file.seek(start)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        self._file.seek(self._start + self._at)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # as BufferedReader calls it
        view = memoryview(buffer)[: max(0, self._size - self._at)]
        count = self._file.readinto(view) or 0
        self._at += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()

"""Fetching from WARC files.

The files are indexed once, by the identity of URLs; the first record of an identity wins.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import weakref
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa import urls
from lycosa.errors import ArchiveError
from lycosa.fetch.archive.index import Index
from lycosa.fetch.archive.records import (
    ADVICE,
    KEPT,
    Record,
    TooLargeError,
    is_complete,
    is_one_piece,
    read_record,
    records_in,
    records_of,
)
from lycosa.fetch.archive.warc_files import WarcFile, size_of
from lycosa.fetch.http.headers import header_text, response_head
from lycosa.values import Fetched, Link, NotFetched, Reason, Refusal

UNPACKED_RATIO, UNPACKED_BYTES = 100, 1 << 30
"""Maximum size of an unpacked file: this many times the packed size, or this many bytes if that is more."""
OFFSET_BITS = 44  # 16 TiB a file; a place is the file's number above and the offset below


class ArchiveFetcher:
    """Answers from response, resource and revisit records of WARC files.

    A damaged file is used up to the damage, which is listed in `damage`; an unreadable file raises ArchiveError. A
    fetched link has the URL as archived, which is the base of the page's links.
    """

    def __init__(self, paths: Sequence[WarcFile], *, folding: urls.Folding = urls.FOLDING) -> None:
        self.damage: list[str] = []
        self._folding = folding
        self._paths: list[WarcFile] = []
        entries = Index(folding)
        for path in paths:
            self._index(path, entries)
        self._keys, self._places, self._urls, self._originals = entries.settled()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, url: str) -> bool:
        return self._place(url) is not None

    def keys(self) -> list[int]:
        """Return the identity keys of all archived URLs."""
        return [int(key) for key in self._keys]

    def urls(self) -> list[str]:
        """Return the archived URLs, in the order of their records."""
        return self._urls.decode().split("\n") if self._urls else []

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """Return the archived response."""
        return self.answer(link)

    def answer(self, link: Link) -> Fetched | NotFetched:
        """Return the archived response, without waiting."""
        url = urls.parse(link.url)
        place = None if url is None else self._place(url)
        if place is None:
            return NotFetched(link, Refusal(Reason.NOT_ARCHIVED))
        try:
            return self._fetched(link, place)
        except (OSError, ValueError, StopIteration) as error:
            path = self._paths[place >> OFFSET_BITS]
            reason = Reason.TOO_LARGE if isinstance(error, TooLargeError) else Reason.BROKEN_RESPONSE
            return NotFetched(link, Refusal(reason, f"{path}: {error}"))

    def _place(self, url: str) -> int | None:
        key = urls.key_of(url, self._folding)
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key:
            return None
        return int(self._places[at])

    def _fetched(self, link: Link, place: int) -> Fetched:
        found = self._read(place)
        original = self._originals.get(place)
        if original is not None:
            body = self._read(original)
            # "Not modified" has no usable status of its own.
            found = body if found.status in (0, 304) else found.with_body(body.body)
        if not found.status:
            raise ValueError("the record holds no HTTP response")
        return Fetched(
            link=msgspec.structs.replace(link, url=found.url),
            status=found.status,
            headers=tuple((header_text(name), header_text(value)) for name, value in found.headers),
            body=found.body,
            request_head=b"",
            response_head=response_head(found.status_line, found.status, found.headers, len(found.body)),
            started=found.date,
            elapsed_s=0.0,
            address=found.address,
            truncated=found.truncated,
        )

    def _read(self, place: int) -> Record:
        path = self._paths[place >> OFFSET_BITS]
        with path.open("rb") as file:
            file.seek(place & ((1 << OFFSET_BITS) - 1))
            return read_record(next(iter(records_of(file))))

    def _index(self, path: WarcFile, entries: Index) -> None:
        """Index a file, up to any damage."""
        named, start = path, len(entries)
        try:
            if is_one_piece(path):
                path = self._unpacked(path)
            self._paths.append(path)
            last = self._scan(path, named, entries)
        except OSError as error:
            raise ArchiveError(
                f"{named} cannot be read: {error}. Repair this file or leave it out."
            ) from error
        if last is None:
            raise ArchiveError(f"{named} holds no readable WARC record. {ADVICE}")
        if not self._is_whole(last):
            entries.cut(start, last)
            self.damage.append(f"{named}: cut off within the record at byte {offset_of(last)}")

    def _scan(self, path: WarcFile, named: WarcFile, entries: Index) -> int | None:
        """Index the records up to the end or the damage. Return the place of the last one, if any."""
        number = (len(self._paths) - 1) << OFFSET_BITS
        last = None
        records, room = records_in(path), _room_of(path)
        while True:
            try:
                record = next(records)
            except StopIteration:
                return last
            except (OSError, ValueError) as error:
                if last is not None:
                    after = offset_of(last)
                    self.damage.append(f"{named}: damaged after the record at byte {after} ({error})")
                return last
            if (room := room - record.content_length) < 0:
                self.damage.append(
                    f"{named}: unpacks to more than any WARC file of its size after the record at byte {offset_of(last or 0)}"
                )
                return last
            last = number | record.stream_pos
            if record.record_type & KEPT:
                entries.add(record, last)

    def _is_whole(self, place: int) -> bool:
        path = self._paths[place >> OFFSET_BITS]
        try:
            with path.open("rb") as file:
                file.seek(offset_of(place))
                return is_complete(next(iter(records_of(file))))
        except (OSError, ValueError, StopIteration):
            return False

    def _unpacked(self, path: WarcFile) -> Path:
        """Unpack a file without random access into a temporary copy, which is deleted with this fetcher."""
        handle, name = tempfile.mkstemp(suffix=".warc", prefix="lycosa-")
        weakref.finalize(self, Path(name).unlink, missing_ok=True)
        room = _room_of(path)
        with os.fdopen(handle, "wb") as copy, path.open("rb") as raw, gzip.open(raw) as packed:
            try:
                while piece := packed.read(1 << 20):
                    room -= copy.write(piece)
                    if room < 0:
                        raise ArchiveError(
                            f"{path} unpacks to more than {copy.tell() - 1} bytes, which no WARC file of its size "
                            "does. Leave it out; or unpack it yourself and name the unpacked file."
                        )
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                self.damage.append(f"{path}: damaged ({error})")
        return Path(name)


def _room_of(path: WarcFile) -> int:
    """Return the most bytes that a file may unpack to."""
    return max(UNPACKED_BYTES, UNPACKED_RATIO * size_of(path))


def offset_of(place: int) -> int:
    """Return the offset in its file of a place."""
    return place & ((1 << OFFSET_BITS) - 1)

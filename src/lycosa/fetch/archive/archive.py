"""An archived web. In: a Link. Out: the response that WARC files hold for it, or NOT_ARCHIVED.

The files are indexed once; look-up is by the identity of URLs, and of records that share an
identity the first wins.
"""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import weakref
import zlib
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from lycosa import urls
from lycosa.errors import ArchiveError, InputError
from lycosa.fetch.archive.warc_files import WarcFile, size_of
from lycosa.fetch.http.headers import RECORD_BYTES, header_text, response_head
from lycosa.values import Fetched, Link, NotFetched, Reason, Refusal

_KEPT = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit
UNPACKED_RATIO, UNPACKED_BYTES = 100, 1 << 30
"""A file that has to be unpacked as a whole may become this many times larger, or this large in any case."""
HEADERS = 1_000
_ADVICE = "Check that it is a WARC file and complete (warcio check FILE), get it again, or leave it out."
_OFFSET_BITS = 44  # 16 TiB a file; a place is the file's number above and the offset below
_GZIP = b"\x1f\x8b"
_CHUNK = re.compile(rb"(?:\r?\n)?([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")


def refuse_unreadable(files: Sequence[WarcFile]) -> None:
    """An InputError for files that are no archive, or hold no page: before anything is made of them."""
    have_pages = [_has_page(file) for file in files]  # every one is looked at
    if files and not any(have_pages):
        raise InputError(
            f"{files[0]}{' and others hold' if len(files) > 1 else ' holds'} no page that can be read: no whole record of a "
            f"response. {_ADVICE}"
        )


def _has_page(file: WarcFile) -> bool:
    """Whether a file has the record of a URL that is there to its end; an InputError where it has no record at all."""
    last = None
    try:
        for record in _records(file):
            last = record
            if record.record_type & _KEPT and _target_url(record) and _is_complete(record):
                return True
    except (OSError, ValueError) as error:
        if last is None:
            raise InputError(f"{file} is no WARC file ({error}). {_ADVICE}") from error
    if last is None:
        what = "is empty" if not size_of(file) else "holds no readable WARC record"
        raise InputError(f"{file} {what}. {_ADVICE}")
    return False


def _is_complete(record: WarcRecord) -> bool:
    size = 0
    while piece := record.reader.read(1 << 20):
        size += len(piece)
    return size == int(record.headers.get("Content-Length") or -1)


class ArchiveFetcher:
    """Answers from WARC files (response, resource and revisit records, of any tool).

    A damaged file is used up to its damage, which `damage` names; a file of which nothing can be
    read raises ArchiveError. A fetched link carries the URL as archived: what the page's own
    links are relative to.
    """

    def __init__(self, paths: Sequence[WarcFile], *, folding: urls.Folding = urls.FOLDING) -> None:
        self.damage: list[str] = []
        self._folding = folding
        self._paths: list[WarcFile] = []
        entries = _Entries(folding)
        for path in paths:
            self._index(path, entries)
        self._keys, self._places, self._urls, self._originals = entries.settled()

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, url: str) -> bool:
        return self._place(url) is not None

    def keys(self) -> list[int]:
        """The identity key of every archived URL."""
        return [int(key) for key in self._keys]

    def urls(self) -> list[str]:
        """The URLs as archived, in the order of the records."""
        return self._urls.decode().split("\n") if self._urls else []

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """As `answer`: what is archived keeps nobody waiting."""
        return self.answer(link)

    def answer(self, link: Link) -> Fetched | NotFetched:
        """The archived response; no request is made, nobody needs rest."""
        url = urls.parse(link.url)
        place = None if url is None else self._place(url)
        if place is None:
            return NotFetched(link, Refusal(Reason.NOT_ARCHIVED))
        try:
            return self._fetched(link, place)
        except (OSError, ValueError, StopIteration) as error:
            path = self._paths[place >> _OFFSET_BITS]
            reason = Reason.TOO_LARGE if isinstance(error, _TooLargeError) else Reason.BROKEN_RESPONSE
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
            # "Not modified since" has no status of its own that a reader could use.
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

    def _read(self, place: int) -> _Record:
        path = self._paths[place >> _OFFSET_BITS]
        with path.open("rb") as file:
            file.seek(place & ((1 << _OFFSET_BITS) - 1))
            return _record(next(iter(ArchiveIterator(file, parse_http=False))))

    def _index(self, path: WarcFile, entries: _Entries) -> None:
        """Add what can be read of a file."""
        named, start = path, len(entries)
        try:
            if _is_one_piece(path):
                path = self._unpacked(path)
            self._paths.append(path)
            last = self._scan(path, named, entries)
        except OSError as error:
            raise ArchiveError(f"{named} cannot be read: {error}. Mend or leave out this file.") from error
        if last is None:
            raise ArchiveError(f"{named} holds no readable WARC record. {_ADVICE}")
        if not self._is_whole(last):
            entries.cut(start, last)
            self.damage.append(f"{named}: cut off within the record at byte {_offset(last)}")

    def _scan(self, path: WarcFile, named: WarcFile, entries: _Entries) -> int | None:
        """Index the records up to the end or the damage; the place of the last one, if any."""
        number = (len(self._paths) - 1) << _OFFSET_BITS
        last = None
        records = _records(path)
        while True:
            try:
                record = next(records)
            except StopIteration:
                return last
            except (OSError, ValueError) as error:
                if last is not None:
                    after = _offset(last)
                    self.damage.append(f"{named}: damaged after the record at byte {after} ({error})")
                return last
            last = number | record.stream_pos
            if record.record_type & _KEPT:
                entries.add(record, last)

    def _is_whole(self, place: int) -> bool:
        path = self._paths[place >> _OFFSET_BITS]
        try:
            with path.open("rb") as file:
                file.seek(_offset(place))
                return _is_complete(next(iter(ArchiveIterator(file, parse_http=False))))
        except (OSError, ValueError, StopIteration):
            return False

    def _unpacked(self, path: WarcFile) -> Path:
        """A plain copy, for as long as this fetcher lives, of a file that can only be read in a row."""
        handle, name = tempfile.mkstemp(suffix=".warc", prefix="lycosa-")
        weakref.finalize(self, Path(name).unlink, missing_ok=True)
        room = max(UNPACKED_BYTES, UNPACKED_RATIO * size_of(path))
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


class _TooLargeError(ValueError):
    """A record that is not read for its size."""


class _Record(msgspec.Struct, frozen=True):
    """What one WARC record says. `status` is 0 where it holds no HTTP response."""

    url: str
    date: float
    address: str
    truncated: str
    status_line: bytes
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def with_body(self, body: bytes) -> _Record:
        return msgspec.structs.replace(self, body=body)


def _record(record: WarcRecord) -> _Record:
    if record.content_length > RECORD_BYTES:
        raise _TooLargeError(f"a record of {record.content_length} bytes")
    warc = record.headers
    line, status = b"", 0
    headers: tuple[tuple[bytes, bytes], ...] = ()
    if record.record_type == WarcRecordType.resource:
        line, status = b"HTTP/1.1 200 OK", 200
        content_type = (warc.get("Content-Type") or "").encode()
        headers = ((b"Content-Type", content_type),) if content_type else ()
    elif record.content_length and record.is_http:
        record.parse_http()
        line = record.http_headers.status_line_bytes or b""
        status = record.http_headers.status_code or 0
        headers = record.http_headers.items_bytes()[:HEADERS]
    return _Record(
        url=_target_url(record) or "",
        date=record.record_date.timestamp() if record.record_date else 0.0,
        address=warc.get("WARC-IP-Address") or "",
        truncated=warc.get("WARC-Truncated") or "",
        status_line=line,
        status=status,
        headers=headers,
        body=_unchunked(bytes(record.reader.read()), headers),
    )


def _unchunked(body: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> bytes:
    """A body without its chunks. Many tools archive bodies unchunked but leave the header."""
    if not any(
        name.lower() == b"transfer-encoding" and b"chunked" in value.lower() for name, value in headers
    ):
        return body
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK.match(body, at):
        at = found.end() + int(found[1], 16)
        parts.append(body[found.end() : at])
        if not parts[-1]:  # the last chunk, or the end of a body that was cut off
            return b"".join(parts)
    return b"".join(parts) if at >= len(body) > 0 else body


class _Entries:
    """What is gathered while indexing: parallel arrays, one entry a record."""

    def __init__(self, folding: urls.Folding) -> None:
        self._folding = folding
        self._keys = array("q")
        self._places = array("q")
        self._names = array("q")  # three hashes a record: its id, its URL and date, its digest
        self._urls: list[str] = []
        self._revisits: dict[int, tuple[int, int, int]] = {}  # place: the names of the original

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, record: WarcRecord, place: int) -> None:
        """One more record, unless it is not of the web."""
        url = _target_url(record)
        if url is None:
            return
        get = record.headers.get
        digest = _name("sha", get("WARC-Payload-Digest"))
        self._keys.append(urls.key_of(url, self._folding))
        self._places.append(place)
        self._urls.append(url)
        if record.record_type == WarcRecordType.revisit:
            dated = _name(get("WARC-Refers-To-Target-URI"), get("WARC-Refers-To-Date"))
            self._revisits[place] = (_name("id", get("WARC-Refers-To")), dated, digest)
            self._names.extend((0, 0, 0))
        else:
            dated = _name(get("WARC-Target-URI"), get("WARC-Date"))
            self._names.extend((_name("id", get("WARC-Record-ID")), dated, digest))

    def cut(self, start: int, place: int) -> None:
        """Forget the last entry if it is the one at this place."""
        if len(self._keys) > start and self._places[-1] == place:
            self._keys.pop()
            self._places.pop()
            self._urls.pop()
            del self._names[-3:]
            self._revisits.pop(place, None)

    def settled(self) -> tuple[_Longs, _Longs, bytes, dict[int, int]]:
        """Keys (sorted), their places, the URLs in record order, and the originals of revisits."""
        originals = self._originals()
        found = np.array(
            [
                at
                for at, place in enumerate(self._places)
                if place not in self._revisits or place in originals
            ],
            dtype=np.int64,
        )
        keys = np.frombuffer(self._keys, dtype=np.int64)[found] if len(found) else found
        unique, first = np.unique(keys, return_index=True)
        places = np.array(self._places, dtype=np.int64)[found[first]] if len(found) else found
        text = "\n".join(self._urls[at] for at in found[np.sort(first)])
        return unique, places, text.encode(), originals

    def _originals(self) -> dict[int, int]:
        if not self._revisits:
            return {}
        named: dict[int, int] = {}
        for at, name in enumerate(self._names):
            if name:
                named.setdefault(name, self._places[at // 3])
        originals = {}
        for place, names in self._revisits.items():
            found = next((named[name] for name in names if name in named), None)
            if found is not None:
                originals[place] = found
        return originals


_Longs = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def _name(kind: str | None, value: str | None) -> int:
    return urls.hash_of(f"{kind} {value.strip()}") if kind and value else 0


def _offset(place: int) -> int:
    return place & ((1 << _OFFSET_BITS) - 1)


def _target_url(record: WarcRecord) -> str | None:
    # Some tools wrote the URL in angle brackets.
    said = record.headers.get("WARC-Target-URI") or ""
    return (
        None if len(said) > urls.URL_CHARS else urls.parse(said.strip().removeprefix("<").removesuffix(">"))
    )


def _is_one_piece(path: WarcFile) -> bool:
    """Whether a gzip file is one member for all records, so that none can be read by its place."""
    with path.open("rb") as file:
        if file.read(2) != _GZIP:
            return False
        places = _first_places(path, 2)
        if len(places) < 2:
            return False
        file.seek(places[1])
        return places[1] <= places[0] or file.read(2) != _GZIP


def _first_places(path: WarcFile, limit: int) -> list[int]:
    places: list[int] = []
    try:
        for record in _records(path):
            places.append(record.stream_pos)
            if len(places) == limit:
                break
    except (OSError, ValueError):
        pass  # the damage is reported where the file is read for its records
    return places


def _records(path: WarcFile) -> Iterator[WarcRecord]:
    # An open file, not its name: by the name fastwarc may judge how the content is compressed.
    with path.open("rb") as file:
        yield from ArchiveIterator(file, parse_http=False)

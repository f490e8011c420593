"""Records of WARC files, as any tool may have written them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO

import msgspec
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from lycosa import urls
from lycosa.errors import InputError
from lycosa.fetch.archive.warc_files import WarcFile, size_of
from lycosa.fetch.http.headers import RECORD_BYTES

KEPT = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit
HEADERS = 1_000
HEADER_BYTES = 1 << 24
"""Maximum length of a record's headers; what follows a longer one is not read. fastwarc's own limit is 64 KiB."""
ADVICE = "Check that it is a WARC file and complete (warcio check FILE), get it again, or leave it out."
_GZIP = b"\x1f\x8b"
_CHUNK = re.compile(rb"(?:\r?\n)?([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")


def refuse_unreadable(files: Sequence[WarcFile]) -> None:
    """Raise InputError if a file is not an archive, or no file has a page."""
    have_pages = [_has_page(file) for file in files]
    if files and not any(have_pages):
        raise InputError(
            f"{files[0]}{' and others have' if len(files) > 1 else ' has'} no readable page: no complete response "
            f"record. {ADVICE}"
        )


def _has_page(file: WarcFile) -> bool:
    """Whether a file has a complete record of a URL. Raise InputError if it has no record."""
    last = None
    try:
        for record in records_in(file):
            last = record
            if record.record_type & KEPT and target_url(record) and is_complete(record):
                return True
    except (OSError, ValueError) as error:
        if last is None:
            raise InputError(f"{file} is not a WARC file ({error}). {ADVICE}") from error
    if last is None:
        what = "is empty" if not size_of(file) else "holds no readable WARC record"
        raise InputError(f"{file} {what}. {ADVICE}")
    return False


def is_complete(record: WarcRecord) -> bool:
    """Whether a record has all the bytes of its Content-Length."""
    size = 0
    while piece := record.reader.read(1 << 20):
        size += len(piece)
    return size == int(record.headers.get("Content-Length") or -1)


class TooLargeError(ValueError):
    """A record is too large to read."""


class Record(msgspec.Struct, frozen=True):
    """One WARC record. `status` is 0 if it is not an HTTP response."""

    url: str
    date: float
    address: str
    truncated: str
    status_line: bytes
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def with_body(self, body: bytes) -> Record:
        return msgspec.structs.replace(self, body=body)


def read_record(record: WarcRecord) -> Record:
    """Read a record. Raise TooLargeError if it is longer than RECORD_BYTES."""
    if record.content_length > RECORD_BYTES:
        raise TooLargeError(f"a record of {record.content_length} bytes")
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
    return Record(
        url=target_url(record) or "",
        date=record.record_date.timestamp() if record.record_date else 0.0,
        address=warc.get("WARC-IP-Address") or "",
        truncated=warc.get("WARC-Truncated") or "",
        status_line=line,
        status=status,
        headers=headers,
        body=_unchunked(bytes(record.reader.read()), headers),
    )


def _unchunked(body: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> bytes:
    """Undo chunked transfer coding. Many tools archive bodies unchunked but keep the header."""
    if not any(
        name.lower() == b"transfer-encoding" and b"chunked" in value.lower() for name, value in headers
    ):
        return body
    parts: list[bytes] = []
    at = 0
    while found := _CHUNK.match(body, at):
        at = found.end() + int(found[1], 16)
        parts.append(body[found.end() : at])
        if not parts[-1]:  # the last chunk, or the end of a truncated body
            return b"".join(parts)
    return b"".join(parts) if at >= len(body) > 0 else body


def target_url(record: WarcRecord) -> str | None:
    """Return the URL of a record; None if it has none of the web."""
    # Some tools wrote the URL in angle brackets.
    said = record.headers.get("WARC-Target-URI") or ""
    return (
        None if len(said) > urls.URL_CHARS else urls.parse(said.strip().removeprefix("<").removesuffix(">"))
    )


def is_one_piece(path: WarcFile) -> bool:
    """Whether a gzip file is one member for all records, so that there is no random access."""
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
        for record in records_in(path):
            places.append(record.stream_pos)
            if len(places) == limit:
                break
    except (OSError, ValueError):
        pass  # the damage is reported when the file is indexed
    return places


def records_in(path: WarcFile) -> Iterator[WarcRecord]:
    """Read the records of a file."""
    # An open file, because fastwarc guesses the compression from a name.
    with path.open("rb") as file:
        yield from records_of(file)


def records_of(stream: IO[bytes]) -> ArchiveIterator:
    """Read the records of a stream. A record with long headers does not end it."""
    return ArchiveIterator(stream, parse_http=False, max_header_len=HEADER_BYTES)

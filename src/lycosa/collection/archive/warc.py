"""Write responses as WARC/1.1 records to files of bounded size, and read them back.

Each record is a gzip member. Nothing is durable before `sync`; what follows the last commit is cut off.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import uuid
import zlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import msgspec
from fastwarc.stream_io import GzipReader
from fastwarc.warc import ArchiveIterator, WarcRecord

from lycosa.errors import ArchiveError, CollectionError
from lycosa.fetch.deflate import gzipped
from lycosa.fetch.http.headers import RECORD_BYTES
from lycosa.files import sync_folder
from lycosa.values import Fetched

PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
IDENTICAL = "identical-payload-digest"
NOT_MODIFIED = "server-not-modified"
RENDERED_URN, CONCLUDED_URN = "urn:rendered:", "urn:concluded:"
"""Prefixes of a page's URL that name its rendered document and its conclusion.

Under the plain URL, pywb would index both as the page.
"""

_NAME = re.compile(r"(?P<stem>.+)-(?P<number>\d{5,})\.warc\.gz")
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_CODING = re.compile(rb"(?im)^(?=transfer-encoding[ \t]*:)")
# Line ends other than CRLF, and blank lines: readers disagree on whether they end the head.
_ODD_LINES = re.compile(rb"\r(?!\n)|(?<!\r)\n|(?:^|\n)[^!-~]*(?:\r|$)")
_SHOWS = re.compile(rb"[!-~]")
# Compressing these again gains nothing and costs most of saving a page.
_PACKED_TYPES = tuple("image/ video/ audio/ font/ application/zip application/gzip application/pdf".split())
_SHORT = 4096


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A place in the archive: a file name and an offset in it. No file yet: ('', 0)."""

    file: str = ""
    offset: int = 0


class Capture(msgspec.Struct, frozen=True):
    """Where a response was archived. `revisit`: its body is that of an earlier capture.

    `rendered` is the length of the next record, which holds the document a browser made of it; 0: none.
    """

    file: str
    offset: int
    length: int
    digest: bytes
    revisit: bool = False
    rendered: int = 0


class EarlierCapture(msgspec.Struct, frozen=True):
    """An earlier capture that a revisit record refers to. `at`: when its fetch began."""

    url: str
    at: float
    digest: bytes


def digest_of(body: bytes) -> bytes:
    """Return the SHA-1 of a body as received, which finds exact duplicates and is the payload digest."""
    return hashlib.sha1(body).digest()


def stored_member(data: bytes) -> bytes:
    """Return bytes as an uncompressed gzip member.

    >>> import gzip
    >>> all(gzip.decompress(stored_member(b"x" * long)) == b"x" * long for long in (0, 65_535, 100_000))
    True
    """
    return zlib.compress(data, 0, 16 + zlib.MAX_WBITS)


def deflated_member(data: bytes) -> bytes:
    """Return bytes as a compressed gzip member. Short ones get a small window, which is faster to set up."""
    return gzipped(data, 12, 5) if len(data) <= _SHORT else gzipped(data)


class WarcWriter:
    """Appends records to `directory/name-NNNNN.warc.gz`, a new file whenever one is full."""

    def __init__(self, directory: Path, name: str, max_bytes: int, info: Mapping[str, str]) -> None:
        self._directory = directory
        self._name = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:80].strip("-.") or "crawl"
        self._max_bytes = max_bytes
        self._info = info
        self._at = Position()
        self._file: io.FileIO | None = None
        self._number = 0
        self._new_file = False

    def position(self) -> Position:
        """Return the end of the appended records."""
        return self._at

    def append(
        self,
        fetched: Fetched,
        digest: bytes,
        *,
        same_as: EarlierCapture | None = None,
        metadata: bytes = b"",
    ) -> Capture:
        """Write a response, its rendered document, its request and a metadata record (JSON) to one file.

        With `same_as` the body is left out and a revisit record refers to that capture.
        """
        url, date, number = _header(fetched.link.url), warc_date(fetched.started), _new_id()
        about = {"WARC-Target-URI": url, "WARC-Date": date, "WARC-Concurrent-To": number}
        packed = same_as is None and _is_packed(fetched)
        response = _response(fetched, number, url, date, same_as, digest)
        records = [stored_member(response) if packed else deflated_member(response)]
        if fetched.rendered:
            records.append(deflated_member(_rendered(fetched, about)))
        if fetched.request_head:
            kind = "application/http; msgtype=request"
            records.append(deflated_member(_record("request", kind, about, _head(fetched.request_head))))
        if metadata:
            named = {**about, "WARC-Target-URI": f"{CONCLUDED_URN}{url}"}
            records.append(deflated_member(_record("metadata", "application/json", named, metadata)))
        file = self._file_with_room()
        start = self._at.offset
        self._write(file, b"".join(records))
        rendered = len(records[1]) if fetched.rendered else 0
        return Capture(self._at.file, start, len(records[0]), digest, same_as is not None, rendered)

    def sync(self) -> None:
        """Make all appended records survive a power cut."""
        if self._file is not None:
            os.fsync(self._file.fileno())
        if self._new_file:
            sync_folder(self._directory)
            self._new_file = False

    def cut(self, position: Position) -> None:
        """Remove everything after a committed position, also later files."""
        self.close()
        if position.file:
            self._cut_file(position)
        # A renamed collection keeps the name of its files.
        self._name, self._number = _parts(position.file) or (self._name, 0)
        for path, number in _numbered(self._directory, self._name):
            if number > self._number:
                path.unlink()
        self._at = position

    def close(self) -> None:
        """Close the current file; appending opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _cut_file(self, position: Position) -> None:
        path = place_of(self._directory, position.file)
        if path.is_symlink():
            raise CollectionError(f"{path} is a link: it is not written through. Put the file itself there.")
        if not path.is_file():
            raise CollectionError(f"{path} is missing. Put it back from a copy, then run the same command.")
        size = path.stat().st_size
        if size < position.offset:
            raise CollectionError(
                f"{path} has {size} bytes, but the catalogue knows {position.offset}: its end was lost. "
                "Put it back from a copy, then run the same command."
            )
        if size > position.offset:
            os.truncate(path, position.offset)

    def _file_with_room(self) -> io.FileIO:
        """Return the file to append to; a group of records never spans two files."""
        if not self._at.file or self._at.offset >= self._max_bytes:
            return self._next_file()
        if self._file is None:
            self._file = io.FileIO(place_of(self._directory, self._at.file), "ab")
        return self._file

    def _next_file(self) -> io.FileIO:
        if self._file is not None:
            self.sync()
            self.close()
        self._number += 1
        name = f"{self._name}-{self._number:05}.warc.gz"
        file = self._file = io.FileIO(self._directory / name, "xb")
        self._new_file = True
        self._at = Position(name, 0)
        headers = {"WARC-Filename": name, "WARC-Date": warc_date(datetime.now(UTC).timestamp())}
        lines = (f"{_header(key)}: {_line(value)}\r\n" for key, value in self._info.items())
        fields = "".join(lines).encode("utf-8", "replace")
        record = _record("warcinfo", "application/warc-fields", headers, fields)
        self._write(file, deflated_member(record))
        return file

    def _write(self, file: io.FileIO, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]
        self._at = Position(self._at.file, self._at.offset + len(data))


def read_capture(archive: Path, file: str, offset: int, max_bytes: int = RECORD_BYTES) -> tuple[bytes, bytes]:
    """Return the head and the body, as received, of a response (or revisit) record.

    Raise ArchiveError if it unpacks to more than `max_bytes`.
    """
    head, _, body = read_block(archive, file, offset, max_bytes).partition(b"\r\n\r\n")
    return head + b"\r\n\r\n", body


def read_block(archive: Path, file: str, offset: int, max_bytes: int = RECORD_BYTES) -> bytes:
    """Return the block of a record, of at most `max_bytes`."""
    path = place_of(archive, file)
    try:
        if path.exists() and not path.is_file():  # a pipe would block
            raise ValueError("it is no ordinary file")
        with path.open("rb") as stream:
            stream.seek(offset)
            if zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(stream.read(4096), 5) != b"WARC/":
                raise ValueError("there is no record")
            stream.seek(offset)
            for record in ArchiveIterator(GzipReader(stream), parse_http=False):
                return _block_of(record, max_bytes)
    except (OSError, ValueError, zlib.error) as error:
        raise ArchiveError(
            f"{path} cannot be read at {offset} ({error}). Put it back from a copy."
        ) from error
    raise ArchiveError(f"{path} has no record at {offset}. Put it back from a copy.")


def _block_of(record: WarcRecord, max_bytes: int) -> bytes:
    block: bytes = record.reader.read(max_bytes + 1)
    if len(block) > max_bytes:
        raise ValueError(f"the record unpacks to more than {max_bytes} bytes")
    return block


def place_of(archive: Path, file: str) -> Path:
    """Return the path of a WARC file named by a catalogue, which may be a stranger's."""
    if not _NAME.fullmatch(file) or "/" in file or "\0" in file:
        raise ArchiveError(
            f"The catalogue names {file!r} as a WARC file, which is none of ours. "
            "Do not trust this collection; take it from where it was made."
        )
    return archive / file


def warc_date(at: float) -> str:
    """Return a time as WARC writes it.

    >>> warc_date(0.25)
    '1970-01-01T00:00:00.250000Z'
    """
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def base32(digest: bytes) -> str:
    """Return a digest as WARC writes it, with the name of its algorithm."""
    return "sha1:" + base64.b32encode(digest).decode()


def _response(
    fetched: Fetched, number: str, url: str, date: str, same_as: EarlierCapture | None, digest: bytes
) -> bytes:
    headers = {"WARC-Target-URI": url, "WARC-Date": date}
    if fetched.address:
        headers["WARC-IP-Address"] = _header(fetched.address)
    if fetched.truncated:
        headers["WARC-Truncated"] = _header(fetched.truncated)
    kind, block = "response", _response_head(fetched)
    if same_as is not None:
        kind, digest = "revisit", same_as.digest
        headers["WARC-Profile"] = PROFILES + (NOT_MODIFIED if fetched.status == 304 else IDENTICAL)
        headers["WARC-Refers-To-Target-URI"] = _header(same_as.url)
        headers["WARC-Refers-To-Date"] = warc_date(same_as.at)
    else:
        block += fetched.body
    headers["WARC-Payload-Digest"] = base32(digest)
    return _record(kind, "application/http; msgtype=response", headers, block, number)


def _rendered(fetched: Fetched, about: Mapping[str, str]) -> bytes:
    """Return the record of the document that a browser made of a response.

    Under the page's URL, a replay would show it instead of the response and run its scripts again.
    """
    named = {**about, "WARC-Target-URI": f"{RENDERED_URN}{about['WARC-Target-URI']}"}
    named["WARC-Refers-To"] = named["WARC-Concurrent-To"]
    return _record("resource", "text/html; charset=utf-8", named, fetched.rendered)


def _new_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _record(
    kind: str, content_type: str, headers: Mapping[str, str], block: bytes, number: str = ""
) -> bytes:
    """Return a WARC 1.1 record with the digest of its block. fastwarc takes four times as long."""
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {number or _new_id()}",
        *(f"{name}: {value}" for name, value in headers.items()),
        f"Content-Type: {content_type}",
        f"WARC-Block-Digest: {base32(digest_of(block))}",
        f"Content-Length: {len(block)}",
    ]
    head = "\r\n".join(lines).encode("utf-8", "replace")
    return b"".join((head, b"\r\n\r\n", block, b"\r\n\r\n"))


def _is_packed(fetched: Fetched) -> bool:
    coding = fetched.header("content-encoding")
    return bool(coding and coding != "identity") or fetched.header("content-type").startswith(_PACKED_TYPES)


def _response_head(fetched: Fetched) -> bytes:
    head = fetched.response_head
    if not head.startswith(b"HTTP/"):
        lines = [f"HTTP/1.1 {fetched.status} ", *(f"{name}: {value}" for name, value in fetched.headers)]
        head = "\r\n".join(map(_line, lines)).encode("utf-8", "replace")
    head = _head(head)
    # The body is stored without its chunks, so readers must not look for them.
    return _CODING.sub(b"X-Archive-Orig-", head) if b"ransfer-" in head.lower() else head


def _head(head: bytes) -> bytes:
    """Return a head that ends in its only empty line, whatever a server sent."""
    head = head.strip(b"\r\n")
    if _ODD_LINES.search(head):
        head = b"\r\n".join(line for line in re.split(rb"[\r\n]+", head) if _SHOWS.search(line))
    return head + b"\r\n\r\n"


def _header(value: str) -> str:
    """Return a value that fits on a header line: all but printable ASCII is percent-encoded."""
    if value.isascii() and value.isprintable():
        return value
    return quote(value, safe=_PRINTABLE, errors="replace")


def _line(text: str) -> str:
    return " ".join(text.split())


def _parts(file: str) -> tuple[str, int] | None:
    match = _NAME.fullmatch(file)
    return (match["stem"], int(match["number"])) if match else None


def _numbered(directory: Path, stem: str) -> list[tuple[Path, int]]:
    """Return our own files of that stem with their numbers."""
    found = ((path, _parts(path.name)) for path in directory.iterdir())
    return [(path, parts[1]) for path, parts in found if parts and parts[0] == stem]

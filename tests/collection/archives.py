"""The archive as readers that are not ours see it: warcio, and ReplayWeb.page."""

from __future__ import annotations

import gzip
import json
import re
import struct
import zipfile
import zlib
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

Row = tuple[str, dict[str, str], bytes]


def records_of(archive: Path) -> list[Row]:
    """(type, headers, block or payload) of every record; each digest has been checked."""
    rows: list[Row] = []
    for path in sorted(archive.glob("*.warc.gz")):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                body = record.raw_stream.read()
                rows.append((record.rec_type, dict(record.rec_headers.headers), body))
    return rows


def types_of(archive: Path) -> list[str]:
    return [kind for kind, _, _ in records_of(archive)]


def urls_of(archive: Path, kind: str = "response") -> list[str]:
    return [headers["WARC-Target-URI"] for found, headers, _ in records_of(archive) if found == kind]


def responses_in_wacz(wacz: Path) -> dict[str, bytes]:
    """The records that the index of a WACZ leads to, by URL, read as ReplayWeb.page does.

    It trusts the directory: no extra fields there, none before the bytes. Each line of the index leads to a response.
    """
    data, held, found = wacz.read_bytes(), {}, {}
    with zipfile.ZipFile(wacz) as package:
        for entry in package.infolist():
            at = entry.header_offset
            name, extra = struct.unpack("<HH", data[at + 26 : at + 30])
            begin = at + 30 + name + (extra if entry.extra else 0)
            held[entry.filename] = data[begin : begin + entry.compress_size]
            assert held[entry.filename] == package.read(entry.filename)
    for line in gzip.decompress(held["indexes/index.cdx.gz"]).decode().splitlines():
        about = json.loads(line.split(" ", 2)[2])
        start, length = int(about["offset"]), int(about["length"])
        member = zlib.decompressobj(31)
        record = member.decompress(held[f"archive/{about['filename']}"][start : start + length])
        assert member.eof
        assert not member.unused_data
        assert b"WARC-Type: response\r\n" in record or about["mime"] == "warc/revisit"
        assert f"WARC-Target-URI: {about['url']}\r\n".encode() in record
        found[about["url"]] = record
    for record in found.values():  # one without a body of its own leads to one that has it
        original = re.search(rb"WARC-Refers-To-Target-URI: ([^\r\n]+)", record)
        assert original is None or b"WARC-Type: response\r\n" in found[original[1].decode()]
    first = zlib.decompressobj(31).decompress(next(v for k, v in held.items() if k.startswith("archive/")))
    assert b"WARC-Type: warcinfo" in first
    return found

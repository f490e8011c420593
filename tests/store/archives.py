"""The archive as warcio, a reader that is not ours, sees it."""

from __future__ import annotations

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

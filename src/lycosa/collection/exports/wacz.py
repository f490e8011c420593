"""Export a collection as a WACZ file: archive, index, and pages with their evidence.

By the WACZ specification 1.1.1, a ZIP stores WARC files and indexes without compressing them,
so that a reader can fetch single records by range. Not py-wacz, which brings 28 packages, parses
every page again and cannot leave pages out; the tests validate our files with it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import itertools
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from lycosa import __version__, urls
from lycosa.collection.archive.warc import CONCLUDED_URN, RENDERED_URN, Position, place_of
from lycosa.collection.catalogue.page_filter import JUDGED, PageFilter, condition_of
from lycosa.collection.catalogue.queries import fact_in
from lycosa.collection.collection import Collection
from lycosa.collection.exports import written
from lycosa.collection.exports.corpus import CorpusRow, corpus_rows
from lycosa.errors import ArchiveError
from lycosa.values import Reason

LINES_PER_BLOCK = 1024
CHUNK = 1 << 20
_ELSEWHERE = Reason.KNOWN.name.lower()
"""The rule of a page whose body only another collection has, so that it cannot be replayed."""
_DAMAGED = (
    "{} is damaged ({}). Put back a copy of it, or export the texts with --jsonl; "
    "lycosa import reads it up to the damage."
)
_to_json = msgspec.json.Encoder().encode


def export_wacz(directory: Path, out: Path, wanted: PageFilter) -> int:
    """Write a WACZ and return how many pages it lists."""
    with (
        Collection.open_checked(directory) as collection,
        written(out) as draft,
        zipfile.ZipFile(draft, "w") as package,
    ):
        writer = _Package(package)
        lines: list[tuple[str, str]] = []
        left_out = _left_out(collection, wanted)
        for path, size in _archive_files(collection):
            name = f"archive/{path.name}"
            writer.add(name, _copied(path, size, left_out, collection.reader.folding))
            with _damage_said(path):
                lines += _index_lines(package, name, path.name)
        lines.sort()
        blocks, starts = _blocks(lines)
        writer.add("indexes/index.cdx.gz", [blocks])
        writer.add("indexes/index.idx", [starts])
        count = writer.add("pages/pages.jsonl", _page_lines(collection, wanted)) - 1
        writer.finish(collection.directory.resolve().name)
    return count


class _Package:
    """A ZIP that records size and digest of its files."""

    def __init__(self, package: zipfile.ZipFile) -> None:
        self._package = package
        self._resources: list[dict[str, Any]] = []

    def add(self, name: str, chunks: Iterable[bytes]) -> int:
        """Write a file and return its number of chunks."""
        digest, size, count = hashlib.sha256(), 0, 0
        with self._package.open(_entry(name), "w", force_zip64=True) as file:
            for chunk in chunks:
                file.write(chunk)
                digest.update(chunk)
                size, count = size + len(chunk), count + 1
        self._resources.append(
            {
                "name": name.rpartition("/")[2],
                "path": name,
                "hash": f"sha256:{digest.hexdigest()}",
                "bytes": size,
            }
        )
        return count

    def finish(self, title: str) -> None:
        about = {
            "profile": "data-package",
            "resources": self._resources,
            "wacz_version": "1.1.1",
            "title": title,
            "software": f"lycosa {__version__}",
            "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        data = json.dumps(about, indent=2).encode()
        self._package.writestr(_entry("datapackage.json"), data)
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        self._package.writestr(_entry("datapackage-digest.json"), json.dumps(digest, indent=2))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
    # ReplayWeb.page takes a file without extra fields in the directory to have none before its bytes, where we have the
    # room for large sizes. An empty field in both places (that of Java archives) makes it look.
    entry.extra = b"\xfe\xca\x00\x00"
    return entry


def _archive_files(collection: Collection) -> Iterator[tuple[Path, int]]:
    """Return the WARC files with their committed size: a running crawl may have written more."""
    packed = fact_in(collection.connection, "warc")
    end = msgspec.msgpack.decode(packed, type=Position) if packed else Position()
    for (name,) in collection.connection.execute("SELECT text FROM warcs ORDER BY text").fetchall():
        path = place_of(collection.archive, name)
        if not path.is_file():
            raise ArchiveError(
                f"{path} is not there, and a WACZ without it could not be replayed. Put the file back, "
                "or export the texts with --jsonl."
            )
        size = path.stat().st_size
        if name == end.file and size < end.offset:
            raise ArchiveError(_DAMAGED.format(path, f"it has {size} bytes of {end.offset}"))
        yield path, end.offset if name == end.file else size


def _left_out(collection: Collection, wanted: PageFilter) -> frozenset[int]:
    """Return the keys of pages that are not exported. Requisites and the originals of revisits stay."""
    if wanted == JUDGED:
        return frozenset()
    run, chosen = collection.connection.execute, condition_of(wanted)
    out = {
        key
        for (key,) in run(
            f"SELECT key FROM pages WHERE kind = 'page' AND status = 200 AND NOT ({chosen.sql})",
            chosen.values,
        )
    }
    originals = run(
        "SELECT DISTINCT held.key FROM captures AS again JOIN pages ON pages.id = again.page"
        " JOIN captures AS original ON original.digest = again.digest AND original.revisit = 0 AND original.status = 200"
        f" JOIN pages AS held ON held.id = original.page WHERE again.revisit = 1 AND ({chosen.sql})",
        chosen.values,
    )
    return frozenset(out - {key for (key,) in originals})


@contextmanager
def _damage_said(path: Path) -> Iterator[None]:
    """Name the archive file that cannot be read: the target is not to blame."""
    try:
        yield
    except (OSError, ValueError, StopIteration) as error:
        raise ArchiveError(_DAMAGED.format(path, error)) from error


def _copied(path: Path, size: int, left_out: frozenset[int], folding: urls.Folding) -> Iterator[bytes]:
    with path.open("rb") as file:
        if not left_out:
            while size > 0 and (chunk := file.read(min(CHUNK, size))):
                yield chunk
                size -= len(chunk)
            return
        with _damage_said(path):
            members = list(_members(path, size, left_out, folding))
        for start, end in members:
            file.seek(start)
            yield file.read(end - start)


def _members(
    path: Path, size: int, left_out: frozenset[int], folding: urls.Folding
) -> Iterator[tuple[int, int]]:
    """Return start and end of the records to export; each is a gzip member."""
    begun: int | None = None
    with path.open("rb") as file:
        for record in ArchiveIterator(file, parse_http=False):
            at = record.stream_pos
            if begun is not None:
                yield begun, at
            if at >= size:
                return
            said = record.headers.get("WARC-Target-URI") or ""
            url = urls.parse(said.removeprefix(RENDERED_URN).removeprefix(CONCLUDED_URN))
            begun = None if url and urls.key_of(url, folding) in left_out else at
    if begun is not None:
        yield begun, size


def _index_lines(package: zipfile.ZipFile, entry: str, name: str) -> list[tuple[str, str]]:
    """Return the CDXJ lines of an archive file of the package."""
    found: list[tuple[str, str, dict[str, str], int]] = []
    ends: list[int] = []
    for record in _records(package, entry):
        ends.append(record.stream_pos)
        if record.record_type not in (WarcRecordType.response, WarcRecordType.revisit):
            continue
        url, date = record.headers.get("WARC-Target-URI") or "", record.headers.get("WARC-Date") or ""
        status, mime = _head_of(record.reader.read(65_536))
        if record.record_type == WarcRecordType.revisit:
            mime = "warc/revisit"
        digest = record.headers.get("WARC-Payload-Digest") or ""
        about = {"url": url, "mime": mime, "status": status, "digest": digest}
        found.append((surt_of(url), re.sub(r"\D", "", date)[:14], about, record.stream_pos))
    ends.append(package.getinfo(entry).file_size)
    following = dict(itertools.pairwise(ends))
    return [
        (
            f"{surt} {when}",
            json.dumps({**about, "length": str(following[at] - at), "offset": str(at), "filename": name}),
        )
        for surt, when, about, at in found
    ]


def _records(package: zipfile.ZipFile, entry: str) -> Iterator[WarcRecord]:
    # Not through a GzipReader, with which fastwarc gives the first record the position of the second.
    with package.open(entry) as file:
        yield from ArchiveIterator(file, parse_http=False)


def _head_of(start: bytes) -> tuple[str, str]:
    """Return status and media type of a response."""
    lines = start.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    status = lines[0].split(" ")[1] if " " in lines[0] else ""
    said = next(
        (line.partition(":")[2] for line in lines[1:] if line.lower().startswith("content-type:")), ""
    )
    return status, said.partition(";")[0].strip().lower() or "unk"


def surt_of(url: str) -> str:
    """Return the sort key (SURT) of a URL: host reversed, lower case, no www, query sorted.

    >>> surt_of("https://www.Example.org:8080/A/b/?z=1&a=2")
    'org,example:8080)/a/b?a=2&z=1'
    >>> surt_of("http://example.org/")
    'org,example)/'
    """
    parts = urlsplit(url.lower())
    host = re.sub(r"^www\d*\.", "", parts.hostname or "")
    turned = host if ":" in host else ",".join(reversed(host.split(".")))
    port = f":{parts.port}" if parts.port else ""
    path = parts.path.rstrip("/") or "/"
    query = "?" + "&".join(sorted(parts.query.split("&"))) if parts.query else ""
    return f"{turned}{port}){path}{query}"


def _blocks(lines: list[tuple[str, str]]) -> tuple[bytes, bytes]:
    """Return the index in gzip blocks, and the index of these blocks."""
    data = io.BytesIO()
    starts = [b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    for at in range(0, len(lines), LINES_PER_BLOCK):
        block = lines[at : at + LINES_PER_BLOCK]
        packed = gzip.compress("".join(f"{key} {about}\n" for key, about in block).encode(), mtime=0)
        digest = "sha256:" + hashlib.sha256(packed).hexdigest()
        place = {"offset": data.tell(), "length": len(packed), "digest": digest, "filename": "index.cdx.gz"}
        starts.append(f"{block[0][0]} {json.dumps(place)}\n".encode())
        data.write(packed)
    return data.getvalue(), b"".join(starts)


def _page_lines(collection: Collection, wanted: PageFilter) -> Iterator[bytes]:
    """Return the lines of pages.jsonl: a header, then a page a line with its conclusion."""
    yield (
        json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": True}).encode()
        + b"\n"
    )
    for row in corpus_rows(collection, wanted):
        if row.rule != _ELSEWHERE:
            yield _to_json(_page_line(row)) + b"\n"


def _page_line(row: CorpusRow) -> dict[str, Any]:
    return {
        "id": base64.urlsafe_b64encode(hashlib.sha256(row.url.encode()).digest()[:12]).decode(),
        "url": row.url,
        "ts": row.fetched_at,
        "title": row.title or row.url,
        "text": row.text,
        "relevant": row.relevant,
        "score": row.score,
        "rule": row.rule,
        "evidence": row.evidence,
        **row.categories,
        "language": row.language,
        "date": row.date,
        "date_source": row.date_source,
        "cluster": row.cluster,
    }

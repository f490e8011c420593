from __future__ import annotations

import contextlib
import gzip
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from fastwarc.stream_io import GzipReader
from fastwarc.warc import ArchiveIterator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.collection.archive.warc import (
    EarlierCapture,
    Position,
    WarcWriter,
    base32,
    digest_of,
    read_capture,
)
from lycosa.errors import ArchiveError, CollectionError
from lycosa.values import Link
from tests.collection.archives import records_of, types_of, urls_of
from tests.collection.records import NOW, fetched

INFO = {"software": "Lycosa/0.1", "robots": "obey\r\nX: injected"}


@pytest.fixture
def writer() -> Iterator[Callable[..., WarcWriter]]:
    """Makes writers, and closes them."""
    made: list[WarcWriter] = []

    def make(directory: Path, max_bytes: int = 10**9, name: str = "storm") -> WarcWriter:
        made.append(WarcWriter(directory, name, max_bytes, INFO))
        return made[-1]

    yield make
    for one in made:
        one.close()


def append(warc: WarcWriter, url: str, body: bytes = b"<p>hello</p>", **more):
    response = fetched(url, body, **more)
    return warc.append(response, digest_of(body), metadata=b'{"score":0.5}')


def test_a_page_is_three_records_that_belong_together(tmp_path, writer):
    """Response, request and metadata share their date; the last two point to the first. Only the first two are the page."""
    append(writer(tmp_path), "http://a.example/")

    kinds = records_of(tmp_path)

    assert [kind for kind, _, _ in kinds] == ["warcinfo", "response", "request", "metadata"]
    response, request, metadata = (headers for _, headers, _ in kinds[1:])
    assert request["WARC-Concurrent-To"] == metadata["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    assert {headers["WARC-Date"] for headers in (response, request)} == {"2023-11-14T22:13:20.000000Z"}
    assert [headers["WARC-Target-URI"] for headers in (response, request)] == ["http://a.example/"] * 2
    assert metadata["WARC-Target-URI"] == "urn:concluded:http://a.example/"  # pywb would show it for the page
    assert response["WARC-IP-Address"] == "192.0.2.1"
    assert response["WARC-Payload-Digest"] == base32(digest_of(b"<p>hello</p>"))
    assert response["WARC-Block-Digest"].startswith("sha1:")
    assert kinds[1][2] == b"<p>hello</p>"
    assert kinds[3][2] == b'{"score":0.5}'


def test_every_file_begins_with_its_warcinfo(tmp_path, writer):
    """Files are closed at their size and begin with who made them; values cannot add lines."""
    warc = writer(tmp_path, max_bytes=2000)
    for i in range(10):
        append(warc, f"http://a.example/{i}")

    names = sorted(path.name for path in tmp_path.iterdir())

    assert len(names) > 2
    assert names[:2] == ["storm-00001.warc.gz", "storm-00002.warc.gz"]
    for name in names:
        with GzipReader(str(tmp_path / name)) as stream:
            first = next(iter(ArchiveIterator(stream, parse_http=False)))
            assert first.headers["WARC-Filename"] == name
            assert first.reader.read() == b"software: Lycosa/0.1\r\nrobots: obey X: injected\r\n"
    assert urls_of(tmp_path) == [f"http://a.example/{i}" for i in range(10)]


def test_each_record_is_a_gzip_member_of_its_own(tmp_path, writer):
    """A record can be read from its offset and length alone."""
    warc = writer(tmp_path)
    append(warc, "http://a.example/1")
    where = append(warc, "http://a.example/2", b"second")

    data = (tmp_path / where.file).read_bytes()[where.offset : where.offset + where.length]

    assert gzip.decompress(data).rstrip().endswith(b"second")
    assert read_capture(tmp_path, where.file, where.offset)[1] == b"second"


def test_a_revisit_refers_to_the_first_capture(tmp_path, writer):
    """A body archived before is not written again; the record says where it is."""
    warc = writer(tmp_path)
    body = b"the same bytes " * 100
    append(warc, "http://a.example/1", body)
    before = warc.position().offset
    earlier = EarlierCapture("http://a.example/1", NOW, digest_of(body))
    where = warc.append(fetched("http://b.example/", body), digest_of(body), same_as=earlier)

    _, headers, block = records_of(tmp_path)[4]

    assert where.revisit
    assert where.offset == before
    assert headers["WARC-Type"] == "revisit"
    assert headers["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert headers["WARC-Refers-To-Target-URI"] == "http://a.example/1"
    assert headers["WARC-Refers-To-Date"] == "2023-11-14T22:13:20.000000Z"
    assert headers["WARC-Payload-Digest"] == base32(digest_of(body))
    assert block == b""


def test_not_modified_is_a_revisit_of_its_own_kind(tmp_path, writer):
    """A 304 refers to the capture that is still valid."""
    warc = writer(tmp_path)
    earlier = EarlierCapture("http://a.example/", NOW, digest_of(b"x"))
    warc.append(fetched("http://a.example/", b"", status=304), digest_of(b""), same_as=earlier)

    _, headers, _ = records_of(tmp_path)[1]

    assert headers["WARC-Profile"].endswith("/revisit/server-not-modified")


def test_a_cut_response_says_so(tmp_path, writer):
    """WARC-Truncated has the fetcher's reason."""
    append(writer(tmp_path), "http://a.example/", truncated="length")

    assert records_of(tmp_path)[1][1]["WARC-Truncated"] == "length"


def test_chunks_that_were_undone_are_not_promised(tmp_path, writer):
    """The body comes without its chunks, so the head must not announce them to readers."""
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    where = append(writer(tmp_path), "http://a.example/", b"5\r\nnot a chunk", response_head=head)

    archived, body = read_capture(tmp_path, where.file, where.offset)

    assert b"\r\nX-Archive-Orig-Transfer-Encoding: chunked" in archived
    assert body == b"5\r\nnot a chunk"
    assert records_of(tmp_path)[1][2] == b"5\r\nnot a chunk"


def test_a_response_from_an_archive_gets_a_head(tmp_path, writer):
    """Where no head was received, one is written from status and headers; no request is made up."""
    response = fetched("http://a.example/", b"x", response_head=b"")
    bare = msgspec.structs.replace(response, request_head=b"")
    where = writer(tmp_path).append(bare, digest_of(b"x"))

    assert (
        read_capture(tmp_path, where.file, where.offset)[0]
        == b"HTTP/1.1 200\r\nContent-Type: text/html\r\n\r\n"
    )
    assert types_of(tmp_path) == ["warcinfo", "response"]


def test_cutting_goes_back_to_a_position(tmp_path, writer):
    """The tail after a position and all later files are gone; writing goes on from there."""
    warc = writer(tmp_path, max_bytes=3000)
    append(warc, "http://a.example/kept")
    kept = warc.position()
    for i in range(10):
        append(warc, f"http://a.example/lost/{i}")
    (tmp_path / "theirs-00009.warc.gz").write_bytes(b"")

    again = writer(tmp_path, 3000, "renamed")
    again.cut(kept)
    append(again, "http://a.example/next")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["storm-00001.warc.gz", "theirs-00009.warc.gz"]
    assert urls_of(tmp_path) == ["http://a.example/kept", "http://a.example/next"]


def test_a_lost_end_is_told(tmp_path, writer):
    """A file that lost committed records, or is gone, is named with what to do."""
    warc = writer(tmp_path)
    append(warc, "http://a.example/")
    at = warc.position()

    with pytest.raises(CollectionError, match=r"storm-00001\.warc\.gz has .* Put it back"):
        warc.cut(Position(at.file, at.offset + 1))
    (tmp_path / at.file).unlink()
    with pytest.raises(CollectionError, match="is missing"):
        warc.cut(at)


def test_a_damaged_record_is_told(tmp_path):
    """Reading at a place that holds no record names the file."""
    (tmp_path / "x.warc.gz").write_bytes(b"no gzip at all")
    for file in ("x.warc.gz", "gone.warc.gz"):
        with pytest.raises(ArchiveError, match=file):
            read_capture(tmp_path, file, 0)


def test_a_bomb_is_not_unpacked(tmp_path, writer):
    """A record of more bytes than asked for is reported, one of exactly that many is read."""
    warc = writer(tmp_path)
    where = append(warc, "http://a.example/", b"\0" * 3_000_000)
    size = sum(map(len, read_capture(tmp_path, where.file, where.offset)))
    assert sum(map(len, read_capture(tmp_path, where.file, where.offset, size))) == size
    with pytest.raises(ArchiveError, match=f"more than {size - 1} bytes"):
        read_capture(tmp_path, where.file, where.offset, size - 1)


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"WARC/1.1\r\n", b"WARC/1.1\r\nContent-Length: 9\r\n\r\n"]),
    st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_are_a_record_or_told(tmp_path, content, start, packed):
    """Whatever stands where the catalogue says that a record is."""
    (tmp_path / "a-00001.warc.gz").write_bytes(gzip.compress(start + content) if packed else start + content)
    with contextlib.suppress(ArchiveError):
        head, _ = read_capture(tmp_path, "a-00001.warc.gz", 0)
        assert head.endswith(b"\r\n\r\n")


def test_only_records_in_ordinary_files_are_read(tmp_path):
    """Megabytes of empty lines are not searched for a record, and a pipe is not waited for."""
    (tmp_path / "a-00001.warc.gz").write_bytes(gzip.compress(b"\r\n" * 50_000_000))
    os.mkfifo(tmp_path / "b-00001.warc.gz")
    started = time.process_time()
    for name in ("a", "b"):
        with pytest.raises(ArchiveError, match="cannot be read at 0"):
            read_capture(tmp_path, f"{name}-00001.warc.gz", 0)
    assert time.process_time() - started < 2


nasty = st.binary(max_size=200) | st.sampled_from(
    [
        b"\r\n\r\n",
        b"\n\n",
        b"HTTP/1.1 200 OK\n\nX",
        b"HTTP/1.1 200\r\n \r\nA: b",
        b"\0",
        b"Transfer-Encoding: chunked\r\n",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    head=nasty,
    body=st.binary(max_size=3000),
    path=st.text(max_size=100) | st.just("\ud800\r\nWARC-Type: x"),
    encoding=st.sampled_from(["gzip", "", "identity"]),
)
def test_whatever_a_server_sends_the_archive_stays_readable(
    tmp_path_factory, writer, head, body, path, encoding
):
    """Heads, bodies and URLs of any bytes make records that warcio reads and whose digests hold."""
    directory = tmp_path_factory.mktemp("archive")
    warc = writer(directory)
    hostile = fetched(
        "",
        body,
        link=Link("http://a.example/" + path, 1),
        response_head=head,
        headers=(("Content-Encoding", encoding),),
    )
    where = warc.append(hostile, digest_of(body), metadata=b"{}")
    append(warc, "http://a.example/after")
    warc.close()

    assert read_capture(directory, where.file, where.offset)[1] == body
    assert types_of(directory) == ["warcinfo", *["response", "request", "metadata"] * 2]
    assert urls_of(directory)[-1] == "http://a.example/after"


def test_a_huge_body_is_archived_whole(tmp_path, writer):
    """Ten megabytes, compressible or not, come back byte for byte."""
    warc = writer(tmp_path)
    body = bytes(range(256)) * 40_000
    where = append(warc, "http://a.example/", body)

    assert read_capture(tmp_path, where.file, where.offset)[1] == body

"""The archived web: any WARC of any tool, whole or damaged."""

from __future__ import annotations

import gc
import gzip
import io
import time
import warnings
import zipfile
from copy import copy
from pathlib import Path

import pytest
from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from lycosa import urls
from lycosa.errors import ArchiveError, InputError
from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.archive.warc_files import warc_files
from lycosa.fetch.redirects import redirect_target
from lycosa.values import Fetched, NotFetched, Reason
from tests.conftest import SHARED
from tests.fetch.conftest import link_to

WEBS = SHARED / "webs"
# warcio leaves its temporary files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file <tempfile.SpooledTemporaryFile:ResourceWarning")
DATE = "2024-02-03T04:05:06Z"


class Warc:
    """Writes a WARC with warcio."""

    def __init__(self, *, packed: bool = True) -> None:
        self.buffer = io.BytesIO()
        self.writer = WARCWriter(self.buffer, gzip=packed)

    def response(
        self, url, body=b"<p>hello", *, status="200 OK", headers=(("Content-Type", "text/html"),), **warc
    ):
        http = StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")
        return self._write(url, "response", body, http, warc)

    def resource(self, url, body, kind, **warc):
        return self._write(url, "resource", body, None, warc, kind)

    def revisit(self, url, original, *, status="200 OK", keep=("id", "url"), **warc):
        http = StatusAndHeaders(
            status, [("Content-Type", "text/html"), ("X-Again", "1")], protocol="HTTP/1.1"
        )
        record = self.writer.create_revisit_record(
            url,
            original.rec_headers.get_header("WARC-Payload-Digest"),
            original.rec_headers.get_header("WARC-Target-URI"),
            original.rec_headers.get_header("WARC-Date"),
            http_headers=http,
        )
        if "id" in keep:
            record.rec_headers.add_header("WARC-Refers-To", original.rec_headers.get_header("WARC-Record-ID"))
        if "url" not in keep:
            record.rec_headers.remove_header("WARC-Refers-To-Target-URI")
        self.writer.write_record(record)
        return record

    def _write(self, url, kind, body, http, warc, content_type=None):
        named = {"WARC-Date": DATE, **{name.replace("_", "-"): value for name, value in warc.items()}}
        record = self.writer.create_warc_record(
            url,
            kind,
            payload=io.BytesIO(body),
            http_headers=http,
            warc_headers_dict=named,
            warc_content_type=content_type or "",
        )
        self.writer.write_record(record)
        return record

    def save(self, path: Path, cut: int = 0) -> Path:
        data = self.buffer.getvalue()
        path.write_bytes(data[: len(data) - cut])
        return path


@pytest.fixture(autouse=True, scope="module")
def _collected():
    """What warcio leaves behind is collected while its warnings are still ignored."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture(params=[True, False], ids=["gzip", "plain"])
def warc(request):
    """A writer of compressed and of plain files."""
    return Warc(packed=request.param)


async def get(archive: ArchiveFetcher, url: str) -> Fetched:
    result = await archive.fetch(link_to(url))
    assert isinstance(result, Fetched), result
    return result


async def test_responses_come_as_archived(warc, tmp_path):
    """Status, headers, body, date and address are the record's."""
    warc.writer.write_record(warc.writer.create_warcinfo_record("x.warc", {"software": "test"}))
    warc.response("http://a.test/one", b"<p>one", WARC_IP_Address="192.0.2.9")
    warc.response("http://a.test/two", b"<p>two")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    page = await get(archive, "http://a.test/one")
    assert (page.status, page.body, page.address) == (200, b"<p>one", "192.0.2.9")
    assert page.header("content-type") == "text/html"
    assert page.response_head == b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n"
    assert time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(page.started)) == DATE
    assert archive.urls() == ["http://a.test/one", "http://a.test/two"]
    assert sorted(archive.keys()) == sorted(link_to(url).key for url in archive.urls())
    assert "http://a.test/two" in archive
    assert "http://a.test/three" not in archive
    assert (len(archive), archive.damage) == (2, [])


async def test_unknown_urls_are_not_archived(warc, tmp_path):
    """And are not asked for elsewhere."""
    warc.response("http://a.test/one")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    for url in ("http://a.test/other", "mailto:x@y.test"):
        result = await archive.fetch(link_to(url))
        assert isinstance(result, NotFetched)
        assert (result.refusal.reason, result.again_in_s) == (Reason.NOT_ARCHIVED, None)


async def test_look_up_is_by_identity_and_the_first_wins(warc, tmp_path):
    """Other spellings find the record; the link then has the URL as archived, and its own key."""
    warc.response("http://A.test/%7Ebob/index.html", b"first")
    warc.response("http://a.test/~bob/", b"second")
    warc.response("<http://b.test/x>", b"in brackets")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    link = link_to("http://a.test/~bob")
    page = await archive.fetch(link)
    assert isinstance(page, Fetched)
    assert (page.body, page.link.url, page.link.key) == (
        b"first",
        "http://a.test/%7Ebob/index.html",
        link.key,
    )
    assert (await get(archive, "http://b.test/x")).body == b"in brackets"
    assert len(archive) == 2


async def test_index_names_can_be_more(tmp_path):
    """A virtual web may say which other names mean the directory."""
    warc = Warc()
    warc.response("http://a.test/d/home.html", b"home")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")], folding=urls.Folding(frozenset(["home.html"])))
    assert (await get(archive, "http://a.test/d/")).body == b"home"


async def test_redirects_and_errors_keep_their_status(warc, tmp_path):
    """A 3xx record is a Fetched with a target; a 404 is a 404."""
    warc.response("http://a.test/old", b"", status="301 Moved", headers=[("Location", "/new")])
    warc.response("http://a.test/gone", b"gone", status="404 Not Found")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    assert redirect_target(await get(archive, "http://a.test/old")) == "http://a.test/new"
    assert (await get(archive, "http://a.test/gone")).status == 404


async def test_resources_are_pages_too(warc, tmp_path):
    """A resource record is a 200 with its type."""
    warc.resource("http://a.test/i.png", b"\x89PNG", "image/png")
    page = await get(ArchiveFetcher([warc.save(tmp_path / "a.warc")]), "http://a.test/i.png")
    assert (page.status, page.header("content-type"), page.body) == (200, "image/png", b"\x89PNG")


async def test_transfer_coding_is_undone_content_coding_is_not(warc, tmp_path):
    """Chunks as they were on the wire become a body; its gzip stays."""
    body = gzip.compress(b"<p>hello")
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    headers = [("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")]
    warc.response("http://a.test/", chunked, headers=headers)
    page = await get(ArchiveFetcher([warc.save(tmp_path / "a.warc")]), "http://a.test/")
    assert page.body == body
    assert b"X-Archive-Orig-Transfer-Encoding: chunked" in page.response_head


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n", b"hello world"),
        (b"<html>not chunked</html>", b"<html>not chunked</html>"),
        (b"5\r\nhello\r\nff\r\n wor", b"hello wor"),
        (b"0\r\n\r\n", b""),
        (b"", b""),
    ],
    ids=["chunks", "unchunked by the tool", "cut off", "empty", "nothing"],
)
async def test_chunks_of_any_tool(warc, tmp_path, sent, body):
    """Whether a tool kept the chunks or only their header, the body comes out."""
    warc.response("http://a.test/", sent, headers=[("Transfer-Encoding", "chunked")])
    assert (await get(ArchiveFetcher([warc.save(tmp_path / "a.warc")]), "http://a.test/")).body == body


@pytest.mark.parametrize("keep", [("id",), ("url",), ()], ids=["by id", "by URL and date", "by digest"])
async def test_revisits_have_the_body_of_their_original(warc, tmp_path, keep):
    """A revisit is found by record id, URL and date, or digest, also in another file, also before it."""
    original = warc.response("http://a.test/first", b"<p>the body")
    again = Warc()
    again.revisit("http://a.test/copy", original, keep=keep)
    again.revisit("http://a.test/unchanged", original, keep=keep, status="304 Not Modified")
    paths = [again.save(tmp_path / "a.warc.gz"), warc.save(tmp_path / "b.warc")]
    archive = ArchiveFetcher(paths)
    copy = await get(archive, "http://a.test/copy")
    assert (copy.status, copy.body, copy.header("x-again")) == (200, b"<p>the body", "1")
    unchanged = await get(archive, "http://a.test/unchanged")
    assert (unchanged.status, unchanged.body) == (200, b"<p>the body")


async def test_revisits_without_original_are_not_archived(warc, tmp_path):
    """What is not in the files cannot be answered with, and does not hide a later record."""
    lost = Warc().response("http://elsewhere.test/", b"lost")
    warc.revisit("http://a.test/", lost)
    warc.revisit("http://b.test/", lost)
    warc.response("http://b.test/", b"there")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    assert "http://a.test/" not in archive
    assert (await get(archive, "http://b.test/")).body == b"there"


async def test_records_of_fastwarc(tmp_path):
    """What fastwarc writes is read as well."""
    path = tmp_path / "f.warc.gz"
    with GzipWriter(str(path)) as out:
        for n in range(3):
            record = WarcRecord()
            record.init_headers(WarcRecordType.response)
            record.headers["WARC-Target-URI"] = f"http://a.test/{n}"
            record.is_http = True
            record.set_bytes_content(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>%d" % n)
            record.write(out)
            out.finish()
    archive = ArchiveFetcher([path])
    assert [(await get(archive, url)).body for url in archive.urls()] == [b"<p>0", b"<p>1", b"<p>2"]


async def test_files_compressed_in_one_piece(tmp_path):
    """A WARC that was gzipped as a whole is unpacked aside, and that copy goes with the fetcher."""
    warc = Warc(packed=False)
    for n in range(50):
        warc.response(f"http://a.test/{n}", b"<p>%d" % n)
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(gzip.compress(warc.buffer.getvalue()))
    archive = ArchiveFetcher([path])
    for n in (49, 0, 17):
        assert (await get(archive, f"http://a.test/{n}")).body == b"<p>%d" % n
    copy = archive._paths[0]
    assert isinstance(copy, Path)
    assert copy.exists()
    del archive
    assert not copy.exists()


@pytest.mark.parametrize("cut", [5, 40, 100, 200])
async def test_of_a_cut_file_the_start_is_used(warc, tmp_path, cut):
    """Every whole record before the cut is there; the damage is named with file and place."""
    for n in range(5):
        warc.response(f"http://a.test/{n}", b"<p>page %d" % n)
    archive = ArchiveFetcher([warc.save(tmp_path / "cut.warc", cut)])
    assert {f"http://a.test/{n}" for n in range(4)} <= set(archive.urls())
    for url in archive.urls():
        assert (await get(archive, url)).body.startswith(b"<p>page ")
    if "http://a.test/4" not in archive:
        assert "cut.warc: cut off within the record at byte" in archive.damage[0]
    assert cut < 40 or archive.damage


async def test_damage_in_the_middle_is_named(tmp_path):
    """What precedes the damage is used."""
    warc = Warc()
    for n in range(6):
        warc.response(f"http://a.test/{n}", b"<p>page %d" % n)
    data = bytearray(warc.buffer.getvalue())
    data[len(data) // 2 : len(data) // 2 + 60] = b"\xaa" * 60
    path = tmp_path / "bad.warc.gz"
    path.write_bytes(data)
    archive = ArchiveFetcher([path])
    assert 2 <= len(archive) < 6
    assert "bad.warc.gz: damaged after the record at byte" in archive.damage[0]


@pytest.mark.parametrize(
    "data", [b"", b"hello world\n" * 50, gzip.compress(b"hello" * 50, mtime=0), b"\x1f\x8b\x08broken"]
)
def test_files_of_which_nothing_can_be_read(tmp_path, data):
    """One clear message: the file, and what to do."""
    path = tmp_path / "no.warc"
    path.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"no\.warc holds no readable WARC record.*leave it out"):
        ArchiveFetcher([path])


def test_a_missing_file_is_named(tmp_path):
    """Not a traceback of the reader's."""
    with pytest.raises(ArchiveError, match=r"gone\.warc cannot be read"):
        ArchiveFetcher([tmp_path / "gone.warc"])


async def test_bombs_are_refused(warc, tmp_path, monkeypatch):
    """A record that is larger than any page costs only itself, before it is read."""
    warc.response("http://a.example/", b"fine")
    warc.response("http://a.example/big", b"0" * 3_000_000)
    monkeypatch.setattr("lycosa.fetch.archive.records.RECORD_BYTES", 1_000_000)
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    assert (await get(archive, "http://a.example/")).body == b"fine"
    big = await archive.fetch(link_to("http://a.example/big"))
    assert isinstance(big, NotFetched)
    assert big.refusal.reason is Reason.TOO_LARGE
    assert archive.damage == []


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    """It would fill the disk; the message says what to do."""
    monkeypatch.setattr("lycosa.fetch.archive.archive.UNPACKED_BYTES", 1_000_000)
    warc = Warc(packed=False)
    warc.response("http://a.example/", b"0" * 1000)
    warc.response("http://a.example/big", b"0" * 20_000_000)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(warc.buffer.getvalue()))
    with pytest.raises(ArchiveError, match="unpack it yourself"):
        ArchiveFetcher([path])


async def test_a_bomb_among_records_is_not_unpacked(warc, tmp_path, monkeypatch):
    """A file of megabytes would take minutes to look through; what comes before it is read."""
    monkeypatch.setattr("lycosa.fetch.archive.archive.UNPACKED_BYTES", 1_000_000)
    monkeypatch.setattr("lycosa.fetch.archive.archive.UNPACKED_RATIO", 1)
    warc.response("http://a.test/", b"fine")
    warc.response("http://a.test/big", b"0" * 50_000_000)
    warc.response("http://a.test/after", b"fine")
    if not warc.writer.gzip:
        pytest.skip("it is as large as it says")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc.gz")])
    assert archive.urls() == ["http://a.test/"]
    assert "unpacks to more" in archive.damage[0]


def test_a_wacz_whose_files_overlap_is_refused(tmp_path):
    """Ten thousand names for the same bytes: reading them all would take for ever."""
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/0.warc", bytes(100_000))
        first = package.filelist[0]
        for number in range(1, 1000):
            again = copy(first)
            again.filename = f"archive/{number}.warc"
            package.filelist.append(again)
            package.NameToInfo[again.filename] = again
    with pytest.raises(InputError, match="larger than itself"):
        warc_files([path])


async def test_many_headers_and_long_urls_are_cut(warc, tmp_path):
    """An archived response has no more headers than any server sends; a URL longer than any is not of the web."""
    warc.response("http://a.example/", headers=[("Content-Type", "text/html")] + [("A", "b")] * 5000)
    warc.response("http://a.example/" + "x" * 9000)
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    assert len((await get(archive, "http://a.example/")).headers) == 1000
    assert len(archive) == 1


async def test_a_record_with_a_long_url_does_not_end_a_file(warc, tmp_path):
    """Its headers are longer than fastwarc reads by itself; what comes after it is read."""
    warc.response("http://a.test/1")
    warc.response("http://a.test/" + "x" * 100_000)
    warc.response("http://a.test/2")
    archive = ArchiveFetcher([warc.save(tmp_path / "a.warc")])
    assert (archive.urls(), archive.damage) == (["http://a.test/1", "http://a.test/2"], [])


async def test_records_that_hold_no_response_are_refused(tmp_path):
    """A broken record spoils only itself; other schemes are left out."""
    path = tmp_path / "a.warc"
    with path.open("wb") as out:
        for url, kind in (
            ("http://a.test/", b"application/http; msgtype=response"),
            ("dns:a.test", b"text/dns"),
        ):
            out.write(
                b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: %s\r\n"
                b"Content-Type: %s\r\nContent-Length: 12\r\n\r\nno http here\r\n\r\n" % (url.encode(), kind)
            )
    archive = ArchiveFetcher([path])
    result = await archive.fetch(link_to("http://a.test/"))
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.BROKEN_RESPONSE
    assert len(archive) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(at=st.floats(0, 1), junk=st.binary(min_size=1, max_size=60), packed=st.booleans())
async def test_any_damage_is_survived(tmp_path, at, junk, packed):
    """Wherever a file is damaged: records, a named damage or an ArchiveError, never anything else."""
    warc = Warc(packed=packed)
    for n in range(3):
        warc.response(f"http://a.test/{n}", b"<p>page %d" % n)
    data = bytearray(warc.buffer.getvalue())
    start = int(at * len(data))
    data[start : start + len(junk)] = junk
    path = tmp_path / "junk.warc"
    path.write_bytes(data)
    try:
        archive = ArchiveFetcher([path])
    except ArchiveError:
        return
    for url in archive.urls():
        await archive.fetch(link_to(url))


@pytest.mark.shared("webs")
@pytest.mark.parametrize(("web", "pages"), [("webkb", 8000), ("news", 4900), ("wikischools", 8000)])
async def test_real_webs(web, pages):
    """Real corpora are indexed whole, in a moment, and each of their URLs answers."""
    archive = ArchiveFetcher(sorted((WEBS / web).glob("*.warc.gz")))
    assert len(archive) > pages
    assert not archive.damage
    for url in archive.urls()[::200]:
        assert (await get(archive, url)).status == 200


@pytest.mark.shared("webs")
async def test_real_spellings():
    """webkb has hosts in upper case and escaped tildes; other spellings find them."""
    folding = urls.Folding(frozenset("index.html home.html welcome.html".split()))
    archive = ArchiveFetcher([WEBS / "webkb" / "pages.warc.gz"], folding=folding)
    homes = [url for url in archive.urls() if "~" in url]
    assert homes
    for url in homes[:50]:
        assert url.replace("~", "%7E") in archive
    assert "http://gist.cs.berkeley.edu:8000/gist/gistabs.html" in archive

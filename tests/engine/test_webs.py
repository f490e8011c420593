"""Archives crawled instead of the network: the same engine, the same reasons, nobody asked."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lycosa.collection.catalogue.page_filter import JUDGED
from lycosa.collection.collection import Collection
from lycosa.collection.exports.wacz import export_wacz
from lycosa.engine.run import crawl_request
from lycosa.engine.start.request import request_for_archives
from lycosa.engine.watch.summary import Summary
from lycosa.errors import ArchiveError, CollectionError, InputError, SpecError
from lycosa.testing import Page, Site, data
from lycosa.values import Kind
from lycosa.why import explain
from tests.crawling import crawl, kept, pages_of, refusal_of, small_web, spec_text

START = "http://h0.test/"


def _quiet(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A spec, and the collection of its crawl over HTTP; the server is gone since."""
    out = tmp_path_factory.mktemp("webs") / "crawl"
    web = small_web(2, 8)
    web["h0.test", "/p1"] = str(web["h0.test", "/p1"]) + '<a href="/more.png">A picture</a>'
    with Site(web) as site:
        text = spec_text(site, [START], fetch={"concurrency": 1, "obey_robots": False})
        crawl(text, out)
    return text.replace("[fetch]", "[fetch]\nweb = [WEB]"), out


def _again(crawled: tuple[str, Path], web: Path, out: Path) -> Path:
    crawl(crawled[0].replace("WEB", f'"{web}"'), out)
    return out


def test_a_collection_is_crawled_again_without_its_server(crawled: tuple[str, Path], tmp_path: Path):
    """The same pages in the same order, with the bytes, the times and the reasons of then."""
    again = _again(crawled, crawled[1], tmp_path / "crawl")
    before, after = pages_of(crawled[1]), pages_of(again)

    assert kept(again) == kept(crawled[1])
    with Collection.open(again) as here, Collection.open(crawled[1]) as there:
        for url in kept(again):
            assert here.response(after[url].capture)[1] == there.response(before[url].capture)[1]
    assert explain(again, START).judgement == explain(crawled[1], START).judgement
    assert refusal_of(again, "http://h0.test/more.png") == "HTTP_ERROR", "an archived 404 is one"


def test_a_wacz_is_read_in_place(crawled: tuple[str, Path], tmp_path: Path):
    """Also one among other files of a folder."""
    folder = tmp_path / "archives"
    folder.mkdir()
    export_wacz(crawled[1], folder / "a.wacz", JUDGED)
    (folder / "readme.txt").write_text("none of ours")
    again = _again(crawled, folder, tmp_path / "crawl")

    assert set(kept(again)) == set(kept(crawled[1]))


def test_what_is_exported_of_it_can_be_crawled_in_turn(crawled: tuple[str, Path], tmp_path: Path):
    again = _again(crawled, crawled[1], tmp_path / "one" / "crawl")
    export_wacz(again, tmp_path / "again.wacz", JUDGED)
    third = _again(crawled, tmp_path / "again.wacz", tmp_path / "two" / "crawl")

    assert set(kept(third)) == set(kept(crawled[1]))


def test_a_collection_is_of_one_web(crawled: tuple[str, Path], tmp_path: Path):
    """What was crawled from an archive does not go on by asking servers, nor the other way round."""
    again = _again(crawled, crawled[1], tmp_path / "crawl")
    live = crawled[0].replace("web = [WEB]", "")

    with pytest.raises(CollectionError, match="goes on only there: say --web"):
        crawl(live, again)
    with pytest.raises(CollectionError, match="was crawled from the live Web"):
        crawl(crawled[0].replace("WEB", f'"{again}"'), crawled[1])


def test_every_page_of_an_archive_is_imported(tmp_path: Path):
    """Pages that no link leads to as well, and what is no page as a requisite of replay."""
    web: dict[str | tuple[str, str], Page] = {
        ("a.test", "/"): "<title>A</title><p>One <a href='/gone'>two</a><img src='/i.png'>",
        ("a.test", "/i.png"): data(b"\x89PNG", "image/png"),
        ("far.test", "/alone"): "<title>Alone</title><p>No link leads here",
    }
    with Site(web) as site:
        seeds, archive = ["http://a.test/", "http://far.test/alone"], {"requisites": "all"}
        crawl(spec_text(site, seeds, archive=archive), tmp_path / "crawl")
    first, again = (imported([tmp_path / "crawl"], tmp_path / "out") for _ in range(2))

    assert sorted(kept(tmp_path / "out")) == ["http://a.test/", "http://far.test/alone"]
    assert pages_of(tmp_path / "out")["http://a.test/i.png"].kind is Kind.REQUISITE
    assert (first.pages, first.relevant, first.waiting) == (2, 2, 0)
    assert again.pages == 2, "run again, it goes on where it was"


def imported(archives: list[Path], out: Path, spec: Path | None = None) -> Summary:
    return crawl_request(request_for_archives(archives, out, spec), say=_quiet, quiet=True)


def test_an_import_is_judged_by_a_spec(crawled: tuple[str, Path], tmp_path: Path):
    spec = tmp_path / "crawl.toml"
    spec.write_text('name = "some"\n[topic]\nkeywords = ["granite", "summit"]\n[process]\nworkers = 0\n')
    summary = imported([crawled[1]], tmp_path / "some", spec)

    assert summary.pages == len(kept(crawled[1]))
    assert 0 < summary.relevant < summary.pages


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_broken_wacz_is_told(crawled: tuple[str, Path], tmp_path: Path, packing: int):
    """One whose WARC files are packed, and one that holds none."""
    with zipfile.ZipFile(tmp_path / "a.wacz", "w", packing) as wacz:
        wacz.writestr("archive/a.warc.gz" if packing else "notes.txt", b"x" * 100)

    with pytest.raises(
        (ArchiveError, InputError), match=r"unzip .*a\.wacz" if packing else "has no WARC file"
    ):
        _again(crawled, tmp_path / "a.wacz", tmp_path / "crawl")
    assert not (tmp_path / "crawl").exists(), "nothing is left behind"


def test_a_cut_wacz_is_told(crawled: tuple[str, Path], tmp_path: Path):
    export_wacz(crawled[1], tmp_path / "whole.wacz", JUDGED)
    (tmp_path / "cut.wacz").write_bytes((tmp_path / "whole.wacz").read_bytes()[:2000])

    with pytest.raises(InputError, match="cannot be read as WACZ"):
        _again(crawled, tmp_path / "cut.wacz", tmp_path / "crawl")


def test_names_that_mean_nothing_are_refused(crawled: tuple[str, Path], tmp_path: Path):
    with pytest.raises(InputError, match="does not exist"):
        _again(crawled, tmp_path / "gone.warc", tmp_path / "crawl")
    with pytest.raises(SpecError, match="Name some there"):
        crawl('[seeds]\narchive = true\n[judge]\nkind = "all"\n', tmp_path / "crawl")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("empty.warc.gz", b"", "is empty"),
        ("page.html", b"<html><p>No archive." * 100, "WARC"),
        ("cut.warc.gz", None, "no readable page"),
        ("noise.warc.gz", bytes(range(256)) * 40, "WARC"),
        ("bad.wacz", b"PK\x03\x04 this was a zip once", "cannot be read as WACZ"),
        ("folder", None, "has no WARC file"),
    ],
)
def test_what_is_no_archive_leaves_nothing_behind(
    crawled: tuple[str, Path],
    lycosa: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    name: str,
    content: bytes | None,
    told: str,
):
    """It is told in a line, as a wrong use, before a collection is begun."""
    given, out = tmp_path / name, tmp_path / "out"
    if name == "folder":
        given.mkdir()
    elif content is None:
        whole = next((crawled[1] / "archive").iterdir()).read_bytes()
        second = whole.index(b"\x1f\x8b\x08", 10)  # where the warcinfo record ends
        given.write_bytes(whole[: second + 60])
    else:
        given.write_bytes(content)

    code, _, error = lycosa("import", given, "--out", out)

    assert (code, out.exists()) == (2, False)
    assert told in error
    assert "Traceback" not in error

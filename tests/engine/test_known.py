"""What another collection has is not collected again: `archive.known`, by URL and by bytes, and where it is stays known."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from lycosa.collection.catalogue.page_filter import JUDGED
from lycosa.collection.collection import Collection
from lycosa.collection.known import known_in
from lycosa.engine.start.checking import check_spec
from lycosa.errors import LycosaError
from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.archive.warc_files import warc_files
from lycosa.spec.sections import ArchiveSpec
from lycosa.testing import Page, Site, html, links
from lycosa.why import explain
from tests.crawling import crawl, kept, refusal_of, spec_text

START = "http://a.test/"
Web = dict[str | tuple[str, str], Page]
OLD: Web = {
    "/": links("/one", "/two"),
    "/one": html("<p>One granite summit"),
    "/two": html("<p>Two glaciers"),
}
NEW: Web = {
    **OLD,
    "/": links("/one", "/moved", "/new"),
    "/moved": html("<p>Two glaciers"),  # the bytes of /two
    "/new": html("<p>A new ridge"),
}


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    with Site(OLD) as site:
        crawl(spec_text(site, [START]), tmp_path / "earlier")
    return tmp_path / "earlier"


def test_pages_of_another_collection_are_neither_asked_for_nor_kept_again(
    earlier: Path, tmp_path: Path
) -> None:
    out = tmp_path / "later"

    with Site(NEW) as site:
        summary = crawl(spec_text(site, [START], archive={"known": ["earlier"]}), out)

        assert site.hits("http://a.test/one") == 0
    assert kept(out) == [START, "http://a.test/new"]
    assert refusal_of(out, "http://a.test/moved") == "KNOWN"
    assert summary.known == 2
    assert f"another collection has it (archive.known): in {earlier}, 20" in str(
        explain(out, "http://a.test/one")
    )
    assert f"in {earlier} as http://a.test/two" in str(explain(out, "http://a.test/moved"))


def test_where_a_page_is_known_is_shown_without_detours(earlier: Path) -> None:
    (found,) = known_in(ArchiveSpec(known=("../earlier",)), earlier.parent / "later")

    assert found.resolve() == earlier
    assert found == Path(os.path.relpath(earlier))


def test_the_archive_refers_to_bytes_that_another_collection_has(earlier: Path, tmp_path: Path) -> None:
    out = tmp_path / "later"
    with Site(NEW) as site:
        crawl(spec_text(site, [START], archive={"known": [str(earlier)]}), out)

    with next((out / "archive").iterdir()).open("rb") as file:
        revisits = [
            (record.headers["WARC-Target-URI"], record.headers["WARC-Refers-To-Target-URI"])
            for record in ArchiveIterator(file, record_types=WarcRecordType.revisit)
        ]
    alone, together = ArchiveFetcher(warc_files([out])), ArchiveFetcher(warc_files([out, earlier]))

    with Collection.open(out) as collection:
        assert collection.export(tmp_path / "later.wacz", JUDGED) == 2  # those that can be shown

    assert revisits == [("http://a.test/moved", "http://a.test/two")]
    assert "http://a.test/moved" not in alone
    assert "http://a.test/moved" in together


def test_links_of_a_known_page_are_followed_also_when_all_is_judged_again(
    earlier: Path, tmp_path: Path
) -> None:
    out = tmp_path / "later"
    web: Web = {"/": links("/one", "/two"), "/one": OLD["/one"], "/two": OLD["/two"]}
    with Site(web) as site:
        # The home page is the one that the other collection has, byte for byte; a seed is asked for all the same.
        sections: dict[str, dict[str, Any]] = {"archive": {"known": [str(earlier)]}, "limits": {"pages": 1}}
        crawl(spec_text(site, [START], **sections), out)
        crawl(spec_text(site, [START], **sections, scope={"exclude": ["/nothing"]}), out)

        assert site.hits(START) == 1
    assert refusal_of(out, START) == "KNOWN"
    assert "Seen but refused: another collection has it" in str(explain(out, "http://a.test/one"))


def test_what_waited_is_refused_when_another_collection_is_named_later(earlier: Path, tmp_path: Path) -> None:
    out = tmp_path / "later"
    with Site(NEW) as site:
        crawl(spec_text(site, [START], limits={"pages": 1}), out)
        crawl(spec_text(site, [START], archive={"known": [str(earlier)]}), out)

        assert site.hits("http://a.test/one") == 0
    assert kept(out) == [START, "http://a.test/new"]


def test_a_missing_a_damaged_and_the_own_collection_are_told_before_anything_is_fetched(
    earlier: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(earlier, damaged)
    (damaged / "catalogue.db").write_bytes(b"not a catalogue" * 1000)
    with Site(NEW) as site:
        for known, told in {
            "nowhere": "nowhere is not a collection",
            "damaged": "damaged",
            "later": "is not a collection",
        }.items():
            with pytest.raises(LycosaError, match=told):
                crawl(spec_text(site, [START], archive={"known": [known]}), tmp_path / "later")
        (tmp_path / "crawl.toml").write_text(spec_text(site, [START], archive={"known": ["nowhere"]}))
        with pytest.raises(LycosaError, match=r"Name the directory that `lycosa crawl` wrote"):
            check_spec(tmp_path / "crawl.toml")
        with pytest.raises(LycosaError, match="Leave it out"):
            crawl(spec_text(site, [START], archive={"known": ["earlier"]}), earlier)

        assert site.hits(START) == 0
    assert not (tmp_path / "later").exists()

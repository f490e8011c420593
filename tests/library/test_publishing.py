"""A published collection: complete, harmless, searchable in a browser from files alone."""

from __future__ import annotations

import re
import zipfile

import pytest
from selectolax.lexbor import LexborHTMLParser

from lycosa.collection.writer import CollectionWriter
from lycosa.errors import InputError
from lycosa.library.publish.browser_index import MIN_PAGES, BrowserIndex
from lycosa.library.publish.publishing import publish
from tests.collection.records import page_record
from tests.library import sample_library
from tests.library.test_browser import chromium, page, playwright, pytestmark  # noqa: F401


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The sample, hostile pages and all, published."""
    folder = tmp_path_factory.mktemp("site")
    out = folder / "out"
    told = publish(sample_library.make(folder / "storm"), out, say=silent)
    return out, told


def test_it_has_every_relevant_page_and_no_other(site):
    """Reached from lists, without scripts; links lead to files that are there."""
    out, told = site
    assert told.pages == 2
    assert sorted(file.name for file in (out / "pages").iterdir()) == ["1.html", "2.html"]
    for file in out.rglob("*.html"):
        if file.name == "report.html":
            continue
        tree = LexborHTMLParser(file.read_text())
        for node in tree.css("a[href], link[href], script[src]"):
            target = node.attributes.get("href") or node.attributes.get("src") or ""
            if not target.startswith(("http", "#")):
                assert (file.parent / target.partition("?")[0]).exists(), (file.name, target)


def test_hostile_pages_are_text(site):
    """What a stranger's page calls itself never becomes markup."""
    out, _ = site
    for file in (out / "index.html", out / "list-1.html", *(out / "pages").iterdir()):
        tree = LexborHTMLParser(file.read_text())
        assert not tree.css("img, [onerror], [onload]")
        assert {node.attributes.get("src") for node in tree.css("script")} <= {"site.js"}


def test_its_size_is_told(site):
    """In megabytes."""
    out, told = site
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    assert str(told) == f"2 pages, {size / 1e6:.1f} MB."


def test_excerpts_keep_the_rest_to_themselves(tmp_path):
    """Neither the page nor the index has what comes after the beginning."""
    directory = tmp_path / "long"
    writer = CollectionWriter.create_or_open(directory, sample_library.SPEC, name="long")
    with writer as collection, collection.commit():
        collection.save(page_record("http://a.example/", title="Long", text="storm " * 200 + "secretword"))
    publish(directory, tmp_path / "out", excerpts=True, say=silent)
    assert not [file for file in (tmp_path / "out").rglob("*.*s") if b"secretword" in file.read_bytes()]
    assert "Its beginning" in (tmp_path / "out" / "pages" / "1.html").read_text()


def test_the_archive_is_packed_for_a_player_that_is_installed(tmp_path):
    """Its two files and its licence are copied; the archive is a WACZ of the relevant pages."""
    player = tmp_path / "replaywebpage"
    player.mkdir()
    for name in ("ui.js", "sw.js", "LICENSE"):
        (player / name).write_text(name)
    directory = sample_library.make(tmp_path / "storm")
    publish(directory, tmp_path / "out", replay=player, say=silent)
    replay = tmp_path / "out" / "replay"
    assert {file.name for file in replay.iterdir()} == {"player", "archive.wacz", "index.html"}
    assert {file.name for file in (replay / "player").iterdir()} == {"ui.js", "sw.js", "LICENSE"}
    with zipfile.ZipFile(tmp_path / "out" / "replay" / "archive.wacz") as archive:
        assert "datapackage.json" in archive.namelist()
    assert (
        "../replay/index.html#url=http%3A//news.example/storm" in (tmp_path / "out/pages/1.html").read_text()
    )


def test_what_cannot_be_published_says_what_to_do(tmp_path):
    """A folder with something in it, a player that is none, a collection without relevant pages."""
    directory = sample_library.make(tmp_path / "storm")
    with pytest.raises(InputError, match="is there already"):
        publish(directory, directory, say=silent)
    with pytest.raises(InputError, match="npm install replaywebpage"):
        publish(directory, tmp_path / "out", replay=tmp_path, say=silent)
    writer = CollectionWriter.create_or_open(tmp_path / "dull", sample_library.SPEC, name="dull")
    with writer as collection, collection.commit():
        collection.save(page_record("http://a.example/", relevant=False))
    with pytest.raises(InputError, match="nothing to publish"):
        publish(tmp_path / "dull", tmp_path / "out", say=silent)


def test_words_of_nearly_every_page_are_left_out():
    """They would be the largest part of the index, and find nothing."""
    index = BrowserIndex()
    for number in range(MIN_PAGES):
        index.add("", f"storm word{number}")
    assert index.common() == ["storm"]
    assert not any(b"storm" in script for _, script in index.parts())


def test_a_reader_searches_without_a_server(page, tmp_path):  # noqa: F811
    """From the disk: forms of a word, accents, ideographs, several words; a hit leads to its page; the address keeps the search."""
    directory = tmp_path / "many"
    texts = {
        "Barn owls": "Barn owls hunt mice at night in Zürich.",
        "Nest boxes": "A nest box for an owl, an owl that hunts by night.",
        "東京の梟": "梟は夜に狩りをする。",
    }
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="many") as collection:
        for number, (title, text) in enumerate(texts.items()):
            with collection.commit():
                collection.save(page_record(f"http://a.example/{number}", title=title, text=text))
    publish(directory, tmp_path / "out", say=silent)
    page.goto((tmp_path / "out" / "index.html").as_uri())
    for typed, titles in (
        ("owl", {"Barn owls", "Nest boxes"}),
        ("OWL mice", {"Barn owls"}),
        ("zurich", {"Barn owls"}),
        ("梟", {"東京の梟"}),
        ("nosuchword", set[str]()),
    ):
        page.fill("input[type=search]", typed)
        page.keyboard.press("Enter")
        count = f"{len(titles)} page{'' if len(titles) == 1 else 's'}"
        playwright.expect(page.locator("#found")).to_have_text(count)
        assert {node.inner_text() for node in page.locator("#hits .title").all()} == titles
    page.goto((tmp_path / "out" / "index.html").as_uri() + "?q=boxes")
    page.click("#hits a")
    playwright.expect(page.locator("h1")).to_have_text("Nest boxes")
    assert re.search(r"an owl that hunts", page.inner_text(".prose"))

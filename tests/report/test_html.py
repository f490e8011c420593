"""The report: everything in one file, and nothing of a stranger's is taken for markup."""

from __future__ import annotations

import re
import shutil
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import CollectionError
from lycosa.report import html as report_html
from lycosa.report.html import write_report


class Outline(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.fixture(scope="module")
def html(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("out") / "deep" / "report.html"
    assert write_report(collection, out) == out
    return out.read_text(encoding="utf-8")


def test_it_tells_the_crawl(html):
    """Name, topic, strategy, figures, best pages, sources and reasons are there."""
    for words in ("owl, night", "best-first", "share kept", "http://a.test/owls", "robots.txt disallows it",
                  "outside the scope", "a.test"):  # fmt: skip
        assert words in html, words


def test_it_tells_what_the_last_pages_brought_and_why_it_ended(collection, tmp_path, monkeypatch):
    """Whether it is worth going on."""
    monkeypatch.setattr(report_html, "LAST_PAGES", 2)
    text = write_report(collection, tmp_path / "r.html").read_text(encoding="utf-8")
    assert re.search(r"The last 2 pages brought <b>\d</b> of the kept ones; the last run ended: \w", text)


def test_hostile_names_titles_and_urls_are_escaped(html):
    """No script, no handler, no tag that a title, a URL or the spec brought in."""
    outline = Outline(html)
    assert not {"script", "img", "iframe", "i"} & set(outline.tags)
    assert not any(name.startswith("on") for name, _ in outline.attributes)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "nightly &lt;b&gt;owls" in html
    links = [value or "" for name, value in outline.attributes if name == "href"]
    assert links
    assert all(link.startswith(("http://", "https://", "#")) for link in links)


def test_only_the_web_is_linked_to(collection, tmp_path):
    """A catalogue that somebody else wrote may name any address: it is shown, and never a link."""
    copy = tmp_path / "copy"
    shutil.copytree(collection, copy)
    with sqlite3.connect(copy / "catalogue.db") as catalogue:
        catalogue.execute("UPDATE pages SET url = ' JavaScript:alert(1)//' || id, relevant = 1, score = 1")
    text = write_report(copy, tmp_path / "r.html").read_text(encoding="utf-8")
    links = [value for name, value in Outline(text).attributes if name == "href"]
    assert "JavaScript:alert(1)" in text
    assert not links


def test_nothing_may_run_in_it(html):
    """The file forbids itself scripts, frames, forms and everything from elsewhere."""
    values = dict(Outline(html).attributes)
    assert values["http-equiv"] == "Content-Security-Policy"
    assert "default-src 'none'" in html
    assert "script-src" not in html


def test_standard_output_is_an_out_too(collection):
    """`--out -` prints the report."""
    done = CliRunner().invoke(app, ["report", str(collection), "--out", "-"])
    assert done.output.startswith("<!doctype html>")


def test_it_is_one_file(html):
    """Nothing is loaded from anywhere: no stylesheet, script or picture; fonts are in it."""
    outline = Outline(html)
    assert "link" not in outline.tags
    assert not any(name in ("src", "srcset", "data") for name, _ in outline.attributes)
    assert "@import" not in html
    assert "url(" not in html.replace('url("data:font/woff;base64,', "")


def test_by_default_it_goes_into_the_collection(collection):
    """report/index.html, and written again without complaint."""
    assert write_report(collection) == collection / "report" / "index.html"
    assert write_report(collection).stat().st_size > 1000


def test_an_empty_collection_has_a_report(empty, tmp_path):
    """It says that there is nothing, and what to do."""
    text = write_report(empty, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "No page has been fetched yet" in text or "No relevant page yet" in text


def test_where_it_cannot_be_written_or_read(collection, tmp_path):
    """One message that names the file and the fix."""
    (tmp_path / "file").write_text("")
    with pytest.raises(CollectionError, match="--out"):
        write_report(collection, tmp_path / "file" / "report.html")
    with pytest.raises(CollectionError, match="--out"):
        write_report(collection, tmp_path)
    with pytest.raises(CollectionError, match="not a collection"):
        write_report(tmp_path)


def test_a_collection_without_its_spec_still_has_a_report(collection, tmp_path):
    """The catalogue is what counts; a missing or broken crawl.toml takes only the words about it."""
    copy = tmp_path / "copy"
    shutil.copytree(collection, copy)
    (copy / "crawl.toml").write_text("not = [toml")
    assert "http://a.test/owls" in write_report(copy).read_text(encoding="utf-8")
    (copy / "crawl.toml").unlink()
    assert "http://a.test/owls" in write_report(copy).read_text(encoding="utf-8")

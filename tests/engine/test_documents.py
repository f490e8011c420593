"""PDF and plain text, crawled: judged, searched and exported as pages are."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.collection import Collection
from lycosa.testing import Page, Site, data, html, text
from lycosa.why import explain, explanation_text
from tests.crawling import crawl, kept, pages_of, refusal_of, spec_text
from tests.page.pdfs import OWLS, pdf

START = "http://a.test/"


def test_documents_are_pages_of_a_collection(tmp_path: Path):
    """Their links are followed, their words are found, and a broken one costs itself."""
    web: dict[str | tuple[str, str], Page] = {
        "/": html(
            "<p>Owls <a href=/owls.pdf>paper</a> <a href=/notes.txt>notes</a> <a href=/bad.pdf>bad</a>"
        ),
        "/owls.pdf": data(
            pdf(OWLS, ("More.",), title="On owls", date="D:20240503", link="http://a.test/further"),
            "application/pdf",
        ),
        "/notes.txt": text("Notes on owls\n\nSee http://a.test/noted for more"),
        "/bad.pdf": data(b"%PDF-1.7 and nothing else", "application/pdf"),
        "/further": html("<p>Where the paper leads"),
        "/noted": html("<p>Where the notes lead"),
    }
    with Site(web) as site:
        crawl(spec_text(site, [START]), tmp_path / "crawl")
    pages = pages_of(tmp_path / "crawl")

    assert {*kept(tmp_path / "crawl")} == {
        START,
        *(f"{START}{name}" for name in ("owls.pdf", "notes.txt", "further", "noted")),
    }
    assert refusal_of(tmp_path / "crawl", f"{START}bad.pdf") == "NOT_A_PAGE"
    paper = pages[f"{START}owls.pdf"]
    assert (paper.title, paper.content_type) == ("On owls", "application/pdf")
    assert pages[f"{START}notes.txt"].title == "Notes on owls"
    with Collection.open(tmp_path / "crawl") as collection:
        rows = {row["url"]: row for row in collection.rows()}
        assert [hit.url for hit in collection.search.find("plumage").hits] == [f"{START}owls.pdf"]
    assert "hears a vole" in rows[f"{START}owls.pdf"]["text"]
    assert rows[f"{START}owls.pdf"]["evidence"]["pages"] == 2
    assert "pages" in explanation_text(explain(tmp_path / "crawl", f"{START}owls.pdf"))


def test_texts_are_exported_as_markdown(tmp_path: Path):
    """Headings and lists of pages stay, and a PDF is paragraphs."""
    first = "Owls hunt at night over open fields, and nobody hears them, because their feathers make no sound at all."
    web: dict[str | tuple[str, str], Page] = {
        "/": html(
            f"<h1>Owls</h1><p>{first}</p><ul><li>barn owl</li><li>tawny owl</li></ul><p>{first} <a href=/p.pdf>more</a></p>"
        ),
        "/p.pdf": data(pdf(OWLS), "application/pdf"),
    }
    with Site(web) as site:
        crawl(spec_text(site, [START]), tmp_path / "crawl")
    out = tmp_path / "owls.jsonl"
    told = CliRunner().invoke(
        app, ["export", str(tmp_path / "crawl"), "--jsonl", str(out), "--text", "markdown"]
    )
    rows = {row["url"]: row["text"] for row in map(json.loads, out.read_text(encoding="utf-8").splitlines())}

    assert told.exit_code == 0, told.output
    assert rows[START].startswith(f"# Owls\n\n{first}\n\n- barn owl\n- tawny owl\n\n")
    assert rows[f"{START}p.pdf"].startswith("The barn owl hunts")
    with Collection.open(tmp_path / "crawl") as collection:
        assert "# Owls" not in next(collection.rows())["text"], "plain without --text"

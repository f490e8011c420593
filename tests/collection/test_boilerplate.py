"""What repeats over a site is no part of its pages' texts."""

from __future__ import annotations

from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.collection.exports.boilerplate import MIN_PAGES, Boilerplate
from lycosa.collection.writer import CollectionWriter
from tests.collection.records import NOW, fetched, page_record


def _text(number: int, words: str) -> str:
    return f"Birds of the North\n\n{words} {number * 'owl'}.\n\nEnd.\nRetrieved from http://a.example/{number} on {number} May"


def test_lines_that_repeat_go_at_both_ends(tmp_path: Path):
    """Numbers and addresses in them may differ; what stands in the middle stays, and so does a small site."""
    out = tmp_path / "site"
    with CollectionWriter.create_or_open(out, "", name="site") as writer, writer.commit():
        for number in range(MIN_PAGES):
            url = f"http://a.example/{number}"
            response = fetched(url, url.encode(), at=NOW + number)
            words = f"Text of its own {'abcdefghij'[number]}\n\nBirds of the North\n\nand more {'klmnopqrst'[number]}"
            writer.save(page_record(url, fetched=response, text=_text(number, words)))
        alone = "http://b.example/"
        writer.save(page_record(alone, fetched=fetched(alone, b"b"), text=_text(1, "Alone")))
    with Collection.open(out) as collection:
        texts = {row["url"]: row["text"] for row in collection.rows()}

    assert texts["http://a.example/0"] == "Text of its own a\n\nBirds of the North\n\nand more k ."
    assert texts["http://b.example/"] == _text(1, "Alone")


def test_a_text_is_never_emptied():
    boilerplate = Boilerplate()
    for _ in range(MIN_PAGES):
        boilerplate.add("a.example", "The same\nagain")

    assert boilerplate.without("a.example", "The same\nagain") == "The same\nagain"

"""Texts as Markdown: headings, lists, tables and code stay what they are."""

from __future__ import annotations

import time

import pytest

from lycosa.page.document import Document
from lycosa.page.text.markdown import markdown_of
from lycosa.page.text.prose import text_of

PAGE = """<html><body><nav><a href=/>Home</a> <a href=/x>Menu</a></nav><main><h1>Owls and nests</h1>
<p>The barn owl nests in towers, in hollow trees and in boxes that people put up for it in their barns.</p>
<h2>Eggs</h2><ul><li>four eggs in a good year of voles</li><li>seven eggs in the very best of years</li></ul>
<ol><li>look for the nest in the dark</li><li>count the eggs and go away</li></ol>
<table><tr><th>Bird</th><th>Eggs</th></tr><tr><td>Barn owl</td><td>4 | 7</td></tr></table>
<pre>def eggs(year):
    return 4</pre>
<p>The tawny owl lays fewer eggs, and earlier in the year, which every walker in the woods can hear at night.</p></main>
<footer>Copyright 2024</footer></body></html>"""


def _markdown(markup: str, content_type: str = "text/html") -> str:
    return markdown_of(Document(markup.encode(), "http://a.test/", content_type))


def test_a_page_keeps_its_structure():
    text = _markdown(PAGE)

    assert "# Owls and nests\n\nThe barn owl nests" in text
    assert "## Eggs" in text
    assert "- four eggs in a good year of voles\n- seven eggs in the very best of years" in text
    assert "1. look for the nest in the dark\n1. count the eggs and go away" in text
    assert "| Bird | Eggs |\n| --- | --- |\n| Barn owl | 4 \\| 7 |" in text
    assert "```\ndef eggs(year):\n    return 4\n```" in text
    assert "Menu" not in text
    assert "Copyright" not in text


def test_lists_within_lists_are_indented_and_said_once():
    text = (
        "This is a long paragraph about bread that people bake at home, with many words, so that it is text."
    )
    markup = f"""<main><h1>Bread</h1><p>{text}</p><ul><li>Flour<ul><li>wheat</li><li>rye</li></ul></li><li>Water</li></ul>
    <ol><li>Mix<ul><li>slowly</li></ul></li><li>Bake</li></ol><p>{text}</p></main>"""

    assert "- Flour\n    - wheat\n    - rye\n- Water\n\n1. Mix\n    - slowly\n1. Bake\n\nThis" in _markdown(
        markup
    )


def test_plain_text_is_paragraphs():
    assert _markdown("One\n\nTwo", "text/plain") == "One\n\nTwo"


def test_a_page_without_structure_is_its_text():
    assert _markdown("<p>Just one line of text") == "Just one line of text"
    assert _markdown("") == ""


@pytest.mark.parametrize("unit", ["<table><tr><td>a b</td><td>c", "<ul><li>word here", "<ol><li>word here"])
def test_what_stands_in_itself_a_thousand_times_is_read_once(unit):
    document = Document(unit.encode() * 1000, "http://a.test/")
    begun = time.process_time()
    markdown_of(document)
    assert time.process_time() - begun < 2.0


def test_an_item_is_told_without_the_lists_and_comments_in_it():
    (item,) = Document(
        b"<ul><li>one <b>bold</b><!-- no --><ul><li>two</ul> three</ul>", "http://a.test/"
    ).tree.css("body > ul > li")
    assert text_of(item, "ul", "ol") == "one bold three"

"""From bytes to a Page."""

from __future__ import annotations

import time

from lycosa.engine.processes.analysis import MAIN_TEXT, READ, Recipe, analyse
from lycosa.evidence.words import fact_in_words
from lycosa.page import parser_limits
from lycosa.urls import key_of
from lycosa.values import Fetched, Link, Page

URL = "http://a.test/"
PLAIN = Recipe()


def page_of(html: str, recipe: Recipe = PLAIN) -> Page:
    response = Fetched(
        Link(URL, key_of(URL)), 200, (("Content-Type", "text/html"),), html.encode(), b"", b"", 0.0, 0.0
    )
    page = analyse(response, recipe)
    assert isinstance(page, Page)
    return page


def test_the_end_of_a_long_table_is_read():
    """With the link to the next one; nothing is noted on a page that was read whole."""
    page = page_of("<table>" + "<tr><td>owl<td>nest" * 12_000 + "</table><a href=/next>next</a>")
    assert [link.url for link in page.links] == ["http://a.test/next"]
    assert READ not in page.evidence


def test_a_page_that_is_cut_says_so(monkeypatch):
    """How much of it was read, and why not all: `lycosa why` shows it."""
    monkeypatch.setattr(parser_limits, "TAGS", 100)
    monkeypatch.setattr(parser_limits, "NESTING", 5_000)
    page = page_of("<div>" * 1_000)
    assert fact_in_words(READ, page.evidence[READ]) == "0.1000 (the rest is too long or nested too deeply)"


def test_a_book_in_one_page_is_read_in_time_and_says_what_it_lacks():
    """To take navigation out of it would take ten seconds: all of its text is kept, and `lycosa why` says that."""
    paragraph = "The owl flies by night. " * 3
    html = f"<p>{paragraph}</p>\n" * 25_000
    page_of(paragraph, Recipe(text=True))  # loads what any page needs
    before = time.process_time()
    kept = page_of(html, Recipe(text=True))
    with_text = time.process_time() - before
    page = page_of(html)
    without_text = time.process_time() - before - with_text
    assert with_text < 5 * without_text
    assert kept.words == page.words
    assert kept.text == "\n".join([paragraph.strip()] * 25_000)
    said = fact_in_words(MAIN_TEXT, kept.evidence[MAIN_TEXT])
    assert said == "1.0000 (the page is too long to leave navigation out)"

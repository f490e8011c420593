"""Markup that could stall the parser is thinned out; ordinary markup is left alone."""

import time
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lycosa.page import parser_limits
from lycosa.page.parser_limits import HTML_CHARS, bounded
from lycosa.page.text.layout import Layout

K = 3_000
BLOBS = "abc " * 10_000
HOSTILE = {
    "unclosed formatting, reopened in every paragraph": (
        "<p>" + "".join(f"<b id={n}>" for n in range(K)) + "</p>" + "<p>x</p>" * K
    ),
    "formatting that fake end tags do not close": "".join(
        f"<b id={n}><table><td></b></table>" for n in range(K)
    ),
    "attributes": "<p " + " ".join(f"a{n}" for n in range(100_000)) + ">",
    "attributes after a quoted >": '<p x=">" ' + " ".join(f"a{n}" for n in range(100_000)) + ">",
    "attributes of an end tag": "</p " + " ".join(f"a{n}" for n in range(100_000)) + ">",
    "links within links": "".join(f"<a href={n}><table><td>" for n in range(20_000)),
    "long": "<p>x" * 3_000_000,
    "cells within a drawing": "<svg>" + "<td>" * 100_000,
    "end tags of other elements": "<div></span>" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_is_parsed_within_limits(name):
    """No markup makes the parser build more than a million or so nodes, however it is nested."""
    tree = LexborHTMLParser(bounded(HOSTILE[name]))
    body = tree.body
    assert body is not None
    assert len(list(islice(body.traverse(include_text=True), 1_100_000))) < 1_100_000
    Layout(body)


def test_depth_is_capped(monkeypatch):
    """Beyond the cap of tags the page is cut: the parser's time grows with the square of the depth."""
    monkeypatch.setattr(parser_limits, "TAGS", 1_000)
    monkeypatch.setattr(parser_limits, "NESTING", 1_000)
    assert len(LexborHTMLParser(bounded("<div>" * 100_000)).css("div")) <= 1_000


LONG_TABLE = "<table>" + "<tr><td>owl<td><img src=i>" * 40_000 + "</table><a href=/next>next</a>"


@pytest.mark.parametrize(
    "html",
    [
        LONG_TABLE,
        "<svg>" + "<path d='M0 0'/>" * 60_000 + "</svg><a href=/next>next</a>",
        "<ul>" + "<li><a href=/x>owl</a></li>" * 30_000 + "</ul><a href=/next>next</a>",
    ],
)
def test_a_long_page_is_read_to_its_end(html):
    """What is long and not deep costs the parser no more than its length."""
    assert bounded(html) == html
    assert LexborHTMLParser(html).css("a")[-1].text() == "next"


@pytest.mark.parametrize(
    "html",
    [
        "<p>a<b>b<i>c",
        "<p>" + "<b>x</b>" * 900,
        "<script type='a'>" + BLOBS + "</script><p>t",
        '<pre class="x">' + BLOBS + "</pre>",
        "<p>" + BLOBS,
    ],
)
def test_ordinary_markup_passes_unchanged(html):
    """Real pages, long scripts and long texts included, are not touched."""
    assert bounded(html) == html


def test_text_and_links_survive_the_loss_of_formatting():
    """A page with too much formatting loses only that."""
    html = "".join(f"<p><b>w{n}</b><font size=1> <a href=/{n}>x</a></font>" for n in range(3000))
    tree = LexborHTMLParser(bounded(html))
    assert len(tree.css("a")) == 3000
    assert "w2999" in tree.text()
    assert not tree.css("b,font")


@given(st.text(alphabet=st.sampled_from("<>/ab ='\"!-&;\n"), max_size=200))
def test_small_markup_is_never_changed(html):
    """What is too small to do harm stays as it is."""
    assert bounded(html) == html


@pytest.mark.parametrize("start", ["<select>", "<SELECT\nname=a>", "<select/id=b>"])
@pytest.mark.parametrize("option", ["<option selected>x", "<OPTION>x</option>", "<optgroup><option>x"])
def test_options_cost_what_paragraphs_do(start, option):
    """At each option of a list the parser looks through all before it, to find which is selected: nobody asks for that."""
    options = start + option * 40_000
    paragraphs = "<p>" + "<div><p id=selected>x</div>" * 40_000
    assert seconds_to_parse(options) < 15 * seconds_to_parse(paragraphs)
    lists = LexborHTMLParser(bounded(options)).css("select")
    assert [len(each.css("option")) for each in lists] == [40_000]


def seconds_to_parse(html):
    begun = time.process_time()
    LexborHTMLParser(bounded(html))
    return time.process_time() - begun


@pytest.mark.parametrize("options", [parser_limits.OPTIONS, parser_limits.OPTIONS + 1])
def test_a_form_of_ordinary_length_is_left_alone(options):
    """Only where there are more options than any form has, a list of them is made one of which several may be chosen."""
    html = "<select>" + "<option>x</option>" * options + "</select><selection>"
    is_left = options <= parser_limits.OPTIONS
    assert bounded(html) == (html if is_left else html.replace("<select>", "<select multiple>"))


def test_length_is_capped():
    """No more than HTML_CHARS are parsed."""
    assert len(bounded("x" * (HTML_CHARS + 5))) == HTML_CHARS


@given(st.lists(st.sampled_from(["<", "<a ", "x", "y" * 7, "z" * 20]), max_size=40).map("".join))
def test_long_parts_are_found_without_looking_at_every_tag(html):
    """The parts behind a "<" that are longer than a tag may be are those that splitting the markup would tell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser_limits, "TAG_CHARS", 10)
        found = [html[start:end] for start, end in parser_limits.long_parts(html)]
    assert found == [part for part in html.split("<")[1:] if len(part) > 10]

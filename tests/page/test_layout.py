"""The text of a tree, in document order."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from lycosa.page.text.layout import OUTSIDE, Layout, is_deep_throughout, is_deeper, lines_of, noted_elements


def first(tree, selector):
    node = tree.css_first(selector)
    assert node is not None
    return node


def text_of(html):
    return lines_of("".join(Layout(LexborHTMLParser(html).body).pieces)).split("\n")


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<b>J</b>ohn <i>D</i>oe", ["John Doe"]),
        ("<p>a<p>b", ["a", "b"]),
        ("<div>a</div>b", ["a", "b"]),
        ("a<div>b</div><span>c</span>", ["a", "b", "c"]),
        ("<span><div>a</div></span>b", ["a", "b"]),
        ("a<br>b", ["a", "b"]),
        ("<ul><li>a<li>b</ul>c", ["a", "b", "c"]),
        ("<table><tr><td>a<td>b<tr><td>c</table>d", ["a", "b", "c", "d"]),
        ("a<script>no</script>b<script src=x></script>c<style>no</style>d", ["abcd"]),
        ("<svg><title>no</title></svg>a<iframe>no</iframe>b<template>no</template>", ["ab"]),
        ("<frameset><frame src=a></frameset>", [""]),
        ("", [""]),
    ],
)
def test_blocks_separate_words_and_inline_elements_do_not(html, lines):
    """Text reads as in a browser: a line for each block, scripts and styles unseen."""
    assert text_of(html) == lines


def test_a_span_holds_the_text_below_a_node():
    """The span of an element covers its own text and no other, last children included."""
    tree = LexborHTMLParser("<p>a<a href=1>b<i>c</i></a>d</p><div><p>e<a href=2>f</a></p></div>g")
    layout = Layout(tree.body)

    def text(selector):
        start, end = layout.span(first(tree, selector))
        return "".join(layout.pieces[start:end]).split()

    assert text("[href='1']") == ["bc"]
    assert text("[href='2']") == ["f"]
    assert text("div") == ["ef"]
    assert text("body") == ["abcd", "ef", "g"]
    assert layout.span(first(tree, "head")) == (0, 0)


def test_the_walk_stops_at_its_cap():
    """Beyond the cap of nodes text is left out, and spans end there."""
    tree = LexborHTMLParser("<p>a<p>b<p id=x>c")
    layout = Layout(tree.body, 4)
    assert "".join(layout.pieces).split() == ["a"]
    assert layout.span(first(tree, "#x")) == (0, 0)
    assert layout.span(first(tree, "body")) == (0, 4)


@pytest.mark.parametrize(
    "html",
    [
        "<head><base href=/><link rel=next href=2></head><p>a<a href=1>b<i>c</i></a>d</p><header><h1><a>e</a></h1></header>",
        "<a href=1><a href=2><img></a></a><footer><ul><li><a href=3></a></ul></footer>"
        + "<p>x" * 300
        + "<h2>y</h2>",
        "<frameset><frame src=a></frameset>",
        "<article>" + "<p><b>z</b>" * 150 + "</article><pre>",
        "",
    ],
)
def test_elements_are_noted_in_document_order_with_their_pieces(html):
    """One walk finds what queries of the tree would, in the same order, and where each element's text is."""
    tree = LexborHTMLParser(html)
    layout = Layout(tree.body)
    noted = noted_elements(tree, layout)
    kinds = "a,area,article,base,footer,frame,h1,h2,header,img,link,pre"
    assert [node.mem_id for _, node, _ in noted] == [node.mem_id for node in tree.css(kinds)]
    for tag, node, at in noted:
        assert tag == node.tag_id
        assert layout.span_from(node, at) == layout.span(node)
        assert (at == OUTSIDE) == (layout.span(node) == (0, 0))


def test_elements_beyond_the_cap_are_noted_too():
    """Where the walk was cut, links after it are still found."""
    tree = LexborHTMLParser("<p>a<p>b<a href=1>c</a>")
    noted = noted_elements(tree, Layout(tree.body, 2))
    assert [(node.tag, at) for _, node, at in noted] == [("a", OUTSIDE)]


@pytest.mark.parametrize("levels", [4, 40])
def test_depth_is_measured_wherever_it_is(levels):
    """Find nesting beyond the limit at the start or the end of a page, or none."""
    deep, flat = "<b>" * levels + "</b>" * levels, "<p>x</p>" * 200
    for html, is_it in (
        (flat, False),
        (deep + flat, True),
        (flat + deep, True),
        (flat + deep[3:] + flat, False),
    ):
        body = LexborHTMLParser(html).body
        assert body is not None
        assert is_deeper(body, levels - 1) is is_it


@pytest.mark.parametrize("many", ["<br>", "<p>w", "<q>w</q>"])
def test_levels_are_summed_over_all_elements(many):
    """Depth alone, or length alone, is no trouble; many elements far down are, in whatever order."""
    deep, flat = "<div>" * 1_000, many * 5_000
    assert is_deep_throughout(body_of(deep + flat), 4_000_000)
    assert not is_deep_throughout(body_of(deep + "</div>" * 1_000 + flat), 4_000_000)
    assert not is_deep_throughout(body_of(flat), 4_000_000)
    assert is_deep_throughout(body_of(flat + deep + flat), 4_000_000)
    assert not is_deep_throughout(body_of(deep + flat), 8_000_000)


def body_of(html):
    body = LexborHTMLParser(html).body
    assert body is not None
    return body

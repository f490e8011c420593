"""The text that a page is read for: without navigation, lists of links and notices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.document import Document
from lycosa.page.text.prose import prose_of

OLD = """<html><title>Owls</title><body><table><tr><td colspan=2><font size=5><a href="/">The Owl Club</a></font>
<tr><td><a href="/r/">Reports</a><br><a href="/n/">News</a><td><h2>A year with the owl</h2>
<p>The owl hunts at night, as <a href="/o">others</a> do. It sleeps by day in the thorn thicket.
<p><a href="/more">A lone link in the text</a>
<p>In winter a dozen of them share one roost, and nobody in the village knows.
<ul><li><a href="/1">Listening for owls</a><li><a href="/2">How it hunts</a><li><a href="/3">Owls at Penby</a></ul>
<p>The last word on owls is a long sentence that belongs to the text of this page.
</table><hr><i>Made by hand. All rights reserved.</i></body></html>"""


def prose(html: str) -> str:
    return prose_of(Document(html.encode(), "http://a.test/", "text/html; charset=utf-8"))


def test_navigation_lists_and_notices_are_left_out():
    """Of a page without any markup that tells: links at the ends, lists of links, the notice; nothing else."""
    text = prose(OLD)
    assert text.split("\n")[0] == "A year with the owl"
    for gone in ("The Owl Club", "Reports", "News", "How it hunts", "All rights"):
        assert gone not in text
    for stays in ("others do", "A lone link in the text", "nobody in the village", "The last word"):
        assert stays in text


def test_the_head_of_a_site_is_no_text():
    """Its name in a header goes; the header of an article stays."""
    text = prose(
        "<body><header><b>Owl Notes</b></header><main><article><header><p>By Ida Farrow</header>"
        "<h1>Owls</h1><p>The owl hunts at night, and it sleeps by day.</article></main><footer><p>Made by hand</footer>"
    )
    assert text.startswith("By Ida Farrow")
    assert "Made by hand" not in text


def test_a_page_of_links_keeps_them():
    """Where nothing else would be left, all of it is the text."""
    text = prose("<body><ul>" + "".join(f"<li><a href=/{n}>Page {n}</a>" for n in range(9)) + "</ul>")
    assert "Page 0" in text
    assert "Page 8" in text


def test_headings_that_are_links_stay():
    """A list of articles has its titles."""
    text = prose(
        "<body><h2><a href=/1>First owl</a></h2><p>It hunts.<h2><a href=/2>Second owl</a></h2><p>So does it."
    )
    assert text.count("owl") == 2


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "<a href=/x>", "</a>", "owl night.", "<li>", "© me", "\n", "<h1>", "<td>", "• "]
        ),
        max_size=30,
    )
)
def test_no_page_breaks_it(parts):
    """Any soup of these gives lines of the main text, in their order."""
    document = Document("".join(parts).encode(), "http://a.test/", "text/html")
    lines = iter(document.main_text.split("\n"))
    assert all(any(line == other for other in lines) for line in prose_of(document).split("\n") if line)


def test_bulleted_lists_that_are_text_are_part_of_it():
    """The extractor takes each of them for navigation; navigation is left out still."""
    text = (
        "The barn owl nests in towers, in hollow trees and in boxes that people put up for it in their barns."
    )
    markup = f"""<nav><ul><li>Imprint</li></ul></nav><main><h1>Owls</h1><p>{text}</p><ul><li>four eggs</li><li>a <a href=/v>vole</a> each night</li></ul>
    <ul><li><a href=/1>Barn owl</a></li><li><a href=/2>Tawny owl</a></li></ul><p>{text}</p></main>"""

    prose = prose_of(Document(markup.encode(), "http://a.test/", "text/html"), lists=True)

    assert "barns.\n\n• four eggs\n• a vole each night\n\nThe barn" in prose
    assert "Imprint" not in prose
    assert "Tawny" not in prose


def test_a_line_of_several_links_is_one_of_links():
    """Links beside each other, with nothing but signs between them, are navigation; a word between makes it text."""
    kept = "<p>Owls hunt by night, and this long sentence is the text of the page that everybody came to read.</p>"
    links = "<p><a href=/1>First chapter</a> | <a href=/2>Second<br>chapter</a> · <a href=/3>Third</a></p>"
    said = links.replace(" | ", " and then ")
    assert "First chapter" not in prose(links + kept)
    assert "First chapter" in prose(said + kept)


def test_signs_alone_are_of_a_list_where_the_page_has_them_among_links():
    """A line without any word goes where it ends the page; between paragraphs it stays."""
    paragraph = (
        "<p>Owls hunt by night, and this long sentence is the text of the page that all came to read.</p>"
    )
    assert "* * *" not in prose(paragraph + "<p>* * *</p>")
    assert "* * *" in prose(paragraph + "<p>* * *</p>" + paragraph)

"""The lazy document."""

import json
import time
from typing import Any, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.page.document import PLAIN, Document
from lycosa.page.parsed import Parsed
from lycosa.page.text.main_text import extract

URL = "http://a.example/d/p.html"
PARAGRAPH = "This is one of the many sentences that the page has, and all of them are about cats. "

PER_LINK = (
    *("link_terms", "link_url_terms", "contexts", "whole_contexts"),
    *("context_terms", "whole_context_terms", "windows", "link_places", "link_dates"),
)


def document(html, content_type="text/html; charset=utf-8", **options):
    return Document(html.encode(), URL, content_type, **options)


def everything(page):
    return {name: getattr(page, name) for name in PLAIN}


def test_nothing_is_computed_before_it_is_asked_for():
    """A new document has parsed nothing; a property is computed once."""
    page = document("<title>t</title><p>x")
    assert "tree" not in page.__dict__
    assert page.title == "t"
    assert "text" not in page.__dict__
    assert page.tree is page.tree


def test_head_and_meta():
    """Title, description, canonical and meta tags are read, white space squeezed, first one wins."""
    page = document(
        "<html lang=en-GB><title> A \n title </title><meta name=Description content='a  page'>"
        "<meta property='og:title' content=o><meta name=description content=second>"
        "<link rel='Canonical' href='/c'>"
    )
    assert (page.title, page.description, page.canonical) == ("A title", "a page", "http://a.example/c")
    assert page.meta == {"description": "a  page", "og:title": "o"}
    assert page.declared_language == "en"


def test_a_page_that_says_nothing():
    """An empty body has empty properties."""
    page = document("")
    assert everything(page) == {
        **dict.fromkeys(PLAIN, ""),
        **dict.fromkeys(("noindex", "nofollow", "soft_404"), False),
        **dict.fromkeys(("links", "images", "requisites", "places", "entities"), ()),
        **{name: [] for name in PER_LINK},
        **{"main_terms": {}, "names": {}},
        **{"meta": {}, "terms": {}, "title_terms": [], "words": 0, "simhash": 0, "sketch": b"", "base": URL},
    }


def test_visible_text_only():
    """Scripts, styles, templates, noscript and hidden elements are not part of the text."""
    page = document(
        "<body>a<script>s</script><style>s</style><noscript>n</noscript><template>t</template>"
        "<div hidden>h<p hidden>h</p></div><p>b</p><!-- c -->"
    )
    assert page.text.split() == ["a", "b"]


def test_main_text_leaves_navigation_out():
    """The main text is the article; where there is none, all the text."""
    nav = "<nav><ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a>" for n in range(9)) + "</ul></nav>"
    page = document(
        nav + "<main><article><h1>Cats</h1>" + f"<p>{PARAGRAPH * 5}</p>" * 4 + "</article></main>"
    )
    assert "about cats" in page.main_text
    assert "Menu 3" not in page.main_text
    assert "Menu 3" in page.text


def test_main_text_of_endless_nesting_is_the_text(monkeypatch):
    """A page too deep for the extractor is not given to it."""
    monkeypatch.setattr("lycosa.page.text.main_text.MAX_DEPTH", 50)
    deep = "<div>" * 60 + "<p>a<nav>b"
    assert document(deep).main_text == document(deep).text
    assert extract(Parsed(deep)) == ""
    assert extract(Parsed("<p>a</p>" * 60))


def test_main_text_far_down_is_the_text():
    """From each element the extractor climbs to the body: 20 seconds for what is nested less than it may be, and long."""
    page = document("<nav>Menu</nav>" + "<div>" * 1_900 + "<br>" * 100_000 + "owls")
    before = time.process_time()
    assert page.text == "Menu\nowls"
    read = time.process_time()
    assert page.main_text == page.text
    assert time.process_time() - read < 4 * (read - before)


def test_main_text_of_a_book_is_the_text(monkeypatch):
    """The extractor copies all it has at each paragraph: a book in one page is not given to it, and all of it is kept."""
    monkeypatch.setattr("lycosa.page.text.main_text.MAX_WORK", 2_000_000)
    paragraphs = "<nav>Menu</nav>" + f"<p>{PARAGRAPH * 2}</p>" * 40
    article, book = document(paragraphs), document(paragraphs * 10)
    assert (article.is_too_long, "Menu" in article.main_text) == (False, False)
    assert book.is_too_long
    assert book.main_text == book.text


@pytest.mark.parametrize(
    ("html", "is_too_long"),
    [
        ("<p>x" * 1_000, False),
        ("x" * 1_000, False),
        ("x" * 1_000 + "<p>x" * 1_000, True),
        ("<div hidden>" + "x" * 1_000 + "</div>" + "<p>x" * 1_000, True),
        ("<noframes>" + "x" * 1_000 + "</noframes>" + "<p>x" * 1_000, True),
        ("x" * 1_000 + "<p>" * 1_000, False),
        ("x" * 1_000 + "<b>x</b>" * 1_000, False),
        ("<pre>" + "x\n" * 1_000 + "<b></b>" * 1_000, False),
        ("x" * 1_000 + "<select>" + "<option>x</option>" * 1_000, False),
        ("x" * 1_000 + "<select><option><textarea></textarea>" + "<p>x" * 1_000, True),
    ],
)
def test_long_is_much_text_in_many_blocks(monkeypatch, html, is_too_long):
    """Whether a reader sees it or not; either alone costs the extractor little."""
    monkeypatch.setattr("lycosa.page.text.main_text.MAX_WORK", 2_500_000)
    assert document(html).is_too_long is is_too_long


def test_plain_text_is_all_text():
    """A text/plain body has its text and terms, whatever looks like markup in it; URLs that it names are links."""
    page = document("Cats <a href=x>and</a> dogs\n\n end", "text/plain")
    assert page.text == "Cats <a href=x>and</a> dogs\nend"
    assert page.main_text == page.text
    assert page.links == ()
    assert page.terms["cat"] == 1
    assert page.title == "Cats <a href=x>and</a> dogs"
    named = document("Cats\n\nSee http://b.test/cats, or\nnothing", "text/plain")
    assert [(link.url, link.anchor) for link in named.links] == [("http://b.test/cats", "http://b.test/cats")]
    assert named.text == "Cats\nSee http://b.test/cats, or\nnothing"


@pytest.mark.parametrize(
    ("html", "header", "noindex", "nofollow"),
    [
        ("<meta name=robots content='NoIndex, follow'>", "", True, False),
        ("<meta name=Robots content=none>", "", True, True),
        ("<meta name=lycosa content=nofollow>", "", False, True),
        ("<meta name=googlebot content=noindex>", "", False, False),
        ("<meta name=robots content=index><meta name=robots content=noindex>", "", True, False),
        ("", "noindex, nofollow", True, True),
        ("", "otherbot: noindex, nofollow\nnofollow", False, True),
        ("", "lycosa: noindex", True, False),
        ("", "unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", True, False),
    ],
)
def test_robots_wishes(html, header, noindex, nofollow):
    """Robots meta tags and headers meant for all or for us count; those for others do not."""
    page = document(html, robots_tag=header)
    assert (page.noindex, page.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PARAGRAPH * 5, "en"),
        ("Die Katze sitzt seit dem Morgen auf dem Dach und schaut den Vögeln nach. " * 5, "de"),
        ("De kat zit op het dak en kijkt naar de vogels, want het is een mooie dag. " * 5, "nl"),
        ("Le chat est assis sur le toit et regarde les oiseaux qui passent dans le ciel. " * 5, "fr"),
        ("猫は屋根の上に座って、空を飛ぶ鳥を見ています。" * 9, "ja"),
    ],
)
def test_language_is_that_of_the_text(text, code):
    """The text decides, whatever the markup declares."""
    assert document(f"<html lang=sv><p>{text}").language == code


def test_the_declared_language_is_for_short_texts():
    """Where there is hardly any text, the markup is believed."""
    assert document("<html lang='DE-at'><p>Hallo").language == "de"
    assert document("<p>Hallo").language == ""


@pytest.mark.parametrize(
    ("html", "soft"),
    [
        ("<title>404 Not Found</title><p>sorry", True),
        ("<title>Shop</title><h1>Page not found</h1>", True),
        ("<title>Seite nicht gefunden - Firma</title>", True),
        ("<title>Página no encontrada</title>", True),
        ("<title>Error 404</title>", True),
        ("<title>404 - My shop</title>", True),
        ("<h1>404</h1>", True),
        ("<title>Peugeot 404</title><h1>The 404</h1>", False),
        ("<title>Shop</title><p>page not found", False),
        ("<title>404 Main Street, Springfield</title><p>A house", False),
        ("<title>Lost and not found: a novel</title>", False),
        (f"<title>404 Not Found</title><p>{PARAGRAPH * 40}", False),
    ],
)
def test_soft_404(html, soft):
    """A short page whose title or heading speaks of a missing page is an error page."""
    assert document(html).soft_404 is soft


def test_terms_words_and_simhash():
    """The counted terms are those of the visible text, and the fingerprint follows from them."""
    page = document("<title>Title cats</title><p>The cat and the cats<p>dogs<script>x</script>")
    assert page.terms == {"cat": 2, "dog": 1}
    assert page.words == 6
    assert page.title_terms == ["titl", "cat"]
    assert page.simhash == document("<div>cats cat, dog").simhash != 0


def test_link_terms_stand_beside_links():
    """For each link the terms of its anchor and of its URL."""
    page = document("<a href=/black-cats.html>Black cats</a><a href=/x>the</a>")
    assert page.link_terms == [["black", "cat"], []]
    assert page.link_url_terms == [["exampl", "black", "cat"], ["exampl"]]


def test_context_terms_are_counted_once_per_context():
    """Links that share a context share its counts, with and without anchors."""
    page = document("<p>Wild cats <a href=x>big</a> <a href=y>dogs</a></p>")
    assert page.context_terms == [{"wild": 1, "cat": 1}] * 2
    assert page.context_terms[0] is page.context_terms[1]
    assert page.whole_context_terms[0] == {"wild": 1, "cat": 1, "big": 1, "dog": 1}


def test_plain_properties_are_enough_to_make_the_document_again():
    """What is stored as MessagePack gives back an equal document without the bytes."""
    page = document(f"<title>t</title><p>{PARAGRAPH}<a href=x>y</a><img src=i><p>z<a href=x>w</a>")
    stored = msgspec.msgpack.encode(everything(page))
    types = {name: get_type_hints(getattr(Document, name).func)["return"] for name in PLAIN}
    plain = msgspec.defstruct("Plain", list(types.items()))
    known = msgspec.structs.asdict(msgspec.msgpack.decode(stored, type=plain))
    again = Document(b"", URL, known=known)
    assert everything(again) == everything(page)
    assert "tree" not in again.__dict__


FRAGMENTS = [
    *"<a href=x> </a> <p> </p> <table> <td> <div hidden> </div> <b id=1> <script> </script> <!-- -->".split(
        " "
    ),
    *["<a href='", "<img srcset='a 1x' src=", "<base href=//b>", "<meta name=robots content=", "<frameset>"],
    *[
        "<noscript>",
        "<svg><title>",
        "<template>",
        "<select><option>",
        "&#0;",
        "&#xD800;",
        "\x00",
        "<",
        ">",
        "'",
    ],
    *[
        "word ",
        "é",
        "猫",
        "\ud7ff",
        "<title>",
        "<html lang=",
        "<link rel=next href=",
        "<form><form>",
        "</html>x",
    ],
]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=60))
def test_mangled_html_never_breaks_a_document(fragments):
    """Any order of tags, half tags and odd characters gives every property, as plain data."""
    check(Document("".join(fragments).encode(), URL, "text/html; charset=utf-8"))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["", "text/html", "text/plain", "text/html; charset=x"]))
def test_any_bytes_make_a_document(body, content_type):
    """Bytes that are no page at all give every property, as plain data."""
    check(Document(body, URL, content_type))


def check(page: Document) -> None:
    found: dict[str, Any] = everything(page)
    msgspec.msgpack.encode(found)
    json.dumps(found["text"])
    assert {len(found[name]) for name in PER_LINK} == {len(page.links)}
    assert all(link.url.startswith(("http://", "https://")) for link in page.links)
    assert len({link.key for link in page.links}) == len(page.links)

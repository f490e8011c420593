"""What scripts would show: data in scripts, declared shadow trees, and signs that a browser is needed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.engine.processes.analysis import EMBEDDED, Recipe, page_of
from lycosa.page.document import Document
from lycosa.page.signs.needs_browser import ASKS, DEAD, MOUNT, NEEDS_BROWSER, SCROLLS, sign_of_need
from lycosa.values import Count, Link, Score

URL = "http://a.test/owls"
STORY = "The barn owl hunts at night over open fields, and finds mice by what it hears."
STATE = {
    "props": {
        "article": {
            "title": "The barn owl",
            "body": f"<p>{STORY}</p><p>More on <a href='/mice'>mice</a>.</p>",
        },
        "related": [
            {"url": "/tawny", "title": "The tawny owl"},
            {"href": "https://b.test/eagle", "name": "Eagle owl"},
        ],
        "css": ".a { color: red; } .b { color: blue; }",
        "image": {"url": "/owl.jpg"},
    }
}
WAYS = {
    "next": f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(STATE)}</script>',
    "assigned": f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)}; start();</script>",
    "parsed": f"<script>window.__PRELOADED_STATE__ = JSON.parse({json.dumps(json.dumps(STATE))});</script>",
    "json-ld": f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "headline": "The barn owl", "articleBody": STORY, "isPartOf": {"url": "/tawny", "name": "The tawny owl"}, "about": {"url": "/mice"}, "author": {"url": "https://b.test/eagle"}})}</script>',
}


def document(html):
    return Document(html.encode(), URL, "text/html; charset=utf-8")


@pytest.mark.parametrize("way", WAYS)
def test_data_in_scripts_is_read_where_the_page_shows_nothing(way):
    """The story and the links of a page that only scripts would show are found in the data that it brings along."""
    page = document(f"<title>Owls</title><div id=root></div>{WAYS[way]}<script src=/app.js></script>")
    assert STORY in page.text
    assert STORY in page.main_text
    assert {link.url for link in page.links} == {
        "http://a.test/tawny",
        "http://a.test/mice",
        "https://b.test/eagle",
    }
    assert "color" not in page.text
    frozen = page_of(page, Link(URL, 1), Recipe())
    assert frozen.evidence[EMBEDDED] == Count(page.words)


def test_a_page_that_shows_its_text_is_read_as_it_is():
    """What a page shows is not read once more from its data."""
    page = document(f"<main>{'Many words are here. ' * 30}</main>{WAYS['next']}")
    assert not page.embedded
    assert STORY not in page.text


@pytest.mark.parametrize(
    "script",
    [
        '<script type="application/json">{"a": [' + "[" * 100_000 + "</script>",
        "<script>window.__DATA__ = {" * 2_000,
        '<script type="application/json">'
        + json.dumps({"t": "<p>" * 300_000 + "</p> a b c d e"})
        + "</script>",
        '<x-a><template "shadowroot=' * 20_000,
    ],
)
def test_hostile_data_costs_little(script):
    """Data that nests, lies or floods is passed over or cut."""
    page = document(script)
    assert isinstance(page.text, str)
    assert len(page.embedded) <= 600_000


def test_declared_shadow_trees_are_seen():
    """What browsers show of a declared shadow tree is text of the page; an ordinary template is not."""
    page = document(
        f'<news-story><template shadowrootmode="open"><article><p>{STORY}</p><a href=/next>next</a></article></template></news-story>'
        "<template><p>never shown</p></template>"
    )
    assert page.text.strip() == f"{STORY}\nnext"
    assert [link.url for link in page.links] == ["http://a.test/next"]


@pytest.mark.parametrize(
    ("html", "sign"),
    [
        (
            "<body><noscript>You need to enable JavaScript to run this app.</noscript><div id=x></div><script src=a.js></script>",
            ASKS,
        ),
        ("<body><noscript><p>Bitte JavaScript einschalten</p></noscript><script src=a.js></script>", ASKS),
        ("<div id=__next></div><script src=a.js></script>", MOUNT),
        ("<header>Owl news</header><owl-story data-id=3></owl-story><script src=a.js></script>", MOUNT),
        ("<a href='#'>a</a><a href='javascript:go(1)'>b</a><a>c</a><script>go()</script>", DEAD),
        (f"<p>{STORY * 20}</p><div class=infinite-scroll></div><script src=a.js></script>", SCROLLS),
        (f"<p>{STORY * 20}</p><script>new IntersectionObserver(more)</script>", SCROLLS),
        (f"<p>{STORY * 20}</p><div id=root></div><script src=a.js></script>", ""),
        ("<p>A short page.</p><script src=/statistics.js></script>", ""),
        ("<div id=root></div>", ""),
        ("<body><noscript><img src=/pixel?javascript=off></noscript><p>Short.</p>", ""),
    ],
)
def test_signs_that_a_browser_is_needed(html, sign):
    """Empty frames for scripts are told from short pages and from pages with scripts."""
    page = document(html)
    assert sign_of_need(page) == sign
    noted = page_of(page, Link(URL, 1), Recipe()).evidence.get(NEEDS_BROWSER)
    assert noted == (Score(1.0, sign) if sign else None)


@given(
    st.sampled_from(
        [
            "infinite-scroll",
            "INFINITE_scroll",
            "LoadMore",
            "load_more",
            "data-next-url",
            "IntersectionObserver",
        ]
    ),
    st.text(alphabet="load-more next scroll", max_size=30),
    st.integers(0, 2000),
)
def test_words_that_load_more_are_seen_wherever_they_stand(word, before, repeated):
    """At any place of the markup, in any case, among any number of words that look like them."""
    page = f"{before}<p>{'next ' * repeated}{word}</p>"
    assert sign_of_need(document(f"<script></script>{page}")) == SCROLLS
    other = page.replace(word, word[:-3])
    is_more = any(said in other.lower() for said in ("load-more", "loadmore", "endless-scroll"))
    assert (sign_of_need(document(f"<script></script>{other}")) == SCROLLS) == is_more

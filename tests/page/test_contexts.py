"""Link contexts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.document import Document
from lycosa.page.links.contexts import (
    CONTEXT_CHARS,
    PAGE_CHARS,
    SHORT_CHARS,
)
from lycosa.page.text.terms import words_of


def document(html):
    return Document(html.encode(), "http://a.example/", "text/html; charset=utf-8")


def test_the_context_is_the_parents_text_without_any_anchor():
    """Only the text of the aggregation node counts, and no anchor in it, other links' neither."""
    html = "<div>far<p>near <a href=x>one</a> by <b>bold</b> <a href=y>two</a> end</p></div>"
    assert document(html).contexts == ["near by bold end", "near by bold end"]


def test_whole_contexts_have_the_anchors():
    """For the link-context baseline the anchors stay in."""
    html = "<p>near <a href=x>one</a> and <a href=mailto:y>two</a></p>far"
    assert document(html).whole_contexts == ["near one and two"]


def test_a_repeated_url_gets_the_union():
    """Distinct contexts of the same URL are joined, one per line."""
    html = "<p>a<a href=x>1</a></p><p>b<a href=x>2</a></p><p>a<a href=x>3</a></p>"
    assert document(html).contexts == ["a\nb"]


def test_hidden_text_and_links_of_the_head_have_no_context():
    """What readers do not see is no context; a next link has none at all."""
    html = "<link rel=next href=n><p>a<span hidden>b</span><noscript>c</noscript><a href=x>1</a></p>"
    assert document(html).contexts == ["", "a"]
    assert document(html).windows == [("", ""), ("a", "")]


def test_windows_stop_at_the_next_link_and_at_their_size():
    """Fifty characters on each side, and never a neighbouring link's text."""
    html = "<p>" + "w" * 80 + " <a href=x>one</a> mid <a href=#>self</a> end <a href=y>two</a>" + "v" * 80
    assert document(html).windows == [("w" * 50, "mid"), ("end", "v" * 50)]


def test_links_without_text_have_windows_too():
    """Image links and empty links have what is around them."""
    html = "<p>a <a href=x><img src=i></a> b <a href=y></a> c"
    assert document(html).windows == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize("name", ["contexts", "whole_contexts", "windows"])
def test_there_is_one_entry_per_link(name):
    """Every kind of context has an entry for each link, in the links' order."""
    html = "<frameset><frame src=a><frame src=b></frameset>"
    assert len(getattr(document(html), name)) == 2


def test_five_thousand_links_of_one_parent_share_their_context():
    """A body with thousands of links costs its text once, and the context is one string."""
    html = "<body>" + "".join(f"some words <a href={n}>link {n}</a> " for n in range(5000))
    page = document(html)
    contexts = page.contexts
    assert len(contexts) == 5000
    assert all(context is contexts[0] for context in contexts)
    assert len(contexts[0]) == CONTEXT_CHARS
    assert len(page.windows) == 5000


def test_nested_parents_cost_no_more_than_their_text():
    """Thousands of links, each in the parent of the next, share a budget and do not multiply the text."""
    page = document("".join(f"<div>t{n}<a href={n}>x</a>" for n in range(5000)))
    assert sum(map(len, page.contexts)) <= PAGE_CHARS + CONTEXT_CHARS + 5000 * SHORT_CHARS
    assert page.contexts[-1] == "t4999"


WORDS = ("owls", " and ", "cats", "\xa0", " ", "", "1\u202f000", "東京都", "it's", "long " * 1000)
TAGS = "<b> </b> <p> <div> </div> <span/hidden> </span> <a/href=x> <a/href=y> <img/src=i> </a> <br>".split()
PARTS = st.sampled_from((*WORDS, *TAGS))


@given(st.lists(PARTS, max_size=30))
def test_counting_tokens_of_the_page_is_counting_the_texts(parts):
    """Terms around links come from the page's one reading: the same as if each context were read by itself."""
    page = document("".join(parts))
    apart = document("".join(parts))
    assert page.whole_context_terms == apart.counts_of(apart.whole_contexts)
    assert page.terms == words_of("english").count(page.text)[0]


def test_the_words_around_thousands_of_links_are_counted_once():
    """Links of one parent share their counts, as they share their text."""
    page = document("<body>" + "".join(f"some words <a href={n}>link {n}</a> " for n in range(5000)))
    counts = page.whole_context_terms
    assert len(counts) == 5000
    assert all(one is counts[0] for one in counts)


def seconds_around(html):
    """What the words around the links of a page cost, beyond what the page has cost before."""
    page = document(html)
    assert (len(page.links) > 0, page.words > 0) == (True, True)
    begun = time.process_time()
    assert len(page.whole_context_terms) == len(page.links)
    return time.process_time() - begun


@pytest.mark.parametrize("anchor", ["", "owl {}"])
def test_one_url_in_many_places_costs_what_many_urls_do(anchor):
    """Each place is looked at once: it used to be compared with all others of its URL."""
    many = [f"<p><a href=/{{}}>{anchor.format(n)}</a></p>" for n in range(40_000)]
    of_one = "owl" + "".join(each.format(0) for each in many)
    of_many = "owl" + "".join(each.format(n % 400) for n, each in enumerate(many))
    # The least of three: a garbage collection in a large test process takes a second.
    assert min(map(seconds_around, [of_one] * 3)) < 8 * min(map(seconds_around, [of_many] * 3))

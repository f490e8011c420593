"""score_T: the terms of a link's anchor and windows, and a probability for each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.evidence.link_text import PLACES, LinkText, link_terms, terms_without_places
from lycosa.page.document import Document
from tests.methods.conftest import tiny_model

PAGE = """<p>Ozone in Graz: <a href="/today">values of today</a> <a href="/b">Helsinki</a> and more about bread,
    about butter and about everything that is further away than fifty characters, tulips</p>"""


def test_windows_stop_at_the_next_link():
    """The anchor and up to 50 characters on each side count, but never another link's words."""
    first, second = link_terms(Document(PAGE.encode(), "http://a.test/", "text/html"))

    assert first == {"ozon": 1, "valu": 1, "today": 1, PLACES: 1}
    assert second[PLACES] == 1
    assert "bread" in second
    assert not {"tulip", "today", "helsinki"} & set(second)


def test_each_link_has_a_probability():
    """One number in [0, 1] for each link, in their order; a page without links has none."""
    evidence = LinkText(tiny_model())
    page = b'<p>owl <a href="/a">night owl</a></p><hr><p><a href="/b">bread</a></p>'

    good, bad = evidence.of_links(Document(page, "http://a.test/", "text/html"))

    assert 0 <= bad < 0.5 < good <= 1
    assert evidence.of_links(Document(b"", "http://a.test/", "text/html")) == []


@given(st.lists(st.text(), max_size=5))
def test_any_text_has_terms(texts):
    """Whatever anchors say, each text gets its own counts of at least one each."""
    found = terms_without_places(texts, "english")

    assert len(found) == len(texts)
    assert all(count > 0 for terms in found for count in terms.values())

"""Keywords in URLs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.seeds.posts.keywords import Keywords


@pytest.mark.parametrize(
    ("keyword", "url", "found"),
    [
        ("flood", "http://a.example/Floods-in-town", True),
        ("flood", "http://floodwatch.example/", True),
        ("flood", "http://a.example/flo-od", False),
        ("lac mégantic", "http://a.example/lac-m%C3%A9gantic", True),
        ("Lac Megantic", "http://a.example/LacMégantic", True),
        ("#boston marathon", "http://a.example/boston_marathon.html", True),
        ("ny", "http://a.example/company", False),
        ("ny", "http://a.example/news/ny/1", True),
        ("洪水", "http://a.example/%E6%B4%AA%E6%B0%B4", True),
        ("http", "http://a.example/", False),
        ("c++", "http://a.example/c", True),
    ],
)
def test_a_keyword_is_found_in_a_url(keyword, url, found):
    """Case, accents, escapes and separators do not matter; short keywords are whole words."""
    assert Keywords([keyword]).found_in(url) is found


@given(st.lists(st.text(max_size=20), max_size=4), st.text(max_size=60))
def test_any_keyword_and_any_url_will_do(words, url):
    """Whatever users type is a keyword or no keyword, never an error."""
    keywords = Keywords(words)
    assert keywords.found_in(url) in (True, False)
    assert keywords.count_in(url) >= 0

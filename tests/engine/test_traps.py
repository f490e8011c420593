"""Traps: endless URLs are refused, real ones pass."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.engine.rules.traps import trap_refusal
from lycosa.values import Reason, Refusal
from tests.conftest import SHARED


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/x/y/x/y/x/y/",
        "http://a.example/shop/shop/shop/",
        "http://a.example/a/b/a/a/b/b/a/",
        "http://a.example/p?s=0123456789abcdef0123456789abcdef",
        "http://a.example/p?osCsid=0123456789abcdef01234567",
        "http://a.example/" + "/".join(f"s{n}" for n in range(30)),
        "http://a.example/" + "x" * 700,
        "http://a.example/calendar/2190/05",
        "http://a.example/events/month/1801-05",
        "http://a.example/cal?month=5&year=2090",
        "http://a.example/list?date=1750-01-02",
        "http://a.example/a;jsessionid=0A1B2C3D4E5F60718293",
        "http://a.example/a?PHPSESSID=0123456789abcdef0123456789abcdef",
        "http://a.example/(S(abcdefghijklmnopqrstuvwx))/page.aspx",
        "http://a.example/?" + "&".join(f"p{n}=1" for n in range(25)),
        "http://a.example/?f=1&f=2&f=3&f=4",
    ],
)
def test_endless_urls_are_refused(url):
    """A URL that looks like one of endlessly many is refused as a trap, with what was seen."""
    refusal = trap_refusal(url, this_year=2026)
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.TRAP
    assert refusal.detail


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example",
        "http://a.example/2016/07/10/title",
        "http://a.example/news/2016/07/10/nice-attack?id=123",
        "http://a.example/events/2025/05",
        "http://a.example/history/year/1750/battle",
        "http://a.example/tiles/0/0/0.png",
        "http://a.example/tiles/0/0/0/0/0",
        "http://a.example/en/a/en/b/en",
        "http://a.example/?s=whatever+people+search+for+in+a+blog",
        "http://a.example/?s=deadbeef",
        "http://a.example/en/docs/en/latest",
        "http://a.example/search?q=a&page=2&sort=date",
        "http://a.example/search?c[]=1&c[]=2&c[]=3&c[]=4",
        "http://a.example/?date=2024-01-01",
        "http://a.example/wiki/Bird_(animal)",
    ],
)
def test_real_urls_pass(url):
    """What real sites publish is not taken for a trap."""
    assert trap_refusal(url, this_year=2026) is None


def test_a_query_that_grows_from_page_to_page_is_refused():
    """A link that is its page's URL with even more parameters leads nowhere new."""
    page = "http://a.example/?" + "&".join(f"p{n}=1" for n in range(11))
    assert trap_refusal(page) is None
    assert trap_refusal(page + "&q=1", page) is not None


@given(st.text(max_size=300))
def test_any_text_is_answered(text):
    """No URL, however odd, breaks the check."""
    refusal = trap_refusal("http://a.example/" + text, text)
    assert refusal is None or refusal.reason is Reason.TRAP


@pytest.mark.shared("webs")
def test_labelled_pages_of_real_webs_pass():
    """Fewer than 0.5 % of the labelled URLs of the real webs are refused."""
    for labels in sorted(SHARED.glob("webs/*/labels.csv")):
        with labels.open(newline="") as file:
            urls = [row["url"] for row in csv.DictReader(file)]
        refused = sum(trap_refusal(url) is not None for url in urls)
        assert refused < 0.005 * len(urls), labels

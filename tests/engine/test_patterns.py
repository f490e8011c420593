"""URLs whose pages bring nothing new are given up; others are not."""

from __future__ import annotations

from random import Random

import pytest

from lycosa.engine.rules.patterns import ENOUGH, MANY_HOSTS, Patterns, kinds_of
from lycosa.page.text.near_duplicates import sketch_of
from lycosa.urls import key_of
from lycosa.values import Link, Page, Reason, Refusal

WORDS = [
    first + second
    for first in ("ka", "lo", "mi", "nu", "pe", "ra")
    for second in ("rt", "sk", "lm", "nd", "st")
]


def prose(name: str, count: int = 100) -> str:
    return " ".join(Random(name).choices(WORDS, k=count))


def refusal(patterns: Patterns, url: str) -> Refusal | None:
    return patterns(Link(url, key_of(url)), "")


def learn(patterns: Patterns, url: str, text: str, *, near: int = 0, refused: Reason | None = None) -> None:
    patterns.learn(key_of(url), url, sketch_of(text), near, refused)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.test/cal/2026/11", "http://a.test/cal/1999/1"),
        ("http://x1.a.test/p", "http://x2.a.test/p"),
        ("http://a.test/s/d41d8cd98f00b204e980/x", "http://a.test/s/0f1e2d3c4b5a69788796/x"),
        ("http://a.test/l?sort=a&dir=b", "http://a.test/l?dir=c&sort=d"),
    ],
)
def test_urls_of_a_kind(one, other):
    """What differs by numbers, made-up names, values or their order is of a kind."""
    assert kinds_of(one) == kinds_of(other)


@pytest.mark.parametrize("refused", [Reason.DUPLICATE, Reason.SOFT_404])
def test_a_kind_that_brings_nothing_is_given_up(refused):
    """After a few pages, with the reason; the rest of the site goes on."""
    patterns = Patterns()
    for day in range(int(ENOUGH[0]) + 1):
        assert refusal(patterns, "http://a.test/cal/99") is None
        learn(patterns, f"http://a.test/cal/{day}", f"Nothing on {day}", refused=refused)
    found = refusal(patterns, "http://a.test/cal/99")
    assert found is not None
    assert found == Refusal(Reason.TRAP, "the last pages of a.test/cal/0 brought nothing new")
    assert refusal(patterns, "http://a.test/news/99") is None
    assert refusal(patterns, "http://b.test/cal/99") is None


def test_pages_that_hardly_differ_bring_nothing():
    """Though none is a near duplicate: filters show the same things in ever new selections."""
    patterns, chance = Patterns(), Random(1)
    items = [prose(f"item {number}", 20) for number in range(30)]
    names = ("colour", "size", "brand", "price", "year")
    for _ in range(40):
        query = "&".join(f"{name}={chance.random()}" for name in chance.sample(names, k=chance.randint(1, 4)))
        learn(patterns, f"http://a.test/shop?{query}", ". ".join(chance.sample(items, k=20)))
    assert refusal(patterns, "http://a.test/shop?colour=new&size=new") is not None


def test_a_good_site_is_never_given_up():
    """Articles under one template, with a menu that is a third of their text and a near duplicate here and there."""
    patterns, menu = Patterns(), prose("menu", 50)
    for number in range(500):
        url = f"http://a.test/article?id={number}"
        assert refusal(patterns, url) is None
        learn(patterns, url, f"{menu} {prose(url)}", near=number % 4 == 1)


def test_a_site_that_turns_into_a_trap_is_noticed():
    """Old merits fade."""
    patterns = Patterns()
    for number in range(300):
        learn(patterns, f"http://a.test/p/{number}", prose(f"page {number}"))
    wasted = 0
    while refusal(patterns, "http://a.test/p/12345") is None:
        wasted += 1
        learn(patterns, f"http://a.test/p/{300 + wasted}", "again", near=1)
    assert wasted < 100


def test_a_site_that_makes_up_hosts_gets_no_more_of_them():
    """Those that it has go on; a site with many pages on many hosts is none of these."""
    patterns = Patterns()
    for number in range(MANY_HOSTS):
        learn(patterns, f"http://h{number}.wild.test/", prose(f"host {number}"))
        for page in range(4):
            learn(patterns, f"http://h{number}.big.test/{page}", prose(f"big {number} {page}"))
    assert refusal(patterns, "http://new.wild.test/") is not None
    assert refusal(patterns, "http://h1.wild.test/more") is None
    assert refusal(patterns, "http://new.big.test/") is None


def test_a_site_that_others_have_too_is_given_up():
    """Where most of its pages are; a site with more of its own may have a few from elsewhere."""
    patterns = Patterns()
    for number in range(6):
        original = f"http://a.test/{number}"
        learn(patterns, original, prose(original))
        learn(patterns, f"http://news.test/own{number}", prose(f"news {number}"))
        if number % 2:
            learn(patterns, f"http://mirror.test/{number}", prose(original), near=key_of(original))
            learn(patterns, f"http://news.test/{number}", prose(original), near=key_of(original))
    assert refusal(patterns, "http://mirror.test/new") == Refusal(
        Reason.TRAP, "its site's pages are nearly the same on a.test"
    )
    assert refusal(patterns, "http://news.test/new") is None
    assert refusal(patterns, "http://a.test/new") is None


def test_a_report_of_an_agency_makes_no_paper_a_mirror():
    """It is printed by many, under paths of their own: none of them is given up, and their links are followed."""
    patterns = Patterns()
    for number in range(20):
        original, copy = f"http://a.test/{number}", f"http://paper.test/2026/story-{number}"
        learn(patterns, original, prose(original))
        learn(patterns, copy, prose(original), near=key_of(original))
        page = Page(Link(copy, key_of(copy), depth=2), copy, words=100)
        assert patterns.mirrors(page, key_of(original)) is None
    assert refusal(patterns, "http://paper.test/2026/story-new") is None


def test_a_mirror_is_not_followed_into():
    """A page that another site has too: its links within its own site are refused; a seed's are not."""
    patterns = Patterns()
    original, copy = "http://a.test/1", "http://m.test/1"
    learn(patterns, original, prose("x"))
    page = Page(Link(copy, key_of(copy), depth=2), copy, words=100)
    assert patterns.mirrors(page, key_of(original)) == Refusal(
        Reason.TRAP, "its page is nearly the same on a.test"
    )
    assert patterns.mirrors(page, None) is None
    assert patterns.mirrors(Page(Link(copy, key_of(copy)), copy, words=100), key_of(original)) is None
    same_site = "http://www.a.test/2"
    assert patterns.mirrors(Page(Link(same_site, 1, depth=2), same_site, words=100), key_of(original)) is None


def test_a_site_of_the_users_is_no_mirror():
    """Where a copy of its pages was met first, the copy is the mirror all the same."""
    patterns = Patterns({"a.test"})
    for number in range(6):
        copy, original = f"http://m.test/{number}", f"http://a.test/{number}"
        learn(patterns, copy, prose(original))
        learn(patterns, original, prose(original), near=key_of(copy))
        page = Page(Link(original, key_of(original), depth=2), original, words=100)
        assert patterns.mirrors(page, key_of(copy)) is None
    assert refusal(patterns, "http://a.test/new") is None


def test_what_a_copying_site_has_under_a_known_path_is_a_copy():
    """After its first page; what it has under paths of its own is still looked at."""
    patterns = Patterns()
    for number in range(3):
        learn(patterns, f"http://a.test/{number}", prose(f"a {number}"))
    assert refusal(patterns, "http://m.test/2") is None
    learn(patterns, "http://m.test/1", prose("a 1"), near=key_of("http://a.test/1"))
    assert refusal(patterns, "http://m.test/2") == Refusal(
        Reason.TRAP, "its site copies others, and a.test has a page of its path"
    )
    assert refusal(patterns, "http://m.test/own") is None
    assert refusal(patterns, "http://a.test/2") is None


def test_a_page_like_the_last_ones_says_less_for_its_links():
    """From the first one on, before its kind is given up; a new page says as much as ever."""
    patterns = Patterns()
    for number in range(3):
        learn(patterns, f"http://a.test/s/{number}", prose("the same"))
    sketch = sketch_of(prose("the same"))
    assert patterns.is_poor("http://a.test/s/9", sketch, 0)
    sketch = sketch_of(prose("another"))
    assert not patterns.is_poor("http://a.test/s/9", sketch, 0)
    assert patterns.is_poor("http://a.test/s/9", sketch, key_of("http://a.test/s/1"))

"""Scope: what may be fetched, and what may be kept."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import urls
from lycosa.engine.rules import scope as module
from lycosa.engine.rules.admission import Admission
from lycosa.spec.sections import FetchSpec, FrontierSpec, ScopeSpec
from lycosa.values import Link, Page, Reason


def refused(
    url: str, fetch: FetchSpec | None = None, depth: int = 0, rel: str = "", **scope: object
) -> Reason | None:
    rules = Admission(ScopeSpec(**scope), fetch or FetchSpec(), FrontierSpec())  # type: ignore[arg-type]
    refusal = rules.refuse_link(Link(url, 1, depth=depth, rel=rel))
    return refusal.reason if refusal else None


def unkept(fetch: FetchSpec | None = None, scope: ScopeSpec | None = None, **page: object) -> Reason | None:
    link = Link("http://a.example/", 1)
    rules = Admission(scope or ScopeSpec(), fetch or FetchSpec(), FrontierSpec())
    refusal = rules.refuse_page(Page(link, link.url, **page))  # type: ignore[arg-type]
    return refusal.reason if refusal else None


@pytest.mark.parametrize(
    ("scope", "inside", "outside"),
    [
        ({"hosts": ("a.example",)}, "http://a.example/x", "http://b.a.example/x"),
        ({"hosts": ("*.a.example",)}, "http://b.a.example/x", "http://ba.example/x"),
        ({"hosts": ("*.a.example",)}, "http://a.example/", "http://a.example.evil.test/"),
        ({"hosts": ("A.Example",)}, "http://a.example:8080/", "http://b.example/"),
        ({"hosts": ("*.bücher.example",)}, "http://www.xn--bcher-kva.example/", "http://bucher.example/"),
        ({"domains": ("example.org",)}, "http://deep.www.example.org/", "http://notexample.org/"),
        ({"domains": ("Example.ORG",)}, "http://example.org/", "http://example.com/"),
        ({"domains": ("www.bbc.co.uk",)}, "http://www.bbc.co.uk/", "http://news.bbc.co.uk/"),
        ({"domains": ("github.io",)}, "http://someone.github.io/", "http://github.com/"),
        ({"exclude_hosts": ("*.ads.example",)}, "http://a.example/", "http://x.ads.example/"),
        ({"exclude_hosts": ("*.ads.example",)}, "http://a.example/", "http://ads.example/"),
        (
            {"domains": ("a.example",), "exclude_hosts": ("b.a.example",)},
            "http://a.example/",
            "http://b.a.example/",
        ),
    ],
)
def test_hosts_and_domains(scope, inside, outside):
    """Named hosts exactly, patterns and domains with all below them; exclusion wins."""
    assert refused(inside, **scope) is None
    assert refused(outside, **scope) is Reason.OUT_OF_SCOPE


def test_paths_match_with_their_query():
    """Patterns see path and query; exclusion comes before inclusion."""
    assert refused("http://a.example/news/1", include=("/news/*",)) is None
    assert refused("http://a.example/sport/1", include=("/news/*",)) is Reason.PATH
    assert refused("http://a.example/a?print=1", exclude=("*print=*",)) is Reason.PATH
    assert (
        refused("http://a.example/news/print/1", include=("/news/*",), exclude=("*/print/*",)) is Reason.PATH
    )


def test_depth_length_and_nofollow():
    """Limits count inclusively; rel=nofollow is advice that only a setting makes a rule."""
    assert refused("http://a.example/", depth=2) is None
    rules = Admission(ScopeSpec(depth=1), FetchSpec(max_url_length=30), FrontierSpec())
    assert rules.refuse_link(Link("http://a.example/", 1, depth=1)) is None
    assert rules.refuse_link(Link("http://a.example/", 1, depth=2)).reason is Reason.TOO_DEEP  # type: ignore[union-attr]
    assert rules.refuse_link(Link("http://a.example/" + "x" * 30, 1)).reason is Reason.LONG_URL  # type: ignore[union-attr]
    assert refused("http://a.example/", rel="nofollow") is None
    assert refused("http://a.example/", FetchSpec(obey_rel_nofollow=True), rel="nofollow") is Reason.NOFOLLOW


def test_what_a_page_says_of_itself():
    """noindex is obeyed unless the settings say otherwise; an error page is never kept."""
    assert unkept() is None
    assert unkept(noindex=True) is Reason.NOINDEX
    assert unkept(FetchSpec(obey_nofollow=False), noindex=True) is None
    assert unkept(soft_404=True, title="Not found") is Reason.SOFT_404


def test_languages_and_dates_let_the_unknown_pass():
    """A page is refused for what is known of it, never for what is not."""
    german = ScopeSpec(languages=("DE",))
    assert unkept(scope=german, language="de") is None
    assert unkept(scope=german, language="en") is Reason.LANGUAGE
    assert unkept(scope=german, language="") is None
    strict = ScopeSpec(languages=("de",), unknown_language=False)
    assert unkept(scope=strict, language="") is Reason.LANGUAGE
    assert unkept(scope=strict, language="de") is None
    july = ScopeSpec(date_from=datetime.date(2016, 7, 1), date_to=datetime.date(2016, 7, 31))
    assert unkept(scope=july, date="2016-07-01") is None
    assert unkept(scope=july, date="2016-07-31") is None
    assert unkept(scope=july, date="2016-06-30") is Reason.DATE
    assert unkept(scope=july, date="2016-08-01") is Reason.DATE
    assert unkept(scope=july) is None


def test_a_web_that_makes_up_hosts_does_not_fill_the_memory(monkeypatch):
    """The verdicts that are remembered are bounded."""
    monkeypatch.setattr(module, "REMEMBERED", 10)
    check = module.WantedHosts(ScopeSpec(domains=("a.example",)))
    for number in range(100):
        assert check(Link(f"http://h{number}.a.example/", 1), "") is None
    assert len(check._verdicts) <= 10


@given(st.text(max_size=40), st.text(max_size=10))
def test_no_pattern_and_no_url_raises(text, pattern):
    """Patterns are the user's, URLs are strangers': any of them gives a verdict."""
    url = urls.parse(f"http://a.example/{text}") or "http://a.example/"
    scope = ScopeSpec(hosts=(pattern,), domains=(pattern,), include=(pattern,))
    rules = Admission(scope, FetchSpec(), FrontierSpec())
    rules.refuse_link(Link(url, 1))

"""Sitemaps of robots.txt and feeds of relevant pages: the best of what they list is crawled."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from lycosa.seeds.entries import ENTRIES, listed_in
from lycosa.testing import Page, Site, data, html, text
from lycosa.values import Kind
from lycosa.why import explain
from tests.crawling import crawl, kept, pages_of, refusal_of, spec_text

Web = dict[str | tuple[str, str], Page]
START = "http://a.test/"
FEED = """<?xml version="1.0"?><rss><channel><title>News of owls</title>
<item><title><![CDATA[The <b>barn</b> owl]]></title><link>/barn</link><description>&lt;p&gt;Of the owl&lt;/p&gt;</description>
<pubDate>Fri, 03 May 2024 10:00:00 GMT</pubDate></item>
<item><title>Elsewhere</title><link>http://a.test/else</link></item></channel></rss>"""


def sitemap(*urls: str, kind: str = "url", day: str = "") -> bytes:
    dated = f"<lastmod>{day}</lastmod>" if day else ""
    listed = "".join(f"<{kind}><loc>{url}</loc>{dated}</{kind}>" for url in urls)
    return f"<{'sitemapindex' if kind == 'sitemap' else 'urlset'}>{listed}</x>".encode()


def crawled(out: Path, web: Web, **sections: dict[str, Any]) -> Site:
    with Site(web) as site:
        crawl(spec_text(site, [START], **sections), out)
    return site


def test_entries_of_a_feed():
    feed = listed_in(FEED.encode(), START)

    assert feed.title == "News of owls"
    assert [(one.url, one.title, one.summary, one.date) for one in feed.entries] == [
        (f"{START}barn", "The barn owl", "Of the owl", "2024-05-03"),
        (f"{START}else", "Elsewhere", "", ""),
    ]


def test_entries_of_an_atom_feed_and_of_a_news_sitemap():
    atom = b"<feed><entry><title>One</title><link rel='alternate' href='/1'/><updated>2024-05-01T00:00:00Z</updated></entry></feed>"
    news = b"<urlset><url><loc>/2</loc><news:news><news:publication_date>2024-05-02</news:publication_date><news:title>Two</news:title></news:news></url></urlset>"

    assert [(one.url, one.title, one.date) for one in listed_in(atom, START).entries] == [
        (f"{START}1", "One", "2024-05-01")
    ]
    assert [(one.url, one.title, one.date) for one in listed_in(news, START).entries] == [
        (f"{START}2", "Two", "2024-05-02")
    ]


def test_of_a_large_sitemap_the_newest_are_looked_at():
    old = sitemap(*(f"{START}{number}" for number in range(ENTRIES)), day="2020-01-01")
    listed = listed_in(old + sitemap(f"{START}new", day="2024-01-01"), START)

    assert len(listed.entries) == ENTRIES
    assert listed.entries[0].url == f"{START}new"


@pytest.mark.parametrize(
    "noise", [b"", b"<html><p>none", b"<url>" * 10_000, b"\xff" * 1000, b"<item><link" * 5000]
)
def test_what_is_no_list_lists_nothing(noise: bytes):
    assert listed_in(noise, START).entries == ()


def test_sitemaps_and_feeds_lead_to_pages(tmp_path: Path):
    """An index, a packed sitemap, a feed; the lists themselves are no pages, and `why` names them."""
    crawled(
        tmp_path / "crawl",
        {
            "/robots.txt": text("User-agent: *\nAllow: /\nSitemap: http://a.test/index.xml"),
            "/": html("<link rel=alternate type=application/rss+xml href=/feed><p>Nothing is linked here"),
            "/index.xml": data(sitemap(f"{START}map.xml.gz", kind="sitemap"), "application/xml"),
            "/map.xml.gz": data(gzip.compress(sitemap(f"{START}one", f"{START}two")), "application/gzip"),
            "/feed": data(FEED.encode(), "application/rss+xml"),
            **{f"/{name}": html(f"<p>This is {name}") for name in ("one", "two", "barn", "else")},
        },
    )
    pages, out = pages_of(tmp_path / "crawl"), tmp_path / "crawl"

    assert {*kept(out)} == {START, *(f"{START}{name}" for name in ("one", "two", "barn", "else"))}
    assert [url for url, page in pages.items() if page.kind is Kind.LIST] == [
        f"{START}feed",
        f"{START}index.xml",
        f"{START}map.xml.gz",
    ]
    assert explain(out, f"{START}one").found_on[0].page == f"{START}map.xml.gz"
    assert explain(out, f"{START}barn").found_on[0].anchor == "The barn owl"


def test_lists_are_ranked_and_capped(tmp_path: Path):
    """Of what a feed lists, the best by the words of its titles."""
    items = "".join(
        f"<item><title>{'owl' if n == 7 else 'rail'} {n}</title><link>/{n}</link></item>" for n in range(9)
    )
    crawled(
        tmp_path / "crawl",
        {
            "/": html(
                "<link rel=alternate type=application/rss+xml href=/feed><p>All about the owl, owl and owl"
            ),
            "/feed": data(f"<rss>{items}</rss>".encode(), "application/rss+xml"),
            **{f"/{n}": html(f"<p>Page {n} of something") for n in range(9)},
        },
        top={"strategy": "best-first"},
        topic={"keywords": ["owl"]},
        seeds={"urls": [START], "max_per_discovered": 1},
    )

    assert kept(tmp_path / "crawl") == [START, f"{START}7"]


@pytest.mark.parametrize("seeds", [{"discover": []}, {"discover": ["sitemaps"]}])
def test_feeds_are_left_alone_where_the_spec_says_so(tmp_path: Path, seeds: dict[str, Any]):
    site = crawled(
        tmp_path / "crawl",
        {"/": html("<link rel=alternate type=application/rss+xml href=/feed><p>One")},
        seeds={"urls": [START], **seeds},
    )

    assert site.hits(f"{START}feed") == 0


def test_no_list_of_another_site_and_none_of_a_page_that_is_not_relevant(tmp_path: Path):
    site = crawled(
        tmp_path / "crawl",
        {
            "/": html(
                "<link rel=alternate type=application/rss+xml href=http://b.test/feed><p>One <a href=/rail>rail</a>"
            ),
            "/rail": html("<link rel=alternate type=application/rss+xml href=/feed><p>Rails"),
        },
        topic={"keywords": ["owl"]},
        judge={"kind": "topic", "threshold": 0.99},
    )

    assert site.hits("http://b.test/feed") == site.hits(f"{START}feed") == 0


def test_a_list_that_is_none_is_refused(tmp_path: Path):
    crawled(
        tmp_path / "crawl",
        {
            "/": html("<link rel=alternate type=application/rss+xml href=/feed><p>One"),
            "/feed": html("<p>There is no feed any more"),
        },
    )

    assert refusal_of(tmp_path / "crawl", f"{START}feed") == "NOT_A_PAGE"


def test_what_lists_brought_still_waits_when_pages_are_judged_again(tmp_path: Path):
    web: Web = {
        "/": html("<link rel=alternate type=application/rss+xml href=/feed><p>One of the owls"),
        "/feed": data(FEED.encode(), "application/rss+xml"),
        "/barn": html("<p>The barn owl"),
        "/else": html("<p>Something else"),
    }
    crawled(tmp_path / "crawl", web, limits={"pages": 1})
    crawled(tmp_path / "crawl", web, scope={"exclude": ["/nothing"]})

    assert {*kept(tmp_path / "crawl")} == {START, f"{START}barn", f"{START}else"}

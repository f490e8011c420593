"""URLs in lists, sitemaps and feeds: found in broken ones, and never at the price of a stall."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.seeds import lists
from lycosa.seeds.lists import feed_urls, sitemap_urls, unpacked, urls_in_lines

BASE = "http://a.example/feed"
MARKUP = st.sampled_from(
    "<loc> </loc> <url> <urlset> <sitemapindex> <item> </item> <entry> </entry> <link> </link> <link href='/x'/> "
    "<![CDATA[ ]]> &amp; &#x6f; http://a.example/ <!ENTITY é \x00".split(" ")
).map(str.encode)
BYTES = st.binary() | st.lists(MARKUP, max_size=20).map(b"".join)


@given(BYTES)
def test_any_bytes_are_some_list(data):
    """Nothing raises, and what is found is text."""
    pages, further = sitemap_urls(data)
    found = [*pages, *further, *feed_urls(data, BASE), *urls_in_lines(data)]
    assert all(isinstance(url, str) and url for url in found)


@given(st.binary(), st.booleans())
def test_gzip_is_undone_and_other_bytes_stay(data, packed):
    """A gzipped list reads like the plain one; broken gzip is an empty list."""
    body = gzip.compress(data) if packed else data
    if packed or data[:2] != b"\x1f\x8b":
        assert unpacked(body) == data
    assert isinstance(unpacked(b"\x1f\x8b" + data), bytes)


def test_a_gzip_bomb_is_cut(monkeypatch):
    """No more than MAX_BYTES come out of however few bytes."""
    monkeypatch.setattr(lists, "MAX_BYTES", 100_000)
    packer = zlib.compressobj(9, wbits=31)
    bomb = packer.compress(bytes(50_000_000)) + packer.flush()
    assert len(bomb) < 100_000
    assert len(unpacked(bomb)) == 100_000


def test_an_entity_bomb_has_nothing_to_expand():
    """Entities that a document declares are never used."""
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    data = f'<!DOCTYPE x [<!ENTITY l0 "lol">{lol}]><urlset><loc>http://a.example/&l9;</loc></urlset>'.encode()
    pages, _ = sitemap_urls(data)
    assert pages == ["http://a.example/&l9;"]


HOSTILE = {
    "openings": b"<item>" * 150_000,
    "entries with links": b"<entry><link " * 80_000,
    "blanks in a loc": b"<loc>" + b" " * 1_000_000,
    "many locs of blanks": (b"<loc>" + b" " * 1000) * 1000,
    "blanks in a link": b"<item><link>" + b" " * 1_000_000,
    "names": b"<" + b"a" * 1_000_000 + b":loc>",
    "attributes": b"<item><link " + b"href " * 200_000 + b">",
    "cdata": b"<loc><![CDATA[" * 80_000,
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize(
    "read", [sitemap_urls, lambda data: list(feed_urls(data, BASE))], ids=["sitemap", "feed"]
)
def test_a_megabyte_made_to_stall_takes_no_time(read: Callable[[bytes], object], data):
    """Time is linear in the bytes: a quadratic pattern would need hours for these."""
    start = time.process_time()
    read(data)
    assert time.process_time() - start < 5


def test_a_sitemap_in_all_its_spellings():
    """Prefixes, CDATA, capitals, attributes, white space, entities; a text list is a sitemap too."""
    data = b"""<?xml version="1.0"?><ns:urlset><ns:url><ns:loc>
        http://a.example/1 </ns:loc></ns:url><URL><LOC>http://a.example/2?a=1&amp;b=2</LOC></URL>
        <url><loc x="y"><![CDATA[ http://a.example/3 ]]></loc></url><url><location>no</location></url>"""
    assert sitemap_urls(data) == (
        ["http://a.example/1", "http://a.example/2?a=1&b=2", "http://a.example/3"],
        [],
    )
    index = b"<sitemapindex><sitemap><loc>http://a.example/s.xml</loc></sitemap></sitemapindex>"
    assert sitemap_urls(index) == ([], ["http://a.example/s.xml"])
    assert sitemap_urls(b"\xef\xbb\xbfhttp://a.example/1\nhttp://a.example/2\n") == (
        ["http://a.example/1", "http://a.example/2"],
        [],
    )


def test_feeds_point_to_pages():
    """RSS links, Atom alternates, relative ones; not the feed's own link, not enclosures."""
    rss = b"""<rss><channel><link>http://a.example/</link><item><title>x</title><link>
        <![CDATA[http://a.example/1?a=1&b=2]]></link></item><item><link>/2</link></item></channel></rss>"""
    assert list(feed_urls(rss, BASE)) == ["http://a.example/1?a=1&b=2", "http://a.example/2"]
    atom = b"""<feed><link href="http://a.example/"/><entry><link rel="enclosure" href="/song.mp3"/>
        <link rel='alternate' href='/3?x=1&amp;y=2'/></entry><entry><link href="mailto:a@b.example"/></entry></feed>"""
    assert list(feed_urls(atom, BASE)) == ["http://a.example/3?x=1&y=2"]

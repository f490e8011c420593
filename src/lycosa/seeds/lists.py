"""Read the URLs in text files, sitemaps and feeds.

Patterns, not an XML parser: lists come broken, and an entity bomb has nothing to expand.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterator
from itertools import pairwise

from lycosa import urls

MAX_BYTES = 50_000_000

# Every repetition is bounded or cannot cross a "<": the time is linear in the bytes, whatever they are.
_VALUE = r"[^<>]{0,200}>(?:\s{0,200}<!\[CDATA\[)?([^<]{1,3000})</"
_LOC = re.compile(r"<(?:\w{1,40}:)?loc\b" + _VALUE, re.I)
_INDEX = re.compile(r"<(?:\w{1,40}:)?sitemapindex\b", re.I)
_ITEM = re.compile(r"<(?:item|entry)\b", re.I)
_ITEM_END = re.compile(r"</(?:item|entry)\b", re.I)
_RSS_LINK = re.compile(r"<link\b" + _VALUE, re.I)
_ATOM_LINK = re.compile(r"<link\b([^<>]{1,4000})>", re.I)
_HREF = re.compile(r"""href\s*=\s*["']([^"']{1,2500})["']""", re.I)
_REL = re.compile(r"""rel\s*=\s*["']([^"']{1,100})["']""", re.I)


def unpacked(data: bytes) -> bytes:
    """Gzip undone (sitemaps come as .xml.gz), at most MAX_BYTES of it; other bytes as they are."""
    if data[:2] != b"\x1f\x8b":
        return data[:MAX_BYTES]
    try:
        return zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)
    except zlib.error:
        return b""


def urls_in_lines(data: bytes) -> Iterator[str]:
    """One URL per line; what follows # or white space is a comment.

    >>> list(urls_in_lines(b"http://a.example/ # first\\n\\n# none here\\nhttp://b.example/#part"))
    ['http://a.example/', 'http://b.example/#part']
    """
    for line in data.decode("utf-8-sig", "replace").splitlines():
        word = line.split(maxsplit=1)[:1]
        if word and not word[0].startswith("#"):
            yield word[0]


def sitemap_urls(data: bytes) -> tuple[list[str], list[str]]:
    """(pages, further sitemaps) of a sitemap, a sitemap index, or a text list of URLs.

    >>> sitemap_urls(b"<urlset><url><loc>http://a.example/?x=1&amp;y=2</loc></url></urlset>")
    (['http://a.example/?x=1&y=2'], [])
    """
    text = data[:MAX_BYTES].decode("utf-8-sig", "replace")
    found = [url for match in _LOC.findall(text) if (url := _plain(match))]
    if _INDEX.search(text[:10_000]):
        return [], found
    return found or ([] if "<" in text[:1000] else list(urls_in_lines(data[:MAX_BYTES]))), []


def feed_urls(data: bytes, base: str) -> Iterator[str]:
    """The pages that an RSS or Atom feed points to.

    >>> list(feed_urls(b"<rss><item><link>http://a.example/1</link></item></rss>", "http://a.example/"))
    ['http://a.example/1']
    """
    text = data[:MAX_BYTES].decode("utf-8-sig", "replace")
    starts = [match.start() for match in _ITEM.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        closing = _ITEM_END.search(text, start, end)
        address = link_of(text[start : closing.start() if closing else end])
        if address and (url := urls.join(base, address) or urls.parse(address)):
            yield url


def link_of(item: str) -> str | None:
    """The address of the page that an entry of a feed is about."""
    if plain := _RSS_LINK.search(item):
        return _plain(plain[1])
    for attributes in _ATOM_LINK.findall(item):
        rel = _REL.search(attributes)
        if (rel is None or rel[1] == "alternate") and (href := _HREF.search(attributes)):
            return html.unescape(href[1])
    return None


def _plain(value: str) -> str:
    """The text of an element: without CDATA's end, white space and entities."""
    return html.unescape(value.strip().removesuffix("]]>").strip())

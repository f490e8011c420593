"""Read the entries of sitemaps and feeds: URLs with titles, summaries and dates.

Patterns as in `lists`: every repetition is bounded, so the time is linear in the bytes.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise

import msgspec

from lycosa import urls
from lycosa.seeds.lists import MAX_BYTES, link_of, sitemap_urls

ENTRIES = 2_000
"""Of one list: the newest, where they have dates, else the first."""
FURTHER = 20
"""Sitemaps of one index that are read: the newest, else the first."""
TITLE_CHARS, SUMMARY_CHARS = 300, 1_000

_START = re.compile(r"<(?:\w{1,40}:)?(url|sitemap|item|entry)\b(?=[\s>])", re.I)
_LOC = re.compile(r"<(?:\w{1,40}:)?loc\b[^<>]{0,200}>(?:\s{0,200}<!\[CDATA\[)?([^<]{1,3000})</", re.I)
_DATE = re.compile(
    r"<(?:lastmod|news:publication_date|updated|published|pubDate|dc:date)\b[^<>]{0,200}>([^<]{4,60})<", re.I
)
_TITLE = re.compile(r"<(?:news:title|title)\b[^<>]{0,200}>(.{0,3000}?)</(?:news:)?title>", re.I | re.S)
_SUMMARY = re.compile(
    r"<(?:description|summary|content:encoded|content)\b[^<>]{0,200}>(.{0,20000}?)</(?:description|summary|content)",
    re.I | re.S,
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_SPOKEN = re.compile(r"(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (\d{4})", re.I)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_TAG = re.compile(r"<[^<>]{0,2000}>")


class Entry(msgspec.Struct, frozen=True):
    """One URL of a list."""

    url: str
    title: str = ""
    summary: str = ""
    date: str = ""  # ISO, or ''


class Listed(msgspec.Struct, frozen=True):
    """What a sitemap or a feed lists: entries, or, of an index, further lists. `title` is the feed's."""

    title: str = ""
    entries: tuple[Entry, ...] = ()
    further: tuple[str, ...] = ()


def listed_in(data: bytes, base: str) -> Listed:
    """What is listed; nothing where it is no list.

    >>> data = b"<urlset><url><loc>http://a.test/1</loc><lastmod>2024-05-01T10:00Z</lastmod></url></urlset>"
    >>> listed_in(data, "http://a.test/").entries
    (Entry(url='http://a.test/1', title='', summary='', date='2024-05-01'),)
    """
    text = data[:MAX_BYTES].decode("utf-8-sig", "replace")
    found = list(_entries(text, base))
    if not found and "<" not in text[:1000]:
        found = [("url", Entry(url)) for url in sitemap_urls(data)[0] if urls.parse(url)]
    pages = [entry for kind, entry in found if kind != "sitemap"]
    further = [entry for kind, entry in found if kind == "sitemap"]
    title = _TITLE.search(text[:5000]) if pages and not text.lstrip()[:300].lower().count("<urlset") else None
    return Listed(
        _words(title[1], TITLE_CHARS) if title else "",
        tuple(_newest(pages, ENTRIES)),
        tuple(entry.url for entry in _newest(further, FURTHER)),
    )


def _entries(text: str, base: str) -> Iterator[tuple[str, Entry]]:
    starts = [(match.start(), match[1].lower()) for match in _START.finditer(text)]
    for (start, kind), (end, _) in pairwise([*starts, (len(text), "")]):
        item = text[start : min(end, start + 50_000)]
        is_map = kind in ("url", "sitemap")
        address = (
            loc[1].strip().removesuffix("]]>") if is_map and (loc := _LOC.search(item)) else link_of(item)
        )
        url = urls.join(base, html.unescape(address.strip())) if address else None
        if url and len(url) <= urls.URL_CHARS:
            title, summary = _TITLE.search(item), None if is_map else _SUMMARY.search(item)
            yield (
                kind,
                Entry(
                    url,
                    _words(title[1], TITLE_CHARS) if title else "",
                    _words(summary[1], SUMMARY_CHARS) if summary else "",
                    _day(item),
                ),
            )


def _newest(entries: list[Entry], limit: int) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.date, reverse=True)[:limit]


def _day(item: str) -> str:
    said = _DATE.search(item)
    if said is None:
        return ""
    if iso := _ISO.search(said[1]):
        return iso[0]
    if spoken := _SPOKEN.search(said[1]):
        return f"{spoken[3]}-{_MONTHS.index(spoken[2].lower()[:3]) + 1:02}-{int(spoken[1]):02}"
    return ""


def _words(markup: str, chars: int) -> str:
    """The text of an element that may hold markup, escaped or not."""
    text = markup.replace("<![CDATA[", "").replace("]]>", "")
    return " ".join(_TAG.sub(" ", html.unescape(_TAG.sub(" ", text))).split())[:chars]

"""Read the head of a page: title, language, meta tags, base URL, announced feeds, and what its robots directives ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from selectolax.lexbor import LexborNode

from lycosa import urls
from lycosa.page.links.links import Attributes, ReferenceResolver, rel_of
from lycosa.page.text.layout import Noted, one_line, tag_ids
from lycosa.urls import URL_CHARS

FEEDS = 3
TITLE_CHARS = 500
META_ENTRIES = 100
META_CHARS = 1_000

(TITLE_ID,) = tag_ids("title")
_LANGUAGE_CODE = re.compile(r"\s*([a-zA-Z]{2,3})(?![a-zA-Z])")
_FEED_TYPES = ("application/rss+xml", "application/atom+xml")


def title_of(kinds: Mapping[int, Sequence[Noted]], meta: Mapping[str, str]) -> str:
    """The title in one line: that of the first title element, else that for social media."""
    first = kinds.get(TITLE_ID, ())[:1]
    title = one_line(first[0][1].text()[: 4 * TITLE_CHARS]) if first else ""
    return title[:TITLE_CHARS] or one_line(meta.get("og:title", ""))[:TITLE_CHARS]


def declared_language(root: LexborNode | None, meta: Mapping[str, str]) -> str:
    """The language code that the markup declares, without region; '' if none."""
    said = root.attributes.get("lang") or "" if root is not None else ""
    code = _LANGUAGE_CODE.match(said) or _LANGUAGE_CODE.match(meta.get("content-language", ""))
    return code[1].lower() if code else ""


def robots_metas(metas: Iterable[Attributes]) -> list[str]:
    """The contents of the robots meta tags that apply to Lycosa."""
    ours = [each for each in metas if (each.get("name") or "").lower() in ("robots", "lycosa")]
    return [(each["content"] or "")[:META_CHARS] for each in ours[:META_ENTRIES]]


def meta_of(metas: Sequence[Attributes]) -> dict[str, str]:
    """Meta tags by name or property in lower case; the first of each name."""
    found: dict[str, str] = {}
    for attributes in metas[: 10 * META_ENTRIES]:
        name = (attributes.get("name") or attributes.get("property") or "")[:100].strip().lower()
        if name and len(found) < META_ENTRIES:
            found.setdefault(name, (attributes["content"] or "")[:META_CHARS])
    return found


def base_of(bases: Iterable[Attributes], url: str) -> str:
    """The URL that references on a page are relative to; a base longer than a URL may be is ignored."""
    href = next((attributes["href"] or "" for attributes in bases if "href" in attributes), None)
    said = urls.join(url, href) if href is not None else None
    return said if said and len(said) <= URL_CHARS else url


def find_feeds(related: Iterable[Attributes], url: str, resolve: ReferenceResolver) -> tuple[str, ...]:
    """The RSS and Atom feeds among a page's link elements, if they are on the page's own site."""
    offered = [each for each in related if "type" in each and "alternate" in rel_of(each)]
    feeds = [each for each in offered[: 10 * FEEDS] if (each["type"] or "").strip().lower() in _FEED_TYPES]
    found = dict.fromkeys(target[0] for each in feeds if (target := resolve(each["href"] or "")))
    own = urls.source_of(urls.authority_of(url))
    return tuple(feed for feed in found if urls.source_of(urls.authority_of(feed)) == own)[:FEEDS]


# Directives that are themselves written "name: value", so their colon does not name a robot.
_VALUED = frozenset("unavailable_after max-snippet max-image-preview max-video-preview".split())
_ROBOT = "lycosa"


def forbids(what: str, metas: Iterable[str], robots_tag: str = "") -> bool:
    """Whether `what` (noindex, nofollow) is asked of us.

    Each meta is the content of a tag that is meant for us; `robots_tag` is the X-Robots-Tag
    header, one header a line, where a part may be meant for another robot.

    >>> forbids("noindex", ["NOINDEX, follow"]), forbids("noindex", [], "otherbot: noindex")
    (True, False)
    >>> forbids("nofollow", [], "lycosa: none")
    True
    """
    meant = directives(metas, robots_tag)
    return what in meant or "none" in meant


def directives(metas: Iterable[str], robots_tag: str = "") -> frozenset[str]:
    """All that is asked of us, in lower case.

    >>> sorted(directives(["noai, noimageai"], "otherbot: nofollow"))
    ['noai', 'noimageai']
    """
    meant = [word.strip().lower() for content in metas for word in content.split(",")]
    for line in robots_tag.lower().splitlines():
        for_us = True
        for part in line.split(","):
            name, colon, rest = part.partition(":")
            if colon and name.strip() not in _VALUED:
                for_us = name.strip() == _ROBOT
                part = rest
            if for_us:
                meant.append(part.strip())
    return frozenset(meant)

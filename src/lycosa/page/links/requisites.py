"""Find the stylesheets, scripts, images and fonts that a page needs to look right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from selectolax.lexbor import LexborHTMLParser

from lycosa import urls
from lycosa.page.links.links import URLS_CHARS, ReferenceResolver, best_of_srcset, image_source
from lycosa.urls import URL_CHARS

MAX_REQUISITES = 1_000
CSS_CHARS = 1_000_000

_SELECTOR = (
    "link[rel][href],script[src],img,source,video[poster],audio[src],video[src],input[src],"
    "embed[src],object[data],body[background],table[background],td[background],style,[style*='url(']"
)
_LINK_KINDS = frozenset("stylesheet icon apple-touch-icon mask-icon manifest preload modulepreload".split())
_CSS_URL = re.compile(
    rf"""url\(\s{{0,20}}(?:"([^"\n]{{1,{URL_CHARS}}})"|'([^'\n]{{1,{URL_CHARS}}})'|([^\s"'()]{{1,{URL_CHARS}}}))"""
    rf"""|@import\s{{1,20}}(?:"([^"\n]{{1,{URL_CHARS}}})"|'([^'\n]{{1,{URL_CHARS}}})')""",
    re.IGNORECASE,
)


def stylesheet_urls(css: str, base: str) -> tuple[str, ...]:
    """The URLs that a stylesheet at `base` loads: images, fonts, further stylesheets.

    >>> stylesheet_urls("@import 'b.css'; p { background: url(../c.png) }", "http://a.example/s/a.css")
    ('http://a.example/s/b.css', 'http://a.example/c.png')
    """
    found: dict[str, None] = {}
    for groups in _CSS_URL.findall(css[:CSS_CHARS]):
        url = urls.join(base, "".join(groups))
        if url is not None and len(url) <= URL_CHARS:
            found[url] = None
            if len(found) >= MAX_REQUISITES:
                break
    return tuple(found)


def find_requisites(tree: LexborHTMLParser, resolve: ReferenceResolver) -> tuple[str, ...]:
    """The requisites of a page, each once, in document order."""
    found: dict[str, None] = {}
    for node in tree.css(_SELECTOR):
        attributes = node.attributes
        tag = node.tag
        references: list[str] = []
        if tag == "style":
            found.update(dict.fromkeys(stylesheet_urls(node.text(), resolve.base)))
        elif tag == "img":
            references = [image_source(attributes), best_of_srcset(attributes.get("srcset") or "")]
        elif tag == "link":
            if not _LINK_KINDS.isdisjoint((attributes.get("rel") or "").lower().split()):
                references = [attributes.get("href") or ""]
        elif tag == "source":
            references = [attributes.get("src") or "", best_of_srcset(attributes.get("srcset") or "")]
        else:
            references = [attributes.get(name) or "" for name in ("src", "poster", "data", "background")]
        if style := attributes.get("style"):
            found.update(dict.fromkeys(stylesheet_urls(style, resolve.base)))
        for reference in references:
            target = resolve(reference) if reference else None
            if target is not None:
                found[target[0]] = None
        if len(found) >= MAX_REQUISITES:
            break
    return _bounded(found)


def _bounded(found: Iterable[str]) -> tuple[str, ...]:
    """The first of them, until they are many or fill too much room."""
    room = URLS_CHARS
    kept: list[str] = []
    for url in islice(found, MAX_REQUISITES):
        room -= len(url)
        if room < 0:
            break
        kept.append(url)
    return tuple(kept)

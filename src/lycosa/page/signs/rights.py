"""Read what site owners allow others to do with a page.

Sources: robots meta tags and X-Robots-Tag (noai, noimageai, noarchive), the TDM Reservation Protocol (header, meta tag
and /.well-known/tdmrep.json), Content-Signal in robots.txt, and links to licences. `scope.respect` decides what follows.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lycosa.page.document import Document
from lycosa.page.head import directives
from lycosa.urls import URL_CHARS, join
from lycosa.values import Data, Fact, Fetched

RIGHTS = "rights"
"""The name of the evidence."""
RESERVED_BY_PAGE = ("noai", "noimageai", "noarchive")
SIGNALS = ("search", "ai-input", "ai-train")
"""Uses that a Content-Signal speaks of (contentsignals.org)."""
_LICENCE_METAS = ("dcterms.license", "dc.rights.uri", "dcterms.rights", "copyright-license")


class Rights(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type", tag="rights"):
    """What is said about the use of a page. Nothing said: nothing here."""

    reserved: tuple[str, ...] = ()  # what may not be done: noai, noimageai, noarchive, tdm, ai-train, …
    allowed: tuple[str, ...] = ()  # what expressly may
    tdm_policy: str = ""  # where the conditions of text and data mining stand
    licence: str = ""  # the URL of the licence that the page names

    @classmethod
    def of(cls, evidence: Mapping[str, Fact]) -> Rights:
        """Those that were read of a page."""
        fact = evidence.get(RIGHTS)
        return (fact.read(cls) if isinstance(fact, Data) else None) or cls()


def rights_of(document: Document, fetched: Fetched) -> Rights:
    """What the page says, its server, and its site, in this order: who is closer to the page counts more."""
    said = directives(document.robots_metas, document.robots_tag)
    reserved = [name for name in RESERVED_BY_PAGE if name in said]
    allowed: list[str] = []
    site = dict(fetched.site_rights)
    tdm = _first(
        document.meta.get("tdm-reservation"), fetched.header("tdm-reservation"), site.get("tdm-reservation")
    )
    policy = _first(document.meta.get("tdm-policy"), fetched.header("tdm-policy"), site.get("tdm-policy"))
    if tdm in ("0", "1"):
        (reserved if tdm == "1" else allowed).append("tdm")
    for name, may in signals_in(site["content-signal"]).items() if "content-signal" in site else ():
        (allowed if may else reserved).append(name)
    target = join(document.url, policy) if policy else ""
    return Rights(tuple(reserved), tuple(allowed), (target or "")[:URL_CHARS], _licence(document))


def signals_in(line: str) -> dict[str, bool]:
    """The uses that a Content-Signal grants and reserves.

    >>> signals_in("search=yes, ai-train=no, other=maybe")
    {'search': True, 'ai-train': False}
    """
    pairs = (part.partition("=") for part in line.lower().split(","))
    found = {name.strip(): value.strip() for name, _, value in pairs}
    return {name: found[name] == "yes" for name in SIGNALS if found.get(name) in ("yes", "no")}


def _first(*said: str | None) -> str:
    return next((each.strip() for each in said if each and each.strip()), "")


def _licence(document: Document) -> str:
    metas = (document.meta.get(name, "") for name in _LICENCE_METAS)
    for href in (*document.linked.licences, *(meta for meta in metas if meta.startswith("http"))):
        target = join(document.base, href)
        if target and len(target) <= URL_CHARS:
            return target
    return ""

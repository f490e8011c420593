"""Classify a page as a seed: hub, authority, tunnel or reject."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from lycosa import urls
from lycosa.seeds.posts.keywords import Keywords

MENTIONS = 3
"""A text without a keyword in its title is about the event if it has this many."""


class SeedKind(StrEnum):
    """Table 9 of Farag's thesis."""

    HUB = "hub"  # relevant, and links to relevant URLs
    AUTHORITY = "authority"  # relevant, a dead end
    TUNNEL = "tunnel"  # not relevant, but links to relevant URLs
    REJECT = "reject"  # neither


class Look(msgspec.Struct, frozen=True):
    """What a look at a page showed."""

    kind: SeedKind
    relevant: bool
    links: int
    relevant_links: int


def seed_kind(relevant: bool, relevant_links: int) -> SeedKind:
    """Table 9: two questions, four kinds.

    >>> [seed_kind(r, n).value for r, n in ((True, 4), (True, 0), (False, 1), (False, 0))]
    ['hub', 'authority', 'tunnel', 'reject']
    """
    if relevant:
        return SeedKind.HUB if relevant_links else SeedKind.AUTHORITY
    return SeedKind.TUNNEL if relevant_links else SeedKind.REJECT


def look(url: str, title: str, text: str, links: Iterable[tuple[str, str]], keywords: Keywords) -> Look:
    """The kind of a page with these links (URL, anchor text).

    The paper classifies the tokens of a link's URL and anchor; here a keyword must be in them. A link's
    query is not looked at: links that share the page carry its own URL there.
    """
    relevant = keywords.count_in(title) > 0 or keywords.count_in(text) >= MENTIONS
    own = urls.identity(url)
    others = {urls.identity(target).partition("?")[0]: anchor for target, anchor in links}
    others.pop(own.partition("?")[0], None)
    hits = sum(
        1 for target, anchor in others.items() if keywords.found_in(target) or keywords.count_in(anchor)
    )
    return Look(seed_kind(relevant, hits), relevant, len(others), hits)

"""What a page's robots meta tags and X-Robots-Tag headers ask for."""

from __future__ import annotations

from collections.abc import Iterable

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

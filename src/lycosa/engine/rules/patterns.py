"""URLs whose pages bring nothing new, such as those of crawler traps and mirrors.

The URLs of a trap are of a kind, and its pages resemble each other. So duplicates, and pages that hardly differ from the last
ones, count against the kind of their URL, its section and its site. What has brought nothing several times is given up; the
links of such a page count less from the first one on. Old counts fade, so that a site which turns into a trap is noticed.
A mirror has its pages under the paths of the other site. Newspapers that print the same agency's report under paths of
their own are no mirrors, and their copies count against nobody.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from functools import lru_cache
from typing import TypeVar

import numpy as np

from lycosa.urls import authority_of, host_of, source_of
from lycosa.values import Link, Page, Reason, Refusal

ENOUGH = (5.0, 8.0, 12.0)
"""Pages that brought nothing, before URLs of their kind, section, or site are given up."""
PER_GOOD = 3.0
"""For each page that did bring something, this many more."""
FADES = 0.98
"""What an earlier page counts, with each later one of its kind."""
ALIKE = 0.85
"""A page brings nothing if this share of its shingles' sketch stands on the last pages of its section."""
COMPARED = 16
MANY_QUERIES, ALIKE_THERE = 6, 0.5
"""Where parameters combine in this many ways, as filters do, the second share is enough."""
MANY_HOSTS, PAGES_A_HOST = 30, 3
"""A site with this many hosts that gave fewer pages each than the second makes up its hosts."""
MIRRORED = 2
"""A site is a mirror if this many of its pages, and more than it has of its own, are on other sites under the same path."""
MIRRORED_WORDS = 50
"""Shorter pages may be alike on two sites by chance: error pages, consent walls."""
MAX_KINDS = 30_000
MAX_SITES = 30_000
MAX_ORIGINALS = 50_000
"""Pages whose mirrors are told, each by 300 bytes; a page that is like one before them counts as like one of its own site."""
MAX_SECTIONS = 100
"""Of one site; the pages of each are compared with each other."""
NOTHING_NEW = frozenset((Reason.DUPLICATE, Reason.SOFT_404))

K = TypeVar("K")
V = TypeVar("V")

_DIGITS = re.compile(r"\d+")
_MADE_UP = re.compile(r"(?=[a-z_-]*\d)[0-9a-z_-]{8,}|[0-9a-f]{12,}|[^/]{40,}", re.IGNORECASE)


@lru_cache(maxsize=16)  # of a page it is asked when it comes and when it is learned from
def kinds_of(url: str) -> tuple[str, str, str]:
    """The kind of a URL, its section and its site: what it has in common with others, from closest to widest.

    >>> kinds_of("http://www.a.example/cal/2026/11?view=day&x=1")
    ('a.example/cal/0/0?view&x', 'a.example/cal?', 'a.example')
    >>> kinds_of("http://a.example/s/d41d8cd98f00b204/item-7")[0]
    'a.example/s/*/item-0'
    """
    authority = authority_of(url)
    site = source_of(authority)
    path, asks, query = url[len(authority) :].partition("?")
    segments = [_DIGITS.sub("0", _MADE_UP.sub("*", segment)) for segment in path.split("/")]
    names = sorted({pair.partition("=")[0] for pair in query.split("&")}) if asks else []
    section = segments[1] if len(segments) > 2 else ""
    return f"{site}{'/'.join(segments)}{asks}{'&'.join(names)}", f"{site}/{section}{asks}", site


class _Counts:
    __slots__ = ("good", "poor")

    def __init__(self) -> None:
        self.good = self.poor = 0.0

    def count(self, poor: bool) -> None:
        self.good = self.good * FADES + (not poor)
        self.poor = self.poor * FADES + poor


class _Section:
    __slots__ = ("compared", "queries", "sketches")

    def __init__(self) -> None:
        self.sketches: deque[bytes] = deque(maxlen=COMPARED)
        self.queries: set[str] = set()
        self.compared: tuple[bytes, float] | None = (
            None  # of a page it is asked when it comes and when it is learned from
        )

    def has_seen(self, kind: str, sketch: bytes) -> bool:
        """Whether nearly all of a page's shingles stand on the last pages here; it is one of them from now on."""
        seen = self.is_seen(kind, sketch)
        if sketch:
            self.sketches.append(sketch)
            self.compared = None
        return seen

    def is_seen(self, kind: str, sketch: bytes) -> bool:
        """Whether they do, of a page that is none of them yet."""
        if "?" in kind and len(self.queries) < MANY_QUERIES:
            self.queries.add(kind)
        if self.compared is None or self.compared[0] != sketch:
            self.compared = sketch, _share_seen(sketch, self.sketches)
        return self.compared[1] >= (ALIKE_THERE if len(self.queries) >= MANY_QUERIES else ALIKE)


class _Site:
    __slots__ = ("given_up", "hosts", "mirrored", "own", "pages", "sections")

    def __init__(self) -> None:
        self.given_up: dict[str, Refusal] = {}
        self.hosts: set[str] = set()
        self.pages = 0
        self.own = self.mirrored = 0  # pages that no other site is known to have; that one had before
        self.sections: dict[str, _Section] = {}

    def section(self, name: str) -> _Section:
        """A section, which is made known if it was not; of too many, the longest-known is forgotten."""
        return self.sections.get(name) or _remember(self.sections, name, _Section(), MAX_SECTIONS)

    @property
    def may_refuse(self) -> bool:
        """Whether any of the reasons to refuse a link may hold: asked of every link, and of most sites there is none."""
        return bool(self.given_up) or self.mirrored > 0 or len(self.hosts) >= MANY_HOSTS

    @property
    def is_copying(self) -> bool:
        """Whether what it has given so far was mostly on other sites under the same paths."""
        return self.mirrored > 0 and self.mirrored >= self.own

    @property
    def makes_up_hosts(self) -> bool:
        return len(self.hosts) >= MANY_HOSTS and self.pages < PAGES_A_HOST * len(self.hosts)


class Patterns:
    """What the pages of a crawl brought, by the kinds of their URLs. Bounded: the longest-known are forgotten."""

    def __init__(self, named: Collection[str] = ()) -> None:
        """`named`: sites that the user gave seeds on. If others have their pages too, the others are the mirrors."""
        self._named = frozenset(named)
        self._counts: dict[str, _Counts] = {}
        self._sites: dict[str, _Site] = {}
        self._originals: dict[
            int, tuple[str, int]
        ] = {}  # of pages that others may resemble: site, hash of the path
        self._shared: dict[int, None] = {}  # those of them that another site was seen to have too
        self._paths: dict[int, str] = {}  # the last site that has a page under this path, by its hash
        self._may_refuse = False  # any link: asked of every one, and in most crawls none

    def __call__(self, link: Link, page_url: str) -> Refusal | None:
        """Why a link is not followed, though nothing speaks against it but its kind; a `LinkCheck`."""
        if not self._may_refuse:
            return None
        authority = authority_of(link.url)
        site = self._sites.get(source_of(authority))
        if site is None or not site.may_refuse:
            return None
        if site.given_up:
            for kind in kinds_of(link.url):
                if (refusal := site.given_up.get(kind)) is not None:
                    return refusal
        if site.is_copying and (elsewhere := self._known_path(link.url)):
            return Refusal(Reason.TRAP, f"its site copies others, and {elsewhere} has a page of its path")
        if site.makes_up_hosts and host_of(authority) not in site.hosts:
            return Refusal(Reason.TRAP, f"{len(site.hosts)} hosts of its site gave {site.pages} pages")
        return None

    def mirrors(self, page: Page, near: int | None) -> Refusal | None:
        """Why the links of a page within its own site are not followed: another site has the same page."""
        if not near or page.link.depth == 0 or page.words < MIRRORED_WORDS:
            return None
        elsewhere = self._mirrored_site(page.url, near)
        if source_of(authority_of(page.url)) in self._named:
            return None
        return Refusal(Reason.TRAP, f"its page is nearly the same on {elsewhere}") if elsewhere else None

    def is_poor(self, url: str, sketch: bytes, near: int) -> bool:
        """Whether a page that has just come resembles others so much that its links are worth less."""
        kinds = kinds_of(url)
        site = self._sites.get(kinds[-1])
        section = site.sections.get(kinds[1]) if site else None
        return bool(
            self._resembles_own(kinds[-1], near)
            or self._mirrored_site(url, near)
            or (section and section.is_seen(kinds[0], sketch))
        )

    def learn(self, key: int, url: str, sketch: bytes, near: int, refused: Reason | None) -> None:
        """Count a page: whether it brought something, for all kinds of its URL."""
        kinds = kinds_of(url)
        site = self._site(kinds[-1])
        seen = site.section(kinds[1]).has_seen(kinds[0], sketch)
        elsewhere = self._mirrored_site(url, near)
        poor = self._resembles_own(kinds[-1], near) or bool(elsewhere) or refused in NOTHING_NEW or seen
        if not near:
            path = hash(_path_of(url))
            _remember(self._originals, key, (kinds[-1], path), MAX_ORIGINALS)
            _remember(self._paths, path, kinds[-1], MAX_ORIGINALS)
        site.own += not poor
        site.mirrored += bool(elsewhere)
        if elsewhere and near not in self._shared:  # the other site's page is no longer its own alone
            _remember(self._shared, near, None, MAX_ORIGINALS)
            self._site(elsewhere).own -= 1
        is_mirror = site.mirrored >= MIRRORED and site.mirrored > site.own and kinds[-1] not in self._named
        if elsewhere and is_mirror:
            refusal = Refusal(Reason.TRAP, f"its site's pages are nearly the same on {elsewhere}")
            site.given_up.setdefault(kinds[-1], refusal)
        site.pages += 1
        if len(site.hosts) < 10 * MANY_HOSTS:
            site.hosts.add(host_of(authority_of(url)))
        for kind, enough in zip(kinds, ENOUGH, strict=True):
            counts = self._counts.get(kind) or _remember(self._counts, kind, _Counts(), MAX_KINDS)
            counts.count(poor)
            if poor and counts.poor >= enough and counts.poor >= PER_GOOD * counts.good:
                site.given_up.setdefault(
                    kind, Refusal(Reason.TRAP, f"the last pages of {kind} brought nothing new")
                )
        self._may_refuse = self._may_refuse or site.may_refuse

    def _known_path(self, url: str) -> str:
        """Another site, if one has a page under the path of a URL; '' if none is known, or the user named its own."""
        site, found = source_of(authority_of(url)), self._paths.get(hash(_path_of(url)), "")
        return "" if found == site or site in self._named else found

    def _resembles_own(self, site: str, near: int) -> bool:
        """Whether the page that another resembles is on the same site, or where is forgotten."""
        return bool(near) and self._originals.get(near, (site, 0))[0] == site

    def _mirrored_site(self, url: str, near: int) -> str:
        """The other site that has the page under the same path; '' if none is known."""
        site, path = self._originals.get(near, ("", 0))
        own = source_of(authority_of(url))
        return site if site and site != own and path == hash(_path_of(url)) else ""

    def _site(self, name: str) -> _Site:
        return self._sites.get(name) or _remember(self._sites, name, _Site(), MAX_SITES)


class NoPatterns(Patterns):
    """Learns nothing, and refuses nothing."""

    def __call__(self, link: Link, page_url: str) -> Refusal | None:
        return None

    def mirrors(self, page: Page, near: int | None) -> Refusal | None:
        return None

    def is_poor(self, url: str, sketch: bytes, near: int) -> bool:
        return False

    def learn(self, key: int, url: str, sketch: bytes, near: int, refused: Reason | None) -> None:
        pass


def _remember(table: dict[K, V], key: K, value: V, limit: int) -> V:
    """Keep a new value; of more than `limit` the longest-known is forgotten."""
    table[key] = value
    if len(table) > limit:
        del table[next(iter(table))]
    return value


def _path_of(url: str) -> str:
    return url[len(authority_of(url)) :]


def _share_seen(sketch: bytes, last: Collection[bytes]) -> float:
    """The share of a page's shingles that stand on the last pages, by their sketches."""
    if not sketch or len(last) < 2:
        return 0.0
    mine = np.frombuffer(sketch, dtype=np.uint8)
    theirs = np.frombuffer(b"".join(last), dtype=np.uint8).reshape(-1, len(mine))
    said = mine != 0
    return int(np.count_nonzero((theirs == mine).any(axis=0) & said)) / max(1, int(np.count_nonzero(said)))

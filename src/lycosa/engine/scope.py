"""What may be fetched (decided on a link) and kept (decided on a page), as the spec says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate

from lycosa.engine.traps import trap_refusal
from lycosa.spec.sections import FetchSpec, ScopeSpec
from lycosa.urls import authority_of, host_of, parse
from lycosa.values import Link, Page, Reason, Refusal

REMEMBERED = 100_000
"""Hosts whose verdict is remembered: a web that makes up hosts must not fill the memory."""


def _pattern(globs: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(translate(glob) for glob in globs)) if globs else None


class Scope:
    """The bounds of a crawl. The first rule that refuses wins."""

    def __init__(self, scope: ScopeSpec, fetch: FetchSpec) -> None:
        self.scope = scope
        self.fetch = fetch
        self._hosts = _pattern(_hosts(scope.hosts))
        self._never = _pattern(_hosts(scope.exclude_hosts))
        self._domains = tuple(_ascii(domain) for domain in scope.domains)
        self._languages = frozenset(scope.languages)
        self._include = _pattern(scope.include)
        self._exclude = _pattern(scope.exclude)
        self._by_authority: dict[str, Refusal | None] = {}

    def refuse_link(self, link: Link) -> Refusal | None:
        """Why a link may not be fetched; None if it may."""
        if len(link.url) > self.fetch.max_url_length:
            return Refusal(Reason.LONG_URL)
        if self.scope.depth is not None and link.depth > self.scope.depth:
            return Refusal(Reason.TOO_DEEP)
        if self.fetch.obey_rel_nofollow and "nofollow" in link.rel:
            return Refusal(Reason.NOFOLLOW, "rel=nofollow")
        authority = authority_of(link.url)
        try:
            refusal = self._by_authority[authority]
        except KeyError:
            if len(self._by_authority) >= REMEMBERED:
                self._by_authority.clear()
            refusal = self._by_authority[authority] = self._refuse_authority(authority)
        return refusal or self._refuse_path(link.url[len(authority) :]) or trap_refusal(link.url)

    def refuse_page(self, page: Page) -> Refusal | None:
        """Why a page is not kept and its links are not followed; None if it is."""
        if page.soft_404:
            return Refusal(Reason.SOFT_404, page.title[:80])
        if page.noindex and self.fetch.obey_nofollow:
            return Refusal(Reason.NOINDEX)
        if self._languages and page.language and page.language not in self._languages:
            return Refusal(Reason.LANGUAGE, page.language)
        if page.date and not self._in_window(page.date):
            return Refusal(Reason.DATE, page.date)
        return None

    def _in_window(self, day: str) -> bool:
        start, end = self.scope.date_from, self.scope.date_to
        return not (start and day < start.isoformat()) and not (end and day > end.isoformat())

    def _refuse_authority(self, authority: str) -> Refusal | None:
        host = host_of(authority)
        if self._never and self._never.match(host):
            return Refusal(Reason.OUT_OF_SCOPE, f"{host} is in scope.exclude_hosts")
        if not self.scope.hosts and not self.scope.domains:
            return None
        named = bool(self._hosts and self._hosts.match(host)) or any(
            host == domain or host.endswith("." + domain) for domain in self._domains
        )
        return None if named else Refusal(Reason.OUT_OF_SCOPE, host)

    def _refuse_path(self, path: str) -> Refusal | None:
        if self._exclude and self._exclude.match(path):
            return Refusal(Reason.PATH)
        if self._include and not self._include.match(path):
            return Refusal(Reason.PATH, "matches no pattern of scope.include")
        return None


def _hosts(patterns: Sequence[str]) -> list[str]:
    """Host patterns as URLs spell hosts; `*.example.org` means example.org itself too."""
    hosts = [_ascii(pattern) for pattern in patterns]
    return hosts + [host[2:] for host in hosts if host.startswith("*.")]


def _ascii(host: str) -> str:
    """A host or pattern as it stands in parsed URLs: lower case, IDNA.

    >>> _ascii("*.Bücher.example")
    '*.xn--bcher-kva.example'
    """
    parsed = parse(f"http://{host}/")
    return host_of(parsed) if parsed else host.lower()

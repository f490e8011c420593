"""The checks of links and pages that a spec's scope asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

from lycosa.page.signs.rights import Rights
from lycosa.spec.sections import FetchSpec, ScopeSpec
from lycosa.urls import authority_of, host_of, parse
from lycosa.values import Link, Page, Reason, Refusal

LinkCheck = Callable[[Link, str], Refusal | None]
"""Why a link, on the page of this URL ('' where none is at hand), may not be fetched; None if it may."""
PageCheck = Callable[[Page], Refusal | None]
"""Why a page is not kept; None if it is."""

REMEMBERED = 100_000
"""Hosts whose verdict is remembered: a web that makes up hosts must not fill the memory."""


def not_too_long(fetch: FetchSpec) -> LinkCheck:
    """`fetch.max_url_length`."""
    longest, refusal = fetch.max_url_length, Refusal(Reason.LONG_URL)
    return lambda link, _: refusal if len(link.url) > longest else None


def not_too_deep(scope: ScopeSpec) -> LinkCheck | None:
    """`scope.depth`."""
    deepest, refusal = scope.depth, Refusal(Reason.TOO_DEEP)
    if deepest is None:
        return None
    return lambda link, _: refusal if link.depth > deepest else None


def followed(fetch: FetchSpec) -> LinkCheck | None:
    """`fetch.obey_rel_nofollow`."""
    refusal = Refusal(Reason.NOFOLLOW, "rel=nofollow")
    if not fetch.obey_rel_nofollow:
        return None
    return lambda link, _: refusal if "nofollow" in link.rel else None


def on_wanted_host(scope: ScopeSpec) -> LinkCheck | None:
    """`scope.hosts`, `scope.domains` and `scope.exclude_hosts`."""
    return WantedHosts(scope) if scope.hosts or scope.domains or scope.exclude_hosts else None


class WantedHosts:
    """The check of a link's host, which remembers its verdicts: most links lead to few hosts."""

    def __init__(self, scope: ScopeSpec) -> None:
        self._hosts = _pattern(_hosts(scope.hosts))
        self._never = _pattern(_hosts(scope.exclude_hosts))
        self._domains = tuple(_ascii(domain) for domain in scope.domains)
        self._verdicts: dict[str, Refusal | None] = {}

    def __call__(self, link: Link, page_url: str) -> Refusal | None:
        """Why the link's host is not wanted; None if it is."""
        authority = authority_of(link.url)
        if authority not in self._verdicts:
            if len(self._verdicts) >= REMEMBERED:
                self._verdicts.clear()
            self._verdicts[authority] = self._verdict(host_of(authority))
        return self._verdicts[authority]

    def _verdict(self, host: str) -> Refusal | None:
        if self._never and self._never.match(host):
            return Refusal(Reason.OUT_OF_SCOPE, f"{host} is in scope.exclude_hosts")
        if not self._hosts and not self._domains:
            return None
        named = bool(self._hosts and self._hosts.match(host)) or any(
            host == domain or host.endswith("." + domain) for domain in self._domains
        )
        return None if named else Refusal(Reason.OUT_OF_SCOPE, host)


def on_wanted_path(scope: ScopeSpec) -> LinkCheck | None:
    """`scope.exclude` and `scope.include`."""
    exclude, include = _pattern(scope.exclude), _pattern(scope.include)
    if exclude is None and include is None:
        return None

    def check(link: Link, _: str) -> Refusal | None:
        path = link.url[len(authority_of(link.url)) :]
        if exclude and exclude.match(path):
            return Refusal(Reason.PATH)
        if include and not include.match(path):
            return Refusal(Reason.PATH, "matches no pattern of scope.include")
        return None

    return check


def no_soft_404(page: Page) -> Refusal | None:
    """An error page that says 200 is none."""
    return Refusal(Reason.SOFT_404, page.title[:80]) if page.soft_404 else None


def no_wall(page: Page) -> Refusal | None:
    """What stands before a page is none: found when pages are judged again, by what is known of walls now."""
    return Refusal(Reason.WALL, page.wall) if page.wall else None


def may_be_kept(fetch: FetchSpec) -> PageCheck | None:
    """`fetch.obey_nofollow`, of noindex too."""
    refusal = Refusal(Reason.NOINDEX)
    if not fetch.obey_nofollow:
        return None
    return lambda page: refusal if page.noindex else None


def within_rights(scope: ScopeSpec) -> PageCheck | None:
    """`scope.respect`."""
    respected = scope.respect
    if not respected:
        return None

    def check(page: Page) -> Refusal | None:
        reserved = Rights.of(page.evidence).reserved
        return next((Refusal(Reason.RIGHTS, use) for use in respected if use in reserved), None)

    return check


def in_language(scope: ScopeSpec) -> PageCheck | None:
    """`scope.languages`; a page whose language nobody can tell passes if `scope.unknown_language` says so."""
    if not scope.languages:
        return None
    wanted = {*scope.languages, *([""] if scope.unknown_language else [])}
    return lambda page: (
        Refusal(Reason.LANGUAGE, page.language or "unknown") if page.language not in wanted else None
    )


def in_date_window(scope: ScopeSpec) -> PageCheck | None:
    """`scope.date_from` and `scope.date_to`; a page without a date passes."""
    start = scope.date_from.isoformat() if scope.date_from else ""
    end = scope.date_to.isoformat() if scope.date_to else ""
    if not start and not end:
        return None

    def check(page: Page) -> Refusal | None:
        outside = page.date and (page.date < start or (end and page.date > end))
        return Refusal(Reason.DATE, page.date) if outside else None

    return check


def _pattern(globs: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(translate(glob) for glob in globs)) if globs else None


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

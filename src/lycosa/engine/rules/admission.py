"""Which links may be fetched and which pages kept: lists of checks, in order; the first refusal wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from lycosa.engine.rules.scope import (
    LinkCheck,
    PageCheck,
    followed,
    in_date_window,
    in_language,
    may_be_kept,
    no_soft_404,
    no_wall,
    not_too_deep,
    not_too_long,
    on_wanted_host,
    on_wanted_path,
    within_rights,
)
from lycosa.engine.rules.traps import no_trap
from lycosa.spec.sections import FetchSpec, FrontierSpec, ScopeSpec
from lycosa.values import Decision, Kind, Link, Page, Reason, Refusal


def link_checks(scope: ScopeSpec, fetch: FetchSpec, further: Sequence[LinkCheck] = ()) -> Sequence[LinkCheck]:
    """What a link has to pass, in this order."""
    checks = (
        not_too_long(fetch),
        not_too_deep(scope),
        followed(fetch),
        on_wanted_host(scope),
        on_wanted_path(scope),
        no_trap if scope.avoid_traps else None,
        *further,
    )
    return tuple(check for check in checks if check is not None)


def page_checks(scope: ScopeSpec, fetch: FetchSpec) -> Sequence[PageCheck]:
    """What a page has to pass to be kept and to have its links followed, in this order.

    `may_be_kept` is the last: what is refused for noindex alone is wanted in all other ways.
    """
    checks = (
        no_wall,
        no_soft_404,
        within_rights(scope),
        in_language(scope),
        in_date_window(scope),
        may_be_kept(fetch),
    )
    return tuple(check for check in checks if check is not None)


class Admission:
    """The bounds of a crawl: those of its spec, and `further` checks of links."""

    def __init__(
        self,
        scope: ScopeSpec,
        fetch: FetchSpec,
        frontier: FrontierSpec,
        further: Sequence[LinkCheck] = (),
    ) -> None:
        self.link_checks = link_checks(scope, fetch, further)
        self.page_checks = page_checks(scope, fetch)
        self.obeys_nofollow = fetch.obey_nofollow
        self.min_priority = frontier.min_priority

    def refuse_link(self, link: Link, page_url: str = "") -> Refusal | None:
        """Why a link, found on a page, may not be fetched; None if it may."""
        for check in self.link_checks:
            if (refusal := check(link, page_url)) is not None:
                return refusal
        return None

    def refuse_waiting(self, link: Link) -> Refusal | None:
        """Why a link that waited may not be fetched after all: the scope may have been changed since."""
        found = link.kind is Kind.PAGE and link.parent != 0  # seeds are the user's own choice
        return self.refuse_link(link) if found else None

    def refuse_page(self, page: Page) -> Refusal | None:
        """Why a page is not kept; None if it is."""
        for check in self.page_checks:
            if (refusal := check(page)) is not None:
                return refusal
        return None

    def admit(self, decisions: Iterable[Decision], page: Page | None = None) -> tuple[Decision, ...]:
        """The same decisions, those on the links of `page`, with refusals where something speaks against them."""
        if page and page.nofollow and self.obeys_nofollow:
            asked = Refusal(Reason.NOFOLLOW, "robots meta tag or X-Robots-Tag")
            return tuple(msgspec.structs.replace(decision, refusal=asked) for decision in decisions)
        page_url = page.url if page else ""
        return tuple(
            decision
            if (refusal := self._refuse(decision, page_url)) is None
            else msgspec.structs.replace(decision, refusal=refusal)
            for decision in decisions
        )

    def _refuse(self, decision: Decision, page_url: str) -> Refusal | None:
        if decision.refusal is not None:
            return None  # it is refused already, for the strategy's own reason
        if decision.link.kind is Kind.PAGE and (refusal := self.refuse_link(decision.link, page_url)):
            return refusal
        if self.min_priority is not None and not decision.hold and decision.priority < self.min_priority:
            return Refusal(Reason.LOW_PRIORITY, "below frontier.min_priority")
        return None

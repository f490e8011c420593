"""What follows from a response besides judging it: redirects, requisites, revisits, admission.

In: responses, pages and a strategy's decisions. Out: decisions that scope and settings admit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from lycosa.engine.scope import Scope
from lycosa.fetch.redirects import redirect_target
from lycosa.page.document import stylesheet_urls
from lycosa.spec.sections import ArchiveSpec, FetchSpec, FrontierSpec
from lycosa.urls import key_of
from lycosa.values import Decision, Fetched, Judgement, Kind, Link, Notes, Outcome, Page, Reason, Refusal

HUB_LINKS = 50
"""A page that led to so many admitted links is a hub: revisited like a seed."""

IN_STYLESHEET = Notes(in_stylesheet=True)

Answer = tuple[Refusal | None, Sequence[Decision], Link | None]


class Follow:
    """The rules by which one thing leads to the next, whatever the strategy."""

    def __init__(self, scope: Scope, fetch: FetchSpec, frontier: FrontierSpec, archive: ArchiveSpec) -> None:
        self.scope = scope
        self.fetch = fetch
        self.frontier = frontier
        self.archive = archive

    def admit(self, decisions: Iterable[Decision], page: Page | None = None) -> tuple[Decision, ...]:
        """The same decisions, with refusals where scope, nofollow or min_priority say no."""
        if page and page.nofollow and self.fetch.obey_nofollow:
            refusal = Refusal(Reason.NOFOLLOW, "robots meta tag or X-Robots-Tag")
            return tuple(msgspec.structs.replace(decision, refusal=refusal) for decision in decisions)
        least = self.frontier.min_priority
        refuse_link = self.scope.refuse_link
        admitted = []
        for decision in decisions:
            if decision.refusal is None:
                refused = refuse_link(decision.link) if decision.link.kind is Kind.PAGE else None
                if refused is None and least is not None and not decision.hold and decision.priority < least:
                    refused = Refusal(Reason.LOW_PRIORITY, "below frontier.min_priority")
                if refused is not None:
                    decision = msgspec.structs.replace(decision, refusal=refused)
            admitted.append(decision)
        return tuple(admitted)

    def refuse(self, link: Link) -> Refusal | None:
        """Why a link that waited may not be fetched after all: the scope may have been changed since."""
        found = link.kind is Kind.PAGE and link.parent != 0  # seeds are the user's own choice
        return self.scope.refuse_link(link) if found else None

    def response(self, fetched: Fetched, analysed: Refusal | None) -> Answer:
        """What a response that became no page means: why, what to add, and the link to try again."""
        if analysed is not None:
            return analysed, (), None
        target = redirect_target(fetched)
        if isinstance(target, str):
            return self._redirect(fetched.link, target)
        if target is not None:
            return target, (), None
        if fetched.link.kind is Kind.REQUISITE and fetched.status == 200:
            return None, self._of_stylesheet(fetched), None
        if fetched.status in (200, 304):
            return None, (), None
        return Refusal(Reason.HTTP_ERROR, str(fetched.status)), (), None

    def requisites(self, page: Page, judgement: Judgement) -> list[Decision]:
        """The page's stylesheets, images, fonts and scripts, where the spec wants them archived."""
        wanted = self.archive.requisites
        if wanted == "none" or (wanted == "relevant" and not judgement.relevant):
            return []
        return self._requisites(page.requisites, page.link)

    def revisit(
        self, fetched: Fetched, decisions: Sequence[Decision], outcome: Outcome, now: float
    ) -> tuple[Link, Outcome]:
        """The outcome of a kept page: seeds and hubs wait again after `archive.revisit_after_h`.

        What has not been modified since was such a page, and stays one.
        """
        link = fetched.link
        outcome = msgspec.structs.replace(outcome, counts=True)
        hours = self.archive.revisit_after_h
        admitted = sum(decision.refusal is None for decision in decisions)
        wanted = link.depth == 0 or admitted >= HUB_LINKS or fetched.status == 304
        if hours is None or not wanted:
            return link, outcome
        validators = {"etag": fetched.header("etag"), "last_modified": fetched.header("last-modified")}
        noted = link.note(**{name: value for name, value in validators.items() if value})
        again = msgspec.structs.replace(noted, attempts=-1)
        return again, msgspec.structs.replace(outcome, again_at=now + hours * 3600)

    def _redirect(self, link: Link, target: str) -> Answer:
        if len(target) > self.fetch.max_url_length:
            return Refusal(Reason.LONG_URL, f"redirects to {target[:200]}"), (), None
        key = key_of(target)
        via = (*link.notes.via, link.key)
        if link.redirects >= self.fetch.max_redirects:
            return Refusal(Reason.TOO_MANY_REDIRECTS, target[:200]), (), None
        if target == link.url or key in via[:-1]:
            return Refusal(Reason.REDIRECT_LOOP, target[:200]), (), None
        # What the last capture of this URL was called says nothing of the one that it leads to.
        noted = link.note(via=via, etag="", last_modified="").noted
        onward = msgspec.structs.replace(
            link, url=target, key=key, redirects=link.redirects + 1, noted=noted, attempts=0
        )
        if key == link.key:
            # /a to /a/ is the same identity, so it cannot wait beside itself: the lease goes on.
            return None, (), msgspec.structs.replace(onward, noted=link.noted, attempts=-1)
        onward = msgspec.structs.replace(onward, parent=link.key)
        return None, [Decision(onward, link.priority, rule="redirect")], None

    def _of_stylesheet(self, fetched: Fetched) -> list[Decision]:
        # One level is enough in practice; imports of imports would let a trap of stylesheets grow.
        if fetched.link.notes.in_stylesheet or "css" not in fetched.header("content-type"):
            return []
        text = fetched.body[:1_000_000].decode("utf-8", "replace")
        return self._requisites(stylesheet_urls(text, fetched.link.url), fetched.link, IN_STYLESHEET)

    def _requisites(self, urls: Sequence[str], link: Link, noted: Notes | None = None) -> list[Decision]:
        found = [
            Link(url, key_of(url), kind=Kind.REQUISITE, depth=link.depth, parent=link.key, noted=noted)
            for url in urls[: self.archive.max_requisites]
            if len(url) <= self.fetch.max_url_length
        ]
        return [Decision(out, link.priority, rule="requisite") for out in found]

"""What a response leads to besides its links, whatever the strategy: redirects, requisites, revisits. `admission` decides
which of them may be fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from lycosa.collection.archive.warc import digest_of
from lycosa.engine.rules.change_rate import Watched, first_seen, modified_at
from lycosa.fetch.redirects import redirect_target
from lycosa.page.links.requisites import stylesheet_urls
from lycosa.spec.sections import ArchiveSpec, FetchSpec, SeedsSpec
from lycosa.urls import FOLDING, Folding, authority_of, hash_of, key_of, source_of
from lycosa.values import (
    AGAIN,
    Decision,
    Fetched,
    Judgement,
    Kind,
    Link,
    Notes,
    Outcome,
    Page,
    Reason,
    Refusal,
)

HUB_LINKS = 50
"""A page that led to this many admitted links is a hub: revisited like a seed."""
SITE_LISTS = 50
"""Sitemaps and feeds of one site that are read."""
IN_STYLESHEET = Notes(in_stylesheet=True)


class Onward(msgspec.Struct, frozen=True):
    """The meaning of a response without a page: the reason, links to add, and the link that takes over its lease."""

    refusal: Refusal | None = None
    decisions: Sequence[Decision] = ()
    again: Link | None = None


class Follow:
    """The rules for following redirects, lists, requisites and revisits, with any strategy."""

    def __init__(
        self,
        fetch: FetchSpec,
        archive: ArchiveSpec,
        seeds: SeedsSpec | None = None,
        folding: Folding = FOLDING,
    ) -> None:
        self.fetch = fetch
        self.archive = archive
        self.seeds = seeds or SeedsSpec(discover=())
        self.folding = folding
        self._lists: Counter[str] = Counter()

    def response(self, fetched: Fetched, analysed: Refusal | None) -> Onward:
        """Follow a response without a page."""
        if analysed is not None:
            return Onward(analysed)
        target = redirect_target(fetched)
        if isinstance(target, str):
            return self._redirect(fetched.link, target)
        if target is not None:
            return Onward(target)
        if fetched.link.kind is Kind.REQUISITE and fetched.status == 200:
            return Onward(decisions=self._of_stylesheet(fetched))
        notes = fetched.link.notes
        if fetched.status == 200 or (fetched.status == 304 and (notes.etag or notes.last_modified)):
            return Onward()
        return Onward(Refusal(Reason.HTTP_ERROR, str(fetched.status)))

    def requisites(self, page: Page, judgement: Judgement) -> list[Decision]:
        """The page's stylesheets, images, fonts and scripts, where the spec wants them archived."""
        wanted = self.archive.requisites
        if wanted == "none" or (wanted == "relevant" and not judgement.relevant):
            return []
        return self._requisites(page.requisites, page.link)

    def lists(self, page: Page, fetched: Fetched) -> list[Decision]:
        """The feeds that a page of interest announces and the sitemaps of its site; of an index, its sitemaps."""
        wanted = self.seeds.discover
        of_index = page.link.kind is Kind.LIST
        urls = [
            *(page.lists if of_index or "feeds" in wanted else ()),
            *(fetched.sitemaps if "sitemaps" in wanted else ()),
        ]
        own = source_of(authority_of(page.url))
        found = []
        for url in urls:
            # Of the same site: nobody else's list speaks for it. A site of many lists gets some of them read.
            if source_of(authority_of(url)) == own and self._lists[own] < SITE_LISTS:
                self._lists[own] += 1
                link = Link(
                    url,
                    key_of(url, self.folding),
                    kind=Kind.LIST,
                    depth=page.link.depth,
                    parent=page.link.key,
                )
                found.append(Decision(link, page.link.priority, rule="list of its site"))
        return found

    def best_listed(self, decisions: Sequence[Decision]) -> list[Decision]:
        """Select the best links of a list: a large one is never taken whole."""
        open_ones = [decision for decision in decisions if decision.refusal is None]
        return sorted(open_ones, key=lambda one: -one.priority)[: self.seeds.max_per_discovered]

    def revisit(
        self,
        fetched: Fetched,
        decisions: Sequence[Decision],
        now: float,
        content: int = 0,
        is_relevant: bool = False,
    ) -> tuple[Link, Outcome]:
        """The outcome of a page or list: what is relevant, seeds, hubs, feeds and sitemaps wait again, by how often they change.

        `content` is a fingerprint of the page's words; 0: its bytes are looked at. What has not been modified since was such
        a page, and stays one.
        """
        link, hours = fetched.link, self.archive.revisit_after_h
        admitted = sum(decision.refusal is None for decision in decisions)
        is_list = link.kind is Kind.LIST
        is_hub = admitted >= HUB_LINKS
        wanted = (
            link.depth == 0 or is_list or is_hub or is_relevant or link.notes.seen_at or fetched.status == 304
        )
        if hours is None or not wanted:
            return link, Outcome(now + fetched.rest_s)
        notes, first_s, modified = link.notes, hours * 3600, fetched.header("last-modified")
        content = (
            notes.content if fetched.status == 304 else content or hash_of(digest_of(fetched.body).hex())
        )
        if notes.seen_at:
            at = modified_at(modified)
            dated_s = at - notes.seen_at if at is not None else None
            before = Watched(notes.watched_s, notes.changes)
            watched = before.visited(now - notes.seen_at, content != notes.content, dated_s)
        else:
            watched = first_seen(modified, now, first_s)
        # The frame of a rendered page stays the same, whatever its scripts show: only asking for it all tells.
        validators = {} if fetched.rendered else {"etag": fetched.header("etag"), "last_modified": modified}
        noted = link.note(
            content=content,
            watched_s=watched.seconds,
            changes=watched.changes,
            seen_at=now,
            **{name: value for name, value in validators.items() if value},
        )
        again_at = now + watched.wait_s(first_s)
        return msgspec.structs.replace(noted, attempts=AGAIN), Outcome(
            now + fetched.rest_s, again_at, tried=False
        )

    def missed(self, link: Link, outcome: Outcome, now: float) -> tuple[Link, Outcome]:
        """The outcome of a visit that failed for now: what was fetched before and is not tried again at once has its next visit."""
        hours = self.archive.revisit_after_h
        if outcome.again_at is not None or not link.notes.seen_at or hours is None:
            return link, outcome
        later = msgspec.structs.replace(outcome, again_at=now + hours * 3600, tried=False)
        return msgspec.structs.replace(link, attempts=AGAIN), later

    def _redirect(self, link: Link, target: str) -> Onward:
        if len(target) > self.fetch.max_url_length:
            return Onward(Refusal(Reason.LONG_URL, f"redirects to {target[:200]}"))
        key = key_of(target, self.folding)
        via = (*link.notes.via, link.key)
        if link.redirects >= self.fetch.max_redirects:
            return Onward(Refusal(Reason.TOO_MANY_REDIRECTS, target[:200]))
        if target == link.url or key in via[:-1]:
            return Onward(Refusal(Reason.REDIRECT_LOOP, target[:200]))
        onward = msgspec.structs.replace(link, url=target, key=key, redirects=link.redirects + 1)
        # What the last capture of this URL was called says nothing of the one that it leads to.
        onward = (
            onward.note(etag="", last_modified="", content=0, watched_s=0.0, changes=0, seen_at=0.0)
            if link.noted
            else onward
        )
        if key == link.key:
            # /a to /a/ is the same identity, so it cannot wait beside itself: the lease goes on.
            return Onward(again=msgspec.structs.replace(onward, attempts=-1))
        onward = msgspec.structs.replace(onward.note(via=via), attempts=0, parent=link.key)
        return Onward(decisions=[Decision(onward, link.priority, rule="redirect")])

    def _of_stylesheet(self, fetched: Fetched) -> list[Decision]:
        # One level is enough in practice; imports of imports would let a trap of stylesheets grow.
        if fetched.link.notes.in_stylesheet or "css" not in fetched.header("content-type"):
            return []
        text = fetched.body[:1_000_000].decode("utf-8", "replace")
        return self._requisites(stylesheet_urls(text, fetched.link.url), fetched.link, IN_STYLESHEET)

    def _requisites(self, urls: Sequence[str], link: Link, noted: Notes | None = None) -> list[Decision]:
        found = [
            Link(
                url,
                key_of(url, self.folding),
                kind=Kind.REQUISITE,
                depth=link.depth,
                parent=link.key,
                noted=noted,
            )
            for url in urls[: self.archive.max_requisites]
            if len(url) <= self.fetch.max_url_length
        ]
        return [Decision(out, link.priority, rule="requisite") for out in found]

"""What is concluded of a URL: judged, ranked, admitted, counted, learned and saved, all in one place.

The loop concludes what it fetched; `rejudge` concludes the pages of the archive once more, by the same code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

import msgspec

from lycosa.collection import Record, Sink, conclusion_of
from lycosa.collection.archive.warc import digest_of
from lycosa.collection.known import Elsewhere
from lycosa.engine.learning import Learning
from lycosa.engine.parts import OptionalParts, Visit, WholeFrontier
from lycosa.engine.rendering import Renderings
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.patterns import NoPatterns
from lycosa.engine.rules.walls import Walls
from lycosa.methods import Step, Strategy
from lycosa.urls import authority_of, key_of, source_of
from lycosa.values import (
    Decision,
    Fetched,
    Judgement,
    Kind,
    Later,
    Link,
    NotFetched,
    Outcome,
    Page,
    Reason,
    Refusal,
    Release,
    Touch,
    is_said,
)

POOR = 0.5
"""Factor for the links of a page that is like earlier ones."""
A_LIST = Judgement(True, 0.5, "a list of its site")
"""Lists are not judged: their links are ranked like those of a page of middling relevance."""
AN_IMAGE = Judgement(False, 0.0, "an image")
"""Images are never judged: they are evidence on the pages that show them."""
NO_PAGE = frozenset((403, 404, 410, 451))
"""Statuses that say that a page does not exist or is closed to us. Others describe the server, not the URL."""


class Conclusions(Learning):
    """Concludes one URL after the other. Every method is called inside the store's commit."""

    def __init__(
        self,
        *,
        frontier: WholeFrontier,
        strategy: Strategy,
        store: Sink,
        admission: Admission,
        follow: Follow,
        parts: OptionalParts | None = None,
    ) -> None:
        self.parts = parts = parts or OptionalParts()
        super().__init__(frontier, strategy, follow, parts.given)
        self.store = store
        self.admission = admission
        self.verdicts = parts.verdicts
        self.near, self.patterns, self.renderings, self.known = (
            parts.near,
            parts.patterns,
            parts.renderings,
            parts.known,
        )
        self.walls = Walls(follow.fetch.per_host_delay_s)
        self.concluded: list[tuple[Page, Judgement]] = []
        """The pages of this commit with their judgements; the loop takes them."""

    def anew(self, strategy: Strategy, store: Sink) -> Conclusions:
        """Conclusions by the same rules, of a strategy that has learned nothing, put into another store."""
        unlearned = replace(self.parts, patterns=NoPatterns(), renderings=Renderings(), settle_orphans=False)
        return Conclusions(
            frontier=self.frontier,
            strategy=strategy,
            store=store,
            admission=self.admission,
            follow=self.follow,
            parts=replace(unlearned, verdicts=self.verdicts),
        )

    def conclude(self, visit: Visit, now: float) -> None:
        """Judge, rank and save what came of a taken link, and end its lease."""
        self._save_exchanges(visit, now)
        link, outcome = self._outcome(visit, now)
        for hold in self.frontier.done(link, outcome):
            self.settle(hold, None)

    def page(
        self,
        page: Page,
        fetched: Fetched,
        at: float,
        duplicate: Refusal | None,
        digest: bytes = b"",
        judged: Judgement | None = None,
    ) -> Record:
        """Judge, rank and save one page, and add what follows from it. Return what was saved."""
        near = self.near.add(page.link.key, page.simhash, page.sketch)
        elsewhere = self._elsewhere(fetched) if duplicate is None else None
        verdict = self._verdict(page, judged)
        judgement, refusal = self._judged(page, verdict, elsewhere.refusal if elsewhere else duplicate)
        steps: Sequence[Step] = ()
        if is_followed := refusal is None or self._leads_on(page, refusal):
            steps = self.strategy.rank(
                page, self._of_links(page, verdict if refusal else judgement, near or 0)
            )
        decisions = self.admission.admit([step for step in steps if isinstance(step, Decision)], page)
        if (mirror := self.patterns.mirrors(page, near)) is not None:
            decisions = _without_own_site(decisions, page, mirror)
        explored = page.link.trail > 0
        capture = elsewhere.capture if elsewhere else None
        record = Record(
            at, fetched, None, page, judgement, refusal, decisions, explored, near or 0, capture, digest
        )
        self._count(record, page, judgement, refusal)
        lists = self.follow.lists(page, fetched) if judgement.relevant and is_followed else ()
        self.add((*decisions, *self.follow.requisites(page, judgement), *lists))
        for step in steps:
            if isinstance(step, Release):
                self.settle(step.hold, step.value)
            elif isinstance(step, Touch):
                self.frontier.touch(step.keys)
        self.concluded.append((page, judgement))
        return record

    def _count(self, record: Record, page: Page, judgement: Judgement, refusal: Refusal | None) -> None:
        """Save a page, count it, and learn from it."""
        before = self.store.save(record)
        self.tally.relevant += conclusion_of(record).relevant - before.relevant
        if refusal:
            self.tally.refused[refusal.reason] += 1
        if before.judged:  # fetched again, it is the same page: it counts and teaches once
            return
        is_unseen = self.is_unseen_frame(page.evidence, page.words)
        self.learn(page.link, judgement, page.evidence, is_unseen=is_unseen)
        if not refusal:
            self.tally.name(page.link.key, page.title)
        if not is_unseen:
            reason = refusal.reason if refusal else None
            self.patterns.learn(page.link.key, page.url, page.sketch, record.near_duplicate_of, reason)

    def listed(self, page: Page, fetched: Fetched) -> tuple[Decision, ...]:
        """Add the best links of a sitemap or feed. Return what was added."""
        ranked = [step for step in self.strategy.rank(page, A_LIST) if isinstance(step, Decision)]
        pages = [one for one in ranked if one.link.kind is Kind.PAGE and not one.hold]
        best = (*self.follow.best_listed(self.admission.admit(pages)), *self.follow.lists(page, fetched))
        self.add(best)
        return best

    def _hasten(self, listed: Page, now: float) -> None:
        """Make pages due now that a list dates later than their last visit."""
        later = []
        for key, day in listed.changed_on:
            state = self.frontier.find(key)
            seen_at = state.link.notes.seen_at if state else 0.0
            if seen_at and day > datetime.fromtimestamp(seen_at, UTC).date().isoformat():
                later.append(key)
        self.frontier.hasten(later, now)

    def settle(self, hold: str, value: float | None) -> None:
        """Let the strategy decide on the links of a hold, now that its value is known."""
        self.add(self._settled(hold, value))

    def add(self, decisions: Sequence[Decision]) -> None:
        """Queue or hold admitted links. Settle links that this orphans, until none is left."""
        waiting: list[Iterator[str]] = [iter(self._add(decisions))]
        while waiting:
            if (hold := next(waiting[-1], None)) is None:
                waiting.pop()
            else:
                waiting.append(iter(self._add(self._settled(hold, None))))

    def _add(self, decisions: Sequence[Decision]) -> Sequence[str]:
        """Add links to the frontier. Return the holds that wait in vain."""
        added = self.frontier.add(decisions, self.strategy.merge)
        if added.promoted:
            self.tally.relevant += self.store.promote(added.promoted)
        if self.parts.settle_orphans and (added.held or added.dropped):
            return self.frontier.orphans()
        return ()

    def _settled(self, hold: str, value: float | None) -> Sequence[Decision]:
        """Decisions on the links of a hold, noted in the store."""
        admitted = self.admission.admit(self.strategy.settle(self.frontier.release(hold), value))
        self.store.settle(admitted)
        return admitted

    def _outcome(self, visit: Visit, now: float) -> tuple[Link, Outcome]:
        """The outcome of a visit for the frontier: the link, done or queued again, and from when."""
        link, fetched, page = visit.link, visit.fetched, visit.page
        if isinstance(fetched, Later):
            rested_at = now + fetched.rest_s
            return link, Outcome(rested_at, rested_at, counts=False, tried=False)
        if isinstance(fetched, NotFetched):
            outcome = self._not_fetched(fetched, now)
            return self.follow.missed(link, outcome, now) if fetched.passing else (link, outcome)
        self.tally.bytes += 0 if fetched.archived else len(fetched.body)
        if not isinstance(page, Page):
            return self._no_page(link, fetched, page if fetched.status == 200 else None, now)
        if link.kind is Kind.PAGE and (wall := self.walls.kind_of(page)):
            return link, self._wall(link, fetched, wall, now)
        if fetched.status != 200:
            return self._no_page(link, fetched, None, now)
        if link.kind is Kind.LIST:
            self.store.save(Record(now, fetched=fetched, decisions=self.listed(page, fetched)))
            self._hasten(page, now)
            again, outcome = self.follow.revisit(fetched, (), now)
            return again, msgspec.structs.replace(outcome, counts=False)
        if link.kind is Kind.IMAGE:
            self._image(page, fetched, now)
            return link, Outcome(now + fetched.rest_s, counts=False)
        digest = digest_of(fetched.body)
        duplicate = self._duplicate(fetched, digest)
        record = self.page(page, fetched, now, duplicate, digest, visit.judgement)
        is_kept = conclusion_of(record).relevant and record.refusal is None
        return self.follow.revisit(fetched, record.decisions, now, page.simhash, is_kept)

    def _save_exchanges(self, visit: Visit, now: float) -> None:
        """Save what a browser asked for, and note whether rendering was worth it."""
        for exchange in visit.exchanges:
            if isinstance(exchange, Fetched):
                self.tally.bytes += len(exchange.body)
                self.store.save(Record(now, fetched=exchange))
            else:
                self.store.save(Record(now, not_fetched=exchange))
        if visit.gain:
            self.renderings.learn(visit.link, visit.gain)

    def _judged(
        self, page: Page, verdict: Judgement, duplicate: Refusal | None
    ) -> tuple[Judgement, Refusal | None]:
        """The judgement of a page, and why it is not kept after all. What a person calls relevant is, noindex or not."""
        refusal = self.admission.refuse_page(page) or duplicate
        if refusal and refusal.reason is Reason.NOINDEX and verdict.relevant and is_said(verdict):
            return verdict, refusal  # showing it to others is decided elsewhere
        if refusal:
            return Judgement(False, verdict.score, refusal.reason.name.lower()), refusal
        return verdict, None

    def _leads_on(self, page: Page, refusal: Refusal) -> bool:
        """Whether the links of a page that is not kept are followed all the same.

        What others have may lead to what they lack. noindex is about the page, and a page that the user gave was
        given for its links as well; nofollow would be about these, and `admission` obeys it.
        """
        if refusal.reason is Reason.NOINDEX:
            return page.link.depth == 0 or page.link.key in self.given
        return refusal.reason is Reason.KNOWN

    def _verdict(self, page: Page, judged: Judgement | None) -> Judgement:
        key = page.link.key
        return self.verdicts.get(key) or self.given.get(key) or judged or self.strategy.judge(page)

    def _of_links(self, page: Page, judgement: Judgement, near: int) -> Judgement:
        """The judgement that ranks a page's links: near-duplicates count less."""
        if page.link.depth and self.patterns.is_poor(page.url, page.sketch, near):
            return msgspec.structs.replace(judgement, score=judgement.score * POOR)
        return judgement

    def _not_fetched(self, failed: NotFetched, now: float) -> Outcome:
        self.store.save(Record(now, not_fetched=failed))
        self.tally.refused[failed.refusal.reason] += 1
        again_at = None if failed.again_in_s is None else now + failed.again_in_s
        return Outcome(now + failed.rest_s, again_at, counts=False)

    def _wall(self, link: Link, fetched: Fetched, kind: str, now: float) -> Outcome:
        """Save a wall: no page, nothing to learn from. The host rests, and the URL may come back."""
        refusal = Refusal(Reason.WALL, kind)
        self.store.save(Record(now, fetched=fetched, refusal=refusal))
        self.tally.refused[Reason.WALL] += 1
        pause_s = self.walls.pause_s(link, kind)
        rested_at = now + max(fetched.rest_s, pause_s)
        comes_back = pause_s and link.attempts < self.follow.fetch.retries and not self.walls.refusal(link)
        return Outcome(rested_at, rested_at if comes_back else None, counts=False)

    def _no_page(
        self, link: Link, fetched: Fetched, refused: Refusal | None, now: float
    ) -> tuple[Link, Outcome]:
        """Save a response that became no page: a redirect, an error, a requisite, what was not modified."""
        onward = self.follow.response(fetched, refused)
        decisions = self.admission.admit(onward.decisions)
        if onward.refusal:
            self.tally.refused[onward.refusal.reason] += 1
        self.store.save(Record(now, fetched=fetched, refusal=onward.refusal, decisions=decisions))
        self.add(decisions)
        if onward.refusal and leads_nowhere(link, fetched.status):
            self.strategy.led_nowhere(link)
        if onward.again is not None:
            return onward.again, Outcome(now + fetched.rest_s, now, counts=False)
        if fetched.status == 304 and onward.refusal is None:
            return self.follow.revisit(fetched, (), now)
        # A redirected image: its page waits for the target now.
        instead = decisions[0].link.key if decisions and link.kind is Kind.IMAGE else 0
        outcome = Outcome(now + fetched.rest_s, counts=False, instead=instead)
        return self.follow.missed(link, outcome, now) if fetched.status >= 500 else (link, outcome)

    def _image(self, page: Page, fetched: Fetched, now: float) -> None:
        """Archive an image, and let the strategy decide on what waited for it."""
        self.store.save(Record(now, fetched, None, page))
        self.strategy.learn(page.link, AN_IMAGE, page.evidence)
        for kind, group in groupby(self.strategy.rank(page, AN_IMAGE), type):
            steps = list(group)  # decisions on all links of a page are added at once
            if kind is Decision:
                admitted = self.admission.admit([step for step in steps if isinstance(step, Decision)])
                self.store.settle(admitted)
                self.add(admitted)
            for step in steps:
                if isinstance(step, Release):
                    self.settle(step.hold, step.value)

    def _duplicate(self, fetched: Fetched, digest: bytes) -> Refusal | None:
        if fetched.rendered:  # the frame that scripts fill is the same for all pages of a site
            return None
        kept = self.store.kept_page(digest)
        if kept is None or key_of(kept, self.follow.folding) == fetched.link.key:
            return None
        return Refusal(Reason.DUPLICATE, kept)

    def _elsewhere(self, fetched: Fetched) -> Elsewhere | None:
        """The collection that has the same bytes. Skips frames that scripts fill: their bytes say nothing of the content."""
        return None if fetched.rendered else self.known.same(fetched.body)


def leads_nowhere(link: Link, status: int) -> bool:
    """Whether an answer to a link that was never answered before says that there is no page.

    >>> leads_nowhere(Link("http://a.example/", 1), 404), leads_nowhere(Link("http://a.example/", 1), 503)
    (True, False)
    """
    return link.kind is Kind.PAGE and status in NO_PAGE and not link.notes.seen_at


def _without_own_site(decisions: Sequence[Decision], page: Page, why: Refusal) -> tuple[Decision, ...]:
    """The same decisions, with links to the page's own site refused."""
    site = source_of(authority_of(page.url))
    return tuple(
        msgspec.structs.replace(decision, refusal=why)
        if decision.refusal is None and source_of(authority_of(decision.link.url)) == site
        else decision
        for decision in decisions
    )

"""The loop, and nothing else: take, fetch, analyse, judge, rank, save; one commit a round.

Everything that a round changes (pages, links, decisions, leases, politeness, the WARC's position)
is committed at once, and only then do the new requests go out. So a crash at any instant loses no
URL and no page, and asks no host too soon.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import msgspec

from lycosa.clock import Clock, SystemClock
from lycosa.engine.admission import Follow
from lycosa.engine.analysis import Analyser
from lycosa.engine.limits import Limits
from lycosa.fetch import CrawlFetcher
from lycosa.frontier import Frontier, FrontierView
from lycosa.methods import Strategy
from lycosa.page.duplicates import NearDuplicates
from lycosa.store import Record, Store
from lycosa.store.warc import digest_of
from lycosa.urls import authority_of, key_of, source_of
from lycosa.values import (
    Decision,
    Fact,
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
)

NOTHING_LEFT = "nothing is left to fetch"
TOO_LONG = "what is left may not be asked for yet; run the same command later"
NAP_S = 1.0
"""So soon a sleeping crawl notices that it was stopped."""


CROWD, GATHER_S = 4, 0.01
"""With more than so many requests under way, so long is waited for others to end together."""


class LoopFrontier(Frontier, FrontierView, Protocol):
    """What the loop needs of a frontier: to change it, and to know how long to sleep."""


@dataclass(slots=True)
class Tally:
    """What a crawl has done so far: for progress, limits and the summary."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    seconds: float = 0.0
    refused: Counter[Reason] = field(default_factory=Counter)
    sources: dict[str, list[float]] = field(default_factory=lambda: defaultdict(lambda: [0.0, 0.0]))


@dataclass(frozen=True, slots=True)
class Visit:
    """A taken link and what came of it."""

    link: Link
    fetched: Fetched | NotFetched | Later
    page: Page | Refusal | None = None


class Crawl:
    """One crawl. `run` ends when nothing waits, a limit is reached, or `stop` was called."""

    def __init__(
        self,
        *,
        frontier: LoopFrontier,
        fetcher: CrawlFetcher,
        analyser: Analyser,
        strategy: Strategy,
        store: Store,
        follow: Follow,
        limits: Limits,
        clock: Clock | None = None,
        near: NearDuplicates | None = None,
    ) -> None:
        self.frontier = frontier
        self.fetcher = fetcher
        self.analyser = analyser
        self.strategy = strategy
        self.store = store
        self.follow = follow
        self.limits = limits
        self.clock = clock or SystemClock()
        self.near = near
        self.tally = Tally()
        self.ended = ""
        self._going = asyncio.Event()
        self._going.set()
        self._rested_s, self._paused_at = 0.0, 0.0
        self._flying: dict[asyncio.Task[Visit], Link] = {}

    async def run(self, seeds: Iterable[Link]) -> Tally:
        """Crawl from the seeds (those already known are passed over)."""
        begun, before = self.clock.now(), self.tally.seconds
        with self.store.commit():
            self._add([Decision(link, link.priority, rule="seed") for link in seeds])
        finished: list[Visit] = []
        try:
            while True:
                with self.store.commit():
                    for visit in finished:
                        self._conclude(visit)
                    leases = self._take()
                for link in leases:
                    self._flying[asyncio.ensure_future(self._visit(link))] = link
                self.tally.seconds = before + self.clock.now() - begun - self.rested_s
                if not self._flying and not await self._idle():
                    return self.tally
                finished = await self._landed()
        finally:
            for task in self._flying:
                task.cancel()  # their leases are waiting again when the crawl goes on
            await asyncio.gather(*self._flying, return_exceptions=True)
            self._flying.clear()

    def stop(self, why: str = "stopped") -> None:
        """Take no more; what is under way is still finished."""
        self.ended = self.ended or why
        self.resume()

    @property
    def paused(self) -> bool:
        """Whether nothing is taken just now, because `pause` was called."""
        return not self._going.is_set()

    @property
    def rested_s(self) -> float:
        """How long it has been paused, in all: time that counts for no limit and no speed."""
        return self._rested_s + (self.clock.now() - self._paused_at if self.paused else 0.0)

    def pause(self) -> None:
        """Take no more until `resume`; what is under way is still finished."""
        if not self.ended and not self.paused:
            self._paused_at = self.clock.now()
            self._going.clear()

    def resume(self) -> None:
        """Go on after a pause."""
        self._rested_s = self.rested_s
        self._going.set()

    def _take(self) -> list[Link]:
        leases: list[Link] = []
        free = self.limits.concurrency - len(self._flying)
        if self.ended or self.paused or free <= 0:
            return leases
        self.ended = self.limits.reached(self.tally)
        pages = sum(link.kind is Kind.PAGE for link in self._flying.values())
        while not self.ended and len(leases) < free and not self.limits.full(self.tally, pages):
            link = self.frontier.take(self.clock.now())
            if link is None:
                break
            leases.append(link)
            pages += link.kind is Kind.PAGE
        return leases

    async def _visit(self, link: Link) -> Visit:
        refused = self.follow.refuse(link)
        fetched = NotFetched(link, refused) if refused else await self.fetcher.fetch(link)
        if isinstance(fetched, Fetched) and fetched.status == 200 and link.kind is not Kind.REQUISITE:
            return Visit(link, fetched, await self.analyser.analyse(fetched))
        return Visit(link, fetched)

    async def _landed(self) -> list[Visit]:
        """The visits that have ended since; waits for one, or until a host may be asked again."""
        if not self._flying:
            return []
        full = self.ended or self.paused or len(self._flying) >= self.limits.concurrency
        at = None if full else self.frontier.next_at()
        timeout = None if at is None or at == inf else max(0.0, at - self.clock.now())
        landed, _ = await asyncio.wait(self._flying, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if landed and len(self._flying) > CROWD:
            await asyncio.sleep(GATHER_S)  # one commit for several pages costs half as much each
            landed = {task for task in self._flying if task.done()}
        visits = [task.result() for task in landed]  # if one raises, all are still known to `run`
        for task in landed:
            del self._flying[task]
        return visits

    async def _idle(self) -> bool:
        """Nothing is under way: sleep until something may go; False if nothing ever will."""
        if self.paused:
            await self._going.wait()
            return True
        at = None if self.ended else self.frontier.next_at()
        if at is None and not self.ended and (holds := self.frontier.holds()):
            with self.store.commit():
                for hold in holds:
                    self._settle(hold, None)
            return True
        wait_s = 0.0 if at is None else max(0.0, at - self.clock.now())
        if at is None or wait_s > self.limits.patience_s:
            self.ended = self.ended or (NOTHING_LEFT if at is None else TOO_LONG)
            return False
        await self.clock.sleep(min(wait_s, NAP_S))
        return True

    def _conclude(self, visit: Visit) -> None:
        """Judge, rank, save and end the lease of a visited link."""
        now, link, fetched = self.clock.now(), visit.link, visit.fetched
        if isinstance(fetched, Later):
            rested_at = now + fetched.rest_s
            self._end(link, Outcome(rested_at, rested_at, counts=False, tried=False))
            return
        if isinstance(fetched, NotFetched):
            self.store.save(Record(now, not_fetched=fetched))
            again_at = None if fetched.again_in_s is None else now + fetched.again_in_s
            self.tally.refused[fetched.refusal.reason] += 1
            self._end(link, Outcome(now + fetched.rest_s, again_at, counts=False))
            return
        self.tally.bytes += len(fetched.body)
        outcome = Outcome(now + fetched.rest_s, counts=False)
        if isinstance(visit.page, Page) and link.kind is Kind.IMAGE:
            self._see(visit.page, fetched)
        elif isinstance(visit.page, Page):
            link, outcome = self._keep(visit.page, fetched, outcome)
        else:
            refusal, steps, again = self.follow.response(fetched, visit.page)
            steps = self.follow.admit(steps)
            if refusal:
                self.tally.refused[refusal.reason] += 1
            self.store.save(Record(now, fetched=fetched, refusal=refusal, decisions=tuple(steps)))
            if again is not None:
                link, outcome = again, Outcome(now + fetched.rest_s, now, counts=False)
            elif fetched.status == 304:
                link, outcome = self.follow.revisit(fetched, (), outcome, now)
            elif link.kind is Kind.IMAGE and steps:  # a redirect: its page waits for the target now
                outcome = msgspec.structs.replace(outcome, instead=steps[0].link.key)
            self._add(steps)
        self._end(link, outcome)

    def _keep(self, page: Page, fetched: Fetched, outcome: Outcome) -> tuple[Link, Outcome]:
        now = self.clock.now()
        judgement = self.strategy.judge(page)
        refusal = self.follow.scope.refuse_page(page) or self._duplicate(fetched)
        steps: Sequence[Decision | Release] = ()
        if refusal:
            self.tally.refused[refusal.reason] += 1
            judgement = Judgement(False, judgement.score, refusal.reason.name.lower())
        else:
            steps = self.strategy.rank(page, judgement)
        decisions = self.follow.admit([step for step in steps if isinstance(step, Decision)], page)
        near = self.near.add(page.link.key, page.simhash) if self.near and page.simhash else None
        explored = page.link.trail > 0
        self.store.save(Record(now, fetched, None, page, judgement, refusal, decisions, explored, near or 0))
        self.tally.pages += 1
        self.learn(page.link, judgement, page.evidence)
        self._add((*decisions, *self.follow.requisites(page, judgement)))
        for step in steps:
            if isinstance(step, Release):
                self._settle(step.hold, step.value)
        return self.follow.revisit(fetched, decisions, outcome, now)

    def _see(self, page: Page, fetched: Fetched) -> None:
        """Archive an image, and let the strategy decide on what waited for it."""
        judgement = Judgement(False, 0.0, "an image")
        self.store.save(Record(self.clock.now(), fetched, None, page))
        self.strategy.learn(page.link, judgement, page.evidence)
        for step in self.strategy.rank(page, judgement):
            if isinstance(step, Release):
                self._settle(step.hold, step.value)
            else:
                self._decide([step])

    def _duplicate(self, fetched: Fetched) -> Refusal | None:
        earlier = self.store.known_digest(digest_of(fetched.body))
        if earlier is None or key_of(earlier.url) == fetched.link.key:
            return None
        return Refusal(Reason.DUPLICATE, earlier.url)

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Count a judged page; a resumed crawl calls this for every page of the catalogue again."""
        counts = self.tally.sources[source := source_of(authority_of(link.url))]
        credit = self.strategy.credit(judgement)
        counts[0] += credit
        counts[1] += 1 - credit
        self.tally.relevant += judgement.relevant and not link.trail
        self.frontier.reweigh(source, counts[0], counts[1])
        self.strategy.learn(link, judgement, evidence)

    def _end(self, link: Link, outcome: Outcome) -> None:
        for hold in self.frontier.done(link, outcome):
            self._settle(hold, None)

    def _settle(self, hold: str, value: float | None) -> None:
        self._decide(self.strategy.settle(self.frontier.release(hold), value))

    def _decide(self, decisions: Sequence[Decision]) -> None:
        """Take in decisions on links that had been held."""
        admitted = self.follow.admit(decisions)
        self.store.settle(admitted)
        self._add(admitted)

    def _add(self, decisions: Sequence[Decision]) -> None:
        added = self.frontier.add(decisions, self.strategy.merge)
        if added.promoted:
            self.tally.relevant += self.store.promote(added.promoted)
        if added.held or added.dropped:
            for hold in self.frontier.orphans():
                self._settle(hold, None)

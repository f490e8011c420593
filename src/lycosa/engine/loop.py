"""The loop: take, fetch, analyse, conclude; one commit a round.

Everything that a round changes (pages, links, decisions, leases, politeness, the position in the WARC file) is committed at
once, and only then do the new requests go out. So a crash at any instant loses no URL and no page, and asks no host too soon.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import inf
from typing import Any

from lycosa.clock import Clock, SystemClock
from lycosa.engine.conclude import Conclusions
from lycosa.engine.parts import Alone, NoAssisting, Peers, Visit
from lycosa.engine.processes.analysis import Analyser
from lycosa.engine.rendering import NoRendering
from lycosa.engine.rules.limits import Limits, Tally
from lycosa.engine.visiting import CANCEL_S, Visits, cancelled
from lycosa.engine.watch.callbacks import NoBatches, OnPage, tell_of
from lycosa.fetch import CrawlFetcher
from lycosa.learn.figures import Figures
from lycosa.learn.judges.version import Version
from lycosa.learn.refit import NoRefits
from lycosa.values import Decision, Kind, Later, Link, Say
from lycosa.wording import counted

NOTHING_LEFT = "nothing is left to fetch"
TOO_LONG = "what is left may not be asked for yet; run the same command later"
NAP_S = 1.0
"""Longest sleep of a waiting crawl, after which it looks whether it was stopped."""
FIRST_AT_ONCE, VISITS_EACH = 4, 8
"""URLs in flight at first, and visits after which one more may be: ramp up slowly, so that early pages influence later choices."""
DUE_S = 60.0
"""Longest wait of a crawl that has all its pages for a revisit that is due."""
MAX_NAMED = 5
"""URLs named in one message."""
CROWD, GATHER_S = 4, 0.03
"""With more than CROWD requests in flight, one that has ended waits up to GATHER_S seconds for others, until half of all have
ended: a commit of several pages costs each of them less."""


class Crawl:
    """One crawl. `run` ends when nothing waits, a limit is reached, or `stop` was called.

    With `peers` it is a shard of one: it goes on while nothing waits here, because others may still send something.
    """

    def __init__(
        self,
        *,
        fetcher: CrawlFetcher,
        analyser: Analyser,
        conclusions: Conclusions,
        limits: Limits,
        clock: Clock | None = None,
        refits: NoRefits | None = None,
        peers: Peers | None = None,
        rendering: NoRendering | None = None,
        batches: NoBatches | None = None,
        assisting: NoAssisting | None = None,
        on_page: OnPage = lambda _, __: None,
        say: Say = lambda _: None,
    ) -> None:
        self.conclusions = conclusions
        self.frontier = conclusions.frontier
        self.store = conclusions.store
        self.limits = limits
        self.refits = refits or NoRefits()
        self.peers = peers or Alone()
        self.visits = Visits(
            fetcher, analyser, conclusions, limits, rendering or NoRendering(), batches or NoBatches()
        )
        self.assisting = assisting or NoAssisting()
        self.on_page = on_page
        self.say = say
        self.clock = clock or SystemClock()
        self.ended = ""
        self.is_stopped = False
        """Whether somebody stopped it; otherwise it ends by itself."""
        self.idle_until: float | None = None
        """When the next request may go out, while nothing is under way."""
        self._going = asyncio.Event()
        self._going.set()
        self._rested_s, self._paused_at = 0.0, 0.0
        self._flying: dict[asyncio.Task[Visit], Link] = {}
        self._ended: list[asyncio.Task[Visit]] = []
        self._awaited = 0  # visits that have to end before the loop looks
        self._look = asyncio.Event()
        self._call = asyncio.Event()
        self._visited = 0
        self._asked_again = 0
        self._stop_by = inf  # on the event loop's clock
        self._dropped: list[Visit] = []
        self._landings = 0
        self._asked_version: Version | None = None  # whose estimate of the recall was asked for

    @property
    def at_once(self) -> int:
        """Maximum number of URLs in flight: few at first."""
        return min(self.limits.concurrency, FIRST_AT_ONCE + self._visited // VISITS_EACH)

    @property
    def tally(self) -> Tally:
        """The counts of the crawl so far."""
        return self.conclusions.tally

    @property
    def figures(self) -> Figures:
        """Harvest, precision, recall and pages missed as the judge estimates them."""
        version = self.refits.version
        waiting = None if self.peers.may_send else self.frontier.counts().waiting
        return Figures.of(version.estimate if version else None, waiting)

    async def run(self, seeds: Iterable[Link]) -> Tally:
        """Crawl from the seeds (those already known are passed over)."""
        begun, before = self.clock.now(), self.tally.seconds
        with self.store.commit():
            self.conclusions.add([Decision(link, link.priority, rule="seed") for link in seeds])
        finished: list[Visit] = []
        watchdog = asyncio.ensure_future(self.visits.watch(lambda: self._landings, self._drop))
        try:
            while True:
                with self.store.commit():
                    with self.frontier.together():
                        for visit in finished:
                            self.conclusions.conclude(visit, self.clock.now())
                    self.refits.during()
                    self._end_by_recall()
                    self.peers.during()
                    leases = self._take()
                self.refits.after()
                self.peers.after()
                concluded, self.conclusions.concluded = self.conclusions.concluded, []
                tell_of(concluded, self.on_page)
                for link in leases:
                    task = asyncio.ensure_future(self.visits.visit(link))
                    task.add_done_callback(self._note_end)
                    self._flying[task] = link
                self.tally.seconds = before + self.clock.now() - begun - self.rested_s
                if not self._flying and not await self._idle():
                    await self.refits.end()
                    await self.assisting.end()
                    return self.tally
                finished = await self._landed()
        finally:
            watchdog.cancel()
            flying = list(self._flying)  # their leases are waiting again when the crawl goes on
            self._flying.clear()
            await cancelled([*flying, watchdog], CANCEL_S)

    def stop(self, why: str = "stopped") -> None:
        """Take no more URLs; finish those in flight."""
        self.ended = self.ended or why
        self.is_stopped = True
        self.resume()
        self.call()

    def call(self) -> None:
        """Wake the loop, because something has changed."""
        self._call.set()
        self._look.set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing is in flight, and nothing will be within its patience unless something arrives."""
        at = self.frontier.next_at()
        is_late = at is None or self.clock.now() + self.limits.patience_s < at < inf
        return not self._flying and is_late and not self.frontier.holds()

    @property
    def paused(self) -> bool:
        """Whether nothing is taken just now, because `pause` was called."""
        return not self._going.is_set()

    @property
    def rested_s(self) -> float:
        """Seconds that it was paused; they count for no limit and no speed."""
        return self._rested_s + (self.clock.now() - self._paused_at if self.paused else 0.0)

    def pause(self) -> None:
        """Take no more URLs until `resume`; finish those in flight."""
        if not self.ended and not self.paused:
            self._paused_at = self.clock.now()
            self._going.clear()

    def resume(self) -> None:
        """Go on after a pause."""
        self._rested_s = self.rested_s
        self._going.set()

    def _take(self) -> list[Link]:
        leases: list[Link] = []
        free = self.at_once - len(self._flying)
        if self.ended or self.paused or free <= 0:
            return leases
        limit = self.limits.reached(self.tally)
        if limit and not (self.limits.full(self.tally, 0) and self._is_due_again()):
            self.ended = limit
        pages = self._pages_under_way
        while not self.ended and len(leases) < free:
            # New pages first, but for the share of what was fetched before; where no new one may go, the others may.
            is_their_turn = self._asked_again < self.limits.revisit_share * (self._visited + len(leases))
            link = self._take_again() if is_their_turn else None
            if link is None and not self.limits.full(self.tally, pages):
                link = self.frontier.take(self.clock.now())
                pages += link is not None and link.kind is Kind.PAGE
            if link is None and not is_their_turn:
                link = self._take_again()
            if link is None:
                break
            leases.append(link)
        return leases

    def _end_by_recall(self) -> None:
        """End the crawl if a new version of its judge estimates the recall that limits.until asks for."""
        version = self.refits.version
        if self.limits.until_recall and version is not self._asked_version:
            self._asked_version = version
            self.ended = self.ended or self.limits.until_recall.reached(self.figures)

    def _take_again(self) -> Link | None:
        """A URL whose revisit is due, while the run may make revisits."""
        link = self.frontier.take(self.clock.now(), again=True) if self._may_revisit else None
        self._asked_again += link is not None
        return link

    @property
    def _may_revisit(self) -> bool:
        return self._asked_again + 1 <= self.limits.revisits

    @property
    def _pages_under_way(self) -> int:
        """Pages in flight that count for the limit: revisits do not."""
        return sum(link.kind is Kind.PAGE and not link.notes.seen_at for link in self._flying.values())

    def _is_due_again(self) -> bool:
        """Whether a revisit is due now or soon."""
        at = self.frontier.next_at(again=True) if self._may_revisit else None
        return at is not None and (at == inf or at - self.clock.now() <= DUE_S)

    def _next_at(self, pages: int = 0) -> float | None:
        """Earliest time a URL can be taken with `pages` in flight; None if the queue is empty."""
        times: list[float | None] = [] if self.limits.full(self.tally, pages) else [self.frontier.next_at()]
        if self._may_revisit:
            times.append(self.frontier.next_at(again=True))
        return min((at for at in times if at is not None), default=None)

    def _drop(self, hanging: Sequence[asyncio.Task[Any]]) -> None:
        """Conclude requests that hang as failed."""
        links = [self._flying.pop(task) for task in hanging]
        self._dropped += [Visit(link, self.visits.hung(link)) for link in links]
        self.call()
        self._tell(f"Dropped because they hung for {self.limits.hang_s:g} s: {_named(links)}.")

    async def _leave(self) -> list[Visit]:
        """Cancel what has not ended in time, and put it back into the queue."""
        left = [task for task in self._flying if not task.done()]
        links = [self._flying.pop(task) for task in left]
        await cancelled(left, self._cancel_s)
        self._tell(
            f"Not ended {self.limits.stop_patience_s:g} s after the crawl: {_named(links)}. A later run fetches them."
        )
        rest_s = self.conclusions.follow.fetch.per_host_delay_s
        return [Visit(link, Later(link, rest_s)) for link in links]

    def _tell(self, message: str) -> None:
        with suppress(OSError):  # the terminal may be gone
            self.say(message)

    @property
    def _cancel_s(self) -> float:
        return min(CANCEL_S, self.limits.stop_patience_s / 10)

    async def _landed(self) -> list[Visit]:
        """Wait for a visit to end, or until a host may be asked again. Return all visits that have ended."""
        if not self._flying:
            return []
        now = asyncio.get_running_loop().time()
        if self.ended and self._stop_by == inf:
            self._stop_by = now + self.limits.stop_patience_s - self._cancel_s
        left: list[Visit] = []
        if now >= self._stop_by and not self._ended:
            left = await self._leave()
        full = self.ended or self.paused or len(self._flying) >= self.at_once
        at = None if full else self._next_at(self._pages_under_way)
        timeout = None if at is None or at == inf else max(0.0, at - self.clock.now())
        if self._stop_by < inf:
            timeout = max(0.0, self._stop_by - now)
        called = False if left else await self._until_ended(1, timeout)
        if (self._ended or called) and len(self._flying) > CROWD:
            await self._gather(max(1, len(self._flying) // 2))
        visits = [task.result() for task in self._ended]  # if one raises, all are still known to `run`
        for task in self._ended:
            del self._flying[task]
        self._ended.clear()
        visits += left + self._dropped
        self._dropped.clear()
        self._visited += len(visits)
        return visits

    def _note_end(self, task: asyncio.Task[Visit]) -> None:
        if task not in self._flying:  # given up before
            _ = task.cancelled() or task.exception()
            return
        self._landings += 1
        self._ended.append(task)
        if len(self._ended) >= self._awaited:
            self._look.set()

    async def _until_ended(self, count: int, timeout: float | None) -> bool:
        """Wait until `count` visits have ended, for at most `timeout` seconds. True if a `call` came first."""
        if len(self._ended) >= count:
            return False
        self._awaited = count
        self._look.clear()
        if not (self.peers.may_send and self._call.is_set()):
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await self._look.wait()
        called = self._call.is_set()
        self._call.clear()
        return called

    async def _gather(self, count: int) -> None:
        """Wait a moment until `count` visits have ended. A `call` can wait as long: the next commit answers it too."""
        self._awaited = count
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHER_S):
                while len(self._ended) < count:
                    self._look.clear()
                    await self._look.wait()
        self._call.clear()

    async def _sleep(self, seconds: float) -> None:
        """Sleep, but not past a `call`."""
        if not self.peers.may_send:
            return await self.clock.sleep(seconds)
        # Not wait_for: that of Python 3.11 loses a cancel that comes together with a call.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._call.wait()
        self._call.clear()

    async def _idle(self) -> bool:
        """Sleep until a URL may go; False if none ever will. Nothing is in flight."""
        if self.paused:
            if self.peers.may_send:
                await self._sleep(NAP_S)  # what arrives is taken in meanwhile
            else:
                await self._going.wait()
            return True
        at = None if self.ended else self._next_at()
        if at is None and not self.ended and (holds := self.frontier.holds()):
            with self.store.commit():
                for hold in holds:
                    self.conclusions.settle(hold, None)
            return True
        wait_s = 0.0 if at is None else max(0.0, at - self.clock.now())
        if (at is None or wait_s > self.limits.patience_s) and not self.ended and self.peers.may_send:
            await self._sleep(NAP_S)
            return True
        if at is None or wait_s > self.limits.patience_s:
            self.ended = self.ended or (NOTHING_LEFT if at is None else TOO_LONG)
            return False
        self.idle_until = at
        await self._sleep(min(wait_s, NAP_S))
        self.idle_until = None
        return True


def _named(links: Sequence[Link]) -> str:
    """The number of requests, and the URLs of the first ones."""
    more = f" and {len(links) - MAX_NAMED} more" if len(links) > MAX_NAMED else ""
    return f"{counted(len(links), 'request')} ({', '.join(link.url for link in links[:MAX_NAMED])}{more})"

"""One shard: an engine with its share of the crawl, its mail, and the coordinator's orders.

All of it runs in the event loop of the shard's crawl, between commits unless a docstring says otherwise.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from lycosa.cluster.coordination.addresses import LeasedAddresses
from lycosa.cluster.coordination.coordinator import LEADER
from lycosa.cluster.coordination.messages import Orders, Report, Unreachable
from lycosa.cluster.division import Division
from lycosa.cluster.frontier import SharedSqliteFrontier
from lycosa.cluster.shared_learning import OthersLessons, PublishedVersions
from lycosa.collection.shards.mail import Mail, Parcel
from lycosa.engine.loop import Crawl
from lycosa.engine.watch.summary import Summary
from lycosa.fetch.polite.turns import AddressTurns
from lycosa.frontier import Policy
from lycosa.frontier.sqlite import Connection
from lycosa.learn.fitting.crawl_fitter import Fit
from lycosa.values import Decision, Link

PARCEL_LINKS = 1000
LINGER_S = 0.25
"""Seconds that links wait for more with the same destination: a message costs milliseconds, a link microseconds."""
MAX_ARRIVED = 64
"""Parcels that may wait for the next commit; more are sent again later."""
RETRY_S = 0.2, 5.0
"""First and longest wait of a sender after a failed delivery."""
SKETCH_SHARE = 0.02
"""Maximum share of the time spent on finding the best waiting URLs, with any number of hosts."""

Deliver = Callable[[Parcel], Awaitable[int]]
"""Brings a parcel to its receiver. Returns up to where that has what this sender sent it.

Raises Unreachable where that is not known.
"""


class Shard:
    """The share of one shard, as the engine meets it (`engine.parts.Share`), and as the cluster does."""

    may_send = True

    def __init__(
        self,
        number: int,
        division: Division,
        seeds: Sequence[Link],
        deliver: Deliver,
        *,
        others: Sequence[Path] = (),
        versions: PublishedVersions | None = None,
        lessons: OthersLessons | None = None,
        address_rest_s: float | None = None,
        links_in_parcel: int = PARCEL_LINKS,
    ) -> None:
        """`versions`: of the judge that is fitted for all; `lessons`: what the strategy learns from others. `address_rest_s`: how long IP addresses rest that are leased; None: none is, each shard has its part of the limit."""
        self.number = number
        self.division = division
        self.others = others
        self.leads = number == LEADER
        self._versions = versions
        self._is_judged = asyncio.Event()
        self._lessons = lessons or OthersLessons(())
        self.seeds: Sequence[Link] = [link for link in seeds if division.owner_of(link.url) == number]
        self.summary: Summary | None = None
        self.error = ""
        self.messages = self.links_sent = self.bytes_sent = 0  # parcels and reports, with what they held
        self._deliver = deliver
        self._links_in_parcel = links_in_parcel
        self._address_rest_s = address_rest_s
        self._addresses: LeasedAddresses | None = None
        self._crawl: Crawl | None = None
        self._orders = Orders()
        self._granted: int | None = 0
        self._arrived: list[tuple[Parcel, asyncio.Future[int]]] = []
        self._taken_in: list[tuple[Parcel, asyncio.Future[int]]] = []
        self._confirmed: dict[int, int] = {}  # by shard: up to which number it has all that it was sent
        self._is_news = False  # whether the outbox still has what is confirmed
        self._senders: dict[int, asyncio.Task[None]] = {}
        self._still = asyncio.Event()
        self._is_still = False
        self._best: tuple[float, ...] = ()
        self._sketch_at = 0.0

    # what the engine asks

    def frontier(
        self, connection: Connection, policy: Policy, now: float, restart_rest_s: float
    ) -> SharedSqliteFrontier:
        self._mail = Mail(connection)
        self._frontier = SharedSqliteFrontier(
            connection,
            policy,
            now=now,
            restart_rest_s=restart_rest_s,
            shard=self.number,
            division=self.division,
            send=self._mail.send,
        )
        return self._frontier

    def turns(self, limit: AddressTurns) -> AddressTurns:
        if self._address_rest_s is None:
            return limit
        self._addresses = LeasedAddresses(limit, self._address_rest_s)
        return self._addresses

    def during(self) -> None:
        assert self._crawl is not None
        arrived, self._arrived = self._arrived, []
        for parcel, confirmed in arrived:
            links = self._mail.take_in(parcel)
            self._crawl.conclusions.add([Decision(link, link.priority) for link in links])
            self._taken_in.append((parcel, confirmed))
        for shard, number in self._confirmed.items() if self._is_news else ():
            self._mail.confirmed(shard, number)
        self._is_news = False
        self._lessons.teach(self._crawl.conclusions, self._orders.pages)
        self._frontier.price = self._orders.price
        self._frontier.room = None if self._granted is None else self._granted - self._used()

    def after(self) -> None:
        for parcel, confirmed in self._taken_in:
            if not confirmed.done():
                confirmed.set_result(self._mail.taken_in.get(parcel.sender, 0))
        self._taken_in.clear()
        for shard, sent in self._mail.sent.items():
            if sent > self._confirmed.get(shard, 0) and shard not in self._senders:
                self._senders[shard] = asyncio.ensure_future(self._send_to(shard))

    async def all_still(self) -> None:
        self._is_still = True
        await self._still.wait()

    def pages(self) -> int:
        return self._orders.pages

    def publish(self, fit: Fit) -> None:
        if self._versions:
            self._versions.put(fit)

    def published(self) -> Fit | None:
        return self._versions.newest() if self._versions else None

    async def last_published(self) -> None:
        await self._is_judged.wait()

    # what the cluster asks

    def begin(self, crawl: Crawl) -> None:
        """The loop of the crawl is about to begin."""
        self._crawl = crawl
        self.after()  # what an earlier run has left to send
        crawl.call()

    async def end(self) -> None:
        """The crawl has ended. What was not sent stays in the outbox, for the next run."""
        self._crawl = None
        for task in self._senders.values():
            task.cancel()
        await asyncio.gather(*self._senders.values(), return_exceptions=True)
        for _, confirmed in (*self._arrived, *self._taken_in):
            if not confirmed.done():
                confirmed.set_exception(Unreachable(f"shard {self.number} has ended"))

    async def take_in(self, parcel: Parcel) -> int:
        """Take in a parcel with the next commit. Returns up to where all of that sender is here then."""
        if self._crawl is None or len(self._arrived) >= MAX_ARRIVED:
            raise Unreachable(f"shard {self.number} takes nothing in just now")
        confirmed: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._arrived.append((parcel, confirmed))
        self._crawl.call()
        return await confirmed

    def consult(self, orders: Orders) -> Report:
        """Follow orders, unless newer ones have come, and report."""
        if (orders.term, orders.number) >= (self._orders.term, self._orders.number):
            self._orders = orders
        crawl = self._crawl
        if crawl is None and self.summary is None and not self.error:
            raise Unreachable(f"shard {self.number} has not begun")  # what it has done is not known yet
        if crawl is None:
            return _last_report(self.number, self.summary, self.error)
        self._follow(crawl)
        self.messages += 1
        return self._report(crawl)

    def _follow(self, crawl: Crawl) -> None:
        orders, before = self._orders, (self._granted, self._frontier.price)
        self._granted = None if orders.granted is None else max(orders.granted, self._used())
        if orders.paused and not crawl.paused:
            crawl.pause()
        elif crawl.paused and not orders.paused:
            crawl.resume()
            crawl.call()
        if self._addresses:
            self._addresses.grant(orders.addresses)
            self._addresses.give_back(orders.returned)
        if orders.all_still and self._is_still:
            self._still.set()
        if orders.is_judged and self._is_still:
            self._is_judged.set()
        if orders.end and not crawl.ended:
            crawl.stop(orders.end)
        elif (self._granted, orders.price) != before:
            crawl.call()

    def _report(self, crawl: Crawl) -> Report:
        tally, counts = crawl.tally, self._frontier.counts()
        addresses, wanted = self._addresses.report() if self._addresses else ((), ())
        return Report(
            shard=self.number,
            pages=tally.pages,
            relevant=tally.relevant,
            bytes=tally.bytes,
            seconds=tally.seconds,
            waiting=counts.waiting,
            hosts=counts.active_authorities,
            flying=self._frontier.pages_under_way(),
            granted=self._granted,
            best=self._sketch(crawl.clock.now()),
            sent=dict(self._mail.sent),
            taken_in=dict(self._mail.taken_in),
            unsent=sum(
                max(0, sent - self._confirmed.get(shard, 0)) for shard, sent in self._mail.sent.items()
            ),
            is_idle=crawl.is_idle and not self._arrived,
            refused={reason.value: count for reason, count in tally.refused.most_common(20)},
            addresses=addresses,
            wanted=wanted,
            is_paused=crawl.paused,
            ending=crawl.ended,
            is_still=self._is_still,
        )

    def _sketch(self, now: float) -> tuple[float, ...]:
        begun = time.monotonic()
        if begun >= self._sketch_at:
            self._best = self._frontier.best(now)
            taken_s = time.monotonic() - begun
            self._sketch_at = begun + taken_s / SKETCH_SHARE
        return self._best

    def _used(self) -> int:
        """The pages that there are, and those under way."""
        assert self._crawl is not None
        return self._crawl.tally.pages + self._frontier.pages_under_way()

    async def _send_to(self, receiver: int) -> None:
        """Send what waits for a shard, parcel after parcel, until all is confirmed; begun anew when there is more."""
        pause_s = RETRY_S[0]
        try:
            while (known := self._confirmed.get(receiver, 0)) < self._mail.sent[receiver]:
                await asyncio.sleep(LINGER_S)
                parcel = self._mail.parcel(self.number, receiver, self._links_in_parcel, known)
                if parcel is None:  # put back from an older copy, the receiver asks for what is no more
                    parcel = self._mail.nothing_more(self.number, receiver)
                try:
                    self._confirmed[receiver] = await self._deliver(parcel)
                except Unreachable:
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, RETRY_S[1])
                    continue
                pause_s = RETRY_S[0]
                self._is_news = True
                self.messages += 1
                self.links_sent += len(parcel.links)
                self.bytes_sent += sum(map(len, parcel.links))
        finally:
            self._senders.pop(receiver, None)


def _last_report(number: int, summary: Summary | None, error: str) -> Report:
    """The report of a shard that has ended."""
    if summary is None:
        return Report(shard=number, error=error)
    return Report(
        shard=number,
        pages=summary.pages,
        relevant=summary.relevant,
        bytes=summary.bytes,
        seconds=summary.seconds,
        waiting=summary.waiting,
        granted=summary.pages,
        refused=summary.refused,
        summary=summary,
        error=error,
    )

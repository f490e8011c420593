"""The frontier of one shard: `Shared` adds routing to a frontier of any storage.

It passes links of foreign sources to `send`, and takes nothing below the coordinator's price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from heapq import nsmallest

import msgspec

from lycosa.cluster.division import Division
from lycosa.frontier import Added, Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import priority_of
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.sqlite import Connection, SqliteFrontier
from lycosa.values import Decision, Kind, Link, Merge

SOON_S = 1.0
"""A shard reports the URLs that can be taken within this time, in seconds."""
MAX_BEST = 128
MAX_TOLD, TOLD_AGAIN = 50_000, 16
"""Foreign URLs remembered, to avoid sending a link twice (10 MB); of links that add nothing new, one in TOLD_AGAIN is sent."""

Send = Callable[[int, Sequence[Link]], None]
"""Send links to the shard of that number; they leave with the commit."""


class Shared(QueuedFrontier):
    """A frontier that is one of several."""

    def share(self, shard: int, division: Division, send: Send) -> None:
        """Keep to the sources of this shard from now on."""
        self.shard = shard
        self.division = division
        self.send = send
        self.room: int | None = None  # how many pages may still be taken; None: no limit
        self.price = -math.inf
        self._is_barred = False
        self._told: dict[int, tuple[float, int, int]] = {}  # by key: best priority, least depth, links since

    def add(self, decisions: Sequence[Decision], merge: Merge = Merge.MAX) -> Added:
        own: list[Decision] = []
        foreign: dict[int, list[Link]] = {}
        for decision in decisions:
            # A held link waits here: its strategy settles it, and then it comes by again.
            owner = self.shard if decision.hold else self.division.owner_of(decision.link.url)
            if owner == self.shard:
                own.append(decision)
            elif decision.refusal is None and self._is_news(decision, merge):
                link = msgspec.structs.replace(decision.link, priority=decision.priority)
                foreign.setdefault(owner, []).append(link)
        for owner, links in foreign.items():
            self.send(owner, links)
        return super().add(own, merge)

    def _is_news(self, decision: Decision, merge: Merge) -> bool:
        """Whether a link says more of a URL than its owner was told before: most links of a page are on other pages too.

        Where the better of two links counts, one that is no better changes nothing while the URL waits. Some are sent all
        the same: its owner may have dropped it since, or had it under way.
        """
        link = decision.link
        if merge is not Merge.MAX or link.record or link.trail or link.kind is not Kind.PAGE:
            return link.kind is not Kind.IMAGE
        priority, depth, times = priority_of(decision.priority), link.depth, 0
        if (told := self._told.get(link.key)) is not None:
            times = told[2] + 1
            is_no_better = -math.inf < told[0] >= priority and depth >= told[1]
            priority, depth = max(priority, told[0]), min(depth, told[1])
        elif len(self._told) >= MAX_TOLD:
            self._told.clear()
        self._told[link.key] = priority, depth, times
        return told is None or not is_no_better or times % TOLD_AGAIN == 0

    def take(self, now: float, *, again: bool = False) -> Link | None:
        if again:
            return super().take(now, again=True)
        self._is_barred = self._is_spent() or self._is_overpriced(now)
        link = None if self._is_barred else super().take(now)
        if link is not None and self.room is not None and link.kind is Kind.PAGE:
            self.room -= 1
        return link

    def next_at(self, *, again: bool = False) -> float | None:
        at = super().next_at(again=again)
        return math.inf if self._is_barred and not again and at is not None else at

    def pages_under_way(self) -> int:
        """Number of pages taken and not done."""
        return sum(entry.kind is Kind.PAGE for entry in self._taken.values())

    def best(self, now: float) -> tuple[float, ...]:
        """The priorities of the best URLs that may go soon, best first: one of each host that has to rest in between."""
        ready = (
            rank
            for authority in self._choice.authorities
            if authority.head is not None and authority.may_go_at <= now + SOON_S
            for rank, _ in self._heads(authority, authority.head)
        )
        return tuple(-rank for rank in nsmallest(MAX_BEST, ready))

    def _heads(self, authority: Authority, head: Head) -> list[Head]:
        """What an authority may give soon, as it is compared with others: less where its site has used up its share."""
        if authority.rest >= SOON_S:
            return [head]
        heads = (self._choice.ranked(authority, waiting) for waiting in authority.queue[:MAX_BEST])
        return [ranked for ranked in heads if ranked is not None]

    def _is_spent(self) -> bool:
        return self.room is not None and self.room <= 0

    def _is_overpriced(self, now: float) -> bool:
        if self.price == -math.inf:
            return False
        self._queues.wake(now)
        authority = self._choice.choose(now)
        return authority is not None and authority.head is not None and -authority.head[0] < self.price


class SharedSqliteFrontier(Shared, SqliteFrontier):
    """A shard's frontier on disk."""

    def __init__(
        self,
        connection: Connection,
        policy: Policy,
        *,
        now: float,
        restart_rest_s: float,
        shard: int,
        division: Division,
        send: Send,
    ) -> None:
        self.share(shard, division, send)
        super().__init__(connection, policy, now=now, restart_rest_s=restart_rest_s)


class SharedMemoryFrontier(Shared, MemoryFrontier):
    """A shard's frontier in memory, for experiments."""

    def __init__(self, policy: Policy, *, shard: int, division: Division, send: Send) -> None:
        self.share(shard, division, send)
        super().__init__(policy)

"""The coordinator of a crawl turns the shards' reports into orders.

It keeps no state that the shards lack, so a restarted coordinator learns everything from their next reports. It reads no
clock and sends nothing; `exchange` does.

Its price is the priority below which no shard fetches. A crawl in one process takes the best of all URLs; shards that each
take their own best would waste requests on poor sources. So the coordinator compares the best URLs of all shards.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from lycosa.cluster.coordination.messages import Orders, Report
from lycosa.engine.loop import NOTHING_LEFT, TOO_LONG
from lycosa.engine.rules.limits import Limits


def allot(best: Sequence[Sequence[float]], pages: int) -> tuple[float, list[int]]:
    """The priority of the last of the `pages` best URLs of all shards, and how many of these each shard has.

    With x(1) ≥ x(2) ≥ … the priorities of all, price = x(pages), and −∞ where fewer wait. `best` has them best first.
    Among equals, those of shards that have got less come first, so that nobody waits while others fetch the same.

    >>> allot([[0.9, 0.8, 0.1], [0.7, 0.2], []], 3)
    (0.7, [2, 1, 0])
    >>> allot([[0.9], [0.5]], 10)
    (-inf, [1, 1])
    >>> allot([[0.5, 0.5, 0.5], [0.5, 0.5]], 4)
    (0.5, [2, 2])
    """
    shares = [0] * len(best)
    ranked = heapq.merge(
        *([(-value, place, shard) for place, value in enumerate(of)] for shard, of in enumerate(best))
    )
    last = 0.0
    for value, _, shard in islice(ranked, pages):
        shares[shard] += 1
        last = value
    return (-last if sum(shares) == pages > 0 else -inf), shares


LEADER = 0
"""The shard that fits the judge for all."""
AHEAD = 2
"""Pages above the price, as a multiple of a round's pages, so that no shard waits for the next round."""
PAGES_IN_ROUND = 8
"""Of each shard, on average: rounds need not come sooner, unless a shard waits for one."""
MAX_BLOCK, SPARE = 1000, 4
"""Pages that a shard is granted at once, at most; and what part of what is left all such blocks may be, the inverse."""


@dataclass(slots=True)
class Usage:
    """The totals of all shards, for the limits."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    seconds: float = 0.0
    history: tuple[tuple[int, int], ...] = ((0, 0),)  # (pages, relevant) at earlier times, oldest first

    def brought(self, pages: int) -> int:
        """Number of relevant pages among about the last `pages`, as precisely as the reports allow."""
        earlier = [relevant for at, relevant in self.history if at <= self.pages - pages]
        return self.relevant - earlier[-1] if earlier else self.relevant


class Coordinator:
    """Hears of the shards and orders. Until all have been heard of, none is let fetch more than it already may."""

    def __init__(
        self,
        shards: int,
        limits: Limits,
        *,
        term: float,
        is_priced: bool = True,
    ) -> None:
        """`term`: later for a later coordinator. With `is_priced` off every shard fetches its own best."""
        self.shards = shards
        self.limits = limits
        self.term = term
        self.is_priced = is_priced
        self.ended = ""
        self.is_paused: bool | None = None  # None: as the shards are, where another coordinator was before
        self.reports: dict[int, Report] = {}
        self.usage = Usage()
        self.price = -inf
        self._number = self._pages_in_round = 0
        self._granted: dict[int, int] = {}  # what each shard may have, if all that was sent has arrived
        self._leased: dict[int, set[str]] = {}  # IP addresses, in the same sense
        self._queue: list[tuple[str, int]] = []  # (address, shard), in the order in which shards have asked
        self._unheard: set[int] = set()
        self._quiet: object = None

    @property
    def knows_all(self) -> bool:
        """Whether every shard has been heard of."""
        return len(self.reports) == self.shards

    @property
    def is_over(self) -> bool:
        """Whether every shard has ended."""
        return self.knows_all and all(report.summary or report.error for report in self.reports.values())

    def hear(self, report: Report) -> None:
        """Take note of what a shard says of itself, after it has got all orders that were given to it."""
        self.reports[report.shard] = report
        self._granted[report.shard] = report.granted or 0
        self._leased[report.shard] = {*report.addresses}
        self._unheard.discard(report.shard)
        if report.error or report.ending:
            self.end(report.error or report.ending)

    def miss(self, shard: int) -> None:
        """A shard has not answered. What it was given last may have arrived, or may arrive yet."""
        self._unheard.add(shard)

    def end(self, why: str) -> None:
        """End all shards."""
        self.ended = self.ended or why

    def pause_s(self, before_s: float) -> float:
        """Seconds until a shard needs orders, after a round that followed a pause of `before_s`; 0 if one waits for them."""
        is_awaited = any(report.waiting and not report.flying for report in self.reports.values())
        if self.ended or self.is_paused or not self.knows_all or is_awaited:
            return 0.0
        return before_s * PAGES_IN_ROUND * self.shards / max(1, self._pages_in_round)

    def round(self) -> list[Orders]:
        """The orders of each shard after a round of reports, by shard."""
        self._number += 1
        if not self.knows_all:
            return [self._unchanged(shard) for shard in range(self.shards)]
        self._count()
        if self.is_paused is None:
            self.is_paused = any(report.is_paused for report in self.reports.values())
        if not self.ended and not self.is_paused:
            self.end(self.limits.reached(self.usage) or self._is_quiet())
        grants = self._grants()
        addresses, returned = self._addresses()
        return [
            Orders(
                term=self.term,
                number=self._number,
                granted=grants[shard],
                price=self.price,
                paused=bool(self.is_paused),
                end=self.ended,
                all_still=self._are_all_still(),
                is_judged=self._is_judged(),
                pages=self.usage.pages,
                addresses=tuple(addresses.get(shard, ())),
                returned=tuple(returned.get(shard, ())),
            )
            for shard in range(self.shards)
        ]

    def _are_all_still(self) -> bool:
        return all(report.is_still or report.summary or report.error for report in self.reports.values())

    def _is_judged(self) -> bool:
        leader = self.reports[LEADER]
        return leader.summary is not None or bool(leader.error)

    def _unchanged(self, shard: int) -> Orders:
        report = self.reports.get(shard)
        granted = report.granted if report else 0
        return Orders(
            term=self.term,
            number=self._number,
            granted=granted,
            paused=report.is_paused if report else False,
            end=self.ended,
        )

    def _count(self) -> None:
        reports, before = self.reports.values(), self.usage
        pages = sum(one.pages for one in reports)
        relevant = sum(one.relevant for one in reports)
        history = before.history
        if pages != before.pages:
            history = (*history, (pages, relevant))[-1000:]
        # A round in which answers were slow says little of the next: what is expected falls by half at most.
        self._pages_in_round = max(pages - before.pages, self._pages_in_round // 2)
        self.usage = Usage(
            pages,
            relevant,
            sum(one.bytes for one in reports),
            max(one.seconds for one in reports),
            history,
        )

    def _is_quiet(self) -> str:
        """Why nothing will ever happen again; '' while something may.

        All shards are idle, and all that was sent has arrived, in two rounds between which nothing was sent: whatever
        was under way in the first one would have arrived by the second.
        """
        reports = self.reports
        arrived = all(
            reports[receiver].taken_in.get(sender, 0) == number
            for sender, report in reports.items()
            for receiver, number in report.sent.items()
        )
        if self._unheard or not arrived or not all(report.is_idle for report in reports.values()):
            self._quiet = None
            return ""
        seen = [(report.sent, report.taken_in, report.pages) for _, report in sorted(reports.items())]
        before, self._quiet = self._quiet, seen
        if seen != before:
            return ""
        return TOO_LONG if any(report.waiting for report in reports.values()) else NOTHING_LEFT

    def _grants(self) -> list[int | None]:
        """How many pages each shard may have in all, and with that the price.

        While much is left, every shard has a block of pages before it, and the price alone says what they are spent on;
        towards the end pages go where the best are.

        A page is granted to one shard only: all grants together never exceed the limit, whatever was lost on the way. A
        grant that a shard does not need any more is taken back, and free as soon as the shard has said so.
        """
        reports = [self.reports[shard] for shard in range(self.shards)]
        used = [report.pages + report.flying for report in reports]
        ahead = max(self.shards, AHEAD * self._pages_in_round)
        block, limit = 0, self.limits.pages
        if limit is not None:
            left = max(0, limit - sum(used))
            ahead, block = min(ahead, left), min(MAX_BLOCK, left // (SPARE * self.shards))
        best = [report.best for report in reports]
        if self.is_priced:
            self.price, shares = allot(best, ahead)
        else:
            shares = [min(len(of), -(-ahead // self.shards)) for of in best]
        if limit is None:
            return [None] * self.shards
        held_by = [max(self._granted[shard], used[shard]) for shard in range(self.shards)]
        room = limit - sum(held_by)
        grants: list[int | None] = []
        for shard, held in enumerate(held_by):
            wanted = used[shard] + max(shares[shard], block)
            more = min(max(0, wanted - held), max(0, room))
            room -= more
            grants.append(held + more if wanted > held else wanted)
            self._granted[shard] = held + more
        return grants

    def _addresses(self) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
        """IP addresses that shards may ask from now on, and those that they are to give back, because others wait."""
        given: dict[int, list[str]] = {}
        returned: dict[int, list[str]] = {}
        owner_of = {address: shard for shard, leased in self._leased.items() for address in leased}
        wanted = {
            (address, shard): None for shard, report in self.reports.items() for address in report.wanted
        }
        # Whoever has waited longest comes first; a shard that has had its turn joins the end.
        self._queue = [one for one in self._queue if one in wanted]
        self._queue += [one for one in wanted if one not in set(self._queue)]
        for address, shard in self._queue:
            owner = owner_of.setdefault(address, shard)
            if owner == shard:
                given.setdefault(shard, []).append(address)
            else:
                returned.setdefault(owner, []).append(address)
        for shard, addresses in given.items():
            self._leased[shard].update(addresses)
        return given, returned

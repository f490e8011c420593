"""What waits, and when it may go. In: decisions and outcomes. Out: the next link to fetch.

A URL is unknown, waiting, taken or done, never two of these; beside them a *held* link waits for
other URLs before it may wait at all. Two levels: queues, politeness and robots belong to an
*authority* (scheme, host, port), importance and per-site limits to its *source* (registrable
domain).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import msgspec

from lycosa.values import Decision, Floats, Link, Merge, Outcome

Weigh = Callable[[Floats, Floats, Floats, int], Floats]
"""The choice key of the sources that may go now: (good, bad, best, step) -> one number each.

`good` and `bad` are what `reweigh` was told of the source, `best` is its best waiting priority
among the authorities that may go, `step` counts the choices made (for repeatable draws).
"""


class Records(Protocol):
    """How a strategy makes one record of all links to a URL, and a priority of each record.

    A link is offered with a record of its own (`Link.record`); a URL keeps one, of at most RECORD_BYTES.
    """

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> Sequence[bytes]:
        """The record of each URL with one link more."""
        ...

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
        """One priority for each record, by what the strategy has learned so far; and the records.

        These may keep what the priority is made of, for `lycosa why`.
        """
        ...


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How a frontier chooses, and what it may hold. `weigh` is None where sources count alike.

    `site_share`: with each such number of pages that a source has given, its URLs count half as much; not those of the
    sources that are `named`.
    """

    max_waiting: int
    per_host_concurrency: int = 1
    pages_per_host: int | None = None
    pages_per_site: int | None = None
    site_share: int | None = None
    named: frozenset[str] = frozenset()
    selectivity: float = 0.0
    weigh: Weigh | None = None
    records: Records | None = None


class Added(msgspec.Struct, frozen=True):
    """What adding did. `promoted`: keys of pages that were only explored and are now selected."""

    new: int = 0  # wait now
    merged: int = 0  # waited already
    held: int = 0
    known: int = 0  # taken or done; or held, and offered to be held again
    dropped: int = 0  # of a full host or site, or the worst of a full queue
    promoted: tuple[int, ...] = ()


class Frontier(Protocol):
    """URLs that wait. Times are seconds since the epoch and come from the caller."""

    def add(self, decisions: Sequence[Decision], merge: Merge = Merge.MAX) -> Added:
        """Let links wait or hold them, in this order; decisions that are refusals are passed over.

        A waiting URL merges (with MAX: a selected link beats an explored one whatever the
        priorities; the better of two keeps its parent, notes and anchor; the smaller depth stays).
        Where the policy keeps records, a URL's priority is that of its record instead, into which the
        record of every link to it is merged; a link without a record keeps its own priority.
        A taken or done one stays as it is. A held one that is offered with a priority leaves its
        hold and waits. What a hold waits for is the union over the links held under its name, of
        URLs that are waiting, taken or held after this call; the others cannot be waited for.
        """
        ...

    def take(self, now: float, *, again: bool = False) -> Link | None:
        """Lease the best URL of the best source that may go now; None if none may.

        With `again` it is one that was fetched before (its attempts were AGAIN) and whose time has come, the first of
        them; without, such URLs stay where they are.

        Ties go by discovery order. The authority is busy until `done` is called. A URL with a record is
        scored once more before it goes; if it has fallen behind, the next best is looked at, a few times.
        """
        ...

    def done(self, link: Link, outcome: Outcome) -> tuple[str, ...]:
        """End a lease. Returns the holds that by this wait for nothing any more.

        With `again_at` the URL waits with the priority and notes of `link` and one attempt more
        than `link` says, and does not keep its authority's other URLs from going. Holds that wait for
        the URL wait for `outcome.instead` as well, if that is waiting or taken.
        """
        ...

    def release(self, hold: str) -> tuple[Link, ...]:
        """Hand out the links of a hold, which is then forgotten; they are unknown again.

        Waiting image links that only this hold waited for are dropped (no longer needed).
        """
        ...

    def reweigh(self, source: str, good: float, bad: float) -> None:
        """Set what is known of a source's pages; its choice key follows."""
        ...

    def touch(self, keys: Collection[int]) -> None:
        """Score those of the URLs again that wait and have a record: something that it rests on was learned."""
        ...


class FrontierView(Protocol):
    """What one may read of a frontier: for the loop's sleep, progress, reports and `why`."""

    def next_at(self, *, again: bool = False) -> float | None:
        """The earliest time at which something may be taken, with that `again` or without; None if nothing waits at all.

        Infinite if all that waits has to wait for the end of a lease.
        """
        ...

    def counts(self) -> FrontierCounts: ...

    def holds(self) -> tuple[str, ...]:
        """The names of all open holds, oldest first."""
        ...

    def orphans(self) -> tuple[str, ...]:
        """The open holds that wait for nothing, oldest first, until they are released.

        They had nothing to wait for when they were added, or what they waited for was dropped;
        those that `done` returned are among them too while they are not released.
        """
        ...

    def waiting_per_authority(self, limit: int) -> list[tuple[str, int, float]]:
        """(authority, waiting URLs, may go at), longest queue first."""
        ...

    def find(self, key: int) -> UrlState | None:
        """The state of a URL; None if it is unknown."""
        ...


class FrontierCounts(msgspec.Struct, frozen=True):
    """How many URLs are in which state, how many authorities, and what was dropped so far."""

    waiting: int = 0
    taken: int = 0
    done: int = 0
    held: int = 0
    authorities: int = 0
    active_authorities: int = 0
    dropped: dict[str, int] = {}  # by the name of the Reason


class UrlState(msgspec.Struct, frozen=True):
    """The state of one URL: 'waiting', 'taken', 'done' or 'held' (then `hold` names it)."""

    state: str
    link: Link
    may_go_at: float = 0.0
    hold: str = ""

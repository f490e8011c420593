"""The frontier: which URLs wait, and which goes next.

A URL is unknown, waiting, taken or done. A *held* link waits for other URLs before it joins the queue. Queues,
politeness and robots belong to an *authority* (scheme, host, port); importance and per-site limits to its *source*
(registrable domain).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import msgspec

from lycosa.values import Decision, Floats, Link, Merge, Outcome

Weigh = Callable[[Floats, Floats, Floats, int], Floats]
"""Scores the sources that may go now: (good, bad, best, step) -> one number each.

`good` and `bad` are the last arguments of `reweigh`, `best` is the best waiting priority among the source's
authorities that may go, and `step` counts the choices so far (for repeatable draws).
"""


class Records(Protocol):
    """Merges the records of all links to a URL into one, and scores it.

    A link brings its own record (`Link.record`); a URL keeps one, of at most RECORD_BYTES.
    """

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> Sequence[bytes]:
        """Return the record of each URL with one more link."""
        ...

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
        """Return the current priority of each record, and the records to keep.

        A record may contain the parts of its priority, for `lycosa why`.
        """
        ...


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """How a frontier chooses, and its limits. Without `weigh` all sources count alike.

    After each `site_share` pages from a source, its URLs count half as much; sources in `named` are exempt.
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
    """The result of `add`. `promoted`: keys of done pages that were explored and are now selected."""

    new: int = 0  # now waiting
    merged: int = 0  # were waiting already
    held: int = 0
    known: int = 0  # taken or done, or held twice
    dropped: int = 0  # for a full host, site or queue
    promoted: tuple[int, ...] = ()


class Frontier(Protocol):
    """Waiting URLs. Times are seconds since the epoch and come from the caller."""

    def add(self, decisions: Sequence[Decision], merge: Merge = Merge.MAX) -> Added:
        """Queue or hold links, in this order. Refusals are ignored.

        A waiting URL merges with the new link. With MAX a selected link beats an explored one; otherwise the link of
        higher priority keeps its parent, notes and anchor. The smaller depth stays. If the policy keeps records, the
        records merge and set the priority; a link without a record keeps its own priority.
        A taken or done URL stays as it is. A held URL that is offered with a priority leaves its hold and waits.
        A hold waits for all `waits_for` of its links that are waiting, taken or held after this call.
        """
        ...

    def take(self, now: float, *, again: bool = False) -> Link | None:
        """Lease the best URL of the best source that may go now; None if there is none.

        With `again`, lease the first URL whose next visit is due (its attempts were AGAIN); otherwise such URLs wait.
        Ties go by discovery order. The authority is busy until `done` is called. A URL with a record is scored again
        first; if another URL is better then, that one is tried, a few times.
        """
        ...

    def done(self, link: Link, outcome: Outcome) -> tuple[str, ...]:
        """End a lease. Return the holds that wait for nothing any more.

        With `again_at` the URL waits until then, with the priority and notes of `link` and one more attempt; other
        URLs of its authority may go before it. Holds that wait for the URL also wait for `outcome.instead`, if that is
        waiting or taken.
        """
        ...

    def release(self, hold: str) -> tuple[Link, ...]:
        """Remove a hold and return its links, which are unknown again.

        Waiting images that only this hold waited for are dropped.
        """
        ...

    def reweigh(self, source: str, good: float, bad: float) -> None:
        """Set how good a source's pages are, for `Policy.weigh`."""
        ...

    def touch(self, keys: Collection[int]) -> None:
        """Score waiting URLs with a record again, because something their scores depend on was learned."""
        ...


class FrontierView(Protocol):
    """Read access to a frontier, for the loop, progress, reports and `why`."""

    def next_at(self, *, again: bool = False) -> float | None:
        """Return the earliest time at which `take` may succeed; None if nothing waits.

        Infinite if all waiting URLs depend on the end of a lease.
        """
        ...

    def counts(self) -> FrontierCounts: ...

    def holds(self) -> tuple[str, ...]:
        """Return the names of all open holds, oldest first."""
        ...

    def orphans(self) -> tuple[str, ...]:
        """Return the open holds that wait for nothing, oldest first, until they are released."""
        ...

    def find(self, key: int) -> UrlState | None:
        """Return the state of a URL; None if it is unknown."""
        ...


class FrontierCounts(msgspec.Struct, frozen=True):
    """Numbers of URLs by state, of authorities, and of dropped URLs."""

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

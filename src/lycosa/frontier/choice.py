"""The choice of the authority that goes next.

Authorities that may go are in heaps by their best waiting URL: one heap, or one per source if sources are weighed.
Resting authorities are in a heap by time. Heap items are removed lazily: an item is valid only while
`Authority.filed` equals it.
"""

from __future__ import annotations

import math
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from lycosa import urls
from lycosa.frontier import Policy

Head = tuple[float, int]
"""A waiting URL in its queue: (-priority, number in order of discovery); the smallest goes first."""

NEVER = np.iinfo(np.int64).max

MAX_HALVES = 50
"""Maximum number of times a priority is halved."""
PATIENCE_S = 60.0
"""Seconds within which the host of a better link must be free, for the crawl to wait for it."""


def in_its_share(priority: float, pages: int, share: int) -> float:
    """Return a priority, halved for each share of pages that its site has used up.

    >>> [in_its_share(0.8, pages, 100) for pages in (0, 99, 100, 250)]
    [0.8, 0.8, 0.4, 0.2]
    >>> in_its_share(-2.0, 100, 100)
    -4.0
    """
    halves = min(pages // share, MAX_HALVES)
    return float(priority * (0.5**halves if priority > 0 else 2.0**halves))


class Quota:
    """The page limit of one host or site, and the authorities that share it."""

    __slots__ = ("counted", "in_flight", "limit", "members")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.counted = 0
        self.in_flight = 0
        self.members: list[Authority] = []

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.counted >= self.limit

    @property
    def spoken_for(self) -> bool:
        """Whether the pages in flight may reach the limit: no other may go until they end."""
        return self.counted < self.limit <= self.counted + self.in_flight


class Authority:
    """The state of one authority (scheme, host, port)."""

    __slots__ = (
        "done",
        "filed",
        "head",
        "id",
        "in_flight",
        "later",
        "may_go_at",
        "name",
        "pages",
        "queue",
        "quotas",
        "rest",
        "source",
        "tries",
        "waiting",
    )

    def __init__(self, id: int, name: str, source: int) -> None:
        self.id = id
        self.name = name
        self.source = source
        self.quotas: tuple[Quota, ...] = ()
        self.may_go_at = 0.0
        self.rest = 0.0  # length of its last rest
        self.in_flight = 0
        self.waiting = 0  # waiting URLs, including `later`
        self.later = 0  # waiting URLs in state LATER
        self.pages = 0  # that count for its limits
        self.done = 0
        self.tries = 0  # ended leases
        self.queue: list[Head] = []  # some or all of the waiting URLs, best first
        self.head: Head | None = None
        self.filed: Head | float | None = None  # its valid heap item: a head (ready) or a time (resting)

    @property
    def full(self) -> bool:
        """Whether its host or site has reached a page limit."""
        return any(quota.full for quota in self.quotas)


class Choice:
    """The authorities and sources of a frontier, and which may go."""

    def __init__(
        self,
        policy: Policy,
    ) -> None:
        self.policy = policy
        self.weigh = policy.weigh  # called at every step
        self.now = 0.0
        self.step = 0
        self.authorities: list[Authority] = []
        self.by_name: dict[str, Authority] = {}
        self.sources: dict[str, int] = {}
        self.good = np.zeros(64)
        self.bad = np.zeros(64)
        self._pages: list[int] = []  # by source
        self._named: set[int] = set()  # sources without a share
        self._best = np.zeros(64)
        self._order: NDArray[np.int64] = np.full(
            64, NEVER
        )  # number of the best URL by source; NEVER: none may go
        self._quotas: dict[str, Quota] = {}
        self._asleep: list[tuple[float, int]] = []
        self._missed: list[tuple[float, int, int]] = []  # best URLs of busy and resting authorities
        self._ready: list[list[tuple[float, int, int]]] = [] if policy.weigh else [[]]
        self._members = [] if policy.weigh else [0]  # authorities per heap of `_ready`

    def source(self, name: str) -> int:
        """Return the number of a source; a new source gets one."""
        number = self.sources.setdefault(name, len(self.sources))
        if number == len(self._pages):
            self._pages.append(0)
            if name in self.policy.named:
                self._named.add(number)
        if number == len(self.good):
            self.good, self.bad, self._best = (
                np.concatenate((old, np.zeros(number))) for old in (self.good, self.bad, self._best)
            )
            self._order = np.concatenate((self._order, np.full(number, NEVER)))
        if self.weigh and number == len(self._ready):
            self._ready.append([])
            self._members.append(0)
        return number

    def meet(self, name: str, source: int) -> Authority:
        """Add an authority."""
        authority = Authority(len(self.authorities), name, source)
        authority.quotas = tuple(
            self._quotas.setdefault(whose, Quota(limit))
            for whose, limit in (
                (f"host {urls.host_of(name)}", self.policy.pages_per_host),
                (f"site {source}", self.policy.pages_per_site),
            )
            if limit is not None
        )
        for quota in authority.quotas:
            quota.members.append(authority)
        self._members[source if self.weigh else 0] += 1
        self.authorities.append(authority)
        self.by_name[name] = authority
        return authority

    def recall(self, authority: Authority) -> None:
        """Count the pages of an authority from earlier runs."""
        self._pages[authority.source] += authority.pages
        for quota in authority.quotas:
            quota.counted += authority.pages

    def ranked(self, authority: Authority, head: Head | None) -> Head | None:
        """Return an authority's best waiting URL with its priority reduced by the site's share."""
        share, pages = self.policy.site_share, self._pages[authority.source]
        if head is None or share is None or pages < share or authority.source in self._named:
            return head
        return -in_its_share(-head[0], pages, share), head[1]

    def sharing(self, authority: Authority) -> list[Authority]:
        """Return the authorities of a source whose last page used up a share; else none."""
        share = self.policy.site_share
        if not share or self._pages[authority.source] % share or authority.source in self._named:
            return []
        return [other for other in self.authorities if other.source == authority.source]

    def file(self, authority: Authority) -> None:
        """Put an authority into the right heap. Call this after every change to it."""
        head = authority.head
        if self.policy.selectivity and head is not None and not self.may_go(authority):
            heappush(self._missed, (*head, authority.id))
            if len(self._missed) > 8 + 4 * len(self.authorities):
                self._missed = [entry for entry in set(self._missed) if self._is_missed(entry)]
                heapify(self._missed)
        if head is None or not self.may_lease(authority):
            pass  # its heap item is now invalid
        elif authority.may_go_at > self.now:
            if authority.filed != authority.may_go_at:
                authority.filed = authority.may_go_at
                heappush(self._asleep, (authority.may_go_at, authority.id))
        elif authority.filed != head:
            authority.filed = head
            self._push_ready(authority.source if self.weigh else 0, (*head, authority.id))
        if self.weigh:
            self._note_best(authority.source)

    def choose(self, now: float) -> Authority | None:
        """Return the authority that goes next, by source and then by priority; None if none may."""
        self.set_clock(now)
        top = self._top(self._best_source() if self.weigh else 0)
        if top is None or self._is_beneath_us(top):
            return None
        return top

    def next_at(self) -> float:
        """Return when the first authority may go; infinite if all are busy."""
        top = self._top(self._best_source() if self.weigh else 0)
        if top is not None and not self._is_beneath_us(top):
            return top.may_go_at
        while self._asleep:
            at, number = self._asleep[0]
            authority = self.authorities[number]
            if authority.filed == at and authority.head is not None and self.may_lease(authority):
                return at
            heappop(self._asleep)
            if authority.filed == at:
                authority.filed = None
        return math.inf

    def began(self, authority: Authority, page: bool) -> None:
        """Count a lease of an authority."""
        self.step += 1
        authority.in_flight += 1
        if page:
            for quota in authority.quotas:
                quota.in_flight += 1

    def ended(self, authority: Authority, page: bool, counts: bool, rest_until: float) -> list[Authority]:
        """Count the end of a lease. Return the authorities that are full now."""
        authority.in_flight -= 1
        authority.tries += 1
        authority.pages += counts
        self._pages[authority.source] += counts
        authority.may_go_at = max(authority.may_go_at, rest_until)
        authority.rest = max(0.0, authority.may_go_at - self.now)
        full: list[Authority] = []
        for quota in authority.quotas:
            was_spoken_for, was_full = quota.spoken_for, quota.full
            quota.in_flight -= page
            quota.counted += counts
            if quota.full and not was_full:
                full += quota.members
            elif was_spoken_for:
                for member in quota.members:
                    self.file(member)
        return full

    def _push_ready(self, place: int, entry: tuple[float, int, int]) -> None:
        heap = self._ready[place]
        heappush(heap, entry)
        if len(heap) > 8 + 2 * self._members[place]:
            heap[:] = {entry for entry in heap if self.authorities[entry[2]].filed == entry[:2]}
            heapify(heap)

    def may_lease(self, authority: Authority) -> bool:
        """Whether an authority may have one more lease, apart from its rest."""
        return authority.in_flight < self.policy.per_host_concurrency and not (
            authority.quotas and any(quota.spoken_for for quota in authority.quotas)
        )

    def set_clock(self, now: float) -> None:
        """Set the time. Authorities that have rested long enough may go."""
        if now < self.now:
            # The clock was set back: ready authorities may have to rest again.
            self.now = now
            for authority in self.authorities:
                # A rest must not end later than its length from now.
                authority.may_go_at = min(authority.may_go_at, now + authority.rest)
                authority.filed = None
                self.file(authority)
        self.now = now
        asleep = self._asleep
        while asleep and asleep[0][0] <= now:
            at, number = heappop(asleep)
            authority = self.authorities[number]
            if authority.filed == at:
                authority.filed = None
                self.file(authority)

    def _top(self, place: int) -> Authority | None:
        """Return the authority with the best head of a heap, after removing invalid items."""
        heap = self._ready[place] if place >= 0 else []
        while heap:
            rank, order, number = heap[0]
            authority = self.authorities[number]
            filed = authority.filed == (rank, order)
            if filed and authority.head == authority.filed and self.may_go(authority):
                return authority
            heappop(heap)
            if filed:
                authority.filed = None
        return None

    def _is_beneath_us(self, authority: Authority) -> bool:
        """Whether an authority that will soon be free has a much better URL."""
        if not self.policy.selectivity or authority.head is None:
            return False
        while self._missed and not self._is_missed(self._missed[0]):
            heappop(self._missed)
        if not self._missed:
            return False
        ours, theirs = -authority.head[0], -self._missed[0][0]
        if self.weigh:
            # The best missed link may not be on the best source; then the crawl waits less than it could.
            pair = [authority.source, self.authorities[self._missed[0][2]].source]
            ours, theirs = self.weigh(self.good[pair], self.bad[pair], np.array([ours, theirs]), self.step)
        return bool(ours < self.policy.selectivity * theirs)

    def _is_missed(self, entry: tuple[float, int, int]) -> bool:
        authority = self.authorities[entry[2]]
        soon = authority.may_go_at <= self.now + PATIENCE_S
        return authority.head == entry[:2] and soon and not self.may_go(authority)

    def may_go(self, authority: Authority) -> bool:
        """Whether an authority may have a lease now."""
        return authority.may_go_at <= self.now and self.may_lease(authority)

    def _best_source(self) -> int:
        """Return the source with the highest score; ties go by priority, then by discovery. -1: none."""
        assert self.weigh is not None
        ready = np.flatnonzero(self._order != NEVER)
        if not ready.size:
            return -1
        keys = self.weigh(self.good[ready], self.bad[ready], self._best[ready], self.step)
        keys = np.where(np.isnan(keys), -np.inf, keys)
        tied = ready[keys == keys.max()]
        if tied.size == 1:
            return int(tied[0])
        return int(tied[np.lexsort((self._order[tied], -self._best[tied]))[0]])

    def _note_best(self, source: int) -> None:
        top = self._top(source)
        if top is None or top.head is None:
            self._order[source] = NEVER
        else:
            self._best[source], self._order[source] = -top.head[0], top.head[1]

"""An entry: a URL that a frontier knows, and how further links to it count."""

from __future__ import annotations

import math

from lycosa.frontier.choice import Authority
from lycosa.values import AGAIN, Kind, Link, Merge

# As stored. SQLite stores 0 and 1 in zero bytes: a URL that is done must not need a larger row.
DONE, WAITING, TAKEN, LATER = 0, 2, 3, 4
STATES = {DONE: "done", WAITING: "waiting", TAKEN: "taken", LATER: "waiting"}


class Entry:
    """A known URL. `filed` is its priority in its authority's queue.

    `link` is None if the storage did not load it; then it has not changed.
    """

    __slots__ = (
        *("at", "attempts", "authority", "depth", "filed", "id", "key", "kind", "link", "priority"),
        *("record", "state", "trail"),
    )

    def __init__(
        self,
        id: int,
        key: int,
        authority: Authority,
        state: int,
        priority: float,
        at: float | None,
        trail: int,
        depth: int,
        attempts: int,
        kind: Kind,
        link: Link | None = None,
        record: bytes = b"",
    ) -> None:
        self.id = id
        self.key = key
        self.authority = authority
        self.state = state
        self.priority = self.filed = priority
        self.at = at
        self.trail = trail
        self.depth = depth
        self.attempts = attempts
        self.kind = kind
        self.link = link
        self.record = record

    @property
    def is_sunk(self) -> bool:
        """Whether it waits last, with no known score. Any other offer replaces it."""
        return self.priority == -math.inf and self.state in (WAITING, LATER)

    @property
    def is_again(self) -> bool:
        """Whether it was fetched before and waits for its next visit."""
        return self.state == LATER and self.attempts == AGAIN

    def merge(self, link: Link, priority: float, merge: Merge) -> bool:
        """Merge another link to this waiting URL. Return whether anything changed."""
        if self.is_sunk:
            merge = Merge.REPLACE
        if merge is Merge.KEEP:
            return False
        better = merge is Merge.REPLACE or (not link.trail, priority) > (not self.trail, self.priority)
        if better:
            self.link, self.trail, self.kind = link, link.trail, link.kind
        total = self.priority + priority if merge is Merge.SUM else priority if better else self.priority
        if not better and total == self.priority and link.depth >= self.depth:
            return False
        self.priority = total
        self.depth = min(self.depth, link.depth)
        return True


def priority_of(priority: float) -> float:
    """Return a priority as a float; NaN goes last."""
    value = float(priority)
    return value if value == value else -math.inf

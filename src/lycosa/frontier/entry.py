"""A URL that a frontier knows, and how another link to it counts. In: a link. Out: its new rank."""

from __future__ import annotations

import math

from lycosa.frontier.choice import Authority
from lycosa.values import AGAIN, Kind, Link, Merge

# As stored: a change of state must not make a row grow, and SQLite keeps 0 and 1 in no byte at all.
DONE, WAITING, TAKEN, LATER = 0, 2, 3, 4
STATES = {DONE: "done", WAITING: "waiting", TAKEN: "taken", LATER: "waiting"}


class Entry:
    """A known URL. `filed` is the priority that it has in its authority's queue.

    `link` is None where a storage did not load it: nothing of it has changed then.
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
        """Waits last: being re-scored, or of no known worth. Any other offer counts more."""
        return self.priority == -math.inf and self.state in (WAITING, LATER)

    @property
    def is_again(self) -> bool:
        """It was fetched before, and waits for its next visit."""
        return self.state == LATER and self.attempts == AGAIN

    def merge(self, link: Link, priority: float, merge: Merge) -> bool:
        """Let another link to this waiting URL count. Returns whether anything changed."""
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
    """A priority as a plain float; what is not a number goes last."""
    value = float(priority)
    return value if value == value else -math.inf

"""How often a page changes, and so how long to wait for its next visit.

Changes come at random, at a rate of the page's own: after `changes` in `watched_s` seconds, and with one change in
`first_s` assumed before anything was seen, the mean time between two is (first_s + watched_s) / (1 + changes) [the mean of a Gamma
posterior; Cho and Garcia-Molina, Estimating frequency of change, 2003, treat what is seen only at visits].
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import NamedTuple

SOONEST, LATEST = 1 / 8, 8.0
"""Minimum and maximum wait of a page, as shares of `archive.revisit_after_h`."""


class Watched(NamedTuple):
    """The changes of a page so far, and the seconds it was observed."""

    seconds: float = 0.0
    changes: int = 0

    def wait_s(self, first_s: float) -> float:
        """How long it waits for its next visit: its mean time between two changes, within bounds.

        What never changes waits twice as long each time, what has changed at every visit half as long:

        >>> seen, waits = Watched(), []
        >>> for _ in range(4):
        ...     waits.append(seen.wait_s(1.0)); seen = seen.visited(waits[-1], False)
        >>> waits, [Watched(0.5, 1).wait_s(1.0), Watched(0.75, 3).wait_s(1.0), Watched(1.0, 30).wait_s(1.0)]
        ([1.0, 2.0, 4.0, 8.0], [0.75, 0.4375, 0.125])
        """
        return max(first_s * SOONEST, min(first_s * LATEST, (first_s + self.seconds) / (1 + self.changes)))

    def visited(self, after_s: float, is_changed: bool, changed_after_s: float | None = None) -> Watched:
        """The same after one more visit, `after_s` seconds after the last.

        A change was seen for the time until it came: as the server dates it, or half of the time in between.

        >>> Watched().visited(10.0, False), Watched().visited(10.0, True), Watched().visited(10.0, True, 9.0)
        (Watched(seconds=10.0, changes=0), Watched(seconds=5.0, changes=1), Watched(seconds=9.0, changes=1))
        """
        if not is_changed:
            return Watched(self.seconds + after_s, self.changes)
        is_dated = changed_after_s is not None and 0 <= changed_after_s <= after_s
        return Watched(self.seconds + (changed_after_s if is_dated else after_s / 2), self.changes + 1)  # type: ignore[operator]


def first_seen(last_modified: str, now: float, first_s: float) -> Watched:
    """What the first visit tells: a page that its server calls unchanged for long was, in effect, watched for as long.

    >>> first_seen("Thu, 01 Jan 1970 00:00:00 GMT", 50.0, 10.0), first_seen("", 50.0, 10.0)
    (Watched(seconds=50.0, changes=0), Watched(seconds=0.0, changes=0))
    """
    at = modified_at(last_modified)
    return Watched(max(0.0, min(now - at, first_s * LATEST))) if at is not None else Watched()


def modified_at(header: str) -> float | None:
    """The time that a Last-Modified header names; None where it names none.

    >>> modified_at("Thu, 01 Jan 1970 00:01:00 GMT"), modified_at("yesterday"), modified_at("Mon, 99 Foo 0000")
    (60.0, None, None)
    """
    try:
        return parsedate_to_datetime(header).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None

"""Delays between requests: Retry-After, backoff and rests."""

from __future__ import annotations

import re
from datetime import UTC
from email.utils import parsedate_to_datetime
from random import Random

MAX_BACKOFF_S = 300.0
SMALLEST_DELAY_S = 0.25  # backoff starts here if the delay is 0
RETRYABLE = frozenset((408, 425, 429, 500, 502, 503, 504))
RATE_LIMITS = frozenset((429, 503))

_SECONDS = re.compile(r"\d{1,300}(?:\.\d{1,10})?", re.ASCII)


def retry_after_s(value: str, now: float, at_most: float) -> float:
    """Return the seconds in a Retry-After header (seconds or a date); 0 if it is invalid.

    >>> retry_after_s("120", 0.0, 3600.0), retry_after_s("soon", 0.0, 3600.0), retry_after_s("9" * 50, 0.0, 3600.0)
    (120.0, 0.0, 3600.0)
    >>> retry_after_s("Thu, 01 Jan 1970 00:01:00 GMT", 50.0, 3600.0)
    10.0
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        return min(float(value), at_most)
    try:
        then = parsedate_to_datetime(value)
        wait = (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    return min(max(wait, 0.0), at_most)


def backoff_s(delay_s: float, faults: int) -> float:
    """Return the rest after a number of faults in a row: the delay, doubled with each.

        b(n) = min(300, max(delay, 1/4) * 2^n)  for n > 0,  b(0) = 0

    >>> [backoff_s(2.0, n) for n in (0, 1, 2, 10)]
    [0.0, 4.0, 8.0, 300.0]
    """
    if faults <= 0:
        return 0.0
    return min(MAX_BACKOFF_S, max(delay_s, SMALLEST_DELAY_S) * 2.0 ** min(faults, 32))


def rest_s(delay_s: float, crawl_delay_s: float = 0.0, wait_s: float = 0.0, faults: int = 0) -> float:
    """Return how long an authority rests after a request: the longest of all delays.

        rest = max(per_host_delay, Crawl-delay, Retry-After, b(faults in a row))

    >>> rest_s(2.0, crawl_delay_s=10.0, wait_s=5.0, faults=1)
    10.0
    """
    return max(delay_s, crawl_delay_s, wait_s, backoff_s(delay_s, faults))


def again_in_s(rest: float, delay_s: float, attempts: int, rng: Random) -> float:
    """Return the seconds until a URL is retried: its own backoff, and at least the authority's rest.

    A random part, up to a quarter, spreads URLs that failed together.
    """
    return max(rest, backoff_s(delay_s, attempts + 1)) * (1.0 + rng.random() / 4)


class Faults:
    """Counts the faults in a row of each authority. The oldest are removed when there are too many."""

    def __init__(self, at_most: int = 100_000) -> None:
        self._counts: dict[str, int] = {}
        self._at_most = at_most

    def of(self, authority: str) -> int:
        """Return the faults in a row."""
        return self._counts.get(authority, 0)

    def add(self, authority: str) -> int:
        """Count one more, and return the new number."""
        count = self._counts[authority] = self._counts.get(authority, 0) + 1
        if len(self._counts) > self._at_most:
            del self._counts[next(iter(self._counts))]
        return count

    def clear(self, authority: str) -> None:
        """Reset the count after a good response."""
        self._counts.pop(authority, None)

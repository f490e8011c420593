"""When hosts and IP addresses may be asked: delays, backoff, rests and limits."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import inf
from random import Random
from typing import Protocol

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


MAX_KNOWN = 100_000


class Turns:
    """The authorities that are busy or rest. When there are too many, rested ones are removed."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._rests: dict[str, tuple[float, float]] = {}  # end and length

    def begin(self, authority: str) -> None:
        """Note a request in flight."""
        self._rests[authority] = inf, SMALLEST_DELAY_S

    def end(self, authority: str, rest_s: float) -> None:
        """Note the end of a request; the authority rests."""
        now = self._clock()
        self._rests[authority] = now + rest_s, rest_s
        if len(self._rests) > MAX_KNOWN:
            self._rests = {name: rest for name, rest in self._rests.items() if rest[0] > now}

    def wait_s(self, authority: str) -> float:
        """Return the seconds until an authority may be asked, or until the next check; 0 if it may be asked now."""
        until, length = self._rests.get(authority, (0.0, 0.0))
        # A clock that is set back must not make a rest longer.
        return min(max(0.0, until - self._clock()), length)


MAX_RESTING = 10_000


class _Address:
    __slots__ = ("free_at", "slots", "users")

    def __init__(self, concurrency: int) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self.users = 0  # inside or waiting
        self.free_at = 0.0


class AddressTurns(Protocol):
    """Turns at IP addresses. Each `enter` that returns needs one `leave`."""

    async def enter(self, address: str) -> None: ...

    def leave(self, address: str) -> None: ...


class PerIpLimit:
    """Allows `concurrency` requests in flight to an address, and `delay_s` of rest between them."""

    def __init__(self, concurrency: int, delay_s: float) -> None:
        self._concurrency = concurrency
        self._delay_s = delay_s
        self._known: dict[str, _Address] = {}

    async def enter(self, address: str) -> None:
        """Wait until the address may be asked."""
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = _Address(self._concurrency)
        known.users += 1
        try:
            await known.slots.acquire()
        except BaseException:
            self._drop_user(address, known)
            raise
        if not self._delay_s:
            return
        now = asyncio.get_running_loop().time()
        start = max(now, known.free_at)
        known.free_at = start + self._delay_s
        try:
            await asyncio.sleep(start - now)
        except BaseException:
            self.leave(address)
            raise

    def leave(self, address: str) -> None:
        """End a request."""
        known = self._known[address]
        if self._delay_s:
            known.free_at = max(known.free_at, asyncio.get_running_loop().time() + self._delay_s)
        known.slots.release()
        self._drop_user(address, known)

    def _drop_user(self, address: str, known: _Address) -> None:
        known.users -= 1
        if known.users:
            return
        if not self._delay_s:
            del self._known[address]
        elif len(self._known) > MAX_RESTING:
            now = asyncio.get_running_loop().time()
            self._known = {
                name: other for name, other in self._known.items() if other.users or other.free_at > now
            }

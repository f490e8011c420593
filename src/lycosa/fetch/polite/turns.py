"""Whose turn it is, as far as a fetcher itself has asked. In: requests begun and ended. Out: how long a host rests yet."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from lycosa.fetch.polite.delays import SMALLEST_DELAY_S

MAX_KNOWN = 100_000


class Turns:
    """The authorities that are being asked or rest. Bounded: of too many, those that have rested are forgotten."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._rests: dict[str, tuple[float, float]] = {}  # until when, and how long in all

    def begin(self, authority: str) -> None:
        """A request is under way."""
        self._rests[authority] = inf, SMALLEST_DELAY_S

    def end(self, authority: str, rest_s: float) -> None:
        """It is over, and the authority rests."""
        now = self._clock()
        self._rests[authority] = now + rest_s, rest_s
        if len(self._rests) > MAX_KNOWN:
            self._rests = {name: rest for name, rest in self._rests.items() if rest[0] > now}

    def wait_s(self, authority: str) -> float:
        """How long to wait before it may be asked, or before looking again; 0 if it may be asked now."""
        until, length = self._rests.get(authority, (0.0, 0.0))
        # A clock that was set back makes no rest longer than it was.
        return min(max(0.0, until - self._clock()), length)

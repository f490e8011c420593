"""Which authorities are busy or rest, by a fetcher's own requests."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from lycosa.fetch.polite.delays import SMALLEST_DELAY_S

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

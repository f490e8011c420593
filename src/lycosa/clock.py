"""Time as an argument: the real clock, and one that jumps instead of waiting."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since the epoch, and waiting."""

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The time of this machine, counted steadily from when the object was made.

    Whoever sets the machine's clock meanwhile, forwards or back, makes no rest shorter or longer and no crawl slower.
    """

    def __init__(self) -> None:
        self._start = time.time() - _steady_s()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._start + _steady_s()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _steady_s() -> float:
    # A machine that slept has rested too: where there is one, the clock that goes on meanwhile.
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class VirtualClock:
    """A clock that stands still until something sleeps, and then jumps: for the lab."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        """Seconds since the epoch of this clock."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Jump."""
        self._now += seconds

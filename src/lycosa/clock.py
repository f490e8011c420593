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
    """The time of this machine."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


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

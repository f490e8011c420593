"""Politeness to IP addresses, however many hosts share one. In: an address. Out: the turn to go."""

from __future__ import annotations

import asyncio

MAX_RESTING = 10_000


class _Lane:
    __slots__ = ("free_at", "slots", "users")

    def __init__(self, concurrency: int) -> None:
        self.slots = asyncio.Semaphore(concurrency)
        self.users = 0  # inside or waiting
        self.free_at = 0.0


class AddressGate:
    """So many requests at once to one address, and so much rest between them."""

    def __init__(self, concurrency: int, delay_s: float) -> None:
        self._concurrency = concurrency
        self._delay_s = delay_s
        self._lanes: dict[str, _Lane] = {}

    async def enter(self, address: str) -> None:
        """Wait for the address's turn. Each `enter` that returns needs one `leave`."""
        lane = self._lanes.get(address)
        if lane is None:
            lane = self._lanes[address] = _Lane(self._concurrency)
        lane.users += 1
        try:
            await lane.slots.acquire()
        except BaseException:
            self._drop_user(address, lane)
            raise
        if not self._delay_s:
            return
        now = asyncio.get_running_loop().time()
        start = max(now, lane.free_at)
        lane.free_at = start + self._delay_s
        try:
            await asyncio.sleep(start - now)
        except BaseException:
            self.leave(address)
            raise

    def leave(self, address: str) -> None:
        """The request is over."""
        lane = self._lanes[address]
        if self._delay_s:
            lane.free_at = max(lane.free_at, asyncio.get_running_loop().time() + self._delay_s)
        lane.slots.release()
        self._drop_user(address, lane)

    def _drop_user(self, address: str, lane: _Lane) -> None:
        lane.users -= 1
        if lane.users:
            return
        if not self._delay_s:
            del self._lanes[address]
        elif len(self._lanes) > MAX_RESTING:
            now = asyncio.get_running_loop().time()
            self._lanes = {
                name: other for name, other in self._lanes.items() if other.users or other.free_at > now
            }

"""Limits per IP address, which many hosts may share."""

from __future__ import annotations

import asyncio
from typing import Protocol

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

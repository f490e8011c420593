"""Share IP addresses between shards: the coordinator leases each address to one shard at a time.

A source belongs to one shard, but sources of several shards may share an address and its limit. A shard keeps an address
until another shard wants it or until it has been unused for a while.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

from lycosa.fetch.polite.turns import AddressTurns

TURN_S = 1.0
"""Minimum lease of an address while other shards wait: a transfer costs more than a request."""
UNUSED_S = 60.0
"""An address that was not asked for this long is given back."""


class LeasedAddresses:
    """Turns at addresses that this shard has been leased; who wants another waits for its lease."""

    def __init__(self, limit: AddressTurns, rest_s: float) -> None:
        """`limit` is that of this process; an address that was asked is given back after `rest_s`."""
        self._limit = limit
        self._rest_s = rest_s
        self._users: Counter[str] = Counter()
        self._asked_at: dict[str, float] = {}  # of all that are held: when the last turn ended
        self._since: dict[str, float] = {}  # of all that are held: since when
        self._wanted: dict[str, asyncio.Event] = {}
        self._returning: set[str] = set()

    async def enter(self, address: str) -> None:
        while address not in self._asked_at or self._is_over(address):
            await self._wanted.setdefault(address, asyncio.Event()).wait()
        self._users[address] += 1
        try:
            await self._limit.enter(address)
        except BaseException:
            self._users[address] -= 1
            raise

    def leave(self, address: str) -> None:
        self._limit.leave(address)
        self._users[address] -= 1
        self._asked_at[address] = asyncio.get_running_loop().time()

    def grant(self, addresses: Iterable[str]) -> None:
        """These may be asked from now on."""
        now = asyncio.get_running_loop().time()
        for address in addresses:
            self._asked_at.setdefault(address, now)
            self._since.setdefault(address, now)
            if waiting := self._wanted.pop(address, None):
                waiting.set()

    def give_back(self, addresses: Iterable[str]) -> None:
        """These go to another shard as soon as nobody here is using them."""
        self._returning.update(address for address in addresses if address in self._asked_at)

    def report(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The addresses that are held, and those that are wanted."""
        now = asyncio.get_running_loop().time()
        for address, asked_at in list(self._asked_at.items()):
            rested = now - asked_at >= self._rest_s
            unwanted = self._is_over(address) or now - asked_at >= UNUSED_S
            if unwanted and rested and not self._users[address]:
                del self._asked_at[address], self._since[address], self._users[address]
                self._returning.discard(address)
        return tuple(self._asked_at), tuple(self._wanted)

    def _is_over(self, address: str) -> bool:
        """Whether another shard is next."""
        if address not in self._returning:
            return False
        return asyncio.get_running_loop().time() - self._since[address] >= TURN_S

"""The way between shards and their coordinator. `on_ray` does it with Ray, the tests in one process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from lycosa.cluster.coordination.coordinator import Coordinator
from lycosa.cluster.coordination.messages import Orders, Report, Unreachable
from lycosa.collection.shards.mail import Parcel

EVERY_S = 0.2, 1.0
"""Shortest and longest interval between two rounds of the coordinator."""


class Exchange(Protocol):
    """Carries messages. Each may be lost, come twice, late, or out of order: then, or where nobody knows, Unreachable."""

    async def deliver(self, parcel: Parcel) -> int:
        """Bring a parcel to its receiver; up to where that has what this sender sent it."""
        ...

    async def consult(self, shard: int, orders: Orders) -> Report:
        """Bring orders to a shard, and its report back."""
        ...


async def coordinate(
    coordinator: Coordinator,
    exchange: Exchange,
    *,
    every_s: tuple[float, float] = EVERY_S,
    after_round: Callable[[], None] = lambda: None,
) -> None:
    """Ask all shards again and again, and tell them what to do, until all have ended."""
    orders, pause_s = coordinator.round(), every_s[0]
    while not coordinator.is_over:
        heard = await asyncio.gather(
            *map(exchange.consult, range(coordinator.shards), orders), return_exceptions=True
        )
        for shard, report in enumerate(heard):
            if isinstance(report, Report):
                coordinator.hear(report)
            elif isinstance(report, Unreachable):
                coordinator.miss(shard)
            else:
                raise report
        orders = coordinator.round()
        after_round()
        pause_s = min(max(coordinator.pause_s(pause_s), every_s[0]), every_s[1])
        await asyncio.sleep(pause_s)

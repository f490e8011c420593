"""Crawls by several shards in one event loop, over a post that may misbehave; and what all shards hold together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from lycosa.cluster.coordination.coordinator import Coordinator
from lycosa.cluster.coordination.exchange import coordinate
from lycosa.cluster.coordination.messages import Orders, Report, Unreachable
from lycosa.cluster.division import shard_directory
from lycosa.cluster.plan import Plan
from lycosa.cluster.running import plan_of, run_shard, shard_of
from lycosa.cluster.shard import Shard
from lycosa.collection.collection import Collection
from lycosa.collection.shards.mail import Parcel
from lycosa.engine.rules.limits import Limits
from lycosa.engine.start.request import CrawlRequest
from tests.crawling import spec_of

T = TypeVar("T")
PATIENCE_S = 300.0
"""Shards that wait for each other for ever fail their test, instead of holding up all others."""
EVERY_S = 0.05, 0.05


class InProcess:
    """Shards in one event loop."""

    def __init__(self) -> None:
        self.shards: dict[int, Shard] = {}

    async def deliver(self, parcel: Parcel) -> int:
        return await self._shard(parcel.receiver).take_in(parcel)

    async def consult(self, shard: int, orders: Orders) -> Report:
        return self._shard(shard).consult(orders)

    def _shard(self, number: int) -> Shard:
        if number not in self.shards:
            raise Unreachable(f"shard {number} has not begun")
        return self.shards[number]


class Unreliable(InProcess):
    """Loses, doubles and delays messages, answers too."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance
        self.late: list[asyncio.Task[None]] = []

    async def deliver(self, parcel: Parcel) -> int:
        return await self._misbehave(lambda: InProcess.deliver(self, parcel))

    async def consult(self, shard: int, orders: Orders) -> Report:
        return await self._misbehave(lambda: InProcess.consult(self, shard, orders))

    async def _misbehave(self, message: Callable[[], Awaitable[T]]) -> T:
        fate = self.chance.random()
        if fate < 0.1:
            raise Unreachable("lost on the way")
        if fate < 0.2:
            await _ignored(message())
        if fate < 0.3:
            self.late.append(asyncio.ensure_future(_later(message)))
        answer = await message()
        if fate > 0.9:
            raise Unreachable("its answer was lost")
        return answer


async def _later(message: Callable[[], Awaitable[object]]) -> None:
    await asyncio.sleep(0.1)
    await _ignored(message())


async def _ignored(message: Awaitable[object]) -> None:
    with suppress(Unreachable):
        await message


async def plan_for(text: str, directory: Path, shards: int) -> Plan:
    request = CrawlRequest(spec_of(text), text, directory.parent, directory)
    return await plan_of(request, shards, lambda _: None)


def coordinator_of(plan: Plan, term: float = 1.0) -> Coordinator:
    spec = plan.spec()
    limits = Limits.of(spec.limits, spec.fetch)
    return Coordinator(plan.shards, limits, term=term)


async def crawl_in_shards(text: str, directory: Path, shards: int, exchange: InProcess | None = None) -> str:
    """Crawl to the end, by as many shards; why it ended."""
    plan, exchange = await plan_for(text, directory, shards), exchange or InProcess()
    exchange.shards = {number: shard_of(plan, number, exchange.deliver) for number in range(shards)}
    running = [asyncio.ensure_future(run_shard(plan, shard)) for shard in exchange.shards.values()]
    coordinator = coordinator_of(plan)
    async with asyncio.timeout(PATIENCE_S):
        await coordinate(coordinator, exchange, every_s=EVERY_S)
        await asyncio.gather(*running)
    if isinstance(exchange, Unreliable):
        await asyncio.gather(*exchange.late)
    return coordinator.ended


def contents(directories: list[Path]) -> dict[str, dict[Any, Any]]:
    """Pages, links and evidence by URL. What depends on the order of arrival is left out; nothing may be there twice."""
    found: dict[str, dict[Any, Any]] = {"pages": {}, "links": {}, "evidence": {}}
    for directory in directories:
        with Collection.open(directory) as collection:
            reader = collection.reader
            for page in reader.pages():
                if page.kind == "requisite":
                    continue
                url = page.link.url
                assert url not in found["pages"], f"{url} is there twice"
                found["pages"][url] = (page.status, page.title, page.judgement, page.refusal)
                found["evidence"][url] = (reader.evidence(page.id), reader.text(page.id))
                found["links"][url] = [
                    (link.target, link.anchor, link.priority, link.refusal) for link in reader.links(page.id)
                ]
    return found


def of_shards(directory: Path, shards: int) -> list[Path]:
    return [shard_directory(directory, shard) for shard in range(shards)]

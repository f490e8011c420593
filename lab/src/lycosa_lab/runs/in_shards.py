"""A crawl by several shards in virtual time.

The shards' frontier, the price and the grants are those of a real crawl; time goes in rounds, in each of which every shard fetches
as many pages as it may, up to its part of `PAGES_IN_ROUND`, and then what they found for one another is delivered.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.cluster.coordination.coordinator import Coordinator
from lycosa.cluster.coordination.messages import Report
from lycosa.cluster.division import Division
from lycosa.cluster.frontier import SharedMemoryFrontier
from lycosa.engine.conclude import Conclusions
from lycosa.engine.parts import Visit
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits
from lycosa.frontier import Policy
from lycosa.methods import BaseStrategy
from lycosa.spec.sections import ArchiveSpec, FetchSpec, FrontierSpec, ScopeSpec
from lycosa.values import Decision, Fetched, Link
from lycosa_lab.runs.memory_sink import MemorySink
from lycosa_lab.webs.cache import CachedWeb

PAGES_IN_ROUND = 16
"""Pages per round over all shards, at least one each."""


class LabShard:
    """One shard with its frontier in memory."""

    def __init__(self, number: int, division: Division, strategy: BaseStrategy, web: CachedWeb) -> None:
        self.number = number
        self.outbox: list[tuple[int, Link]] = []
        self.fetched: list[Link] = []
        self.granted = 0
        self._web = web
        self._analyser = web.for_evidence(strategy.needs)
        fetch, bounds = FetchSpec(per_host_delay_s=0), FrontierSpec()
        policy = Policy(
            max_waiting=bounds.max_waiting,
            weigh=strategy.host_weight if strategy.weighs_sources else None,
            records=strategy.records,
        )
        self.frontier = SharedMemoryFrontier(policy, shard=number, division=division, send=self._send)
        self.conclusions = Conclusions(
            frontier=self.frontier,
            strategy=strategy,
            store=MemorySink(),
            admission=Admission(ScopeSpec(), fetch, bounds),
            follow=Follow(fetch, ArchiveSpec()),
        )

    def report(self) -> Report:
        """Return the report of a shard of a real crawl."""
        waiting = self.frontier.counts().waiting
        return Report(
            shard=self.number,
            pages=len(self.fetched),
            waiting=waiting,
            granted=self.granted,
            best=self.frontier.best(0.0),
            is_idle=not waiting,
        )

    async def round(self, granted: int, price: float, pages: int) -> None:
        """Fetch up to `pages` pages that are granted and above the price."""
        self.granted, self.frontier.price = granted, price
        self.frontier.room = min(pages, granted - len(self.fetched))
        while (link := self.frontier.take(0.0)) is not None:
            fetched = await self._web.fetch(link)
            page = await self._analyser.analyse(fetched) if isinstance(fetched, Fetched) else None
            before = self.conclusions.tally.pages
            self.conclusions.conclude(Visit(link, fetched, page), 0.0)
            if self.conclusions.tally.pages > before:
                self.fetched.append(link)
            else:
                self.frontier.room = (self.frontier.room or 0) + 1  # only pages count

    def _send(self, shard: int, links: Sequence[Link]) -> None:
        self.outbox += [(shard, link) for link in links]


async def crawl_in_lab(
    strategies: Sequence[BaseStrategy],
    web: CachedWeb,
    seeds: Sequence[Link],
    pages: int,
    *,
    is_priced: bool = True,
    division: Division | None = None,
) -> list[Link]:
    """The pages that as many shards as there are strategies fetch, round by round."""
    division = division or Division(len(strategies))
    shards = [LabShard(number, division, strategy, web) for number, strategy in enumerate(strategies)]
    coordinator = Coordinator(len(shards), Limits(pages=pages), term=1.0, is_priced=is_priced)
    for seed in seeds:
        shards[division.owner_of(seed.url)].conclusions.add([Decision(seed, seed.priority, rule="seed")])
    order: list[Link] = []
    pages_in_round = max(1, PAGES_IN_ROUND // len(shards))
    while not coordinator.ended:
        for shard in shards:
            coordinator.hear(shard.report())
        for shard, orders in zip(shards, coordinator.round(), strict=True):
            begun = len(shard.fetched)
            await shard.round(orders.granted or 0, orders.price, pages_in_round)
            order += shard.fetched[begun:]
        for shard in shards:
            sent, shard.outbox = shard.outbox, []
            for receiver, link in sent:
                shards[receiver].conclusions.add([Decision(link, link.priority)])
    return order

"""The fetcher of the live web: polite HTTP, as [fetch] of a spec says."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from random import Random

from lycosa.fetch.http.client import HttpClient
from lycosa.fetch.http.fetcher import HttpFetcher
from lycosa.fetch.http.resolver import Lookup, Resolver, look_up
from lycosa.fetch.polite.fetcher import PoliteFetcher
from lycosa.fetch.polite.robots import MAX_BYTES, StoredRobots
from lycosa.fetch.polite.turns import AddressTurns
from lycosa.spec.sections import FetchSpec
from lycosa.values import Refusal


@asynccontextmanager
async def live_fetcher(
    spec: FetchSpec,
    content_types: Sequence[str],
    *,
    robots_store: MutableMapping[str, StoredRobots] | None = None,
    rests: MutableMapping[str, float] | None = None,
    tdm: bool = False,
    clock: Callable[[], float] = time.time,
    rng: Random | None = None,
    lookup: Lookup = look_up,
    glance: Callable[[bytes], Refusal | None] | None = None,
    turns: Callable[[AddressTurns], AddressTurns] = lambda limit: limit,
) -> AsyncIterator[PoliteFetcher]:
    """Fetch over HTTP while the context lasts.

    `robots_store` keeps robots.txt files, by authority; `rests` keeps the rests of hosts that were asked on behalf of
    others. A durable mapping keeps them over a restart. `lookup` resolves host names. `glance` may refuse an image by
    its first bytes. With `tdm`, tdmrep.json is fetched from each site. `turns` may share the limits of IP addresses
    with other processes.
    """
    resolver = Resolver(
        {} if spec.proxy else spec.connect_to, lookup=lookup, timeout_s=spec.connect_timeout_s
    )
    async with HttpClient(spec, resolver, clock=clock) as client:
        polite = PoliteFetcher(
            HttpFetcher(client, content_types, max_bytes=spec.max_bytes, glance=glance),
            spec,
            robots_fetcher=HttpFetcher(client, max_bytes=MAX_BYTES, truncate=True),
            robots_store=robots_store,
            rests=rests,
            tdm=tdm,
            addresses=None if spec.proxy else resolver.addresses,
            turns=turns,
            clock=clock,
            rng=rng,
        )
        try:
            yield polite
        finally:
            await polite.close()

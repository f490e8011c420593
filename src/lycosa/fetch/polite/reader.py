"""Polite fetching of URLs outside the frontier: seed lists, example pages, short URLs."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, MutableMapping
from math import inf

import msgspec

from lycosa.clock import Clock
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.redirects import redirect_target
from lycosa.urls import FOLDING, Folding, authority_of, key_of
from lycosa.values import Fetched, Kind, Later, Link, NotFetched, Reason, Refusal


class PoliteReader:
    """Fetches URLs, one at a time per authority, with the rests in between."""

    def __init__(
        self,
        fetcher: CrawlFetcher,
        clock: Clock,
        max_redirects: int,
        rests: MutableMapping[str, float] | None = None,
        resting: Mapping[str, float] | None = None,
        folding: Folding = FOLDING,
    ) -> None:
        """`rests` keeps until when the asked authorities rest; a durable mapping survives a crash.

        `resting` has the rests of authorities that others asked.
        """
        self.fetcher = fetcher
        self.clock = clock
        self.max_redirects = max_redirects
        self.folding = folding
        self._rest_until = {} if rests is None else rests
        self._resting = resting or {}
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def get(
        self, url: str, kind: Kind = Kind.PAGE, see: Callable[[Fetched], None] = lambda _: None
    ) -> Fetched | NotFetched:
        """Fetch a URL, follow redirects and retry passing faults. `see` is called with each response."""
        target = url
        for _ in range(self.max_redirects + 1):
            result = await self.get_once(target, kind)
            if isinstance(result, NotFetched):
                return result
            see(result)
            onward = redirect_target(result)
            if isinstance(onward, Refusal):
                return NotFetched(result.link, onward)
            if onward is None:
                return result
            target = onward
        return NotFetched(result.link, Refusal(Reason.TOO_MANY_REDIRECTS, url))

    async def get_once(self, url: str, kind: Kind = Kind.PAGE) -> Fetched | NotFetched:
        """Fetch a URL without following redirects. Retry passing faults."""
        link, authority = Link(url, key_of(url, self.folding), kind=kind), authority_of(url)
        async with self._turns[authority]:
            while True:
                until = max(self._rest_until.get(authority, 0.0), self._resting.get(authority, 0.0))
                await self.clock.sleep(max(0.0, until - self.clock.now()))
                # Stored before the request: the host must rest after a crash too.
                self._rest_until[authority] = inf
                result = await self.fetcher.fetch(link)
                self._rest_until[authority] = self.clock.now() + result.rest_s
                if isinstance(result, Later):
                    continue
                if isinstance(result, Fetched) or result.again_in_s is None:
                    return result
                await self.clock.sleep(result.again_in_s)
                link = msgspec.structs.replace(link, attempts=link.attempts + 1)

    async def rest(self) -> None:
        """Wait until all rests are over."""
        if self._rest_until:
            await self.clock.sleep(max(0.0, max(self._rest_until.values()) - self.clock.now()))

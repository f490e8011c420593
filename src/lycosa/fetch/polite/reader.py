"""Fetching URLs outside the frontier (seed lists, example pages, short URLs) as politely as inside it."""

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
    """Gets URLs; an authority is never asked twice at once, and rests in between as it asked to."""

    def __init__(
        self,
        fetcher: CrawlFetcher,
        clock: Clock,
        max_redirects: int,
        rests: MutableMapping[str, float] | None = None,
        resting: Mapping[str, float] | None = None,
        folding: Folding = FOLDING,
    ) -> None:
        """`rests`: until when the authorities that it asks rest; a durable mapping outlives a crash.

        `resting`: the same of authorities that others have asked.
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
        """The response to a URL, redirects followed and passing faults tried again. `see` is shown each response."""
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
        """The response to a URL, be it a redirect; passing faults are tried again."""
        link, authority = Link(url, key_of(url, self.folding), kind=kind), authority_of(url)
        async with self._turns[authority]:
            while True:
                until = max(self._rest_until.get(authority, 0.0), self._resting.get(authority, 0.0))
                await self.clock.sleep(max(0.0, until - self.clock.now()))
                # Durable before the request goes out: after a crash the host still rests.
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
        """Wait until every authority that was asked may be asked again."""
        if self._rest_until:
            await self.clock.sleep(max(0.0, max(self._rest_until.values()) - self.clock.now()))

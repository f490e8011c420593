"""Fetching a few URLs outside the frontier (seed lists, example pages) as politely as inside it."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from math import inf

from lycosa.clock import Clock
from lycosa.fetch import Fetcher
from lycosa.fetch.http import redirect_target
from lycosa.urls import authority_of, key_of
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal


class PoliteReader:
    """Gets one URL after another; each authority rests between two requests as it asked to."""

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Clock,
        max_redirects: int,
        rests: MutableMapping[str, float] | None = None,
        resting: Mapping[str, float] | None = None,
    ) -> None:
        """`rests`: until when the authorities that it asks rest; a durable mapping outlives a crash.

        `resting`: the same of authorities that others have asked.
        """
        self.fetcher = fetcher
        self.clock = clock
        self.max_redirects = max_redirects
        self._rest_until = {} if rests is None else rests
        self._resting = resting or {}

    async def get(self, url: str, kind: Kind = Kind.PAGE) -> Fetched | NotFetched:
        """The response to a URL, redirects followed and passing faults tried again."""
        link = Link(url, key_of(url), kind=kind)
        for _ in range(self.max_redirects + 1):
            result = await self._get(link)
            target = redirect_target(result) if isinstance(result, Fetched) else None
            if isinstance(target, Refusal):
                return NotFetched(link, target)
            if target is None:
                return result
            link = Link(target, key_of(target), kind=kind)
        return NotFetched(link, Refusal(Reason.TOO_MANY_REDIRECTS, url))

    async def rest(self) -> None:
        """Wait until every authority that was asked may be asked again."""
        if self._rest_until:
            await self.clock.sleep(max(0.0, max(self._rest_until.values()) - self.clock.now()))

    async def _get(self, link: Link) -> Fetched | NotFetched:
        authority = authority_of(link.url)
        while True:
            until = max(self._rest_until.get(authority, 0.0), self._resting.get(authority, 0.0))
            await self.clock.sleep(max(0.0, until - self.clock.now()))
            self._rest_until[authority] = inf
            result = await self.fetcher.fetch(link)
            self._rest_until[authority] = self.clock.now() + result.rest_s
            if isinstance(result, Fetched) or result.again_in_s is None:
                return result
            await self.clock.sleep(result.again_in_s)
            if result.refusal.reason is not Reason.ROBOTS_PENDING:
                link = Link(link.url, link.key, kind=link.kind, attempts=link.attempts + 1)

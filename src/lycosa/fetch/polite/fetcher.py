"""The polite fetcher: robots.txt, rests, retries and limits around a live fetcher.

Each fetch is at most one request to the link's host. If robots.txt is unknown, that request is for robots.txt, and the
link is postponed (`Later`). `fetch` does not wait for rests: the caller stores them and respects them."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from random import Random
from weakref import WeakValueDictionary

import msgspec

from lycosa.clock import Clock
from lycosa.fetch import CrawlFetcher, Fetcher
from lycosa.fetch.guards import url_refusal
from lycosa.fetch.polite.robots import RobotsCache, Rules, StoredRobots
from lycosa.fetch.polite.tdmrep import PATH as TDM_PATH
from lycosa.fetch.polite.tdmrep import SiteRights, TdmFiles
from lycosa.fetch.polite.turns import (
    RATE_LIMITS,
    RETRYABLE,
    AddressTurns,
    Faults,
    PerIpLimit,
    Turns,
    again_in_s,
    rest_s,
    retry_after_s,
)
from lycosa.fetch.redirects import redirect_target
from lycosa.spec.sections import FetchSpec
from lycosa.urls import FOLDING, Folding, authority_of, host_of, key_of
from lycosa.values import Fetched, Kind, Later, Link, NotFetched, Reason, Refusal

Addresses = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host name to its addresses, in the order to try. Raises OSError if it has none."""


class PoliteFetcher:
    """Wraps a live fetcher. `close` it at the end.

    `robots_fetcher` reads robots.txt files and may cut them at `robots.MAX_BYTES`; `robots_store` keeps them, by
    authority. `rests` keeps until when a host rests that was asked on behalf of another; a durable mapping survives a
    crash. With `tdm`, tdmrep.json is fetched too. Without `addresses` (behind a proxy) there are no limits per IP
    address; `turns` may share the limits with other processes.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        spec: FetchSpec,
        *,
        robots_fetcher: Fetcher,
        robots_store: MutableMapping[str, StoredRobots] | None = None,
        rests: MutableMapping[str, float] | None = None,
        tdm: bool = False,
        addresses: Addresses | None = None,
        turns: Callable[[AddressTurns], AddressTurns] = lambda limit: limit,
        clock: Callable[[], float] = time.time,
        rng: Random | None = None,
    ) -> None:
        self._fetcher = fetcher
        self._spec = spec
        self._addresses = addresses
        self._clock = clock
        self._rng = rng or Random()
        self._faults = Faults()
        self._rests = {} if rests is None else rests
        self._asked, self._asked_for_others = Turns(clock), Turns(clock)
        self._per_ip = turns(PerIpLimit(spec.per_ip_concurrency, spec.per_ip_delay_s))
        self._queues: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # of `fetch_for`
        ask, store = partial(self._exchange, robots_fetcher), {} if robots_store is None else robots_store
        self._robots = RobotsCache(ask, spec, store, self._faults, clock)
        self._tdm = TdmFiles(ask, store, clock) if tdm else None

    async def close(self) -> None:
        """Cancel requests in flight."""
        await self._robots.close()

    async def fetch(self, link: Link) -> Fetched | NotFetched | Later:
        """Send at most one request. A passing fault says when to retry, while retries are left."""
        if (refusal := url_refusal(link.url, self._spec.max_url_length)) is not None:
            return NotFetched(link, refusal)
        authority = authority_of(link.url)
        if wait_s := self._asked_for_others.wait_s(authority):
            return Later(link, wait_s)
        return await self._fetch(link, authority)

    async def fetch_for(self, link: Link) -> Fetched | NotFetched:
        """Fetch a requisite of a page, as politely as `fetch`, but wait until its host may be asked.

        Meanwhile the host gets no other request. Its rest is noted in `rests`.
        """
        if (refusal := url_refusal(link.url, self._spec.max_url_length)) is not None:
            return NotFetched(link, refusal)
        authority = authority_of(link.url)
        async with self._queues.setdefault(authority, asyncio.Lock()):
            while True:
                while wait_s := self._wait_s(authority):
                    await asyncio.sleep(wait_s)
                with self._asking_for_another(authority) as rest_for:
                    result = await self._fetch(link, authority)
                    rest_for(0.0 if _nobody_was_asked(result) else result.rest_s)
                if not isinstance(result, Later):
                    return result

    def _wait_s(self, authority: str) -> float:
        """Return the seconds until an authority may be asked on behalf of another."""
        until = self._rests.get(authority, 0.0)
        rest_left = max(0.0, until - self._clock()) if until < inf else 0.0
        return max(self._asked.wait_s(authority), self._asked_for_others.wait_s(authority), rest_left)

    async def _fetch(self, link: Link, authority: str) -> Fetched | NotFetched | Later:
        crawl_delay_s, rights = 0.0, SiteRights()
        sitemaps: tuple[str, ...] = ()
        if self._spec.obey_robots:
            rules = self._robots.known(authority)
            if rules is None:
                return await self._read_robots(link, authority)
            if (refusal := rules.refusal(link.url)) is not None:
                return NotFetched(link, refusal)
            if wait_s := self._rest_left(rules):
                return Later(link, wait_s)
            crawl_delay_s, sitemaps = rules.crawl_delay_s, rules.sitemaps
            rights = (("content-signal", rules.content_signal),) if rules.content_signal else ()
            if self._tdm and rules.refusal(authority + TDM_PATH) is None:
                said = self._tdm.of(link.url)
                if said is None:
                    return await self._read_tdm(link, authority, crawl_delay_s)
                rights += said
        self._asked.begin(authority)
        try:
            result = await self._exchange(self._fetcher, link)
        except BaseException:
            self._asked.end(authority, self._spec.per_host_delay_s)
            raise
        concluded = self._concluded(link, authority, crawl_delay_s, result)
        self._asked.end(authority, concluded.rest_s)
        if (rights or sitemaps) and isinstance(concluded, Fetched):
            return msgspec.structs.replace(concluded, site_rights=rights, sitemaps=sitemaps)
        return concluded

    async def _read_tdm(self, link: Link, authority: str, crawl_delay_s: float) -> Later:
        """Fetch tdmrep.json before the first page of a site."""
        assert self._tdm is not None
        rest = rest_s(self._spec.per_host_delay_s, crawl_delay_s)
        self._asked.begin(authority)
        await self._tdm.read(authority)
        self._asked.end(authority, rest)
        return Later(link, rest)

    async def _read_robots(self, link: Link, authority: str) -> NotFetched | Later:
        url = self._robots.next_url(authority)
        host = authority_of(url)
        if self._robots.known_at(url):
            rules = await self._robots.read(authority)
        elif host == authority:
            self._asked.begin(authority)
            rules = await self._robots.read(authority)
            self._asked.end(authority, self._spec.per_host_delay_s)
        elif wait_s := max(self._asked.wait_s(host), self._asked_for_others.wait_s(host)):
            return Later(link, wait_s)
        else:
            rules = await self._read_elsewhere(authority, host)
        if rules is None:
            return Later(link, self._spec.per_host_delay_s)
        if isinstance(rules, NotFetched):
            rest = self._rest_s(authority, 0.0, rules)
            again = self._again_in_s(link, rest) if rules.passing else None
            return NotFetched(link, rules.refusal, rest_s=rest, again_in_s=again)
        rest = rest_s(self._spec.per_host_delay_s, rules.crawl_delay_s)
        if (refusal := rules.refusal(link.url)) is not None:
            return NotFetched(link, refusal, rest_s=rest)
        return Later(link, rest)

    def _rest_left(self, rules: Rules) -> float:
        """Return how long a host still rests after an earlier run read its robots.txt.

        A crash loses uncommitted rests, but robots.txt files are stored at once.
        """
        if not rules.is_of_earlier_run:
            return 0.0
        rest = rest_s(self._spec.per_host_delay_s, rules.crawl_delay_s)
        return max(0.0, rules.stored.fetched_at + rest - self._clock())

    async def _read_elsewhere(self, authority: str, other: str) -> Rules | NotFetched | None:
        """Fetch the robots.txt of an authority from another host, which rests after it."""
        with self._asking_for_another(other) as rest_for:
            rules = await self._robots.read(authority)
            if isinstance(rules, NotFetched):
                rest_for(self._rest_s(authority, 0.0, rules))
        return rules

    @contextmanager
    def _asking_for_another(self, host: str) -> Iterator[Callable[[float], None]]:
        """Note that a host is asked on behalf of another. It then rests for the usual time, or for what the caller sets."""
        rest = self._spec.per_host_delay_s

        def rest_for(wanted_s: float) -> None:
            nonlocal rest
            rest = wanted_s

        self._asked_for_others.begin(host)
        self._rests[host] = inf  # before the request: it must rest after a crash too
        try:
            yield rest_for
        finally:
            self._asked_for_others.end(host, rest)
            now = self._clock()
            for name in [name for name, until in self._rests.items() if until <= now]:
                del self._rests[name]
            self._rests[host] = now + rest

    async def _exchange(self, fetcher: Fetcher, link: Link) -> Fetched | NotFetched:
        """Do one exchange within the limit of the host's IP address."""
        if self._addresses is None:
            return await fetcher.fetch(link)
        try:
            address = (await self._addresses(host_of(link.url)))[0]
        except OSError:  # it has none, which the fetcher reports
            return await fetcher.fetch(link)
        await self._per_ip.enter(address)
        try:
            return await fetcher.fetch(link)
        finally:
            self._per_ip.leave(address)

    def _concluded(
        self, link: Link, authority: str, crawl_delay_s: float, result: Fetched | NotFetched
    ) -> Fetched | NotFetched:
        """Return the result with the host's rest and the time of a retry."""
        busy = result.status in RETRYABLE
        passing = busy or (isinstance(result, NotFetched) and result.passing)
        if passing:
            self._faults.add(authority)
        elif isinstance(result, Fetched):
            self._faults.clear(authority)
        rest = self._rest_s(authority, crawl_delay_s, result)
        again = self._again_in_s(link, rest) if passing else None
        if busy and again is not None:
            reason = Reason.RATE_LIMITED if result.status in RATE_LIMITS else Reason.HTTP_ERROR
            refusal = Refusal(reason, f"status {result.status}")
            return NotFetched(link, refusal, rest_s=rest, again_in_s=again)
        if isinstance(result, Fetched):
            return msgspec.structs.replace(result, rest_s=rest)
        return msgspec.structs.replace(result, rest_s=rest, again_in_s=again)

    def _rest_s(self, authority: str, crawl_delay_s: float, result: Fetched | NotFetched) -> float:
        wait_s = 0.0
        if result.status >= 300:
            said = result.header("retry-after") if isinstance(result, Fetched) else result.retry_after
            wait_s = retry_after_s(said, self._clock(), self._spec.max_retry_after_s) if said else 0.0
        return rest_s(self._spec.per_host_delay_s, crawl_delay_s, wait_s, self._faults.of(authority))

    def _again_in_s(self, link: Link, rest: float) -> float | None:
        """Return the seconds until a retry; None if no retries are left."""
        if link.attempts >= self._spec.retries:
            return None
        return again_in_s(rest, self._spec.per_host_delay_s, link.attempts, self._rng)


def _nobody_was_asked(result: Fetched | NotFetched | Later) -> bool:
    """Whether a request was refused before it was sent."""
    return isinstance(result, NotFetched) and result.refusal.reason is Reason.PRIVATE_ADDRESS


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

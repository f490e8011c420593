"""The live web. In: a Link. Out: a Fetched response, or a NotFetched with its reason.

Each fetch is at most one request to the link's host: where robots.txt was not known, that one was
for robots.txt, and the page waits for the host's next polite moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from random import Random
from types import TracebackType
from typing import Self

from lycosa import urls
from lycosa.fetch.politeness import Faults, again_in_s, rest_s, retry_after_s
from lycosa.fetch.resolver import Lookup, look_up
from lycosa.fetch.robots import REDIRECTS, Robots, StoredRobots
from lycosa.fetch.wire import Answer, Fault, Wire
from lycosa.spec.sections import FetchSpec
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal

RETRYABLE = frozenset((408, 425, 429, 500, 502, 503, 504))
RATE_LIMITS = frozenset((429, 503))


class HttpFetcher:
    """Fetches politely and safely. Use it with `async with`.

    Robots.txt files are kept in `robots_store`, by authority, so that a catalogue can keep them
    over a restart. `lookup` resolves host names (default: as the system does). `glance` may refuse
    an image by its first bytes, before the rest is downloaded.
    """

    def __init__(
        self,
        spec: FetchSpec,
        content_types: Sequence[str],
        *,
        robots_store: MutableMapping[str, StoredRobots] | None = None,
        clock: Callable[[], float] = time.time,
        rng: Random | None = None,
        lookup: Lookup = look_up,
        glance: Callable[[bytes], Refusal | None] | None = None,
    ) -> None:
        self._spec = spec
        self._glance_at = glance
        self._wanted = tuple(kind.lower() for kind in content_types)
        self._clock = clock
        self._rng = rng or Random()
        self._faults = Faults()
        self._wire = Wire(spec, clock=clock, lookup=lookup)
        store = {} if robots_store is None else robots_store
        self._robots = Robots(self._wire, spec, store, self._faults, clock)

    async def __aenter__(self) -> Self:
        await self._wire.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._robots.close()
        await self._wire.__aexit__(kind, error, trace)

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """One polite request. A passing fault says when to come back, while retries are left."""
        if not link.url.startswith(("http://", "https://")):
            return NotFetched(link, Refusal(Reason.NOT_HTTP))
        if len(link.url) > self._spec.max_url_length:
            return NotFetched(link, Refusal(Reason.LONG_URL))
        authority = urls.authority_of(link.url)
        crawl_delay_s = 0.0
        if self._spec.obey_robots:
            rules = self._robots.known(authority)
            if rules is None:
                return await self._fetch_robots(link, authority)
            if (refusal := rules.refusal(link.url)) is not None:
                return NotFetched(link, refusal)
            crawl_delay_s = rules.crawl_delay_s
        try:
            answer = await self._ask(link)
        except Fault as fault:
            if fault.passing:
                self._faults.add(authority)
            return self._not_fetched(link, authority, crawl_delay_s, fault)
        return self._fetched(link, authority, crawl_delay_s, answer)

    async def _fetch_robots(self, link: Link, authority: str) -> NotFetched:
        try:
            rules = await self._robots.read(authority)
        except Fault as fault:
            if fault.refusal.reason in (Reason.TIMEOUT, Reason.CONNECT, Reason.BROKEN_RESPONSE):
                refusal = Refusal(Reason.ROBOTS_UNREACHABLE, str(fault.refusal))
                fault = Fault(refusal, passing=fault.passing, wait_s=fault.wait_s)
            return self._not_fetched(link, authority, 0.0, fault)
        rest = rest_s(self._spec.per_host_delay_s, rules.crawl_delay_s)
        if (refused := rules.refusal(link.url)) is not None:
            return NotFetched(link, refused, rest_s=rest)
        return NotFetched(link, Refusal(Reason.ROBOTS_PENDING), rest_s=rest, again_in_s=rest)

    async def _ask(self, link: Link) -> Answer:
        look = partial(self._look, link)
        answer = await self._wire.ask(
            link.url,
            max_bytes=self._spec.max_bytes,
            extra=_conditions(link),
            look=look,
            glance=self._glance if link.kind is Kind.IMAGE else None,
        )
        if answer.cut:
            raise Fault(Refusal(Reason.TOO_LARGE))
        return answer

    def _look(self, link: Link, status: int, headers: Mapping[str, str]) -> None:
        """Decide at the headers whether the body is wanted."""
        if status in RETRYABLE and link.attempts < self._spec.retries:
            reason = Reason.RATE_LIMITED if status in RATE_LIMITS else Reason.HTTP_ERROR
            wait_s = self._retry_after_s(headers.get("Retry-After", ""))
            raise Fault(Refusal(reason, f"status {status}"), passing=True, wait_s=wait_s)
        if status == 200 and not self._is_wanted(link.kind, headers.get("Content-Type", "")):
            raise Fault(Refusal(Reason.CONTENT_TYPE, headers["Content-Type"]))
        length = headers.get("Content-Length", "")
        if length.isdecimal() and status != 304 and int(length) > self._spec.max_bytes:
            raise Fault(Refusal(Reason.TOO_LARGE, f"{length} bytes"))

    def _glance(self, head: bytes) -> None:
        """Decide at the first bytes of an image whether the rest is wanted."""
        if self._glance_at is not None and (refusal := self._glance_at(head)) is not None:
            raise Fault(refusal)

    def _is_wanted(self, kind: Kind, content_type: str) -> bool:
        said = content_type.partition(";")[0].strip().lower()
        if kind is Kind.REQUISITE or not said:
            return True
        if kind is Kind.IMAGE:
            return said.startswith("image/")
        return said in self._wanted or any(fnmatchcase(said, pattern) for pattern in self._wanted)

    def _fetched(self, link: Link, authority: str, crawl_delay_s: float, answer: Answer) -> Fetched:
        wait_s = 0.0
        if answer.status in RETRYABLE:
            self._faults.add(authority)
        else:
            self._faults.clear(authority)
        if answer.status >= 300:
            wait_s = self._retry_after_s(answer.header("retry-after"))
        return Fetched(
            link=link,
            status=answer.status,
            headers=answer.headers,
            body=answer.body,
            request_head=answer.request_head,
            response_head=answer.response_head,
            started=answer.started,
            elapsed_s=answer.elapsed_s,
            address=answer.address,
            rest_s=self._rest_s(authority, crawl_delay_s, wait_s),
        )

    def _not_fetched(self, link: Link, authority: str, crawl_delay_s: float, fault: Fault) -> NotFetched:
        rest = self._rest_s(authority, crawl_delay_s, fault.wait_s)
        again = None
        if fault.passing and link.attempts < self._spec.retries:
            again = again_in_s(rest, self._spec.per_host_delay_s, link.attempts, self._rng)
        return NotFetched(link, fault.refusal, rest_s=rest, again_in_s=again)

    def _rest_s(self, authority: str, crawl_delay_s: float, wait_s: float) -> float:
        return rest_s(self._spec.per_host_delay_s, crawl_delay_s, wait_s, self._faults.of(authority))

    def _retry_after_s(self, value: str) -> float:
        if not value:
            return 0.0
        return retry_after_s(value, self._clock(), self._spec.max_retry_after_s)


def redirect_target(fetched: Fetched) -> str | Refusal | None:
    """Where a response redirects to; BAD_REDIRECT if nowhere usable; None if it is no redirect."""
    if fetched.status not in REDIRECTS:
        return None
    location = fetched.header("location").strip()
    target = urls.join(fetched.link.url, location) if location else None
    return target or Refusal(Reason.BAD_REDIRECT, location[:200] or "no Location")


def _conditions(link: Link) -> dict[str, str] | None:
    """The headers that ask for a page only if it has changed since it was last fetched."""
    conditions = {}
    for name, header in (("etag", "If-None-Match"), ("last_modified", "If-Modified-Since")):
        value = link.memo.get(name)
        if isinstance(value, str) and value and value.isprintable():
            conditions[header] = value
    return conditions or None

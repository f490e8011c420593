"""robots.txt (RFC 9309): the rules for this crawler, from the cache or fetched.

4xx allows all; 429, 5xx, timeouts and unreachable hosts disallow all, for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping

import msgspec
from protego import Protego

from lycosa import urls
from lycosa.fetch.decode import decoded_start
from lycosa.fetch.polite.robots_file import TOKEN, content_signal, rules_for_us, sitemaps_in, text_of
from lycosa.fetch.polite.turns import RETRYABLE, Faults
from lycosa.fetch.redirects import redirect_target
from lycosa.spec.sections import FetchSpec
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal

Exchange = Callable[[Link], Awaitable[Fetched | NotFetched]]
"""Sends one request."""

MAX_BYTES = 500 * 1024
MAX_REDIRECTS = 5
CLOSE_S = 1.0
"""Seconds to wait for cancelled requests."""
MAX_AGE_S = 24 * 3600.0
MAX_AGE_UNREACHABLE_S = 600.0
MAX_PARSED_CHARS = 16_000_000  # of all parsed rules in memory
MAX_REDIRECTED = 100_000  # hosts whose redirects are followed at the same time
_GZIP = b"\x1f\x8b"
UNREACHABLE = 599  # the status stored if there was no response


class StoredRobots(msgspec.Struct, frozen=True):
    """A robots.txt as stored in the catalogue."""

    text: str
    status: int
    fetched_at: float

    def is_fresh(self, now: float) -> bool:
        """Whether the cache may still be used (RFC 9309, 2.4)."""
        max_age = MAX_AGE_UNREACHABLE_S if self.status >= 500 else MAX_AGE_S
        return 0 <= now - self.fetched_at < max_age


class Rules:
    """The rules of one robots.txt for this crawler."""

    def __init__(
        self, stored: StoredRobots, max_crawl_delay_s: float, *, is_of_earlier_run: bool = False
    ) -> None:
        self.stored = stored
        self.is_of_earlier_run = is_of_earlier_run
        self.size = 0
        self.crawl_delay_s = 0.0
        self.content_signal = content_signal(stored.text) if 200 <= stored.status < 300 else ""
        self.sitemaps = sitemaps_in(stored.text) if 200 <= stored.status < 300 else ()
        self._parsed: Protego | None = None
        self._refusal: Refusal | None = None
        if stored.status >= 500:
            self._refusal = Refusal(Reason.ROBOTS_UNREACHABLE, stored.text)
        elif 200 <= stored.status < 300:
            ours = rules_for_us(stored.text)
            self.size = len(ours)
            self._parsed = Protego.parse(ours)
            self.crawl_delay_s = self._parsed.crawl_delay(TOKEN) or 0.0
        if self.crawl_delay_s > max_crawl_delay_s:
            self._refusal = Refusal(
                Reason.ROBOTS,
                f"its Crawl-delay of {self.crawl_delay_s:g} s is above "
                f"fetch.max_crawl_delay_s ({max_crawl_delay_s:g} s)",
            )
            self.crawl_delay_s = 0.0  # the host gets no more requests

    def refusal(self, url: str) -> Refusal | None:
        """Return why this URL may not be fetched; None if it may."""
        if self._refusal is not None or self._parsed is None:
            return self._refusal
        return None if self._parsed.can_fetch(url, TOKEN) else Refusal(Reason.ROBOTS)


def written_in(fetched: Fetched) -> bytes | None:
    """Return the decoded bytes of a robots.txt, whatever encoding the headers claim; None if it is unreadable.

    An unreadable file may forbid everything. A truncated file loses its last line, because half an Allow allows more.
    """
    body = fetched.body
    raw = decoded_start(fetched.headers, body, MAX_BYTES)
    is_not_as_said = bool(body) and not raw
    if is_not_as_said:
        raw = body
    if raw.startswith(_GZIP):
        raw = decoded_start((("Content-Encoding", "gzip"),), raw, MAX_BYTES)
        if not raw or raw.startswith(_GZIP):
            return None
    elif is_not_as_said and _is_binary(raw):
        return None
    if max(len(raw), len(body)) >= MAX_BYTES:
        raw = raw[: max(raw.rfind(b"\n"), raw.rfind(b"\r")) + 1]
    return raw


def _is_binary(raw: bytes) -> bool:
    """Whether these bytes have control characters other than the NULs of UTF-16."""
    return any(byte in raw[:1000] for byte in range(1, 8))


class RobotsCache:
    """The robots.txt files of a crawl: some parsed in memory, all in `store`. `exchange` may cut them at `MAX_BYTES`."""

    def __init__(
        self,
        exchange: Exchange,
        spec: FetchSpec,
        store: MutableMapping[str, StoredRobots],
        faults: Faults,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._exchange = exchange
        self._spec = spec
        self._store = store
        self._faults = faults
        self._clock = clock
        self._began = clock()
        self._parsed: dict[str, Rules] = {}
        self._size = 0
        self._next: dict[str, tuple[str, int]] = {}  # URL and number of redirects, by authority
        self._under_way: dict[str, asyncio.Task[Rules | NotFetched | None]] = {}

    def known(self, authority: str) -> Rules | None:
        """Return the rules of an authority, if they are known and fresh."""
        rules = self._parsed.get(authority)
        now = self._clock()
        if rules is not None and rules.stored.is_fresh(now):
            return rules
        stored = self._store.get(authority)
        if stored is None or not stored.is_fresh(now):
            return None
        return self._keep(authority, stored)

    def known_at(self, url: str) -> Rules | None:
        """Return the rules of the host whose robots.txt has this URL, if they are known and fresh."""
        owner = urls.authority_of(url)
        return self.known(owner) if url == f"{owner}/robots.txt" else None

    def next_url(self, authority: str) -> str:
        """Return the URL that `read` requests next, after redirects."""
        return self._next[authority][0] if authority in self._next else f"{authority}/robots.txt"

    async def read(self, authority: str) -> Rules | NotFetched | None:
        """Fetch the rules with at most one request; None after a redirect, which the next call follows.

        Concurrent calls for the same authority share the request.
        """
        task = self._under_way.get(authority)
        if task is None:
            task = self._under_way[authority] = asyncio.create_task(self._read(authority))
            task.add_done_callback(lambda done: self._finished(authority, done))
        # The first caller may be cancelled; the others still wait.
        return await asyncio.shield(task)

    def _finished(self, authority: str, task: asyncio.Task[Rules | NotFetched | None]) -> None:
        del self._under_way[authority]
        if not task.cancelled():
            task.exception()  # mark it as retrieved

    async def close(self) -> None:
        """Cancel requests in flight."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_S)

    async def _read(self, authority: str) -> Rules | NotFetched | None:
        """Send at most one request. The next call follows a redirect."""
        url, hops = self._next.get(authority) or (f"{authority}/robots.txt", 0)
        shared = self.known_at(url) if hops else None
        result = shared.stored if shared else await self._fetch(authority, url, hops)
        if result is None:
            return None
        self._next.pop(authority, None)
        if isinstance(result, NotFetched):
            return self._unreadable(authority, result)
        self._faults.clear(authority)
        self._store[authority] = result
        owner = urls.authority_of(url)
        if hops and not shared and url == f"{owner}/robots.txt" and 200 <= result.status < 300:
            self._store[owner] = result  # also the file of the other host
        return self._keep(authority, result)

    async def _fetch(self, authority: str, url: str, hops: int) -> StoredRobots | NotFetched | None:
        result = await self._exchange(Link(url, urls.key_of(url), kind=Kind.REQUISITE))
        if isinstance(result, NotFetched):
            return result
        target = redirect_target(result)
        if target is None:
            return self._stored(result)
        if isinstance(target, Refusal) or hops >= MAX_REDIRECTS:
            # Too many or broken redirects mean "unavailable" (RFC 9309, 2.3.1.2).
            return StoredRobots("", result.status, self._clock())
        self._next[authority] = target, hops + 1
        if len(self._next) > MAX_REDIRECTED:
            del self._next[next(iter(self._next))]
        return None

    def _stored(self, fetched: Fetched) -> StoredRobots | NotFetched:
        if 400 <= fetched.status < 500 and fetched.status not in RETRYABLE:
            return StoredRobots("", fetched.status, self._clock())
        raw = written_in(fetched) if 200 <= fetched.status < 300 else None
        if raw is not None:
            return StoredRobots(text_of(raw), fetched.status, self._clock())
        fault = f"status {fetched.status}" if fetched.status >= 300 else "it cannot be decoded"
        return NotFetched(
            fetched.link,
            Refusal(Reason.ROBOTS_UNREACHABLE, fault),
            passing=True,
            status=fetched.status,
            retry_after=fetched.header("retry-after"),
        )

    def _unreadable(self, authority: str, result: NotFetched) -> NotFetched:
        """Count the fault, and name robots.txt as the reason."""
        refusal = result.refusal
        if refusal.reason is Reason.PRIVATE_ADDRESS:  # refused here, not by the host
            return result
        # A passing fault makes the authority "unreachable" only after the retries.
        given_up = self._faults.add(authority) > self._spec.retries or not result.passing
        if given_up and refusal.reason is not Reason.DNS:
            self._store[authority] = StoredRobots(str(refusal), UNREACHABLE, self._clock())
        if refusal.reason in (Reason.TIMEOUT, Reason.CONNECT, Reason.BROKEN_RESPONSE):
            refusal = Refusal(Reason.ROBOTS_UNREACHABLE, str(refusal))
        return msgspec.structs.replace(result, refusal=refusal)

    def _keep(self, authority: str, stored: StoredRobots) -> Rules:
        earlier = stored.fetched_at < self._began
        rules = Rules(stored, self._spec.max_crawl_delay_s, is_of_earlier_run=earlier)
        if (old := self._parsed.pop(authority, None)) is not None:
            self._size -= old.size
        self._parsed[authority] = rules
        # A parsed empty file needs about a kilobyte.
        self._size += rules.size + 1000
        rules.size += 1000
        while self._size > MAX_PARSED_CHARS and len(self._parsed) > 1:
            self._size -= self._parsed.pop(next(iter(self._parsed))).size
        return rules

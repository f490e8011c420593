"""Expand short URLs.

Only redirects between shorteners are followed; the target page is not fetched. A cache on disk keeps the answers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Self

from lycosa import urls
from lycosa.errors import InputError
from lycosa.values import Reason, Refusal

Hop = Callable[[str], Awaitable[str | Refusal | None]]
"""One polite request: where the URL redirects to, None if nowhere, or why it could not be asked."""

MAX_HOPS = 5
PASSING = frozenset(
    (
        Reason.DNS,
        Reason.CONNECT,
        Reason.TLS,
        Reason.TIMEOUT,
        Reason.BROKEN_RESPONSE,
        Reason.RATE_LIMITED,
        Reason.ROBOTS_UNREACHABLE,
    )
)
"""Faults that may be gone tomorrow: they are not kept."""


@cache
def shorteners() -> frozenset[str]:
    """The hosts that are known to do nothing but redirect."""
    text = files(__package__).joinpath("shorteners.txt").read_text("utf-8")
    lines = (line for line in text.splitlines() if not line.startswith("#"))
    return frozenset(host for line in lines for host in line.split())


def is_short(url: str) -> bool:
    """Whether a URL is one of a shortener.

    >>> is_short("http://t.co/abc"), is_short("HTTPS://BIT.LY/x"), is_short("http://a.example/t.co")
    (True, True, False)
    """
    host = url.partition("://")[2].partition("/")[0].lower()
    return host.removeprefix("www.") in shorteners()


class Expander:
    """Follows short URLs, at most `max_hops` redirects each. Use it with `with`."""

    def __init__(self, hop: Hop, cache_file: Path | None = None, *, max_hops: int = MAX_HOPS) -> None:
        self.hop = hop
        self.max_hops = max_hops
        self._cache = _open(cache_file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cache.close()

    async def expand(self, url: str) -> str | Refusal:
        """The first URL on the way that is not a shortener's, or why there is none."""
        seen: set[str] = set()
        for _ in range(self.max_hops + 1):
            if not is_short(url):
                return url
            if url in seen:
                return Refusal(Reason.REDIRECT_LOOP, url)
            seen.add(url)
            if len(seen) > self.max_hops:
                break
            target = await self._target(url)
            if isinstance(target, Refusal):
                return target
            url = target
        return Refusal(Reason.TOO_MANY_REDIRECTS, url)

    async def _target(self, url: str) -> str | Refusal:
        row = self._cache.execute("SELECT target, reason, detail FROM hop WHERE url = ?", (url,)).fetchone()
        if row is not None:
            return Refusal(Reason(row[1]), row[2]) if row[1] else str(row[0])
        found = await self.hop(url)
        if found is None:
            found = Refusal(Reason.BAD_REDIRECT, "it does not redirect")
        elif isinstance(found, str):
            found = urls.parse(found) or Refusal(Reason.BAD_REDIRECT, found[:200])
        if isinstance(found, str):
            self._keep(url, found, "", "")
        elif found.reason not in PASSING:
            self._keep(url, "", found.reason.value, found.detail)
        return found

    def _keep(self, *row: str) -> None:
        self._cache.execute("INSERT OR REPLACE INTO hop VALUES (?, ?, ?, ?)", row)
        self._cache.commit()


def _open(path: Path | None) -> sqlite3.Connection:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        cache = sqlite3.connect(path or ":memory:")
        cache.execute(
            "CREATE TABLE IF NOT EXISTS hop (url TEXT PRIMARY KEY, target TEXT, reason TEXT, detail TEXT)"
        )
    except (OSError, sqlite3.Error) as error:
        raise InputError(
            f"{path} cannot be used to keep short URLs ({error}). Name another file: --cache."
        ) from None
    return cache

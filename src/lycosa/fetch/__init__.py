"""Fetching links, from servers or archives.

A fetcher does one exchange and has no policy; `polite` wraps the live ones.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.values import Fetched, Later, Link, NotFetched


class Fetcher(Protocol):
    """One exchange, without redirects and retries.

    It does not raise for errors of a server or an archive. A fault that a retry may fix is marked as `passing`.
    """

    async def fetch(self, link: Link) -> Fetched | NotFetched: ...


class CrawlFetcher(Protocol):
    """A fetcher that may also postpone a link. Every Fetcher is one."""

    async def fetch(self, link: Link) -> Fetched | NotFetched | Later: ...

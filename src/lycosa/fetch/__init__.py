"""From a link to the bytes that its server (or an archive) answers with.

In: a Link. Out: a Fetched response or a NotFetched with its reason. A fetcher does one exchange and
keeps no policy; `polite` wraps those of the live web, so that no other stage reaches it rudely.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.values import Fetched, Later, Link, NotFetched


class Fetcher(Protocol):
    """One exchange: no redirect followed (its target is a new link), nothing tried again.

    It does not raise for what a server or an archive does wrong. A fault that may go better another
    time is marked as `passing`; when to come back is not the fetcher's to say.
    """

    async def fetch(self, link: Link) -> Fetched | NotFetched: ...


class CrawlFetcher(Protocol):
    """What a crawl asks: a fetcher that may also put a link off. Every Fetcher is one."""

    async def fetch(self, link: Link) -> Fetched | NotFetched | Later: ...

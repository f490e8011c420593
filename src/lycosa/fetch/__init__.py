"""From a link to the bytes that its server (or an archive) answers with.

In: a Link. Out: a Fetched response or a NotFetched with its reason. Robots, politeness and guards
live here, so that no other stage can reach the network without them.
"""

from __future__ import annotations

from typing import Protocol

from lycosa.values import Fetched, Link, NotFetched


class Fetcher(Protocol):
    """One request, no redirect followed: a redirect is a response, and its target a new link."""

    async def fetch(self, link: Link) -> Fetched | NotFetched: ...

"""The seam to the other shards of a crawl. In: what arrives from them. Out: what leaves for them.

A crawl in one process has no peers. `cluster` implements them; the engine knows that there may be some, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from lycosa.fetch.polite.per_ip_limit import AddressTurns
from lycosa.frontier import Policy
from lycosa.frontier.sqlite import Connection, SqliteFrontier
from lycosa.learn.fitting.fitter import Fit
from lycosa.values import Link


class Peers(Protocol):
    """The other shards, as the loop of one shard meets them."""

    def during(self) -> None:
        """Take in what has arrived, forget what has arrived elsewhere; inside the commit, before anything is taken."""
        ...

    def after(self) -> None:
        """The commit is done: what it put out may be sent, what it took in may be confirmed."""
        ...

    async def all_still(self) -> None:
        """Wait until all shards have ended what was under way: nothing more is found by any of them."""
        ...


class Share(Peers, Protocol):
    """One shard's share of a crawl: where it begins, and what its parts are made of instead of the usual ones."""

    seeds: Sequence[Link]
    others: Sequence[Path]
    """The collections of the other shards: a judge learns from their pages too."""
    leads: bool
    """Whether this shard fits the judge, for all; the others judge by the versions that it publishes."""

    def pages(self) -> int:
        """How many pages all shards have, as far as this one has heard."""
        ...

    def publish(self, fit: Fit) -> None:
        """Let the others judge by a version."""
        ...

    def published(self) -> Fit | None:
        """The version that was published last; None if it is the one that this returned the last time."""
        ...

    async def last_published(self) -> None:
        """Wait until the last version of the run is published, or nobody will."""
        ...

    def frontier(
        self, connection: Connection, policy: Policy, now: float, restart_rest_s: float
    ) -> SqliteFrontier:
        """A frontier of the shard's own sources, in this database; what belongs to others leaves through it."""
        ...

    def turns(self, limit: AddressTurns) -> AddressTurns:
        """Turns at IP addresses that no other shard has at the same time; `limit` is that of this process."""
        ...

"""The seam to the other shards of a crawl. `cluster` implements it; a crawl without shards is `Alone`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lycosa.fetch.polite.per_ip_limit import AddressTurns
from lycosa.frontier import Policy
from lycosa.frontier.sqlite import Connection, SqliteFrontier
from lycosa.learn.refit import SharedFits
from lycosa.values import Link


class Peers(Protocol):
    """The other shards, as the loop of one shard meets them."""

    may_send: bool = True
    """Whether something may arrive while nothing waits here."""

    def during(self) -> None:
        """Take in what has arrived; inside the commit, before anything is taken."""
        ...

    def after(self) -> None:
        """The commit is done: send what it put out, confirm what it took in."""
        ...


class Alone(Peers):
    """No other shards."""

    may_send = False

    def during(self) -> None:
        pass

    def after(self) -> None:
        pass


class Share(Peers, SharedFits, Protocol):
    """One shard's share of a crawl: where it begins, and what its parts are made of instead of the usual ones."""

    seeds: Sequence[Link]

    def frontier(
        self, connection: Connection, policy: Policy, now: float, restart_rest_s: float
    ) -> SqliteFrontier:
        """A frontier of the shard's own sources, in this database; what belongs to others leaves through it."""
        ...

    def turns(self, limit: AddressTurns) -> AddressTurns:
        """Turns at IP addresses that no other shard has at the same time; `limit` is that of this process."""
        ...

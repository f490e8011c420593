"""The parts that a crawl may have or not, each with one that does nothing, and the visits that it concludes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from lycosa.collection.known import KnownElsewhere
from lycosa.engine.rendering import Renderings
from lycosa.engine.rules.patterns import NoPatterns, Patterns
from lycosa.fetch.polite.turns import AddressTurns
from lycosa.frontier import Frontier, FrontierView, Policy
from lycosa.frontier.sqlite import Connection, SqliteFrontier
from lycosa.learn.refit import SharedFits
from lycosa.page.signs.needs_browser import Gain
from lycosa.values import Fetched, Judgement, Later, Link, NotFetched, Page, Refusal


class WholeFrontier(Frontier, FrontierView, Protocol):
    """The frontier of a crawl: it can be changed, and says when the next URL can be taken."""

    def together(self) -> AbstractContextManager[None]:
        """Batch the changes of several pages: a URL is scored and stored once, at the end."""
        ...

    def rescore(self, limit: int) -> int:
        """Score again, by what the strategy has learned since, the URLs that can go next. Return their number."""
        ...

    def hasten(self, keys: Collection[int], now: float) -> None:
        """Make those of the URLs due now that wait for a revisit."""
        ...


class Near(Protocol):
    """Finds near duplicates. Where none are looked for, `NoneNear`."""

    def add(self, key: int, simhash: int, sketch: bytes) -> int | None:
        """Remember a page; return the key of an earlier page that is nearly equal, or None."""
        ...


class NoneNear:
    """Looks for no near duplicates."""

    def add(self, key: int, simhash: int, sketch: bytes) -> int | None:
        """None."""
        return None


@dataclass(frozen=True, slots=True)
class OptionalParts:
    """Parts of a crawl that a spec may leave out; the defaults do nothing.

    `verdicts` are what people said of pages, by key: they hold whatever the judge says. `given` is the same for pages
    that say what the crawl is about; `verdicts` win over it. Without `settle_orphans`, links that wait in vain are left
    to the caller, because what they wait for may still come.
    """

    verdicts: Mapping[int, Judgement] = field(default_factory=dict)
    given: Mapping[int, Judgement] = field(default_factory=dict)
    near: Near = field(default_factory=NoneNear)
    patterns: Patterns = field(default_factory=NoPatterns)
    renderings: Renderings = field(default_factory=Renderings)
    known: KnownElsewhere = field(default_factory=lambda: KnownElsewhere(()))
    settle_orphans: bool = True


@dataclass(frozen=True, slots=True)
class Visit:
    """A taken link and what came of it."""

    link: Link
    fetched: Fetched | NotFetched | Later
    page: Page | Refusal | None = None
    exchanges: tuple[Fetched | NotFetched, ...] = ()  # what a browser asked for to render it
    gain: Gain | None = None  # what rendering it has gained; None where it was not rendered
    judgement: Judgement | None = None  # by a judge that judges many pages at once


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


class NoAssisting:
    """A crawl without an assistant that answers questions."""

    @asynccontextmanager
    async def beside(self, crawl: Any) -> AsyncIterator[None]:
        """Ask beside a crawl while the context lasts."""
        yield

    async def end(self) -> None:
        """Ask the remaining questions once the crawl has ended by itself, within its patience."""


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

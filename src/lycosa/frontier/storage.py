"""Storage: where a frontier keeps its URLs. A backend is one class with these methods, and `Holds`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import msgspec

from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import Entry

Weights = tuple[int, str, float, float]
"""A source: (number, name, good, bad)."""


class Loaded(msgspec.Struct, frozen=True):
    """What a storage kept of an earlier run, besides its URLs."""

    sources: Sequence[tuple[str, float, float]] = ()
    """(name, good, bad) of each source, by number."""
    authorities: Sequence[tuple[str, int, float, float, int, int, int]] = ()
    """(name, source, may_go_at, rest, pages, done, tries) of each authority, by number."""
    waiting: Mapping[int, tuple[int, int]] = {}
    """(waiting URLs, those of them in state LATER), by authority."""
    last_id: int = 0
    dropped: Mapping[str, int] = {}
    leases: int = 0
    """URLs that were taken when the earlier run ended."""
    interrupted: Mapping[int, int] = {}
    """Runs in a row that ended while the authority was being asked, for the authorities of those leases."""


class Storage(Protocol):
    """URLs as entries, in and out. The rules are those of `QueuedFrontier`.

    A leased URL keeps its row as it was until the frontier updates it, so that a crash loses nothing.
    Selections (`heads`, `later`, `worst`, `pages`, `sunk`) leave leased URLs out.
    A storage may return the same entry object twice; entries that it returns from `look_up`, `entries`, `worst`,
    `pages` and `sunk` need not have their `link`.
    """

    window: int
    """The most URLs of a queue that the frontier keeps in memory."""

    def load(self, authorities: Sequence[Authority]) -> Loaded:
        """End all leases and return what an earlier run left. `authorities` grows as the frontier meets them."""
        ...

    def look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        """Return the known URLs (waiting or done, leased ones included), by key."""
        ...

    def entries(self, ids: Collection[int]) -> list[Entry]:
        """Return the URLs with these numbers, in this order."""
        ...

    def read(self, id: int) -> Entry:
        """Return one URL with its link."""
        ...

    def insert(self, entries: Collection[Entry]) -> None:
        """Store new waiting URLs."""
        ...

    def update(self, entries: Collection[Entry]) -> None:
        """Store what changed: state, time, priority, trail, depth and record; the link and attempts if a link is there."""
        ...

    def delete(self, entries: Collection[Entry]) -> None: ...

    def lease(self, entry: Entry) -> None: ...

    def end_lease(self, entry: Entry) -> None:
        """End a lease and forget the interruptions of its authority. The entry's link may be dropped."""
        ...

    def heads(self, authority: Authority, limit: int) -> list[Head]:
        """Return at least `limit` URLs in state WAITING of an authority, if it has as many, best first."""
        ...

    def later(self, limit: int, *, again: bool) -> list[tuple[float, int]]:
        """Return (time, number) of URLs in state LATER that wait for their next visit, or of the others; earliest first."""
        ...

    def worst(self, count: int) -> list[Entry]:
        """Return the waiting URLs of lowest priority; among equals those found last."""
        ...

    def pages(self, authority: Authority) -> list[Entry]:
        """Return the waiting pages of an authority; not those that wait for their next visit."""
        ...

    def sink(self) -> None:
        """Set the priority of waiting pages that were found as links to -inf; not where a next visit is waited for."""
        ...

    def sunk(self, limit: int) -> list[Entry]:
        """Return some of the pages that `sink` concerns and whose priority is -inf."""
        ...

    def note(
        self,
        authorities: Collection[Authority] = (),
        weights: Collection[Weights] = (),
        dropped: Mapping[str, int] = {},
    ) -> None:
        """Store new or changed authorities, sources and counts of dropped URLs."""
        ...

"""What a frontier asks of the storage of its URLs: in memory, or in a database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

from lycosa.frontier.choice import Authority
from lycosa.frontier.entry import Entry
from lycosa.values import Link


class Storage(ABC):
    """Where URLs and the queues of authorities are kept. The rules are those of `QueuedFrontier`."""

    @abstractmethod
    def _look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        """Those of the URLs that are waiting, taken or done; links need not be loaded."""

    @abstractmethod
    def _read(self, key: int) -> Entry | None:
        """One URL with its link."""

    @abstractmethod
    def _insert(self, entries: Collection[Entry]) -> None: ...

    @abstractmethod
    def _rewrite(self, entries: Collection[Entry]) -> None:
        """Store what merging changed."""

    @abstractmethod
    def _promote(self, entries: Collection[Entry]) -> None:
        """Store that done URLs are selected now."""

    @abstractmethod
    def _delete(self, entries: Collection[Entry]) -> None: ...

    @abstractmethod
    def _lease(self, authority: Authority) -> Entry:
        """Take the head out of the queue and store the lease. The link is loaded."""

    @abstractmethod
    def _finish(self, entry: Entry) -> None:
        """Store that a taken URL is done."""

    @abstractmethod
    def _put_back(self, entry: Entry, link: Link) -> None:
        """Store that a taken URL waits until `entry.at`, with the priority and notes of `link`."""

    @abstractmethod
    def _due(self, now: float) -> Iterable[Entry]:
        """The URLs whose own time has come, next visits aside; they are stored as waiting."""

    @abstractmethod
    def _first_later(self, *, again: bool = False) -> float:
        """The earliest own time of a URL that waits for its next visit, or of one that does not; infinite if there is none."""

    @abstractmethod
    def _due_again(self, now: float, limit: int) -> list[Entry]:
        """URLs whose next visit is due, the first of them, with their links; they stay as they are."""

    @abstractmethod
    def _lease_again(self, entry: Entry) -> None:
        """Store the lease of such a URL."""

    @abstractmethod
    def _advance(self, entries: Collection[Entry]) -> None:
        """Store another own time of such URLs."""

    @abstractmethod
    def _worst(self, count: int) -> list[Entry]:
        """The waiting URLs of lowest priority, the latest found first among equals."""

    @abstractmethod
    def _sink(self) -> None:
        """Set the priority of waiting pages that were found as links to -inf, and make all queues anew."""

    @abstractmethod
    def _sunk(self, limit: int) -> list[Entry]:
        """Some of those whose priority is still -inf."""

    @abstractmethod
    def _pages_of(self, authority: Authority) -> list[Entry]:
        """The waiting URLs of kind page."""

    @abstractmethod
    def _best(self, authority: Authority, limit: int) -> list[Entry]:
        """The waiting URLs of highest priority that may go now; links need not be loaded."""

    @abstractmethod
    def _enqueue(self, entry: Entry) -> None:
        """Put a stored waiting URL into its authority's queue, under its priority."""

    @abstractmethod
    def _dequeue(self, entry: Entry) -> None:
        """Take a URL that no longer waits so out of its authority's queue (from under `filed`)."""

    @abstractmethod
    def _head(self, authority: Authority) -> tuple[float, int] | None:
        """The best of an authority's queue."""

    @abstractmethod
    def _note_new(self, authority: Authority) -> None:
        """Store a new authority, and its source if that is new."""

    @abstractmethod
    def _note(self, authority: Authority) -> None:
        """Store an authority's rest and counts."""

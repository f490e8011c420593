"""Holds: named groups of links that wait outside the queue for other URLs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable

from lycosa.values import Decision, Link


class Holds(ABC):
    """The open holds. A hold that waits for nothing is *ripe*; it stays open until released."""

    def __init__(self) -> None:
        self.links = 0  # held links
        self.ripe: dict[str, int] = {}  # name -> number by age

    def orphans(self) -> tuple[str, ...]:
        """Return the ripe holds, oldest first."""
        return tuple(sorted(self.ripe, key=self.ripe.__getitem__))

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return all open holds, oldest first."""

    @abstractmethod
    def holding(self, keys: Collection[int]) -> set[int]:
        """Return the keys that are held."""

    @abstractmethod
    def find(self, key: int) -> tuple[str, Link] | None:
        """Return the hold and the link of a held key."""

    @abstractmethod
    def hold(self, decisions: Iterable[Decision], pending: Collection[int]) -> None:
        """Hold links. They wait for their `waits_for` that are pending."""

    @abstractmethod
    def leave(self, keys: Iterable[int]) -> None:
        """Remove links from their holds, which stay open."""

    @abstractmethod
    def wait_too(self, key: int, other: int) -> None:
        """Let holds that wait for `key` also wait for `other`, which is pending."""

    @abstractmethod
    def ended(self, keys: Collection[int]) -> tuple[str, ...]:
        """Note that URLs are done or dropped. Return the holds that are ripe now, oldest first."""

    @abstractmethod
    def release(self, name: str) -> tuple[tuple[Link, ...], list[int]]:
        """Remove a hold. Return its links, and the pending keys that no other hold waits for."""


class MemoryHolds(Holds):
    """Holds in dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}
        self._count = 0
        self._links: dict[str, dict[int, Link]] = {}
        self._pending: dict[str, set[int]] = {}
        self._hold_of: dict[int, str] = {}
        self._waiting_for: dict[int, set[str]] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def holding(self, keys: Collection[int]) -> set[int]:
        return {key for key in keys if key in self._hold_of} if self._hold_of else set()

    def find(self, key: int) -> tuple[str, Link] | None:
        name = self._hold_of.get(key)
        return None if name is None else (name, self._links[name][key])

    def hold(self, decisions: Iterable[Decision], pending: Collection[int]) -> None:
        for decision in decisions:
            name, key = decision.hold, decision.link.key
            if name not in self._numbers:
                self._count += 1
                self._numbers[name] = self._count
                self._links[name], self._pending[name] = {}, set()
            self._links[name][key] = decision.link
            self._hold_of[key] = name
            for awaited in decision.waits_for:
                if awaited in pending:
                    self._pending[name].add(awaited)
                    self._waiting_for.setdefault(awaited, set()).add(name)
            self._note_ripe(name)
        self.links = len(self._hold_of)

    def leave(self, keys: Iterable[int]) -> None:
        for key in keys:
            del self._links[self._hold_of.pop(key)][key]
        self.links = len(self._hold_of)

    def wait_too(self, key: int, other: int) -> None:
        for name in self._waiting_for.get(key, ()):
            self._pending[name].add(other)
            self._waiting_for.setdefault(other, set()).add(name)

    def ended(self, keys: Collection[int]) -> tuple[str, ...]:
        names: set[str] = set()
        for key in keys if self._waiting_for else ():
            for name in self._waiting_for.pop(key, ()):
                self._pending[name].discard(key)
                names.add(name)
        return tuple(sorted(filter(self._note_ripe, names), key=self._numbers.__getitem__))

    def release(self, name: str) -> tuple[tuple[Link, ...], list[int]]:
        if self._numbers.pop(name, None) is None:
            return (), []
        self.ripe.pop(name, None)
        links = self._links.pop(name)
        for key in links:
            del self._hold_of[key]
        self.links = len(self._hold_of)
        alone = []
        for key in sorted(self._pending.pop(name)):
            others = self._waiting_for[key]
            others.discard(name)
            if not others:
                del self._waiting_for[key]
                alone.append(key)
        return tuple(links.values()), alone

    def _note_ripe(self, name: str) -> bool:
        if self._pending[name]:
            self.ripe.pop(name, None)
            return False
        self.ripe[name] = self._numbers[name]
        return True

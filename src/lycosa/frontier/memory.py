"""A frontier in memory, for the lab and for small crawls."""

from __future__ import annotations

import math
import sys
from bisect import bisect_left, insort
from collections.abc import Collection, Mapping, Sequence
from heapq import nsmallest
from itertools import islice

from msgspec.structs import replace

from lycosa.frontier import Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import LATER, WAITING, Entry
from lycosa.frontier.holds import MemoryHolds
from lycosa.frontier.queued import QueuedFrontier
from lycosa.frontier.storage import Loaded, Weights
from lycosa.values import Kind


class MemoryStorage:
    """Entries in dictionaries; queues are whole in memory."""

    window = sys.maxsize

    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._by_id: dict[int, Entry] = {}
        self._later: dict[bool, list[tuple[float, int]]] = {False: [], True: []}  # sorted; by whether again
        self._filed: dict[int, tuple[bool, float]] = {}  # where in `_later` a number is

    def load(self, authorities: Sequence[Authority]) -> Loaded:
        return Loaded()

    def look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        return {key: self._entries[key] for key in keys if key in self._entries}

    def entries(self, ids: Collection[int]) -> list[Entry]:
        return [self._by_id[id] for id in ids]

    def read(self, id: int) -> Entry:
        return self._by_id[id]

    def insert(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            self._entries[entry.key] = self._by_id[entry.id] = entry
        self.update(entries)

    def update(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            assert entry.link is not None
            entry.link = replace(
                entry.link,
                priority=entry.priority,
                depth=entry.depth,
                trail=entry.trail,
                attempts=entry.attempts,
                record=entry.record,
            )
            self._file(entry)

    def delete(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            self._unfile(entry.id)
            del self._entries[entry.key], self._by_id[entry.id]

    def lease(self, entry: Entry) -> None:
        self._unfile(entry.id)

    def end_lease(self, entry: Entry) -> None:
        pass  # the frontier keeps what is taken

    def heads(self, authority: Authority, limit: int) -> list[Head]:
        heads = ((-entry.priority, entry.id) for entry in self.entries([id for _, id in authority.queue]))
        return nsmallest(limit, heads)

    def later(self, limit: int, *, again: bool) -> list[tuple[float, int]]:
        return self._later[again][:limit]

    def worst(self, count: int) -> list[Entry]:
        waiting = (entry for entry in self._entries.values() if entry.state in (WAITING, LATER))
        return nsmallest(count, waiting, key=lambda entry: (entry.priority, -entry.id))

    def pages(self, authority: Authority) -> list[Entry]:
        ids = sorted(id for queue in (authority.queue, self._later[False]) for _, id in queue)
        pages = (self._by_id[id] for id in ids)
        return [entry for entry in pages if entry.authority is authority and entry.kind is Kind.PAGE]

    def sink(self) -> None:
        for entry in self._entries.values():
            if _was_found_as_link(entry):
                assert entry.link is not None
                entry.priority = entry.filed = -math.inf
                entry.link = replace(entry.link, priority=-math.inf)

    def sunk(self, limit: int) -> list[Entry]:
        sunk = (e for e in self._entries.values() if e.priority == -math.inf and _was_found_as_link(e))
        return list(islice(sunk, limit))

    def note(
        self,
        authorities: Collection[Authority] = (),
        weights: Collection[Weights] = (),
        dropped: Mapping[str, int] = {},
    ) -> None:
        pass  # the frontier keeps them

    def _file(self, entry: Entry) -> None:
        if entry.id in self._filed:
            self._unfile(entry.id)
        if entry.state == LATER:
            assert entry.at is not None
            self._filed[entry.id] = entry.is_again, entry.at
            insort(self._later[entry.is_again], (entry.at, entry.id))

    def _unfile(self, id: int) -> None:
        if id in self._filed:
            again, at = self._filed.pop(id)
            later = self._later[again]
            del later[bisect_left(later, (at, id))]


class MemoryFrontier(QueuedFrontier):
    """A frontier in dictionaries; the same calls always give the same answers."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(MemoryStorage(), MemoryHolds(), policy)


def _was_found_as_link(entry: Entry) -> bool:
    link = entry.link
    found = link is not None and link.parent != 0 and link.redirects == 0
    return found and entry.kind is Kind.PAGE and entry.state in (WAITING, LATER) and not entry.is_again

"""A frontier in memory, for the lab and for small crawls. In and out: as `Frontier`."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from heapq import heappop, heappush, nsmallest
from itertools import islice

from msgspec.structs import replace

from lycosa.frontier import Policy
from lycosa.frontier.choice import Authority, Head
from lycosa.frontier.entry import LATER, WAITING, Entry
from lycosa.frontier.holds import MemoryHolds
from lycosa.frontier.queued import QueuedFrontier
from lycosa.values import Kind, Link


class MemoryFrontier(QueuedFrontier):
    """A frontier in dictionaries and heaps; the same calls always give the same answers."""

    def __init__(
        self,
        policy: Policy,
    ) -> None:
        super().__init__(MemoryHolds(), policy)
        self._entries: dict[int, Entry] = {}
        self._by_id: dict[int, Entry] = {}
        self._later: list[tuple[float, int]] = []
        self._again: list[tuple[float, int]] = []  # those that wait for their next visit

    def _look_up(self, keys: Collection[int]) -> dict[int, Entry]:
        return {key: self._entries[key] for key in keys if key in self._entries}

    def _read(self, key: int) -> Entry | None:
        return self._entries.get(key)

    def _insert(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            self._entries[entry.key] = self._by_id[entry.id] = entry
        self._rewrite(entries)

    def _rewrite(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            assert entry.link is not None
            entry.link = replace(
                entry.link,
                priority=entry.priority,
                depth=entry.depth,
                attempts=entry.attempts,
                record=entry.record,
            )

    def _promote(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            assert entry.link is not None
            entry.link = replace(entry.link, trail=0)

    def _delete(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            del self._entries[entry.key], self._by_id[entry.id]

    def _lease(self, authority: Authority) -> Entry:
        return self._by_id[heappop(authority.queue)[1]]

    def _finish(self, entry: Entry) -> None:
        pass  # the entry itself is the storage

    def _put_back(self, entry: Entry, link: Link) -> None:
        assert entry.link is not None
        assert entry.at is not None
        entry.link = replace(entry.link, priority=entry.priority, attempts=entry.attempts, noted=link.noted)
        heappush(self._again if entry.is_again else self._later, (entry.at, entry.id))

    def _due(self, now: float) -> Iterable[Entry]:
        due = []
        while self._first_later() <= now:
            entry = self._by_id[heappop(self._later)[1]]
            entry.state, entry.at = WAITING, None
            due.append(entry)
        return due

    def _first_later(self, *, again: bool = False) -> float:
        heap = self._again if again else self._later
        while heap:
            at, id = heap[0]
            entry = self._by_id.get(id)
            if entry is not None and entry.state == LATER and entry.at == at and entry.is_again is again:
                return at
            heappop(heap)
        return math.inf

    def _due_again(self, now: float, limit: int) -> list[Entry]:
        due = [one for one in self._entries.values() if one.is_again and one.at is not None and one.at <= now]
        return nsmallest(limit, due, key=lambda entry: (entry.at, entry.id))

    def _lease_again(self, entry: Entry) -> None:
        pass  # the entry itself is the storage

    def _advance(self, entries: Collection[Entry]) -> None:
        for entry in entries:
            assert entry.at is not None
            heappush(self._again, (entry.at, entry.id))

    def _worst(self, count: int) -> list[Entry]:
        waiting = (entry for entry in self._entries.values() if entry.state in (WAITING, LATER))
        return nsmallest(count, waiting, key=lambda entry: (entry.priority, -entry.id))

    def _sink(self) -> None:
        for authority in self._choice.authorities:
            authority.queue.clear()
        for entry in self._entries.values():
            if _is_rescored(entry):
                assert entry.link is not None
                entry.priority = entry.filed = -math.inf
                entry.link = replace(entry.link, priority=-math.inf)
            if entry.state == WAITING:
                self._enqueue(entry)

    def _sunk(self, limit: int) -> list[Entry]:
        sunk = (e for e in self._entries.values() if e.priority == -math.inf and _is_rescored(e))
        return list(islice(sunk, limit))

    def _pages_of(self, authority: Authority) -> list[Entry]:
        ids = {id for queue in (authority.queue, self._later) for _, id in queue}
        entries = (self._by_id[id] for id in sorted(ids) if id in self._by_id)
        return [
            entry
            for entry in entries
            if entry.authority is authority
            and entry.kind is Kind.PAGE
            and entry.state in (WAITING, LATER)
            and not entry.is_again  # its number may be left from when it waited
        ]

    def _best(self, authority: Authority, limit: int) -> list[Entry]:
        if limit == 1:  # asked for at every take
            return [self._by_id[head[1]]] if (head := self._head(authority)) else []
        ids = (id for rank, id in set(authority.queue) if self._stands(rank, id))
        entries = [self._by_id[id] for id in ids]
        return nsmallest(limit, entries, key=lambda entry: (-entry.priority, entry.id))

    def _stands(self, rank: float, id: int) -> bool:
        """Whether an item of a queue is not stale."""
        entry = self._by_id.get(id)
        return entry is not None and entry.state == WAITING and -entry.priority == rank

    def _enqueue(self, entry: Entry) -> None:
        entry.filed = entry.priority
        heappush(entry.authority.queue, (-entry.priority, entry.id))

    def _dequeue(self, entry: Entry) -> None:
        pass  # `_head` passes over it

    def _head(self, authority: Authority) -> Head | None:
        queue = authority.queue
        while queue:
            if self._stands(*queue[0]):
                return queue[0]
            heappop(queue)
        return None

    def _note_new(self, authority: Authority) -> None:
        pass  # `choice` keeps it

    def _note(self, authority: Authority) -> None:
        pass  # `choice` keeps it


def _is_rescored(entry: Entry) -> bool:
    link = entry.link
    found = link is not None and link.parent != 0 and link.redirects == 0
    return found and entry.kind is Kind.PAGE and entry.state in (WAITING, LATER) and not entry.is_again

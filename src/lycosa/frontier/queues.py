"""Queues: the waiting URLs of every authority in the order they go, over a storage."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable

from lycosa import urls
from lycosa.frontier.choice import Authority, Choice, Head
from lycosa.frontier.entry import LATER, WAITING, Entry
from lycosa.frontier.storage import Storage
from lycosa.values import Reason

WOKEN_AT_ONCE = 1_000
SET_BACK_S = 60.0
"""A clock that goes back by less between two runs changes no stored time."""
FIRST_REST_S, MAX_INTERRUPTED_REST_S = 0.25, 60.0
"""How long an authority rests after the second interruption in a row, and at most."""


def rest_after_interruptions(times: int) -> float:
    """Return the seconds that an authority rests after this many runs ended while it was being asked.

    >>> [rest_after_interruptions(times) for times in (1, 2, 3, 4, 50)]
    [0.0, 0.25, 0.5, 1.0, 60.0]
    """
    return min(FIRST_REST_S * 2.0 ** min(times - 2, 20), MAX_INTERRUPTED_REST_S) if times > 1 else 0.0


class Queues:
    """Keep each authority's best waiting URLs in memory, and the storage and the choice up to date."""

    def __init__(self, storage: Storage, choice: Choice) -> None:
        self._storage = storage
        self._choice = choice
        self.last_id = 0
        self.dropped: dict[str, int] = {}  # by the name of the Reason
        self.waiting = 0
        self.active = 0  # authorities with waiting URLs
        self.earliest = math.inf  # of the URLs in state LATER
        self.earliest_again = math.inf  # of those that wait for their next visit

    def restore(self, now: float, restart_rest_s: float) -> None:
        """Load what an earlier run left, and let the authorities that it was asking rest."""
        choice, storage = self._choice, self._storage
        loaded = storage.load(choice.authorities)
        self.last_id, self.dropped = loaded.last_id, dict(loaded.dropped)
        for number, (name, good, bad) in enumerate(loaded.sources):
            choice.source(name)
            choice.good[number], choice.bad[number] = good, bad
        for name, source, may_go_at, rest, *counts in loaded.authorities:
            authority = choice.meet(name, source)
            authority.may_go_at, authority.rest = may_go_at, rest
            authority.pages, authority.done, authority.tries = counts
            choice.recall(authority)
            choice.step += authority.tries
        for number, (waiting, later) in loaded.waiting.items():
            choice.authorities[number].later = later
            self.count_waiting(choice.authorities[number], waiting)
        choice.step += loaded.leases
        choice.now = now
        self._follow_clock(now)
        for number, times in loaded.interrupted.items():
            authority = choice.authorities[number]
            rested = now + max(restart_rest_s, authority.rest, rest_after_interruptions(times))
            authority.may_go_at = max(authority.may_go_at, rested)
            authority.rest = authority.may_go_at - now
        storage.note([choice.authorities[number] for number in loaded.interrupted])
        self.look_ahead()
        for authority in choice.authorities:
            self.file(authority)

    def _follow_clock(self, now: float) -> None:
        """Bring stored times back if the clock was set back between two runs."""
        authorities, storage = self._choice.authorities, self._storage
        seen = max((authority.may_go_at - authority.rest for authority in authorities), default=now)
        if seen <= now + SET_BACK_S:
            return
        for authority in authorities:
            authority.may_go_at = min(authority.may_go_at, now + authority.rest)
        storage.note(authorities)
        for again in (False, True):
            moved = storage.entries([id for _, id in storage.later(self.waiting, again=again)])
            for entry in moved:
                entry.at = (entry.at or 0.0) - (seen - now)
            storage.update(moved)

    def authority(self, name: str) -> Authority:
        """Return an authority, which becomes known if it was not."""
        authority = self._choice.by_name.get(name)
        if authority is None:
            authority = self._choice.meet(name, self._choice.source(urls.source_of(name)))
            self._storage.note([authority])
        return authority

    def best(self, authority: Authority, limit: int) -> list[Entry]:
        """Return the best URLs of an authority that may go now."""
        heads = [self._head(authority)] if limit == 1 else self._storage.heads(authority, limit)[:limit]
        return self._storage.entries([head[1] for head in heads if head])

    def lease(self, authority: Authority) -> Entry:
        """Take the best URL out of an authority's queue. Its link is loaded."""
        entry = self._storage.read(authority.queue.pop(0)[1])
        self._storage.lease(entry)
        return entry

    def write(self, new: Collection[Entry], changed: Collection[Entry]) -> None:
        """Store new and changed URLs, and put them in their places."""
        if new:
            self._storage.insert(new)
        if changed:
            self._storage.update(changed)
        for entry in new:
            self.count_waiting(entry.authority, +1)
            self._enqueue(entry)
        moved = [entry for entry in changed if entry.state == WAITING and entry.priority != entry.filed]
        for entry in moved:
            self._dequeue(entry)
            self._enqueue(entry)
        self._file_those_of([*new, *moved])

    def remove(self, entries: Collection[Entry]) -> None:
        """Make waiting URLs unknown."""
        self._storage.delete(entries)
        for entry in entries:
            self.count_waiting(entry.authority, -1)
            if entry.state == LATER:
                entry.authority.later -= 1
            else:
                self._dequeue(entry)
        self._file_those_of(entries)
        self.look_ahead()

    def wake(self, now: float) -> None:
        """Let the URLs whose own time has come wait in their queues."""
        if self.earliest > now:
            return
        while due := [id for at, id in self._storage.later(WOKEN_AT_ONCE, again=False) if at <= now]:
            entries = self._storage.entries(due)
            for entry in entries:
                entry.state, entry.at = WAITING, None
            self._storage.update(entries)
            for entry in entries:
                entry.authority.later -= 1
                self._enqueue(entry)
            self._file_those_of(entries)
        self.look_ahead()

    def due_again(self, now: float, limit: int) -> list[Entry]:
        """Return URLs whose next visit is due, the first of them."""
        due = self._storage.later(limit, again=True)
        return self._storage.entries([id for at, id in due if at <= now])

    def will_be_due(self, entry: Entry) -> None:
        """Note the time of a URL that went into state LATER."""
        if entry.is_again:
            self.earliest_again = min(self.earliest_again, entry.at or 0.0)
        else:
            self.earliest = min(self.earliest, entry.at or 0.0)

    def look_ahead(self) -> None:
        """Find the earliest times again, after URLs in state LATER went."""
        self.earliest, self.earliest_again = (
            next((at for at, _ in self._storage.later(1, again=again)), math.inf) for again in (False, True)
        )

    def sink(self) -> None:
        """Let pages that were found as links wait last."""
        self._storage.sink()
        for authority in self._choice.authorities:
            authority.queue = self._storage.heads(authority, self._storage.window // 2)
            self.file(authority)

    def file(self, authority: Authority) -> None:
        """Let the choice know of an authority's best URL and of its rest."""
        authority.head = self._choice.ranked(authority, self._head(authority))
        self._choice.file(authority)

    def count_waiting(self, authority: Authority, change: int) -> None:
        """Count URLs that began or ceased to wait."""
        self.active -= authority.waiting > 0
        authority.waiting += change
        self.waiting += change
        self.active += authority.waiting > 0

    def count_dropped(self, reason: Reason, count: int) -> None:
        """Count dropped URLs."""
        if count:
            self.dropped[reason.name] = self.dropped.get(reason.name, 0) + count
            self._storage.note(dropped={reason.name: self.dropped[reason.name]})

    def _file_those_of(self, entries: Iterable[Entry]) -> None:
        for authority in {entry.authority.id: entry.authority for entry in entries}.values():
            self.file(authority)

    def _enqueue(self, entry: Entry) -> None:
        entry.filed = entry.priority
        authority = entry.authority
        queue, item = authority.queue, (-entry.priority, entry.id)
        all_here = len(queue) == authority.waiting - authority.later - 1
        if all_here or (queue and item < queue[-1]):
            insort(queue, item)
            del queue[self._storage.window :]

    def _dequeue(self, entry: Entry) -> None:
        queue, item = entry.authority.queue, (-entry.filed, entry.id)
        place = bisect_left(queue, item)
        if place < len(queue) and queue[place] == item:
            del queue[place]

    def _head(self, authority: Authority) -> Head | None:
        queue = authority.queue
        if not queue and authority.waiting > authority.later:
            queue += self._storage.heads(authority, self._storage.window // 2)
        return queue[0] if queue else None

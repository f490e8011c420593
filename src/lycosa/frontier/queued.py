"""The rules of a frontier, whatever stores its URLs: states, merging, limits, drops and holds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from lycosa.frontier import Added, FrontierCounts, Policy, UrlState
from lycosa.frontier.changes import Batch, Unsettled
from lycosa.frontier.choice import Authority, Choice
from lycosa.frontier.entry import DONE, LATER, STATES, TAKEN, WAITING, Entry, priority_of
from lycosa.frontier.holds import Holds
from lycosa.frontier.queues import Queues
from lycosa.frontier.storage import Storage
from lycosa.values import Decision, Kind, Link, Merge, Outcome, Reason

DROPPED_AT_ONCE = 10_000
LOOKED_AT_AGAIN = 100
"""Maximum number of URLs due for their next visit that are checked for a host that may go."""
LOOKED_AT = 8
"""Maximum number of best URLs that are scored once more before one is taken."""
SLACK = 0.02
"""The part of `max_waiting` by which the queue may overflow before one sweep drops the worst."""


class QueuedFrontier:
    """A frontier of two levels, over a storage of its URLs.

    Opening makes what was taken wait again; its authority first rests from `now` for `restart_rest_s` or, if that is
    longer, as long as its last rest. With every further run that ends before the authority has answered, it rests
    twice as long: runs that are killed at once do not repeat the same request each time.
    """

    def __init__(
        self,
        storage: Storage,
        holds: Holds,
        policy: Policy,
        *,
        now: float = 0.0,
        restart_rest_s: float = 0.0,
    ) -> None:
        self._storage = storage
        self._holds = holds
        self._choice = Choice(policy)
        self._queues = Queues(storage, self._choice)
        self._unsettled = Unsettled(policy.records)
        self._taken: dict[int, Entry] = {}
        self._is_gathering = False
        self._unfiled: dict[int, Authority] = {}
        self._reweighed: dict[str, tuple[float, float]] = {}
        self._up_to_date: set[int] = set()  # numbers of URLs that were scored since anything was learned
        self._queues.restore(now, restart_rest_s)
        self._done = sum(authority.done for authority in self._choice.authorities)
        for authority in self._choice.authorities:
            if authority.waiting and authority.full:  # a limit may be lower than it was
                self._drop(storage.pages(authority), Reason.HOST_FULL)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Score, store and file once, at the end, what several pages say of a URL. Nothing may be taken inside."""
        self._is_gathering = True
        try:
            yield
        finally:
            self._is_gathering = False
        scored = [entry.id for entry in self._unsettled.entries.values()]
        self._settle()
        self._up_to_date.update(scored)

    # Frontier

    def add(self, decisions: Sequence[Decision], merge: Merge = Merge.MAX) -> Added:
        wanted = [decision for decision in decisions if decision.refusal is None]
        if any(decision.hold for decision in wanted):
            self._settle()
        keys = [decision.link.key for decision in wanted]
        before = len(self._unsettled.new)
        batch = Batch(self._known(keys), self._holds.holding(keys), self._queues, self._unsettled)
        for decision in wanted:
            batch.offer(decision, merge)
        self._unsettled.learn(batch.known, batch.records)
        new = len(self._unsettled.new) - before
        if batch.left:
            self._holds.leave(batch.left)
        if batch.promoted:
            self._storage.update(batch.promoted)
        self._remove(batch.rather_held)
        if not self._is_gathering:
            self._settle()
        if batch.to_hold:
            self._hold(list(batch.to_hold.values()))
        self._queues.count_dropped(Reason.HOST_FULL, batch.full)
        return Added(
            new=new,
            merged=batch.merged,
            held=len(batch.to_hold),
            known=batch.seen,
            dropped=batch.full + self._drop_overflow(),
            promoted=tuple(entry.key for entry in batch.promoted),
        )

    def take(self, now: float, *, again: bool = False) -> Link | None:
        if again:
            return self._take_again(now)
        self._queues.wake(now)
        is_set_back = now < self._choice.now
        authority = self._choice.choose(now)
        if is_set_back:  # rests were brought back with the clock
            self._storage.note(self._choice.authorities)
        if self._choice.policy.records is not None:
            for _ in range(LOOKED_AT):
                if authority is None or not self._has_moved(authority):
                    break
                authority = self._choice.choose(now)
        return None if authority is None else self._taken_out(self._queues.lease(authority))

    def _take_again(self, now: float) -> Link | None:
        # A clock that was set back is `take`'s to follow.
        if self._queues.earliest_again > now or now < self._choice.now:
            return None
        self._choice.set_clock(now)
        due = self._queues.due_again(now, LOOKED_AT_AGAIN)
        first = next((entry for entry in due if self._choice.may_go(entry.authority)), None)
        if first is None:
            return None
        entry = self._storage.read(first.id)
        assert entry.link is not None
        entry.link, entry.attempts = replace(entry.link, attempts=0), 0
        self._storage.lease(entry)
        entry.authority.later -= 1
        self._queues.look_ahead()
        return self._taken_out(entry)

    def _taken_out(self, entry: Entry) -> Link:
        assert entry.link is not None
        authority, entry.state = entry.authority, TAKEN
        self._taken[entry.key] = entry
        self._queues.count_waiting(authority, -1)
        self._choice.began(authority, entry.kind is Kind.PAGE)
        self._queues.file(authority)
        return entry.link

    def done(self, link: Link, outcome: Outcome) -> tuple[str, ...]:
        entry = self._taken.pop(link.key, None)
        if entry is None:
            raise LookupError(f"{link.url} is not taken: call done once for each link that take returned")
        authority, page, again_at = entry.authority, entry.kind is Kind.PAGE, outcome.again_at
        counts = outcome.counts and again_at is None
        now_full = self._choice.ended(authority, page, counts, outcome.rest_until)
        self._storage.end_lease(entry)
        if again_at is None:
            entry.state = DONE
            authority.done += 1
            self._done += 1
        else:
            entry.state, entry.at = LATER, again_at
            entry.priority, entry.link = priority_of(link.priority), link
            entry.attempts = link.attempts + outcome.tried
            authority.later += 1
            self._queues.count_waiting(authority, +1)
            self._queues.will_be_due(entry)
        self._storage.update([entry])
        self._unfiled[authority.id] = authority
        if outcome.instead and self._is_pending(outcome.instead):
            self._holds.wait_too(link.key, outcome.instead)
        ripe = self._holds.ended([link.key]) if again_at is None else ()
        if again_at is not None and page and authority.full:
            now_full.append(authority)
        for member in self._choice.sharing(authority) if counts else ():
            self._unfiled[member.id] = member
        if now_full or not self._is_gathering:
            self._settle()
        for member in dict.fromkeys(now_full):
            ripe += self._drop(self._storage.pages(member), Reason.HOST_FULL)
            self._queues.file(member)
        return ripe

    def release(self, hold: str) -> tuple[Link, ...]:
        self._settle()
        links, alone = self._holds.release(hold)
        entries = self._storage.look_up(alone).values() if alone else ()
        idle = [e for e in entries if e.kind is Kind.IMAGE and (e.state == WAITING or e.state == LATER)]
        self._drop(idle, Reason.NOT_NEEDED)
        return links

    def reweigh(self, source: str, good: float, bad: float) -> None:
        number = self._choice.source(source)
        self._choice.good[number], self._choice.bad[number] = good, bad
        self._reweighed[source] = float(good), float(bad)
        if not self._is_gathering:
            self._note_weights()

    def rescore(self, limit: int) -> int:
        """Score again, by what the strategy has learned since, the URLs that can go next. Returns how many.

        Every authority has its best URLs scored, an equal share of `limit` each; those whose best URL has the highest
        priority come first. URLs further down are scored when they are offered again.
        """
        active = [authority for authority in self._choice.authorities if authority.head is not None]
        active.sort(key=lambda authority: authority.head or (math.inf, 0))
        scored: list[Entry] = []
        for authority in active[:limit]:
            scored += self._queues.best(authority, max(1, limit // len(active)))
        self._up_to_date.clear()
        self._queues.write((), self._unsettled.score_again(scored, alike=0.0))
        return len(scored)

    def touch(self, keys: Collection[int]) -> None:
        for entry in self._known(keys).values():
            if entry.state == WAITING and entry.record:
                self._unsettled.touch(entry)
        if not self._is_gathering:
            self._settle()

    def hasten(self, keys: Collection[int], now: float) -> None:
        """Bring the next visit of waiting URLs forward to now."""
        waiting = [entry for entry in self._known(keys).values() if entry.is_again and (entry.at or 0) > now]
        for entry in waiting:
            entry.at = now
        if waiting:
            self._storage.update(waiting)
            self._queues.look_ahead()

    def forget(self, keys: Collection[int]) -> None:
        """Make done URLs unknown, so that they may be offered again."""
        gone = [entry for entry in self._known(keys).values() if entry.state == DONE]
        self._storage.delete(gone)
        for entry in gone:
            entry.authority.done -= 1
            self._done -= 1
        self._storage.note({entry.authority.id: entry.authority for entry in gone}.values())

    def begin_rescoring(self) -> None:
        """Let all links that pages led to wait for a new offer; what was held is unknown again.

        Seeds, redirects, images and requisites keep their places: nobody will offer them again.
        """
        for hold in self.holds():
            self.release(hold)
        self._queues.sink()

    def end_rescoring(self) -> int:
        """Drop the links that were not offered again. Returns how many."""
        dropped = 0
        while sunk := self._storage.sunk(DROPPED_AT_ONCE):
            self._drop(sunk, Reason.LOW_PRIORITY)
            dropped += len(sunk)
        return dropped

    # FrontierView

    def next_at(self, *, again: bool = False) -> float | None:
        queues = self._queues
        if not again:
            return min(queues.earliest, self._choice.next_at()) if queues.waiting else None
        if queues.earliest_again == math.inf:
            return None
        due = queues.due_again(self._choice.now, LOOKED_AT_AGAIN)
        if not due:
            return queues.earliest_again
        free = (one.authority.may_go_at for one in due if self._choice.may_lease(one.authority))
        return min(free, default=math.inf)

    def counts(self) -> FrontierCounts:
        return FrontierCounts(
            waiting=self._queues.waiting,
            taken=len(self._taken),
            done=self._done,
            held=self._holds.links,
            authorities=len(self._choice.authorities),
            active_authorities=self._queues.active,
            dropped=dict(self._queues.dropped),
        )

    def holds(self) -> tuple[str, ...]:
        return self._holds.names()

    def orphans(self) -> tuple[str, ...]:
        return self._holds.orphans()

    def find(self, key: int) -> UrlState | None:
        self._settle()
        entry = self._taken.get(key) or self._storage.look_up([key]).get(key)
        if entry is None:
            held = self._holds.find(key)
            return None if held is None else UrlState("held", held[1], hold=held[0])
        link = entry.link or self._storage.read(entry.id).link
        assert link is not None
        waits = entry.state in (WAITING, LATER)
        may_go_at = max(entry.authority.may_go_at, entry.at or 0.0) if waits else 0.0
        return UrlState(STATES[entry.state], link, may_go_at)

    def _known(self, keys: Collection[int]) -> dict[int, Entry]:
        """Return the known URLs, those that are yet to be stored included."""
        unsettled = self._unsettled.entries
        if not unsettled:
            return self._storage.look_up(keys)
        found = {key: unsettled[key] for key in keys if key in unsettled}
        return found | self._storage.look_up([key for key in keys if key not in found])

    def _settle(self) -> None:
        """Score and store what was learned of URLs, and file their authorities."""
        self._up_to_date.clear()
        if self._unsettled.entries:
            self._queues.write(*self._unsettled.settle())
        if self._unfiled:
            unfiled, self._unfiled = self._unfiled, {}
            self._storage.note(unfiled.values())
            for authority in unfiled.values():
                self._queues.file(authority)
        self._note_weights()

    def _note_weights(self) -> None:
        if self._reweighed:
            number, known = self._choice.sources, self._reweighed.items()
            self._storage.note(weights=[(number[name], name, *weights) for name, weights in known])
            self._reweighed.clear()

    def _has_moved(self, authority: Authority) -> bool:
        """Score an authority's best URL again, if anything was learned since. Returns whether another may be best now."""
        if authority.head and authority.queue and authority.queue[0][1] in self._up_to_date:
            return False
        first = self._queues.best(authority, 1)
        if not first or not first[0].record:
            return False
        self._up_to_date.add(first[0].id)
        moved = self._unsettled.score_again(first)
        self._queues.write((), moved)
        return bool(moved)

    def _hold(self, decisions: list[Decision]) -> None:
        keys = {key for decision in decisions for key in decision.waits_for}
        pending = {key for key, entry in self._known(keys).items() if entry.state != DONE}
        held = {decision.link.key for decision in decisions} | self._holds.holding(keys)
        self._holds.hold(decisions, pending | (held & keys))

    def _is_pending(self, key: int) -> bool:
        entry = self._known([key]).get(key)
        return entry is not None and entry.state != DONE

    def _drop_overflow(self) -> int:
        limit = self._choice.policy.max_waiting
        excess = self._queues.waiting + len(self._unsettled.new) - limit
        if excess <= int(limit * SLACK):
            return 0
        self._settle()
        self._drop(self._storage.worst(excess), Reason.QUEUE_FULL)
        return excess

    def _drop(self, entries: Collection[Entry], reason: Reason) -> tuple[str, ...]:
        """Make waiting URLs unknown, and count them. Returns the holds that became ripe by that."""
        self._queues.count_dropped(reason, len(entries))
        return self._remove(entries)

    def _remove(self, entries: Collection[Entry]) -> tuple[str, ...]:
        if not entries:
            return ()
        self._queues.remove(entries)
        return self._holds.ended([entry.key for entry in entries])

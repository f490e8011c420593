"""The rules of a frontier, whatever keeps its URLs. In: decisions and outcomes. Out: the next link.

`MemoryFrontier` and `SqliteFrontier` only say where URLs are kept; states, merging, limits, drops
and holds are here, the choice among authorities in `choice`, what is asked of a storage in `storage`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import nsmallest

from msgspec.structs import replace

from lycosa import urls
from lycosa.frontier import Added, FrontierCounts, Policy, UrlState
from lycosa.frontier.choice import Authority, Choice
from lycosa.frontier.entry import DONE, LATER, STATES, TAKEN, WAITING, Entry, priority_of
from lycosa.frontier.holds import Holds
from lycosa.frontier.storage import Storage
from lycosa.values import AGAIN, RECORD_BYTES, Decision, Kind, Link, Merge, Outcome, Reason

DROPPED_AT_ONCE = 10_000
LOOKED_AT_AGAIN = 100  # URLs whose next visit is due, at most, until one is found whose host may go
LOOKED_AT = 8  # best URLs, at most, before one is taken, where each is scored once more
ALIKE = 0.001  # priorities that differ by no more are not written anew
SLACK = 0.02  # of max_waiting: how far the queue may overflow before one sweep drops the worst


class QueuedFrontier(Storage):
    """A frontier of two levels over some storage of its URLs."""

    def __init__(
        self,
        holds: Holds,
        policy: Policy,
    ) -> None:
        self._choice = Choice(policy)
        self._holds = holds
        self._max_waiting = policy.max_waiting
        self._slack = int(policy.max_waiting * SLACK)
        self._taken: dict[int, Entry] = {}
        self._last_id = 0
        self._waiting = 0
        self._done = 0
        self._active = 0
        self._earliest = math.inf  # of the URLs that wait for a time of their own
        self._earliest_again = math.inf  # of those that wait for their next visit
        self._dropped: dict[str, int] = {}
        self._is_gathering = False
        self._unsettled: dict[int, Entry] = {}  # new, changed or touched: yet to be scored and stored
        self._new: dict[int, Entry] = {}
        self._touched: dict[int, Entry] = {}  # of these nothing is known to have changed
        self._unfiled: dict[int, Authority] = {}
        self._up_to_date: set[int] = set()  # numbers of URLs that were scored since anything was learned

    @contextmanager
    def together(self) -> Iterator[None]:
        """What several pages say of a URL inside is scored, stored and filed once, at the end; nothing is taken before."""
        self._is_gathering = True
        try:
            yield
        finally:
            self._is_gathering = False
        scored = [entry.id for entry in self._unsettled.values()]
        self._settle()
        self._up_to_date.update(scored)

    # Frontier

    def add(self, decisions: Sequence[Decision], merge: Merge = Merge.MAX) -> Added:
        wanted = [decision for decision in decisions if decision.refusal is None]
        if any(decision.hold for decision in wanted):
            self._settle()
        keys = [decision.link.key for decision in wanted]
        known = self._known(keys)
        held = self._holds.holding(keys)
        before = len(self._new)
        to_hold: dict[int, Decision] = {}
        left: list[int] = []
        promoted: list[Entry] = []
        offered: dict[int, bytes] = {}
        rather_held: list[Entry] = []
        merged = seen = full = 0
        for decision in wanted:
            link = decision.link
            key = link.key
            entry = known.get(key)
            if decision.hold:
                if entry is not None and entry.is_sunk and key not in self._new:
                    rather_held.append(known.pop(key))
                    self._unsettled.pop(key, None)
                    entry = None
                if entry is None and key not in held:
                    held.add(key)
                    to_hold[key] = decision
                else:
                    seen += 1
            elif entry is None:
                if key in held:
                    held.discard(key)
                    if to_hold.pop(key, None) is None:
                        left.append(key)
                authority = self._authority(urls.authority_of(link.url))
                if _has_no_room_for(link, authority):
                    full += 1
                    continue
                entry = self._met(link, authority, decision.priority)
                self._new[key] = self._unsettled[key] = known[key] = entry
            elif entry.is_again:
                seen += 1  # what is written on it is of its last visit
            elif entry.state == WAITING or entry.state == LATER:
                if _has_no_room_for(link, entry.authority):
                    full += 1  # an image that waits, linked to as a page: it stays an image
                    continue
                merged += 1
                if link.record and self._choice.policy.records:
                    if key in offered:  # twice on a page: one after the other
                        self._learn(known, offered)
                        offered = {}
                    if not entry.record or entry.is_sunk:  # all links to a sunk one are being offered again
                        entry.record = _bounded(link.record)
                        self._has_changed(entry)
                    else:
                        offered[key] = link.record
                if entry.merge(link, priority_of(decision.priority), merge):
                    self._has_changed(entry)
            else:
                seen += 1
                if entry.trail and not link.trail and entry.state == DONE:
                    entry.trail = 0
                    promoted.append(entry)
        self._learn(known, offered)
        new = len(self._new) - before
        if left:
            self._holds.leave(left)
        if promoted:
            self._promote(promoted)
        self._remove(rather_held)
        if not self._is_gathering:
            self._settle()
        if to_hold:
            self._hold(list(to_hold.values()))
        self._count_dropped(Reason.HOST_FULL, full)
        return Added(
            new=new,
            merged=merged,
            held=len(to_hold),
            known=seen,
            dropped=full + self._drop_overflow(),
            promoted=tuple(entry.key for entry in promoted),
        )

    def take(self, now: float, *, again: bool = False) -> Link | None:
        if again:
            return self._take_again(now)
        if self._earliest <= now:
            self._wake(now)
        is_set_back = now < self._choice.now
        authority = self._choice.choose(now)
        if is_set_back:  # rests were brought back with the clock
            for known in self._choice.authorities:
                self._note(known)
        if self._choice.policy.records is not None:
            for _ in range(LOOKED_AT):
                if authority is None or not self._has_moved(authority):
                    break
                authority = self._choice.choose(now)
        if authority is None:
            return None
        return self._taken_out(self._lease(authority))

    def _take_again(self, now: float) -> Link | None:
        if (
            self._earliest_again > now or now < self._choice.now
        ):  # a clock that was set back is `take`'s to follow
            return None
        self._choice.set_clock(now)
        due = self._due_again(now, LOOKED_AT_AGAIN)
        entry = next((entry for entry in due if self._choice.may_go(entry.authority)), None)
        if entry is None:
            return None
        assert entry.link is not None
        entry.link, entry.attempts = replace(entry.link, attempts=0), 0
        self._lease_again(entry)
        entry.authority.later -= 1
        link = self._taken_out(entry)
        self._earliest_again = self._first_later(again=True)
        return link

    def _taken_out(self, entry: Entry) -> Link:
        assert entry.link is not None
        authority, entry.state = entry.authority, TAKEN
        self._taken[entry.key] = entry
        self._count_waiting(authority, -1)
        self._choice.began(authority, entry.kind is Kind.PAGE)
        self._refile(authority)
        return entry.link

    def done(self, link: Link, outcome: Outcome) -> tuple[str, ...]:
        entry = self._taken.pop(link.key, None)
        if entry is None:
            raise LookupError(f"{link.url} is not taken: call done once for each link that take returned")
        authority, page = entry.authority, entry.kind is Kind.PAGE
        counts = outcome.counts and outcome.again_at is None
        now_full = self._choice.ended(authority, page, counts, outcome.rest_until)
        if outcome.again_at is None:
            entry.state = DONE
            authority.done += 1
            self._done += 1
            self._finish(entry)
        else:
            entry.state, entry.at = LATER, outcome.again_at
            entry.priority, entry.link = priority_of(link.priority), link
            entry.attempts = link.attempts + outcome.tried
            authority.later += 1
            self._count_waiting(authority, +1)
            self._put_back(entry, link)
            if entry.attempts == AGAIN:
                self._earliest_again = min(self._earliest_again, outcome.again_at)
            else:
                self._earliest = min(self._earliest, outcome.again_at)
        self._unfiled[authority.id] = authority
        if outcome.instead and self._is_pending(outcome.instead):
            self._holds.wait_too(link.key, outcome.instead)
        ripe = self._holds.ended([link.key]) if outcome.again_at is None else ()
        if outcome.again_at is not None and page and authority.full:
            now_full.append(authority)
        for member in self._choice.sharing(authority) if counts else ():
            self._unfiled[member.id] = member
        if now_full or not self._is_gathering:
            self._settle()
        for member in dict.fromkeys(now_full):
            ripe += self._drop(self._pages_of(member), Reason.HOST_FULL)
            self._refile(member)
        return ripe

    def release(self, hold: str) -> tuple[Link, ...]:
        self._settle()
        links, alone = self._holds.release(hold)
        entries = self._look_up(alone).values() if alone else ()
        idle = [e for e in entries if e.kind is Kind.IMAGE and (e.state == WAITING or e.state == LATER)]
        self._drop(idle, Reason.NOT_NEEDED)
        return links

    def reweigh(self, source: str, good: float, bad: float) -> None:
        number = self._choice.source(source)
        self._choice.good[number], self._choice.bad[number] = good, bad

    def rescore(self, limit: int) -> int:
        """Score again, by what the strategy has learned since, the URLs that can go next. Returns how many.

        Every authority has its best ones scored, an equal share of `limit` each; those whose best URL
        has the highest priority come first. What is further down is scored when it is offered again.
        """
        active = [authority for authority in self._choice.authorities if authority.head is not None]
        active.sort(key=lambda authority: authority.head or (math.inf, 0))
        scored: list[Entry] = []
        for authority in active[:limit]:
            scored += self._best(authority, max(1, limit // len(active)))
        self._up_to_date.clear()
        self._score_again(scored, alike=0.0)
        return len(scored)

    def touch(self, keys: Collection[int]) -> None:
        for key, entry in self._known(keys).items():
            if entry.state == WAITING and entry.record and key not in self._unsettled:
                self._unsettled[key] = self._touched[key] = entry
        if not self._is_gathering:
            self._settle()

    def hasten(self, keys: Collection[int], now: float) -> None:
        """Let those of the URLs that wait for their next visit go from now on."""
        waiting = [entry for entry in self._known(keys).values() if entry.is_again and (entry.at or 0) > now]
        for entry in waiting:
            entry.at = now
        if waiting:
            self._advance(waiting)
            self._earliest_again = self._first_later(again=True)

    def forget(self, keys: Collection[int]) -> None:
        """Make done URLs unknown, so that they may be offered again."""
        gone = [entry for entry in self._known(keys).values() if entry.state == DONE]
        self._delete(gone)
        for entry in gone:
            entry.authority.done -= 1
            self._done -= 1
            self._note(entry.authority)

    def begin_rescoring(self) -> None:
        """Let all links that pages led to wait for a new offer; what was held is unknown again.

        Seeds, redirects, images and requisites keep their places: nobody will offer them again.
        """
        for hold in self.holds():
            self.release(hold)
        self._sink()
        for authority in self._choice.authorities:
            self._refile(authority)

    def end_rescoring(self) -> int:
        """Drop the links that were not offered again. Returns how many."""
        dropped = 0
        while sunk := self._sunk(DROPPED_AT_ONCE):
            self._drop(sunk, Reason.LOW_PRIORITY)
            dropped += len(sunk)
        return dropped

    # FrontierView

    def next_at(self, *, again: bool = False) -> float | None:
        if not again:
            return min(self._earliest, self._choice.next_at()) if self._waiting else None
        if self._earliest_again == math.inf:
            return None
        due = self._due_again(self._choice.now, LOOKED_AT_AGAIN)
        if not due:
            return self._earliest_again
        free = (one.authority.may_go_at for one in due if self._choice.may_lease(one.authority))
        return min(free, default=math.inf)

    def counts(self) -> FrontierCounts:
        return FrontierCounts(
            waiting=self._waiting,
            taken=len(self._taken),
            done=self._done,
            held=self._holds.links,
            authorities=len(self._choice.authorities),
            active_authorities=self._active,
            dropped=dict(self._dropped),
        )

    def holds(self) -> tuple[str, ...]:
        return self._holds.names()

    def orphans(self) -> tuple[str, ...]:
        return self._holds.orphans()

    def waiting_per_authority(self, limit: int) -> list[tuple[str, int, float]]:
        active = (authority for authority in self._choice.authorities if authority.waiting)
        longest = nsmallest(limit, active, key=lambda authority: (-authority.waiting, authority.id))
        return [(authority.name, authority.waiting, authority.may_go_at) for authority in longest]

    def find(self, key: int) -> UrlState | None:
        self._settle()
        entry = self._read(key)
        if entry is not None and entry.link is not None:
            waits = entry.state in (WAITING, LATER)
            may_go_at = max(entry.authority.may_go_at, entry.at or 0.0) if waits else 0.0
            return UrlState(STATES[entry.state], entry.link, may_go_at)
        held = self._holds.find(key)
        return None if held is None else UrlState("held", held[1], hold=held[0])

    # what both levels share

    def _authority(self, name: str) -> Authority:
        authority = self._choice.by_name.get(name)
        if authority is None:
            authority = self._choice.meet(name, self._choice.source(urls.source_of(name)))
            self._note_new(authority)
        return authority

    def _known(self, keys: Collection[int]) -> dict[int, Entry]:
        """As `_look_up`, those that are yet to be stored included."""
        unsettled = self._unsettled
        if not unsettled:
            return self._look_up(keys)
        found = {key: unsettled[key] for key in keys if key in unsettled}
        return found | self._look_up([key for key in keys if key not in found])

    def _met(self, link: Link, authority: Authority, priority: float) -> Entry:
        self._last_id += 1
        return Entry(
            self._last_id,
            link.key,
            authority,
            WAITING,
            priority_of(priority),
            None,
            link.trail,
            link.depth,
            link.attempts,
            link.kind,
            link,
            _bounded(link.record),
        )

    def _learn(self, known: Mapping[int, Entry], offered: Mapping[int, bytes]) -> None:
        """Let what further links say of waiting URLs, by key, join their records."""
        records = self._choice.policy.records
        if records is None or not offered:
            return
        entries = [known[key] for key in offered]
        merged = records.merge([entry.record for entry in entries], [*offered.values()])
        for entry, record in zip(entries, merged, strict=True):
            if record != entry.record:
                entry.record = _bounded(record)
                self._has_changed(entry)

    def _has_changed(self, entry: Entry) -> None:
        """Let a URL be scored and stored when all has been heard."""
        self._unsettled[entry.key] = entry
        self._touched.pop(entry.key, None)

    def _score(self, entries: Collection[Entry]) -> None:
        """Set the priorities of URLs by their records, where there are any."""
        records = self._choice.policy.records
        recorded = [entry for entry in entries if entry.record] if records else []
        if records is None or not recorded:
            return
        priorities, kept = records.scored([entry.record for entry in recorded])
        for entry, priority, record in zip(recorded, priorities.tolist(), kept, strict=True):
            entry.priority, entry.record = priority_of(priority), _bounded(record)

    def _settle(self) -> None:
        """Score and store what was learned of URLs, and file their authorities."""
        self._up_to_date.clear()
        if self._unsettled:
            unsettled, new, touched = self._unsettled, self._new, self._touched
            self._unsettled, self._new, self._touched = {}, {}, {}
            unmoved = self._scored(unsettled.values(), touched)
            changed = [one for key, one in unsettled.items() if key not in new and key not in unmoved]
            self._write(new.values(), changed)
        if self._unfiled:
            unfiled, self._unfiled = self._unfiled, {}
            for authority in unfiled.values():
                self._note(authority)
                self._refile(authority)

    def _scored(
        self, entries: Collection[Entry], touched: Mapping[int, Entry], alike: float = ALIKE
    ) -> set[int]:
        """Score URLs by what the strategy has learned. Returns the keys of those that were touched and have hardly moved."""
        before = [(entry, entry.priority, entry.record) for entry in touched.values()]
        self._score(entries)
        unmoved = set()
        for entry, priority, record in before:
            if not abs(entry.priority - priority) > alike:
                # Not worth a write: priority and record stay as they were, and agree.
                entry.priority, entry.record = priority, record
                unmoved.add(entry.key)
        return unmoved

    def _score_again(self, entries: Collection[Entry], alike: float = ALIKE) -> bool:
        """Score URLs that wait by what the strategy has learned since; they are filed and stored. Whether any moved."""
        unmoved = self._scored(entries, {entry.key: entry for entry in entries}, alike)
        moved = [entry for entry in entries if entry.key not in unmoved]
        self._write((), moved)
        return bool(moved)

    def _has_moved(self, authority: Authority) -> bool:
        """Score the best URL of an authority once more, if anything was learned since. Whether another may be the best now."""
        head = self._head(authority)
        first = self._best(authority, 1) if head and head[1] not in self._up_to_date else []
        if not first or not first[0].record:
            return False
        self._up_to_date.add(first[0].id)
        return self._score_again(first)

    def _write(self, new: Collection[Entry], changed: Collection[Entry]) -> None:
        self._insert(new)
        if changed:
            self._rewrite(changed)
        touched: dict[int, Authority] = {}
        for entry in new:
            self._count_waiting(entry.authority, +1)
            self._enqueue(entry)
            touched[entry.authority.id] = entry.authority
        for entry in changed:
            if entry.state == WAITING and entry.priority != entry.filed:
                self._dequeue(entry)
                self._enqueue(entry)
                touched[entry.authority.id] = entry.authority
        for authority in touched.values():
            self._refile(authority)

    def _hold(self, decisions: list[Decision]) -> None:
        keys = {key for decision in decisions for key in decision.waits_for}
        pending = {key for key, entry in self._known(keys).items() if entry.state != DONE}
        held = {decision.link.key for decision in decisions} | self._holds.holding(keys)
        self._holds.hold(decisions, pending | (held & keys))

    def _is_pending(self, key: int) -> bool:
        entry = self._known([key]).get(key)
        return entry is not None and entry.state != DONE

    def _wake(self, now: float) -> None:
        touched: dict[int, Authority] = {}
        for entry in self._due(now):
            entry.authority.later -= 1
            self._enqueue(entry)
            touched[entry.authority.id] = entry.authority
        for authority in touched.values():
            self._refile(authority)
        self._earliest = self._first_later()

    def _drop_overflow(self) -> int:
        excess = self._waiting + len(self._new) - self._max_waiting
        if excess <= self._slack:
            return 0
        self._settle()
        self._drop(self._worst(excess), Reason.QUEUE_FULL)
        return excess

    def _drop(self, entries: Collection[Entry], reason: Reason) -> tuple[str, ...]:
        """Make waiting URLs unknown, and count them. Returns the holds that became ripe by that."""
        self._count_dropped(reason, len(entries))
        return self._remove(entries)

    def _remove(self, entries: Collection[Entry]) -> tuple[str, ...]:
        if not entries:
            return ()
        self._delete(entries)
        touched: dict[int, Authority] = {}
        for entry in entries:
            self._count_waiting(entry.authority, -1)
            if entry.state == LATER:
                entry.authority.later -= 1
            else:
                self._dequeue(entry)
            touched[entry.authority.id] = entry.authority
        for authority in touched.values():
            self._refile(authority)
        self._earliest, self._earliest_again = self._first_later(), self._first_later(again=True)
        return self._holds.ended([entry.key for entry in entries])

    def _count_dropped(self, reason: Reason, count: int) -> None:
        if count:
            self._dropped[reason.name] = self._dropped.get(reason.name, 0) + count

    def _count_waiting(self, authority: Authority, change: int) -> None:
        self._active -= authority.waiting > 0
        authority.waiting += change
        self._waiting += change
        self._active += authority.waiting > 0

    def _refile(self, authority: Authority) -> None:
        authority.head = self._choice.ranked(authority, self._head(authority))
        self._choice.file(authority)


def _has_no_room_for(link: Link, authority: Authority) -> bool:
    return bool(authority.quotas) and link.kind is Kind.PAGE and authority.full


def _bounded(record: bytes) -> bytes:
    if len(record) > RECORD_BYTES:
        raise ValueError(f"a record of {len(record)} bytes: at most {RECORD_BYTES} are kept of a URL")
    return record

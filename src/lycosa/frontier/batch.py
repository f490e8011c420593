"""One call of `add`: what becomes of each link that is offered."""

from __future__ import annotations

from lycosa import urls
from lycosa.frontier.choice import Authority
from lycosa.frontier.entry import DONE, LATER, WAITING, Entry, priority_of
from lycosa.frontier.queues import Queues
from lycosa.frontier.scoring import Unsettled, bounded
from lycosa.values import AGAIN, Decision, Kind, Link, Merge


class Batch:
    """Links offered together, and what is known of their URLs."""

    __slots__ = (
        *("_queues", "_unsettled", "full", "held", "known", "left", "merged", "promoted", "rather_held"),
        *("records", "seen", "to_hold"),
    )

    def __init__(self, known: dict[int, Entry], held: set[int], queues: Queues, unsettled: Unsettled) -> None:
        self._queues = queues
        self._unsettled = unsettled
        self.known = known
        self.held = held  # keys
        self.to_hold: dict[int, Decision] = {}
        self.left: list[int] = []  # keys of held URLs that leave their holds
        self.promoted: list[Entry] = []
        self.records: dict[int, bytes] = {}  # to be merged, by key
        self.rather_held: list[Entry] = []  # sunk URLs that are held now
        self.merged = self.seen = self.full = 0

    def offer(self, decision: Decision, merge: Merge) -> None:
        """Let a link count."""
        entry = self.known.get(decision.link.key)
        if decision.hold:
            self._hold(decision, entry)
        elif entry is None:
            self._meet(decision)
        elif entry.state == WAITING or (entry.state == LATER and entry.attempts != AGAIN):
            self._merge(decision, entry, merge)
        else:  # a URL that waits for its next visit keeps the link of its last visit
            self.seen += 1
            if entry.state == DONE and entry.trail and not decision.link.trail:
                entry.trail = 0
                self.promoted.append(entry)

    def _hold(self, decision: Decision, entry: Entry | None) -> None:
        key = decision.link.key
        if entry is not None and entry.is_sunk and key not in self._unsettled.new:
            self.rather_held.append(self.known.pop(key))
            self._unsettled.entries.pop(key, None)
            entry = None
        if entry is None and key not in self.held:
            self.held.add(key)
            self.to_hold[key] = decision
        else:
            self.seen += 1

    def _meet(self, decision: Decision) -> None:
        link = decision.link
        key = link.key
        if key in self.held:
            self.held.discard(key)
            if self.to_hold.pop(key, None) is None:
                self.left.append(key)
        authority = self._queues.authority(urls.authority_of(link.url))
        if authority.quotas and _has_no_room_for(link, authority):
            self.full += 1
            return
        self._queues.last_id += 1
        entry = Entry(
            self._queues.last_id,
            key,
            authority,
            WAITING,
            priority_of(decision.priority),
            None,
            link.trail,
            link.depth,
            link.attempts,
            link.kind,
            link,
            bounded(link.record),
        )
        self.known[key] = entry
        self._unsettled.add(entry)

    def _merge(self, decision: Decision, entry: Entry, merge: Merge) -> None:
        link, unsettled = decision.link, self._unsettled
        if entry.authority.quotas and _has_no_room_for(link, entry.authority):
            self.full += 1  # an image that waits, linked to as a page: it stays an image
            return
        self.merged += 1
        if link.record and unsettled.keeps_records:
            if link.key in self.records:  # twice on a page: one after the other
                unsettled.learn(self.known, self.records)
                self.records = {}
            if not entry.record or entry.is_sunk:  # all links to a sunk URL are offered again
                entry.record = bounded(link.record)
                unsettled.change(entry)
            else:
                self.records[link.key] = link.record
        if entry.merge(link, priority_of(decision.priority), merge):
            unsettled.change(entry)


def _has_no_room_for(link: Link, authority: Authority) -> bool:
    return link.kind is Kind.PAGE and authority.full

"""Changes to URLs: links offered together merge, and changed URLs are scored before they are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lycosa import urls
from lycosa.frontier import Records
from lycosa.frontier.choice import Authority
from lycosa.frontier.entry import DONE, LATER, WAITING, Entry, priority_of
from lycosa.frontier.queues import Queues
from lycosa.values import AGAIN, RECORD_BYTES, Decision, Kind, Link, Merge

ALIKE = 0.001
"""Priorities that differ by no more are not stored again."""


class Unsettled:
    """URLs that are new, changed or touched, and not yet scored and stored."""

    def __init__(self, records: Records | None) -> None:
        self._records = records
        self.keeps_records = records is not None
        self.entries: dict[int, Entry] = {}
        self.new: dict[int, Entry] = {}
        self._touched: dict[int, Entry] = {}  # nothing else is known to have changed

    def add(self, entry: Entry) -> None:
        """Note a new URL."""
        self.new[entry.key] = self.entries[entry.key] = entry

    def change(self, entry: Entry) -> None:
        """Note that a URL changed."""
        self.entries[entry.key] = entry
        self._touched.pop(entry.key, None)

    def touch(self, entry: Entry) -> None:
        """Note that what a URL's score rests on changed."""
        if entry.key not in self.entries:
            self.entries[entry.key] = self._touched[entry.key] = entry

    def learn(self, known: Mapping[int, Entry], offered: Mapping[int, bytes]) -> None:
        """Merge the records of further links, by key, into those of waiting URLs."""
        if self._records is None or not offered:
            return
        entries = [known[key] for key in offered]
        merged = self._records.merge([entry.record for entry in entries], [*offered.values()])
        for entry, record in zip(entries, merged, strict=True):
            if record != entry.record:
                entry.record = bounded(record)
                self.change(entry)

    def settle(self) -> tuple[Collection[Entry], Collection[Entry]]:
        """Score all of them. Returns the new URLs and the others that changed; none is unsettled then."""
        entries, new, touched = self.entries, self.new, self._touched
        if not entries:
            return (), ()
        self.entries, self.new, self._touched = {}, {}, {}
        unmoved = self._scored(entries.values(), touched.values(), ALIKE)
        return new.values(), [one for key, one in entries.items() if key not in new and key not in unmoved]

    def score_again(self, entries: Collection[Entry], alike: float = ALIKE) -> list[Entry]:
        """Score stored URLs. Returns those whose priority moved by more than `alike`."""
        unmoved = self._scored(entries, entries, alike)
        return [entry for entry in entries if entry.key not in unmoved]

    def _scored(self, entries: Collection[Entry], touched: Collection[Entry], alike: float) -> set[int]:
        """Score URLs. Returns the keys of the touched ones that hardly moved; they stay as they were."""
        before = [(entry, entry.priority, entry.record) for entry in touched]
        self._score(entries)
        unmoved = set()
        for entry, priority, record in before:
            if not abs(entry.priority - priority) > alike:
                # Priority and record agree in the storage: keep both.
                entry.priority, entry.record = priority, record
                unmoved.add(entry.key)
        return unmoved

    def _score(self, entries: Collection[Entry]) -> None:
        recorded = [entry for entry in entries if entry.record] if self._records else []
        if self._records is None or not recorded:
            return
        priorities, kept = self._records.scored([entry.record for entry in recorded])
        for entry, priority, record in zip(recorded, priorities.tolist(), kept, strict=True):
            entry.priority, entry.record = priority_of(priority), bounded(record)


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


def bounded(record: bytes) -> bytes:
    """Return a record. Raise ValueError if it is longer than a URL may keep."""
    if len(record) > RECORD_BYTES:
        raise ValueError(f"a record of {len(record)} bytes: a URL keeps at most {RECORD_BYTES} bytes")
    return record

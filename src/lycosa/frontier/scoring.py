"""Scoring: the URLs whose record or rank changed, scored together before they are stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lycosa.frontier import Records
from lycosa.frontier.entry import Entry, priority_of
from lycosa.values import RECORD_BYTES

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


def bounded(record: bytes) -> bytes:
    """Return a record. Raise ValueError if it is longer than a URL may keep."""
    if len(record) > RECORD_BYTES:
        raise ValueError(f"a record of {len(record)} bytes: a URL keeps at most {RECORD_BYTES} bytes")
    return record

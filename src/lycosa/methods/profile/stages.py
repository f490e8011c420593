"""Stage one of a profile crawl: collect tag sets until the topic can be widened by co-tagging."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.methods.profile.cotags import TagSet, clean_tag, co_tags, write_table


class TopicSearch:
    """The tag sets seen so far, each once; `is_enough` when the wanted number of them have the start tag."""

    def __init__(
        self, start: str, items: int, top: int, by: str, stop: Sequence[str], min_phi: float = 0.0
    ) -> None:
        self.start = clean_tag(start)
        self.items = items
        self.top = top
        self.by = by
        self.stop = stop
        self.min_phi = min_phi
        self.sets: dict[TagSet, None] = {}
        self.tagged = 0

    def add(self, tags: Sequence[str]) -> None:
        """Take in the tags of an item."""
        found = frozenset(tags)
        if found and found not in self.sets:
            self.sets[found] = None
            self.tagged += self.start in found

    @property
    def is_enough(self) -> bool:
        """Whether stage one can end."""
        return self.tagged >= self.items

    def topic(self, table: Path | None = None) -> tuple[str, ...]:
        """The start tag and those that go with it; the table is written where asked for."""
        if not self.tagged:
            return (self.start,)
        rows = co_tags(self.sets, self.start, top=self.top, stop=self.stop, by=self.by, min_phi=self.min_phi)
        if table:
            write_table(table, rows)
        return tuple(row.tag for row in rows)

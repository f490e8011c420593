"""Teach a strategy from the pages of other shards.

A strategy that scores waiting URLs by what pages turned out to be (`fused`) learns at the judge's fit points, counted over
the pages of all shards. Each time makes a numbered version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.engine.conclude import Conclusions
from lycosa.errors import CollectionError
from lycosa.learn.refit import next_fit


class OthersLessons:
    """The pages of other shards that the strategy of one shard has learned from."""

    def __init__(self, others: Sequence[Path], note: Callable[[int, int], None] = lambda *_: None) -> None:
        """`note` receives the number of each version, and the number of foreign pages it was learned from."""
        self.version = self.pages = 0
        self._others = others
        self._note = note
        self._upto: dict[Path, int] = {}
        self._due = next_fit(0)

    def teach(self, conclusions: Conclusions, pages: int) -> None:
        """Teach the strategy the new pages when `pages` of all shards reach the next fit point. Call inside the commit."""
        strategy = conclusions.strategy
        if strategy.records is None or pages < self._due or not self._others:
            return
        self._due = next_fit(pages)
        for directory in self._others:
            with suppress(CollectionError), Collection.open(directory) as collection:
                for page, lesson in collection.reader.numbered_lessons(self._upto.get(directory, 0)):
                    strategy.learn(*lesson)
                    self._upto[directory] = page
                    self.pages += 1
        self.version += 1
        self._note(self.version, self.pages)
        conclusions.rescore()

"""What a strategy learns from the pages of other shards. In: their collections. Out: a strategy that knows them.

A strategy that scores what waits by what pages turned out to be (`fused`) learns at the set points of the judge, by the number
of pages of all shards, so that what it has learned can be named: version n, from so many pages of others.
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
    """The lessons of other shards, as far as one shard has heard them."""

    def __init__(self, others: Sequence[Path], note: Callable[[int, int], None] = lambda *_: None) -> None:
        """`note` is told the number of each version, and from how many pages of others it is learned."""
        self.version = self.pages = 0
        self._others = others
        self._note = note
        self._upto: dict[Path, int] = {}
        self._due = next_fit(0)

    def teach(self, conclusions: Conclusions, pages: int) -> None:
        """Let the strategy learn what is new, if all shards have come to so many pages; inside the shard's commit."""
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

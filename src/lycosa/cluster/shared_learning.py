"""What shards learn from one another.

A strategy that scores waiting URLs by what pages turned out to be (`fused`) learns at the judge's fit points, counted over
the pages of all shards. The judge is fitted by one shard on the pages of all; the others load the result. Versions travel as
files in the crawl's folder, because each has a value for every page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from lycosa.cluster.division import SHARDS
from lycosa.collection.collection import Collection
from lycosa.engine.conclude import Conclusions
from lycosa.errors import CollectionError
from lycosa.files import read_file, write_file
from lycosa.learn.fitting.crawl_fitter import Fit
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


FILE = "judge.fit"


class PublishedVersions:
    """The newest version, as one shard sees it."""

    def __init__(self, directory: Path) -> None:
        """`directory`: of the whole collection."""
        self._path = directory / SHARDS / FILE
        self._known: tuple[int, int] | None = None  # what tells the one that was handed out last from others

    def put(self, fit: Fit) -> None:
        """Publish a version, in the place of the one before."""
        write_file(self._path, msgspec.msgpack.encode(fit))

    def newest(self) -> Fit | None:
        """The newest version; None where it was handed out before, or there is none."""
        try:
            about = self._path.stat()
            if (mark := (about.st_mtime_ns, about.st_ino)) == self._known:
                return None
            fit = msgspec.msgpack.decode(read_file(self._path), type=Fit)
        except FileNotFoundError:
            return None
        self._known = mark
        return fit

    def forget(self) -> None:
        """Before a run begins: what an earlier one has published may be of another judge."""
        self._path.unlink(missing_ok=True)

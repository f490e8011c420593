"""The collections that are served. In: directories. Out: names for addresses, and collections opened to read."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar, cast

from lycosa.errors import CollectionError
from lycosa.store.collection import Collection

T = TypeVar("T")
FRESH_S = 4.0
"""How long a cached view is shown at the longest while a crawl changes its collection."""
FRESH_FOR_COST = 20.0
"""And how much longer than it took to make: what costs nothing is made again at once."""
CACHED = 500
"""How many views are kept."""


class ServedCollections:
    """Collections by name. A connection is opened for each request, so each thread has its own."""

    def __init__(self, directories: Sequence[Path]) -> None:
        self.directories: dict[str, Path] = {}
        for directory in directories:
            with Collection.open(directory):
                self.directories[self._name(directory)] = directory
        if not self.directories:
            raise CollectionError("There is nothing to serve. Name at least one collection: lycosa serve DIR")
        self._cache: dict[tuple[object, ...], tuple[object, float, object]] = {}  # stamp, fresh until, view
        self._lock = threading.Lock()

    def open(self, name: str) -> Collection:
        """Open a collection to read. KeyError if there is none of this name."""
        return Collection.open(self.directories[name])

    def cached(self, collection: Collection, what: str, make: Callable[[], T]) -> T:
        """What `make` gives, made again when the collection has changed; what is costly, only every few seconds."""
        key, began = (collection.directory, what), time.monotonic()
        stamp = _stamp(collection)
        known = self._cache.get(key)
        if known and (known[0] == stamp or began < known[1]):
            return cast("T", known[2])
        made = make()
        ended = time.monotonic()
        with self._lock:
            if len(self._cache) >= CACHED:
                self._cache.clear()
            self._cache[key] = stamp, ended + min(FRESH_S, FRESH_FOR_COST * (ended - began)), made
        return made

    def _name(self, directory: Path) -> str:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", directory.resolve().name).strip("-.") or "collection"
        name, number = plain, 2
        while name in self.directories:
            name, number = f"{plain}-{number}", number + 1
        return name


def _stamp(collection: Collection) -> tuple[int, ...]:
    stamps = []
    for path in (collection.path, collection.path.with_name(collection.path.name + "-wal")):
        try:
            state = path.stat()
            stamps += [state.st_mtime_ns, state.st_size]
        except OSError:
            stamps += [0, 0]
    return tuple(stamps)

"""Open the served collections by name, and cache views of them."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar, cast

import msgspec

from lycosa.collection.collection import Collection
from lycosa.errors import CollectionError, LycosaError

T = TypeVar("T")
_Key = tuple[Path, str]  # the collection and the name of a view
FRESH_S = 4.0
"""Maximum age of a cached view while a crawl changes its collection."""
FRESH_FOR_COST = 20.0
"""Maximum age as a multiple of the time to make it: cheap views are made again at once."""
COSTLY_S = 0.25
"""Views that take longer are made in the background, while the old one is shown,"""
STALE_S = 60.0
"""unless it is older than this."""
CACHED = 500
"""Maximum number of cached views."""


class _Kept(msgspec.Struct, frozen=True):
    """A view, the state of its collection, when it was made, and how long that took."""

    view: object
    stamp: tuple[int, ...]
    made_at: float
    took_s: float

    def is_fresh(self, now: float) -> bool:
        """Return whether it is valid although the collection has changed."""
        return now < self.made_at + min(FRESH_S, FRESH_FOR_COST * self.took_s)

    def may_be_shown(self, now: float) -> bool:
        """Return whether it can be shown while a new one is made."""
        return self.took_s > COSTLY_S and now < self.made_at + STALE_S


class ServedCollections:
    """Collections by name. Each request opens its own connection."""

    def __init__(self, directories: Sequence[Path], query_s: float = math.inf) -> None:
        """`query_s` is the CPU time that the queries of a request may use."""
        self._query_s = query_s
        self.directories: dict[str, Path] = {}
        for directory in directories:
            with Collection.open(directory):
                self.directories[self._name(directory)] = directory
        if not self.directories:
            raise CollectionError("There is nothing to serve. Name at least one collection: lycosa serve DIR")
        self._cache: dict[_Key, _Kept] = {}
        self._being_made: set[_Key] = set()
        self._lock = threading.Lock()

    def open(self, name: str) -> Collection:
        """Open a collection; KeyError if there is none of this name."""
        collection = Collection.open(self.directories[name])
        if self._query_s < math.inf:
            collection.limit_queries(self._query_s)
        return collection

    def cached(self, collection: Collection, what: str, make: Callable[[Collection], T]) -> T:
        """Return `make(collection)`, cached until the collection changes; expensive views are renewed in the background."""
        key, now = (collection.directory, what), time.monotonic()
        known, stamp = self._cache.get(key), _stamp(collection)
        if known is None or not (known.stamp == stamp or known.is_fresh(now) or known.may_be_shown(now)):
            return self._made(key, collection, make)
        if known.stamp != stamp and not known.is_fresh(now):
            self._make_behind(key, make)
        return cast("T", known.view)

    def _made(self, key: _Key, collection: Collection, make: Callable[[Collection], T]) -> T:
        began, stamp = time.monotonic(), _stamp(collection)
        if (
            self._query_s < math.inf and collection.is_limited
        ):  # all share the view: it is not at one's expense
            with Collection.open(collection.directory) as own:
                made = make(own)
        else:
            made = make(collection)
        ended = time.monotonic()
        with self._lock:
            if len(self._cache) >= CACHED:
                self._cache.clear()
            self._cache[key] = _Kept(made, stamp, ended, ended - began)
        return made

    def _make_behind(self, key: _Key, make: Callable[[Collection], T]) -> None:
        with self._lock:
            if key in self._being_made:
                return
            self._being_made.add(key)

        def run() -> None:
            try:
                # The next request reports errors of the collection.
                with suppress(LycosaError), Collection.open(key[0]) as own:
                    self._made(key, own, make)
            finally:
                self._being_made.discard(key)

        threading.Thread(target=run, daemon=True).start()

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

"""A cache of scripts and stylesheets that pages of a site share."""

from __future__ import annotations

from lycosa.values import Fetched

MAX_BYTES = 64_000_000
"""Maximum size of the cache. The least recently used response goes first."""
_SHARED_TYPES = (
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "application/wasm",
)


class Reuse:
    """Scripts and stylesheets are cached for a run; data that scripts load is not."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: dict[str, Fetched] = {}
        self._size = 0

    def get(self, url: str) -> Fetched | None:
        """Return the cached response to a URL."""
        found = self._kept.pop(url, None)
        if found is not None:
            self._kept[url] = found  # most recently used
        return found

    def keep(self, url: str, fetched: Fetched) -> None:
        """Cache a response, if it is of a shared type."""
        kind = fetched.header("content-type").partition(";")[0].strip().lower()
        if fetched.status != 200 or kind not in _SHARED_TYPES or len(fetched.body) > self._max_bytes // 4:
            return
        if (old := self._kept.pop(url, None)) is not None:
            self._size -= len(old.body)
        self._kept[url] = fetched
        self._size += len(fetched.body)
        while self._size > self._max_bytes:
            self._size -= len(self._kept.pop(next(iter(self._kept))).body)

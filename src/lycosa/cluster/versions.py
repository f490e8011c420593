"""Share versions of the judge: one shard fits on the pages of all shards, the others load the result.

Versions travel as files in the crawl's folder, because each has a value for every page.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.cluster.division import SHARDS
from lycosa.files import write_file
from lycosa.learn.fitting.crawl_fitter import Fit

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
            fit = msgspec.msgpack.decode(self._path.read_bytes(), type=Fit)
        except FileNotFoundError:
            return None
        self._known = mark
        return fit

    def forget(self) -> None:
        """Before a run begins: what an earlier one has published may be of another judge."""
        self._path.unlink(missing_ok=True)

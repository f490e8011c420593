"""Refuse what other collections have already (`archive.known`).

Other collections are opened for reading, also while a crawl writes to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from os.path import relpath
from pathlib import Path

import msgspec
import numpy as np

from lycosa.collection.archive.responses import parsed_response
from lycosa.collection.archive.warc import EarlierCapture, digest_of, warc_date
from lycosa.collection.catalogue.page_filter import COLLECTED_SQL
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.queries import Queries, first_capture
from lycosa.collection.catalogue.schema import plain_errors
from lycosa.collection.collection import Collection
from lycosa.errors import ArchiveError, SpecError
from lycosa.spec.sections import ArchiveSpec
from lycosa.values import Fetched, Link, Reason, Refusal

_EMPTY = digest_of(b"")
_KEPT = f"{COLLECTED_SQL.format('pages')} AND refusal IS NULL AND pages.status = 200"


class Elsewhere(msgspec.Struct, frozen=True):
    """The first capture of the same body in another collection."""

    collection: str
    capture: EarlierCapture

    @property
    def refusal(self) -> Refusal:
        """Why the body is not kept again."""
        day = warc_date(self.capture.at)[:10]
        return Refusal(Reason.KNOWN, f"in {self.collection} as {self.capture.url}, {day}")


class _Pages(Queries):
    """Queries on the pages that another collection has kept."""

    def keys(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Return their keys, sorted."""
        rows = self._rows(f"SELECT key FROM pages WHERE {_KEPT}")
        return np.sort(np.fromiter((key for (key,) in rows), np.int64))

    def day_of(self, key: int) -> str:
        """Return the day of the last capture of a page."""
        row = next(self._rows("SELECT at FROM pages WHERE key = ?", key), None)
        return warc_date(row[0])[:10] if row else ""

    def capture_of(self, digest: bytes) -> EarlierCapture | None:
        """Return the first capture with this body."""
        with plain_errors(self._path):
            whole = f"captures.digest = ? AND captures.revisit = 0 AND {_KEPT}"
            return first_capture(self._connection, whole, digest)


def known_in(archive: ArchiveSpec, folder: Path) -> list[Path]:
    """Return the collections that a spec names; relative paths begin in `folder`. Paths are short, because refusals show them."""
    paths = [folder / name for name in archive.known]
    return [Path(relpath(path.resolve())) if ".." in path.parts else path for path in paths]


class KnownElsewhere:
    """The pages that other collections have kept. Close it.

    Their keys are read once, when they are opened.
    """

    def __init__(self, directories: Sequence[Path], own: Path | None = None) -> None:
        self._opened: list[tuple[Collection, _Pages]] = []
        with ExitStack() as closing:  # close all if one cannot be opened
            for directory in directories:
                if own is not None and directory.resolve() == own.resolve():
                    raise SpecError(
                        f"archive.known names {directory}, which is the collection that is crawled into. Leave it out: "
                        "what it has itself is never fetched twice."
                    )
                collection = closing.enter_context(Collection.open(directory))
                self._opened.append((collection, _Pages(collection.connection, collection.path)))
            keys = [pages.keys() for _, pages in self._opened]
            self._closing = closing.pop_all()
        self._keys = keys

    def close(self) -> None:
        """Close the collections."""
        self._closing.close()

    def __len__(self) -> int:
        return sum(map(len, self._keys))

    def __call__(self, link: Link, page_url: str = "") -> Refusal | None:
        """Return why a link is not followed: one of the collections has its page. None if none has it."""
        for (collection, pages), keys in zip(self._opened, self._keys, strict=True):
            at = int(np.searchsorted(keys, link.key))
            if at < len(keys) and keys[at] == link.key:
                return Refusal(Reason.KNOWN, f"in {collection.directory}, {pages.day_of(link.key)}")
        return None

    def same(self, body: bytes) -> Elsewhere | None:
        """Return where a body was kept before; None of an empty body."""
        if not self._opened or (digest := digest_of(body)) == _EMPTY:
            return None
        found = ((collection, pages.capture_of(digest)) for collection, pages in self._opened)
        return next((Elsewhere(str(where.directory), one) for where, one in found if one), None)

    def response(self, page: StoredPage) -> Fetched | None:
        """Return the response of a page whose body only another collection has."""
        for collection, _ in self._opened:
            if (capture := collection.reader.original(page.capture.digest)) is not None:
                try:
                    head, body = collection.response(capture)
                except ArchiveError:
                    continue
                response = parsed_response(page.link, head, body)
                return msgspec.structs.replace(response, started=page.at, elapsed_s=page.elapsed_s)
        return None

"""Read a collection on disk, also while a crawl writes to it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lycosa.collection.archive.warc import Capture, read_capture
from lycosa.collection.catalogue.damage import UNEXPECTED, damage_said, refuse_damaged
from lycosa.collection.catalogue.page_filter import COLLECTED, PageFilter
from lycosa.collection.catalogue.pages import StoredPage
from lycosa.collection.catalogue.queries import fact_in
from lycosa.collection.catalogue.reader import Reader
from lycosa.collection.catalogue.schema import open_for_reading, plain_errors
from lycosa.collection.catalogue.spec_text import tables_of
from lycosa.collection.catalogue.statistics import Statistics
from lycosa.collection.search.search import Search


class Collection:
    """A collection opened for reading: pages, search, statistics, rows, exports."""

    @classmethod
    def open(cls, directory: str | os.PathLike[str]) -> Self:
        """Open the collection in a folder. Close it, or use it in a `with` block."""
        return cls(Path(directory))

    @classmethod
    def open_checked(cls, directory: str | os.PathLike[str]) -> Self:
        """Open it after a short look for damage, as for a report or an export."""
        collection = cls(Path(directory))
        try:
            refuse_damaged(collection.path)
        except BaseException:
            collection.close()
            raise
        return collection

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.archive = directory / "archive"
        self.path = directory / "catalogue.db"
        self.connection = open_for_reading(self.path)
        self.is_limited = False
        self.reader = Reader(self.connection, self.path)
        self.statistics = Statistics(self.connection, self.path)
        self.search = Search(self.connection, self.path)

    def limit_queries(self, seconds: float) -> None:
        """Let queries end with TooLong when this thread has used that much more CPU time."""
        until = time.thread_time() + seconds
        self.connection.set_progress_handler(lambda: time.thread_time() > until, 10_000)
        self.is_limited = True

    def pages(self, *, relevant: bool | None = None) -> Iterator[StoredPage]:
        """Return all responses in the order of the crawl; or only pages judged relevant, or not."""
        found = self.reader.pages()
        if relevant is None:
            return found
        return (page for page in found if page.judgement and page.judgement.relevant is relevant)

    def rows(self, wanted: PageFilter = COLLECTED) -> Iterator[dict[str, Any]]:
        """Return pages as plain dictionaries with text and provenance: the columns of docs/exports.md."""
        from lycosa.collection.exports.corpus import columns_of, corpus_rows  # which imports this module

        return (columns_of(row) for row in corpus_rows(self, wanted))

    def export(self, out: str | os.PathLike[str], wanted: PageFilter = COLLECTED) -> int:
        """Write pages to a file that ends in .wacz, .jsonl, .csv or .parquet, and return how many."""
        from lycosa.collection.exports.writers import writer_for

        path = Path(out)
        return writer_for(path)(self.directory, path, wanted)

    def response(self, capture: Capture) -> tuple[bytes, bytes]:
        """Return head and body of a capture, as received."""
        return read_capture(self.archive, capture.file, capture.offset)

    def spec_text(self) -> str:
        """Return the spec of the last run."""
        with plain_errors(self.path):
            return (fact_in(self.connection, "spec") or b"").decode("utf-8", "replace")

    def spec(self) -> dict[str, dict[str, Any]]:
        """Return the tables of the last run's spec; keys outside of tables are in the table ''."""
        return tables_of(self.spec_text())

    def close(self) -> None:
        """Close the catalogue."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if isinstance(error, UNEXPECTED):
            with damage_said(self.path), plain_errors(self.path):
                raise error

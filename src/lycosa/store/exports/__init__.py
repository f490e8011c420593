"""Handing a collection over. In: a collection and a choice of its pages. Out: WACZ, JSON lines or Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lycosa.errors import InputError


class Choice(msgspec.Struct, frozen=True):
    """Which pages are exported: all that were judged, or only some of them."""

    only_relevant: bool = False
    dedupe: bool = False
    genres: tuple[str, ...] = ()

    @property
    def is_all(self) -> bool:
        """Whether nothing that was judged is left out."""
        return self == Choice()

    @property
    def sql(self) -> str:
        """As a condition on the rows of `pages`."""
        if not self.dedupe:
            return self._wanted("pages")
        # Of a cluster its first page that is exported stands for all of it.
        return (
            f"{self._wanted('pages')} AND NOT EXISTS (SELECT 1 FROM pages AS first WHERE"
            " pages.near_duplicate_of != 0 AND first.key = pages.near_duplicate_of"
            f" AND {self._wanted('first')})"
        )

    def _wanted(self, table: str) -> str:
        parts = [f"{table}.relevant IS NOT NULL"]
        if self.only_relevant:
            parts = [f"{table}.relevant = 1 AND {table}.explored = 0"]
        if self.genres:
            named = ", ".join("'" + genre.replace("'", "''") + "'" for genre in self.genres)
            parts.append(
                f"{table}.id IN (SELECT page FROM evidence WHERE name = 'genre' AND label IN ({named}))"
            )
        return " AND ".join(parts)


@contextmanager
def written(out: Path) -> Iterator[Path]:
    """A draft beside `out` that takes its name when it is complete, and never before."""
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        yield draft
        draft.replace(out)
    except OSError as error:
        raise InputError(
            f"{out} cannot be written ({error.strerror or error}). Choose another place."
        ) from None
    finally:
        draft.unlink(missing_ok=True)

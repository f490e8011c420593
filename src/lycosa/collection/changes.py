"""Find pages that are new, changed or gone since a time."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby

import msgspec

from lycosa.collection.catalogue.page_filter import COLLECTED, PageFilter, condition_of
from lycosa.collection.catalogue.queries import Queries


class News(StrEnum):
    """What happened to a page."""

    NEW = "new"
    CHANGED = "changed"
    VANISHED = "vanished"


class Change(msgspec.Struct, frozen=True):
    """A page that changed. `at`: when the change was seen; `before`: the last capture before it, 0 for new pages."""

    kind: News
    url: str
    title: str
    at: float
    before: float = 0.0
    status: int = 200


class _Seen(msgspec.Struct, frozen=True, array_like=True):
    page: int
    url: str
    title: str
    at: float
    status: int
    digest: bytes
    revisit: bool

    @property
    def is_there(self) -> bool:
        """Whether the response was the page, or said that it is not modified."""
        return self.status in (200, 304)


class Changes(Queries):
    """Queries on captures over time."""

    def since(self, at: float, wanted: PageFilter = COLLECTED) -> Iterator[Change]:
        """Return the pages that changed since a time, in the order of the crawl."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT pages.id, pages.url, pages.title, captures.at, captures.status, captures.digest, captures.revisit"
            " FROM captures JOIN pages ON pages.id = captures.page"
            f" WHERE captures.page IN (SELECT page FROM captures WHERE at >= ?) AND {chosen.sql}"
            " ORDER BY pages.id, captures.at, captures.offset",
            at,
            *chosen.values,
        )
        for _, seen in groupby((_Seen(*row) for row in rows), lambda one: one.page):
            change = _change(list(seen), at)
            if change is not None:
                yield change


def _change(seen: list[_Seen], since: float) -> Change | None:
    """Return what happened to one page, by its captures, oldest first."""
    first_after = next(number for number, one in enumerate(seen) if one.at >= since)
    before, after = seen[:first_after], seen[first_after:]
    last, known = after[-1], next((one for one in reversed(before) if one.is_there), None)
    if known is None:
        there = next((one for one in after if one.is_there), None)
        return Change(News.NEW, there.url, there.title, there.at) if there and last.is_there else None
    if not last.is_there:
        return Change(News.VANISHED, last.url, last.title, last.at, known.at, last.status)
    digest = next((one.digest for one in reversed(before) if one.status == 200), b"")
    other = next((one for one in after if one.status == 200 and one.digest != digest), None)
    return Change(News.CHANGED, other.url, other.title, other.at, known.at) if other else None

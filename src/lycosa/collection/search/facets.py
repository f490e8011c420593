"""Count pages by all fields at once, for Explore.

All judged pages are in memory as columns (a few hundred bytes a page), read once for each state of the collection,
because grouping in SQL would read the catalogue once for each field. A
`PageFilter` selects the same pages here as in SQL.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from lycosa.collection.catalogue.page_filter import (
    MEDIA_TYPE_SQL,
    PageFilter,
    Relevance,
    place_in_words,
    place_key,
    read_place,
)
from lycosa.collection.catalogue.queries import Queries
from lycosa.collection.catalogue.statistics import PlaceCount
from lycosa.collection.search.search import Order
from lycosa.methods.registry import facets

BINS = 20
"""Bins of the histogram of scores."""
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]
ValueCounts = list[tuple[str, int]]

FIELDS = ("source", "language", "media_type", "place", "person", "organisation")
"""What pages are counted by, besides days, scores and the categories of methods."""


class FacetCounts(msgspec.Struct, frozen=True):
    """Number of pages by value, given all other conditions. `scores`: kept and other pages by bin."""

    total: int
    near_misses: int
    fields: dict[str, ValueCounts]
    relevance: dict[str, int]
    labels: dict[str, int]
    days: ValueCounts
    undated: int
    scores: list[tuple[int, int]]
    places: list[PlaceCount]


class _Column(msgspec.Struct, frozen=True):
    """Values of a field: row `rows[i]` has the value `values[codes[i]]`. A page may have several, or none."""

    values: list[str]
    rows: Codes
    codes: Codes

    def counted(self, mask: Mask, limit: int) -> ValueCounts:
        """Count the pages by value, most pages first."""
        counts = np.bincount(self.codes[mask[self.rows]], minlength=len(self.values))
        best = np.argsort(-counts, kind="stable")[:limit]
        return [(self.values[at], int(counts[at])) for at in best if counts[at]]

    def having(self, wanted: Iterable[str], pages: int) -> Mask:
        """Return the pages that have one of these values."""
        numbers = [at for at, value in enumerate(self.values) if value in set(wanted)]
        mask = np.zeros(pages, np.bool_)
        mask[self.rows[np.isin(self.codes, numbers)]] = True
        return mask


class Facets(Queries):
    """The judged pages of a collection as columns. `place_words`: names of places by their keys."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        rows = list(
            self._rows(
                "SELECT id, key, source, language, substr(date, 1, 10), score, relevant, explored, trail, near_duplicate_of,"
                f" {MEDIA_TYPE_SQL.format('pages')}, relevant OR refusal IS NULL"
                " FROM pages WHERE relevant IS NOT NULL ORDER BY id"
            )
        )
        of = list(zip(*rows, strict=True)) or [()] * 12
        self.ids = np.array(of[0], np.int64)
        self._keys = np.array(of[1], np.int64)
        self._days = np.array([day or "" for day in of[4]], np.str_)
        self._scores = np.array([np.nan if score is None else score for score in of[5]], np.float64)
        self._relevant = np.array(of[6], np.bool_)
        self._goes_by_score = np.array(of[11], np.bool_)  # not: noindex, a duplicate, outside the scope
        self._explored = np.array(of[7], np.bool_)
        self._trails = np.array(of[8], np.int64)
        every = np.arange(len(rows))
        self._columns = {"source": _column(of[2], every), "language": _column(of[3], every)}
        self._columns["media_type"] = _column(of[10], every)
        self._columns["day"] = _column(of[4], every)
        self._categories = [facet.name for facet in facets()]
        for name in self._categories:
            self._read_labels(name, "SELECT page, label FROM evidence WHERE name = ? AND label != ''", name)
        for kind in ("person", "organisation"):
            self._read_labels(kind, f"SELECT DISTINCT page, name FROM entities WHERE kind = '{kind}'")
        self._read_places()
        self._connection = None  # type: ignore[assignment]  # belongs to the request that made it

    def _read_labels(self, field: str, sql: str, *bound: object) -> None:
        pages, values = _pairs(self._rows(sql, *bound))
        rows, found = self._judged(pages)
        self._columns[field] = _column([values[at] for at in found.tolist()], rows)

    def _read_places(self) -> None:
        rows = list(self._rows("SELECT page, canonical, country, state, kind, lat, lon FROM places"))
        known: dict[tuple[Any, ...], int] = {}
        codes = [known.setdefault(row[1:5], len(known)) for row in rows]
        self._placed: list[tuple[Any, ...]] = [()] * len(known)
        for row, code in zip(rows, codes, strict=True):
            self._placed[code] = row[1:]
        keys = [place_key(*row[:3]) for row in self._placed]
        self.place_words = {
            key: place_in_words(*row[:4]) for key, row in zip(keys, self._placed, strict=True)
        }
        names = dict[str, int]()
        by_name = np.array([names.setdefault(key, len(names)) for key in keys], np.int64)
        pages, found = self._judged([row[0] for row in rows])
        values = np.array(codes, np.int64)[found]
        self._columns["place"] = _unique(list(names), pages, by_name[values])
        self._mapped = _unique([str(at) for at in range(len(known))], pages, values)

    def _judged(self, pages: Sequence[int]) -> tuple[Codes, Codes]:
        """Return the rows of the judged ones among these pages, and their positions."""
        wanted = np.array(pages, np.int64)
        if not len(self.ids):
            wanted = wanted[:0]
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        found = np.flatnonzero(self.ids[at] == wanted)
        return at[found], found

    def rows_of(self, ids: Sequence[int] | None) -> Mask | None:
        """Return a mask of these pages; None stands for all."""
        return None if ids is None else np.isin(self.ids, np.array(ids, np.int64))

    def count(
        self,
        wanted: PageFilter,
        words: Mask | None = None,
        labels: Mapping[int, bool] | None = None,
        limit: int = 12,
    ) -> FacetCounts:
        """Count all facets under a filter. `words` are the matching pages, `labels` those of people, by key."""
        masks = self._masks(wanted)
        if words is not None:
            masks["words"] = words
        total = self._all(masks)
        fields = {
            name: self._columns[name].counted(self._all(masks, _CONDITION.get(name, name)), limit)
            for name in (*FIELDS, *self._categories)
        }
        by_relevance = self._all(masks, "relevance")
        collected = self._relevant & ~self._explored
        dated = self._all(masks, "date")
        days = self._columns["day"].counted(dated, len(self._columns["day"].values))
        whole = sorted((day, pages) for day, pages in days if len(day) == 10)
        return FacetCounts(
            int(total.sum()),
            int((by_relevance & ~self._relevant).sum()) if wanted.relevance is Relevance.COLLECTED else 0,
            fields,
            {
                "yes": int((by_relevance & collected).sum()),
                "no": int((by_relevance & ~self._relevant).sum()),
                "all": int(by_relevance.sum()),
            },
            self._labelled(labels or {}, self._all(masks, "label")),
            whole,
            int(total.sum()) - int((total & (self._days != "")).sum()),
            self._histogram(self._all(masks, "relevance", "score")),
            self._on_map(self._all(masks, "place")),
        )

    def ordered(self, wanted: PageFilter, order: Order, threshold: float, words: Mask | None = None) -> Codes:
        """Return the ids of the pages, in an order other than by words."""
        masks = self._masks(wanted)
        if words is not None:
            masks["words"] = words
        at = np.flatnonzero(self._all(masks))
        scores = np.nan_to_num(self._scores[at], nan=-1.0)
        if order is Order.UNCERTAIN:
            distances = np.abs(scores - threshold) + ~self._goes_by_score[at]
            return self.ids[at[np.argsort(distances, kind="stable")]]
        at = at[np.argsort(-scores, kind="stable")]
        if order in (Order.NEWEST, Order.OLDEST):
            days = self._days[at]
            _, ranks = np.unique(days, return_inverse=True)
            if order is Order.NEWEST:
                ranks = -ranks
            else:
                ranks[days == ""] = len(days) + 1
            at = at[np.argsort(ranks, kind="stable")]
        return self.ids[at]

    def keys(self, wanted: PageFilter, words: Mask | None = None) -> list[int]:
        """Return the keys of the pages, in the order of the crawl."""
        masks = self._masks(wanted) | ({} if words is None else {"words": words})
        return [int(key) for key in self._keys[self._all(masks)]]

    def _masks(self, wanted: PageFilter) -> dict[str, Mask]:
        """Return a mask for each condition that is set, by its name."""
        pages, masks = len(self.ids), dict[str, Mask]()
        if wanted.relevance is Relevance.COLLECTED:
            masks["relevance"] = self._relevant & ~self._explored
        elif wanted.relevance is Relevance.NOT_RELEVANT:
            masks["relevance"] = ~self._relevant
        for name, values in (
            ("source", [wanted.source]),
            ("language", [wanted.language]),
            ("media_type", [wanted.media_type]),
            *wanted.categories,
        ):
            if any(values):
                column = self._columns.get(name)
                masks[name] = column.having(values, pages) if column else np.zeros(pages, np.bool_)
        if wanted.place:
            masks["place"] = self._columns["place"].having(self._places_called(wanted.place), pages)
        if wanted.entity:
            masks["entity"] = self._columns["person"].having([wanted.entity], pages) | self._columns[
                "organisation"
            ].having([wanted.entity], pages)
        if wanted.since or wanted.until:
            masks["date"] = self._days != ""
            if wanted.since:
                masks["date"] &= self._days >= wanted.since
            if wanted.until:
                masks["date"] &= self._days < wanted.until + "\U0010ffff"
        if wanted.score_from is not None or wanted.score_to is not None:
            low = -np.inf if wanted.score_from is None else wanted.score_from
            high = np.inf if wanted.score_to is None else wanted.score_to
            masks["score"] = (self._scores >= low) & (self._scores <= high)
        if wanted.trail is not None:
            masks["trail"] = self._trails == min(wanted.trail, 2**31)
        if wanted.keys is not None:
            masks["label"] = np.isin(self._keys, np.array(wanted.keys, np.int64))
        return masks

    def _all(self, masks: Mapping[str, Mask], *without: str) -> Mask:
        found = np.ones(len(self.ids), np.bool_)
        for name, mask in masks.items():
            if name not in without:
                found &= mask
        return found

    def _places_called(self, key: str) -> list[str]:
        name, country, _ = read_place(key)
        if country:
            return [key]
        return [place_key(*row[:3]) for row in self._placed if row[0] == name]

    def _labelled(self, labels: Mapping[int, bool], mask: Mask) -> dict[str, int]:
        keys = self._keys[mask]
        yes = np.isin(keys, np.array([key for key, said in labels.items() if said], np.int64)).sum()
        all_ = np.isin(keys, np.array(list(labels), np.int64)).sum()
        return {"yes": int(yes), "no": int(all_ - yes)}

    def _histogram(self, mask: Mask) -> list[tuple[int, int]]:
        mask = mask & self._goes_by_score
        scores = np.clip(np.nan_to_num(self._scores, nan=0.0), 0.0, 1.0)
        bins = np.minimum((scores * BINS).astype(np.int64), BINS - 1)
        kept = np.bincount(bins[mask & self._relevant], minlength=BINS)
        other = np.bincount(bins[mask & ~self._relevant], minlength=BINS)
        return [(int(one), int(two)) for one, two in zip(kept, other, strict=True)]

    def _on_map(self, mask: Mask, limit: int = 400) -> list[PlaceCount]:
        found = self._mapped.counted(mask, 2 * limit)
        rows = ((self._placed[int(code)], pages) for code, pages in found)
        return [
            PlaceCount(name, kind, lat, lon, country, state, pages)
            for (name, country, state, kind, lat, lon), pages in rows
            if lat is not None and lon is not None
        ][:limit]


_CONDITION = {"person": "entity", "organisation": "entity"}
"""The condition that filters a field, if it has a different name: a condition does not narrow its own counts."""


def _pairs(rows: Iterable[tuple[Any, ...]]) -> tuple[list[int], list[str]]:
    found = list(rows)
    return [row[0] for row in found], [row[1] for row in found]


def _column(values: Sequence[str], rows: Any) -> _Column:
    """Return a column of texts; pages without a value have no row."""
    known: dict[str, int] = {}
    codes = [known.setdefault(value, len(known)) for value in values]
    column = _Column(list(known), np.array(rows, np.int64), np.array(codes, np.int64))
    if "" not in known:
        return column
    filled = column.codes != known[""]
    return _Column(column.values, column.rows[filled], column.codes[filled])


def _unique(values: list[str], rows: Codes, codes: Codes) -> _Column:
    """Return a column in which a page has each value once."""
    pairs = np.unique(rows * max(1, len(values)) + codes)
    return _Column(values, pairs // max(1, len(values)), pairs % max(1, len(values)))

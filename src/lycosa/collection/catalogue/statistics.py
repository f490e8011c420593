"""Counts over a catalogue: places, names, categories, sources, languages, days. In: a page filter. Out: counts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

import msgspec

from lycosa.collection.catalogue.page_filter import (
    COLLECTED,
    COLLECTED_SQL,
    JUDGED_SQL,
    PageFilter,
    condition_of,
    place_in_words,
    place_key,
)
from lycosa.collection.catalogue.queries import Queries
from lycosa.values import Reason

Column = Literal["source", "language"]
EntityKind = Literal["person", "organisation"]
ValueCounts = list[tuple[str, int]]
"""Values with the number of pages that have each."""


class PlaceCount(msgspec.Struct, frozen=True):
    """A place with the number of pages that name it. Namesakes in other countries or states are other places."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str
    state: str
    pages: int

    @property
    def key(self) -> str:
        """What `PageFilter.place` finds this place by, and none of its namesakes.

        >>> PlaceCount("Alexandria", "city", 31.3, -92.4, "US", "LA", 3).key
        'Alexandria, US-LA'
        """
        return place_key(self.name, self.country, self.state)

    @property
    def in_words(self) -> str:
        """The place as people write it."""
        return place_in_words(self.name, self.country, self.state, self.kind)


class ImageOnPage(msgspec.Struct, frozen=True):
    """An archived image, the page it was found on, and what an image model saw in it, where one looked."""

    id: int
    url: str
    page: int
    title: str
    sees: str
    value: float | None


class SourceHarvest(msgspec.Struct, frozen=True):
    """A source with its judged pages, and how many of them are in the collection."""

    name: str
    pages: int
    relevant: int


class LabelCount(msgspec.Struct, frozen=True):
    """A class label of some evidence with the judged pages that have it, and how many are relevant."""

    label: str
    pages: int
    relevant: int


class LabelledLinks(msgspec.Struct, frozen=True):
    """Links of pages that are (not) relevant and have a label, and how many lead to a relevant page."""

    relevant: bool
    label: str
    links: int
    to_relevant: int


class Statistics(Queries):
    """How many pages have what."""

    def left_to_others(self) -> int:
        """How many URLs were not fetched or not kept because another collection has them."""
        return self._number(
            "WITH known AS (SELECT id FROM reasons WHERE text = ?) SELECT count(*) FROM ("
            "SELECT target FROM links, known WHERE refusal = known.id"
            " UNION SELECT key FROM pages, known WHERE refusal = known.id"
            " UNION SELECT key FROM outcomes, known WHERE reason = known.id)",
            Reason.KNOWN.name,
        )

    def pages(self, wanted: PageFilter = COLLECTED) -> int:
        """How many pages the filter lets through."""
        chosen = condition_of(wanted)
        return self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql}", *chosen.values)

    def undated(self, wanted: PageFilter = COLLECTED) -> int:
        """How many of them have no date."""
        chosen = condition_of(wanted)
        return self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql} AND date = ''", *chosen.values)

    def explored(self) -> int:
        """How many pages were only looked through."""
        return self._number("SELECT count(*) FROM pages WHERE explored")

    def places(
        self, wanted: PageFilter = COLLECTED, limit: int = 500, *, mapped: bool = False
    ) -> list[PlaceCount]:
        """The places that most pages name; only those with coordinates if `mapped`."""
        chosen = condition_of(wanted)
        # The pages first, and no index for the grouping: it would fetch the rows of both tables in random order.
        rows = self._rows(
            # Of the rows of one place, kind and coordinates are those of the row with max(count), all from that one.
            "SELECT canonical, kind, lat, lon, country, state, count(*), max(count) FROM places"
            f" WHERE places.page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
            f"{' AND lat IS NOT NULL AND lon IS NOT NULL' if mapped else ''}"
            " GROUP BY +canonical, country, state, kind ORDER BY 7 DESC, 1, 5, 6 LIMIT ?",
            *chosen.values,
            limit,
        )
        return [PlaceCount(*row[:-1]) for row in rows]

    def images(self, wanted: PageFilter = COLLECTED, limit: int = 60, skip: int = 0) -> list[ImageOnPage]:
        """Images of pages: those in which a model saw most of what was sought come first."""
        chosen = condition_of(wanted)
        rows = self._rows(
            # Of several values of one image, label and value are those of the row with the largest.
            "SELECT images.id, images.url, pages.id, pages.title, coalesce(evidence.label, ''), max(evidence.value)"
            " FROM pages AS images JOIN pages ON pages.key = images.parent"
            " LEFT JOIN evidence ON evidence.page = images.id"
            " WHERE images.kind != 'page' AND images.status = 200 AND images.content_type LIKE 'image/%'"
            f" AND {chosen.sql} GROUP BY images.id ORDER BY 6 DESC NULLS LAST, 1 LIMIT ? OFFSET ?",
            *chosen.values,
            limit,
            skip,
        )
        return [ImageOnPage(*row) for row in rows]

    def first_images(self, pages: Sequence[int]) -> dict[int, int]:
        """The first archived image of each of these pages that has one, both by number. Quick for the latest pages."""
        rows = self._rows(
            # Images come after their page, so that only what came after the first of these pages is looked at.
            "SELECT pages.id, min(images.id) FROM pages AS images CROSS JOIN pages ON pages.key = images.parent"
            " WHERE images.id > ? AND images.kind != 'page' AND images.status = 200"
            " AND images.content_type LIKE 'image/%' AND pages.id IN (SELECT value FROM json_each(?)) GROUP BY 1",
            min(pages, default=0),
            json.dumps(list(pages)),
        )
        return dict(rows)

    def has_images(self) -> bool:
        """Whether any image was archived."""
        return bool(
            self._number(
                "SELECT EXISTS (SELECT 1 FROM pages WHERE kind != 'page' AND content_type LIKE 'image/%')"
            )
        )

    def entities(self, kind: EntityKind, wanted: PageFilter = COLLECTED, limit: int = 100) -> ValueCounts:
        """The people or organisations that most pages name."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT entities.name, count(*), sum(entities.count) FROM entities"
            f" WHERE entities.kind = ? AND entities.page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
            " GROUP BY +entities.name ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?",
            kind,
            *chosen.values,
            limit,
        )
        return [(name, pages) for name, pages, _ in rows]

    def categories(self, evidence: str, wanted: PageFilter = COLLECTED, limit: int = 100) -> ValueCounts:
        """How many pages have each label of this evidence."""
        chosen = condition_of(wanted)
        rows = self._rows(
            "SELECT label, count(*) FROM evidence JOIN pages ON pages.id = evidence.page"
            f" WHERE evidence.name = ? AND label != '' AND {chosen.sql}"
            " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            evidence,
            *chosen.values,
            limit,
        )
        return list(rows)

    def values(self, column: Column, wanted: PageFilter = COLLECTED, limit: int = 100) -> ValueCounts:
        """How many pages have each value of a column, those without one left out."""
        chosen = condition_of(wanted)
        rows = self._rows(
            f"SELECT {column}, count(*) FROM pages WHERE {chosen.sql} AND {column} != ''"
            " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            *chosen.values,
            limit,
        )
        return list(rows)

    def days(self, wanted: PageFilter = COLLECTED) -> ValueCounts:
        """(day of publication, pages), in the order of days. Undated pages are left out."""
        chosen = condition_of(wanted)
        rows = self._rows(
            f"SELECT substr(date, 1, 10), count(*) FROM pages WHERE {chosen.sql} AND date != ''"
            " GROUP BY 1 ORDER BY 1",
            *chosen.values,
        )
        return [(day, count) for day, count in rows if len(day) == 10]

    def trails(self) -> list[tuple[int, int]]:
        """(steps from a selected page, judged pages), in the order of steps."""
        return list(
            self._rows(
                f"SELECT trail, count(*) FROM pages WHERE {JUDGED_SQL.format('pages')} GROUP BY 1 ORDER BY 1"
            )
        )

    def sources(self, limit: int) -> list[SourceHarvest]:
        """Sources with their pages, those with most collected pages first."""
        rows = self._rows(
            f"SELECT source, count(*), sum({COLLECTED_SQL.format('pages')}) FROM pages"
            f" WHERE {JUDGED_SQL.format('pages')} GROUP BY source ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?",
            limit,
        )
        return [SourceHarvest(*row) for row in rows]

    def collected_sources(self) -> int:
        """How many sources have a collected page."""
        rows = self._rows(f"SELECT count(DISTINCT source) FROM pages WHERE {COLLECTED_SQL.format('pages')}")
        return int(next(iter(rows))[0])

    def labels(self, evidence: str) -> list[LabelCount]:
        """The labels of a piece of evidence, the most frequent first."""
        rows = self._rows(
            "SELECT label, count(*), sum(relevant) FROM evidence JOIN pages ON pages.id = evidence.page"
            f" WHERE evidence.name = ? AND {JUDGED_SQL.format('pages')} GROUP BY 1 ORDER BY 2 DESC, 1",
            evidence,
        )
        return [LabelCount(*row) for row in rows]

    def links_by_label(self, evidence: str) -> list[LabelledLinks]:
        """Links between judged pages, by the relevance and the label of the page they are on."""
        rows = self._rows(
            "SELECT page.relevant, labelled.label, count(*), sum(target.relevant)"
            " FROM links JOIN pages AS page ON page.id = links.page"
            " JOIN evidence AS labelled ON labelled.page = page.id AND labelled.name = ?"
            " JOIN pages AS target ON target.key = links.target"
            f" WHERE {JUDGED_SQL.format('page')} AND {JUDGED_SQL.format('target')} GROUP BY 1, 2",
            evidence,
        )
        return [
            LabelledLinks(bool(relevant), label, links, to_relevant)
            for relevant, label, links, to_relevant in rows
        ]

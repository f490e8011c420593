"""Count pages by place, name, category, source, language and day."""

from __future__ import annotations

import json
from collections.abc import Sequence

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

ENTITY_KINDS = ("person", "organisation")
ValueCounts = list[tuple[str, int]]
"""Values with their number of pages."""


class PlaceCount(msgspec.Struct, frozen=True):
    """A place with the number of pages that name it. Namesakes elsewhere are other places."""

    name: str
    kind: str
    lat: float | None
    lon: float | None
    country: str
    state: str
    pages: int

    @property
    def key(self) -> str:
        """The unique key of this place for `PageFilter.place`.

        >>> PlaceCount("Alexandria", "city", 31.3, -92.4, "US", "LA", 3).key
        'Alexandria, US-LA'
        """
        return place_key(self.name, self.country, self.state)

    @property
    def in_words(self) -> str:
        """The place as people write it."""
        return place_in_words(self.name, self.country, self.state, self.kind)


class ImageOnPage(msgspec.Struct, frozen=True):
    """An archived image, its page, and what an image model saw in it."""

    id: int
    url: str
    page: int
    title: str
    sees: str
    value: float | None


class SourceHarvest(msgspec.Struct, frozen=True):
    """A source with its number of judged pages, and of those in the collection."""

    name: str
    pages: int
    relevant: int


class LabelCount(msgspec.Struct, frozen=True):
    """A label of some evidence with its number of judged pages, and of relevant ones."""

    label: str
    pages: int
    relevant: int


class LabelledLinks(msgspec.Struct, frozen=True):
    """Number of links of (not) relevant pages with a label, and of those to a relevant page."""

    relevant: bool
    label: str
    links: int
    to_relevant: int


class Statistics(Queries):
    """Counts of pages."""

    def left_to_others(self) -> int:
        """Count the URLs that were not fetched or not kept because another collection has them."""
        return self._number(
            "WITH known AS (SELECT id FROM reasons WHERE text = ?) SELECT count(*) FROM ("
            "SELECT target FROM links, known WHERE refusal = known.id"
            " UNION SELECT key FROM pages, known WHERE refusal = known.id"
            " UNION SELECT key FROM outcomes, known WHERE reason = known.id)",
            Reason.KNOWN.name,
        )

    def pages(self, wanted: PageFilter = COLLECTED) -> int:
        """Count the pages that the filter selects."""
        chosen = condition_of(wanted)
        return self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql}", *chosen.values)

    def undated(self, wanted: PageFilter = COLLECTED) -> int:
        """Count the selected pages without a date."""
        chosen = condition_of(wanted)
        return self._number(f"SELECT count(*) FROM pages WHERE {chosen.sql} AND date = ''", *chosen.values)

    def explored(self) -> int:
        """Count the explored pages."""
        return self._number("SELECT count(*) FROM pages WHERE explored")

    def places(
        self, wanted: PageFilter = COLLECTED, limit: int = 500, *, mapped: bool = False
    ) -> list[PlaceCount]:
        """Return the places that most pages name; only those with coordinates if `mapped`."""
        chosen = condition_of(wanted)
        # `+` prevents the use of an index, which would read the rows of both tables in random order.
        rows = self._rows(
            # SQLite takes kind and coordinates from the row with max(count).
            "SELECT canonical, kind, lat, lon, country, state, count(*), max(count) FROM places"
            f" WHERE places.page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
            f"{' AND lat IS NOT NULL AND lon IS NOT NULL' if mapped else ''}"
            " GROUP BY +canonical, country, state, kind ORDER BY 7 DESC, 1, 5, 6 LIMIT ?",
            *chosen.values,
            limit,
        )
        return [PlaceCount(*row[:-1]) for row in rows]

    def images(self, wanted: PageFilter = COLLECTED, limit: int = 60, skip: int = 0) -> list[ImageOnPage]:
        """Return images of pages, those with the highest score of an image model first."""
        chosen = condition_of(wanted)
        rows = self._rows(
            # SQLite takes the label from the row with max(value).
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
        """Return the first archived image of each of these pages, both by id. Fast for the latest pages."""
        rows = self._rows(
            # Images have higher ids than their page.
            "SELECT pages.id, min(images.id) FROM pages AS images CROSS JOIN pages ON pages.key = images.parent"
            " WHERE images.id > ? AND images.kind != 'page' AND images.status = 200"
            " AND images.content_type LIKE 'image/%' AND pages.id IN (SELECT value FROM json_each(?)) GROUP BY 1",
            min(pages, default=0),
            json.dumps(list(pages)),
        )
        return dict(rows)

    def has_images(self) -> bool:
        """Return whether any image was archived."""
        sql = "SELECT EXISTS (SELECT 1 FROM pages WHERE kind != 'page' AND content_type LIKE 'image/%')"
        return bool(self._number(sql))

    def values(self, field: str, wanted: PageFilter = COLLECTED, limit: int = 100) -> ValueCounts:
        """Count the pages by source, language, person, organisation or the labels of some evidence, most pages first."""
        if field in ("source", "language"):
            rows = f"SELECT {field} AS value, 1 AS times, id AS page FROM pages WHERE ?1 != ''"
        elif field in ENTITY_KINDS:
            rows = "SELECT name AS value, count AS times, page FROM entities WHERE kind = ?1"
        else:
            rows = "SELECT label AS value, 1 AS times, page FROM evidence WHERE name = ?1"
        chosen = condition_of(wanted)
        found = self._rows(
            f"SELECT value, count(*), sum(times) FROM ({rows}) WHERE value != ''"
            f" AND page IN (SELECT pages.id FROM pages WHERE {chosen.sql})"
            " GROUP BY +value ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?",
            field,
            *chosen.values,
            limit,
        )
        return [(value, pages) for value, pages, _ in found]

    def days(self, wanted: PageFilter = COLLECTED) -> ValueCounts:
        """Return (day of publication, pages) in order, without undated pages."""
        chosen = condition_of(wanted)
        rows = self._rows(
            f"SELECT substr(date, 1, 10), count(*) FROM pages WHERE {chosen.sql} AND date != ''"
            " GROUP BY 1 ORDER BY 1",
            *chosen.values,
        )
        return [(day, count) for day, count in rows if len(day) == 10]

    def trails(self) -> list[tuple[int, int]]:
        """Return (steps from a selected page, judged pages), in the order of steps."""
        judged = JUDGED_SQL.format("pages")
        return list(self._rows(f"SELECT trail, count(*) FROM pages WHERE {judged} GROUP BY 1 ORDER BY 1"))

    def sources(self, limit: int) -> list[SourceHarvest]:
        """Return sources with their pages, those with most collected pages first."""
        rows = self._rows(
            f"SELECT source, count(*), sum({COLLECTED_SQL.format('pages')}) FROM pages"
            f" WHERE {JUDGED_SQL.format('pages')} GROUP BY source ORDER BY 3 DESC, 2 DESC, 1 LIMIT ?",
            limit,
        )
        return [SourceHarvest(*row) for row in rows]

    def collected_sources(self) -> int:
        """Count the sources with a collected page."""
        return self._number(f"SELECT count(DISTINCT source) FROM pages WHERE {COLLECTED_SQL.format('pages')}")

    def labels(self, evidence: str) -> list[LabelCount]:
        """Return the labels of some evidence, most frequent first."""
        rows = self._rows(
            "SELECT label, count(*), sum(relevant) FROM evidence JOIN pages ON pages.id = evidence.page"
            f" WHERE evidence.name = ? AND {JUDGED_SQL.format('pages')} GROUP BY 1 ORDER BY 2 DESC, 1",
            evidence,
        )
        return [LabelCount(*row) for row in rows]

    def links_by_label(self, evidence: str) -> list[LabelledLinks]:
        """Count links between judged pages, by the relevance and the label of the page they are on."""
        rows = self._rows(
            "SELECT page.relevant, labelled.label, count(*), sum(target.relevant)"
            " FROM links JOIN pages AS page ON page.id = links.page"
            " JOIN evidence AS labelled ON labelled.page = page.id AND labelled.name = ?"
            " JOIN pages AS target ON target.key = links.target"
            f" WHERE {JUDGED_SQL.format('page')} AND {JUDGED_SQL.format('target')} GROUP BY 1, 2",
            evidence,
        )
        return [LabelledLinks(bool(relevant), *counts) for relevant, *counts in rows]

"""Page filters as SQL conditions, for the library, the report, the exports and the API.

Every value from outside is bound, never written into a statement.
"""

from __future__ import annotations

import re
from enum import StrEnum

import msgspec

COLLECTED_SQL = "{0}.relevant = 1 AND {0}.explored = 0"
"""The relevant pages of the collection, without explored ones."""

MEDIA_TYPE_SQL = "lower(trim(substr({0}.content_type, 1, instr({0}.content_type || ';', ';') - 1)))"
"""The media type of a page by its header, without parameters such as the charset."""

JUDGED_SQL = "{0}.relevant IS NOT NULL"


class Relevance(StrEnum):
    """Which of the judged pages. The values are those of the search form and the API."""

    COLLECTED = "yes"
    NOT_RELEVANT = "no"
    JUDGED = "all"


_RELEVANCE = {
    Relevance.COLLECTED: COLLECTED_SQL,
    Relevance.NOT_RELEVANT: "{0}.relevant = 0",
    Relevance.JUDGED: JUDGED_SQL,
}


class PageFilter(msgspec.Struct, frozen=True):
    """Pages that meet all conditions; by default the relevant pages of the collection. '' and None mean any.

    `distinct` keeps only the first of near duplicates that meet the other conditions.
    """

    relevance: Relevance = Relevance.COLLECTED
    source: str = ""
    language: str = ""
    media_type: str = ""  # as in text/html
    categories: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (evidence, labels): one of these labels each
    place: str = ""  # its canonical name, or its `place_key`
    entity: str = ""  # a person or an organisation
    since: str = ""  # a year, a month or a day, ISO
    until: str = ""  # all of it included
    score_from: float | None = None
    score_to: float | None = None
    trail: int | None = None
    keys: tuple[int, ...] | None = None  # only pages with one of these keys
    page: int | None = None  # only the page with this id
    distinct: bool = False


_PLACE_KEY = re.compile(r"(.+), ([A-Z]{2})(?:-([A-Z0-9]{1,3}))?", re.DOTALL)


def place_key(name: str, country: str, state: str) -> str:
    """Return the key of a place for PageFilter. Without a country it means all places of that name.

    >>> place_key("Alexandria", "US", "LA"), place_key("Paris", "FR", ""), place_key("Red Sea", "", "")
    ('Alexandria, US-LA', 'Paris, FR', 'Red Sea')
    """
    where = "-".join(filter(None, (country, state)))
    return f"{name}, {where}" if where else name


def place_in_words(name: str, country: str, state: str, kind: str) -> str:
    """Return a place as people write it: a town with its state or country, a state with its country.

    >>> place_in_words("New Orleans", "US", "LA", "city"), place_in_words("Georgia", "US", "GA", "state")
    ('New Orleans, LA', 'Georgia, US')
    >>> place_in_words("Paris", "FR", "", "city"), place_in_words("Cuba", "CU", "", "country")
    ('Paris, FR', 'Cuba')
    """
    where = "" if kind == "country" else (state if kind != "state" and state else country)
    return f"{name}, {where}" if where else name


def read_place(key: str) -> tuple[str, str, str]:
    """Return name, country and state of a `place_key`; the last two may be ''."""
    found = _PLACE_KEY.fullmatch(key)
    return (found[1], found[2], found[3] or "") if found else (key, "", "")


COLLECTED = PageFilter()
JUDGED = PageFilter(relevance=Relevance.JUDGED)


class Condition(msgspec.Struct, frozen=True):
    """A condition on the rows of `pages`, with its bound values."""

    sql: str
    values: tuple[object, ...]


def condition_of(wanted: PageFilter) -> Condition:
    """Return the SQL condition of a filter."""
    here = _condition(wanted, "pages")
    if not wanted.distinct:
        return here
    first = _condition(wanted, "first")
    return Condition(
        f"{here.sql} AND (pages.near_duplicate_of = 0 OR NOT EXISTS"
        f" (SELECT 1 FROM pages AS first WHERE first.key = pages.near_duplicate_of AND {first.sql}))",
        (*here.values, *first.values),
    )


def _condition(wanted: PageFilter, table: str) -> Condition:
    parts = [_RELEVANCE[wanted.relevance].format(table)]
    values: list[object] = []

    def add(sql: str, *bound: object) -> None:
        parts.append(sql.format(table))
        values.extend(bound)

    for column in ("source", "language"):
        if value := getattr(wanted, column):
            add(f"{{0}}.{column} = ?", value)
    if wanted.media_type:
        add(f"{MEDIA_TYPE_SQL} = ?", wanted.media_type)
    for evidence, labels in wanted.categories:
        marks = ", ".join("?" * len(labels))
        add(
            f"{{0}}.id IN (SELECT page FROM evidence WHERE name = ? AND label IN ({marks}))",
            evidence,
            *labels,
        )
    if wanted.place:
        name, country, state = read_place(wanted.place)
        where = "canonical = ?" if not country else "canonical = ? AND country = ? AND state = ?"
        bound = (name, country, state) if country else (name,)
        add(f"{{0}}.id IN (SELECT page FROM places WHERE {where})", *bound)
    if wanted.entity:
        add("{0}.id IN (SELECT page FROM entities WHERE entities.name = ?)", wanted.entity)
    if wanted.since:
        add("{0}.date >= ? AND {0}.date != ''", wanted.since)
    if wanted.until:
        add(
            "{0}.date < ? AND {0}.date != ''", wanted.until + "\U0010ffff"
        )  # a month includes all of its days
    if wanted.score_from is not None:
        add("{0}.score >= ?", wanted.score_from)
    if wanted.score_to is not None:
        add("{0}.score <= ?", wanted.score_to)
    if wanted.trail is not None:
        add("{0}.trail = ?", min(wanted.trail, 2**31))
    if wanted.page is not None:
        add("{0}.id = ?", wanted.page)
    if wanted.keys is not None:
        # Numbers of our own: written out, because SQLite binds 32,766 values at most.
        add(f"{{0}}.key IN ({', '.join(str(int(key)) for key in wanted.keys)})")
    return Condition(" AND ".join(parts), tuple(values))

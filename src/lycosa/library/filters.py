"""What a reader asked for: words and conditions. In: a query string. Out: a condition on pages, in SQL.

Every value from outside is bound, never written into a statement.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

from lycosa.report.overview import Chosen

QUERY_CHARS = 400
VALUE_CHARS = 200
LAST_PAGE = 500

RELEVANT = ("yes", "no", "all")
ORDERS = ("best", "newest", "oldest")


class Filters(msgspec.Struct, frozen=True):
    """The search as asked; '' means: any."""

    q: str = ""
    source: str = ""
    language: str = ""
    genre: str = ""
    place: str = ""
    entity: str = ""  # a person or an organisation
    since: str = ""
    until: str = ""
    relevant: str = "yes"  # of RELEVANT
    trail: str = ""
    label: str = ""
    order: str = "best"  # of ORDERS
    page: int = 1

    def query(self, **changes: Any) -> str:
        """The query string of this search, with some things changed."""
        values = msgspec.structs.asdict(msgspec.structs.replace(self, **{"page": 1, **changes}))
        empty = msgspec.structs.asdict(Filters())
        return urlencode({name: value for name, value in values.items() if value != empty[name]})

    @property
    def narrowed(self) -> dict[str, str]:
        """The conditions besides the words, for showing them."""
        names = ("source", "language", "genre", "place", "entity", "since", "until", "trail", "label")
        return {name: getattr(self, name) for name in names if getattr(self, name)}


def filters_of(query: Mapping[str, str]) -> Filters:
    """Read a query string. What makes no sense is passed over."""

    def text(name: str, most: int = VALUE_CHARS) -> str:
        return " ".join(query.get(name, "")[:most].replace("\x00", " ").split())

    relevant, order = query.get("relevant", ""), query.get("order", "")
    return Filters(
        q=text("q", QUERY_CHARS),
        source=text("source"),
        language=text("language"),
        genre=text("genre"),
        place=text("place"),
        entity=text("entity"),
        since=_period(text("since")),
        until=_period(text("until")),
        relevant=relevant if relevant in RELEVANT else "yes",
        trail=text("trail") if text("trail").isdecimal() else "",
        label=text("label") if text("label") in ("yes", "no") else "",
        order=order if order in ORDERS else "best",
        page=_whole(query.get("page", "1"), LAST_PAGE),
    )


def chosen_of(
    filters: Filters, *, has_places: bool = True, labelled: Mapping[str, list[int]] | None = None
) -> Chosen:
    """The condition of a search on the rows of `pages`, the words left out."""
    parts = {
        "yes": ["relevant = 1 AND explored = 0"],
        "no": ["relevant = 0"],
        "all": ["relevant IS NOT NULL"],
    }[filters.relevant]
    values: list[object] = []
    for column in ("source", "language"):
        if value := getattr(filters, column):
            parts.append(f"pages.{column} = ?")
            values.append(value)
    if filters.genre:
        parts.append("pages.id IN (SELECT page FROM evidence WHERE name = 'genre' AND evidence.label = ?)")
        values.append(filters.genre)
    if filters.place:
        parts.append("pages.id IN (SELECT page FROM places WHERE canonical = ?)" if has_places else "0")
        values += [filters.place] if has_places else []
    if filters.entity:
        parts.append("pages.id IN (SELECT page FROM entities WHERE entities.name = ?)")
        values.append(filters.entity)
    if filters.since:
        parts.append("pages.date >= ? AND pages.date != ''")
        values.append(filters.since)
    if filters.until:
        parts.append("pages.date < ? AND pages.date != ''")
        values.append(filters.until + "\U0010ffff")  # a month includes all of its days
    if filters.trail:
        parts.append("pages.trail = ?")
        values.append(min(int(filters.trail), 2**31))
    if filters.label:
        keys = (labelled or {}).get(filters.label, [])
        parts.append(f"pages.key IN ({', '.join(str(int(key)) for key in keys)})")
    return Chosen(" AND ".join(parts), tuple(values))


def _period(text: str) -> str:
    """A year, a month or a day, ISO; '' for anything else."""
    if not re.fullmatch(r"\d{4}(-\d{2}(-\d{2})?)?", text):
        return ""
    try:
        datetime.date.fromisoformat((text + "-01-01")[:10])
    except ValueError:
        return ""
    return text


def _whole(text: str, most: int) -> int:
    return min(most, max(1, int(text))) if text.isdecimal() and len(text) < 9 else 1

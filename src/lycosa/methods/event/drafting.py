"""Draft [event] from pages that agree on place and time."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lycosa.methods.event.model import event_day, place_key
from lycosa.page.document import Document
from lycosa.values import PagePlace

AGREE_DAYS = 14
"""Reports on one event appear within this many days."""
AGREE_SHARE = 2 / 3
"""Minimum share of the pages with these dates and this place."""
TOO_LARGE = ("country", "continent", "sea")
"""Kinds of places too large to locate an event."""


def draft(documents: Sequence[Document]) -> dict[str, Any] | None:
    """Place and date of the event, if most pages agree on both."""
    least = max(2, round(len(documents) * AGREE_SHARE))
    dates = [page.date for page in documents if not page.is_plain_text and page.date]
    day = event_day(dates)
    if not day or sum(_days_between(day, other) <= AGREE_DAYS for other in dates) < least:
        return None
    place = _place([page.places for page in documents], least)
    return {"where": [_spelled(place)], "date": datetime.date.fromisoformat(day)} if place else None


def _days_between(one: str, other: str) -> int:
    return abs((datetime.date.fromisoformat(one) - datetime.date.fromisoformat(other)).days)


def _place(pages: Sequence[Sequence[PagePlace]], least: int) -> PagePlace | None:
    """The place that at least `least` pages name; the most frequent one of several."""
    named: dict[tuple[str, ...], PagePlace] = {}
    on: Counter[tuple[str, ...]] = Counter()
    times: Counter[tuple[str, ...]] = Counter()
    for places in pages:
        for place in places:
            if place.kind not in TOO_LARGE and place.lat is not None:
                key = place_key(place)
                named.setdefault(key, place)
                times[key] += place.count
        on.update({place_key(place) for place in places})
    agreed = [key for key in named if on[key] >= least]
    return named[max(agreed, key=lambda key: times[key])] if agreed else None


def _spelled(place: PagePlace) -> str:
    """In the form of [event] where."""
    above = place.state or place.country
    return f"{place.canonical}, {above}" if above and place.kind == "city" else place.canonical

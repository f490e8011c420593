"""Read labelled links, from a CSV file or a collection, as Facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa import urls
from lycosa.errors import InputError
from lycosa.learn.training.tables import Row, read_rows
from lycosa.methods.event.model import Facts
from lycosa.page.dates.spelled_days import date_of_url
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import places_of_each
from lycosa.page.text.terms import terms_of_each, url_terms_of_each

MARKS = {**dict.fromkeys(("1", "yes", "true"), True), **dict.fromkeys(("0", "no", "false"), False)}


class LabelledLink(NamedTuple):
    """A link, and whether the page that it leads to is about the event."""

    url: str
    anchor: str
    relevant: bool


def facts_of_links(links: Sequence[LabelledLink], language: str = "english") -> list[Facts]:
    """The Facts of each link: terms of URL and anchor, the anchor's places, the URL's date."""
    anchors = [link.anchor for link in links]
    parts = zip(
        links,
        terms_of_each(anchors, language),
        url_terms_of_each([link.url for link in links], language),
        places_of_each(anchors, gazetteer()),
        strict=True,
    )
    return [
        Facts(Counter([*anchor, *url]), places, day.isoformat() if (day := date_of_url(link.url)) else "")
        for link, anchor, url, places in parts
    ]


def read_labelled_links(path: Path) -> list[LabelledLink]:
    """Links from a CSV file with the columns url, anchor and relevant (1 or 0)."""
    rows = read_rows(path, ("url", "relevant"), "url,anchor,relevant")
    return [_link(path, number, row) for number, row in enumerate(rows, start=2)]


def _link(path: Path, number: int, row: Row) -> LabelledLink:
    mark = (row["relevant"] or "").strip().lower()
    url = urls.parse((row["url"] or "").strip())
    if mark not in MARKS:
        raise InputError(f"{path}, line {number}: relevant is neither 1 nor 0. Fix that line.")
    if url is None:
        raise InputError(f"{path}, line {number}: {row['url']!r} is not a URL. Fix or remove that line.")
    return LabelledLink(url, row.get("anchor") or "", MARKS[mark])

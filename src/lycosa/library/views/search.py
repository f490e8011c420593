"""Searches: their addresses and conditions, what those of a collection share, and one page of hits."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from markupsafe import Markup, escape

from lycosa.collection.catalogue.page_filter import JUDGED, PageFilter, Relevance
from lycosa.collection.collection import Collection
from lycosa.collection.labels import labels_in
from lycosa.collection.search.phrases import END_MARK, MARK, TypedQuery, condition_named
from lycosa.collection.search.search import Order, SearchHit
from lycosa.learn.history import saved_version
from lycosa.methods.registry import facets

QUERY_CHARS = 400
VALUE_CHARS = 200
LAST_PAGE = 500

RELEVANT = tuple(map(str, Relevance))
ORDERS = tuple(map(str, Order))

KINDS = {
    "text/html": "web page",
    "application/xhtml+xml": "web page",
    "application/pdf": "PDF",
    "text/plain": "plain text",
}
"""Names of media types; any other is its own name."""


class SearchQuery(msgspec.Struct, frozen=True):
    """A search; '' means any."""

    q: str = ""
    source: str = ""
    language: str = ""
    kind: str = ""  # a media type
    categories: tuple[tuple[str, str], ...] = ()  # (facet, label)
    place: str = ""
    entity: str = ""  # a person or an organisation
    since: str = ""
    until: str = ""
    relevant: str = "yes"  # of RELEVANT
    score: str = ""  # from and to, as in 0.40-0.60
    trail: str = ""
    label: str = ""
    order: str = "best"  # of ORDERS
    page: int = 1

    def encoded(self, **changes: Any) -> str:
        """Return the query string of this search with some values changed."""
        values = {**msgspec.structs.asdict(self), **dict(self.categories), "page": 1, **changes}
        empty = {**msgspec.structs.asdict(SearchQuery()), "categories": self.categories}
        return urlencode({name: value for name, value in values.items() if value != empty.get(name, "")})

    @property
    def narrowed(self) -> dict[str, str]:
        """The conditions besides the words, for display."""
        others = {"q", "relevant", "order", "page", "categories"}
        set_ = {name: value for name, value in msgspec.structs.asdict(self).items() if value}
        return {name: value for name, value in set_.items() if name not in others} | dict(self.categories)


def search_query_of(query: Mapping[str, str]) -> SearchQuery:
    """Parse a query string; invalid values are ignored."""

    def text(name: str, limit: int = VALUE_CHARS) -> str:
        return " ".join(query.get(name, "")[:limit].replace("\x00", " ").split())

    relevant, order = query.get("relevant", ""), query.get("order", "")
    typed, told = _without_conditions(text("q", QUERY_CHARS))
    return SearchQuery(
        q=typed,
        source=text("source") or told.get("source", ""),
        language=text("language") or told.get("language", ""),
        kind=_media_type(text("kind") or told.get("kind", "")),
        categories=tuple(
            (facet.name, label)
            for facet in facets()
            if (label := text(facet.name) or told.get(facet.name, ""))
        ),
        place=text("place") or told.get("place", ""),
        entity=text("entity") or told.get("entity", ""),
        since=_period(text("since") or told.get("since", "")),
        until=_period(text("until") or told.get("until", "")),
        relevant=relevant if relevant in RELEVANT else "yes",
        score=text("score") if _SCORES.fullmatch(text("score")) else "",
        trail=text("trail") if text("trail").isdecimal() else "",
        label=text("label") if text("label") in ("yes", "no") else "",
        order=order if order in ORDERS else "best",
        page=_whole(query.get("page", "1"), LAST_PAGE),
    )


_SCORES = re.compile(r"[01]\.\d{1,4}-[01]\.\d{1,4}")
_CONDITION = re.compile(r'(?<!\S)([a-z]+):(?:"([^"]*)"|([^\s"]+))')


def _without_conditions(typed: str) -> tuple[str, dict[str, str]]:
    """Split typed text into words and conditions.

    >>> _without_conditions('storm source:a.example place:"New York" title:flood')
    ('storm title:flood', {'source': 'a.example', 'place': 'New York'})
    """
    told = {}
    for name, quoted, word in _CONDITION.findall(typed):
        if (field := condition_named(name) or "title") != "title":
            told[field] = (quoted or word)[:VALUE_CHARS]
    kept = _CONDITION.sub(
        lambda found: "" if (condition_named(found[1]) or "title") != "title" else found[0], typed
    )
    return " ".join(kept.split()), told


def page_filter_of(query: SearchQuery, directory: Path) -> PageFilter:
    """Return the filter of the pages that a search reads."""
    return PageFilter(
        relevance=Relevance(query.relevant),
        source=query.source,
        language=query.language,
        media_type=query.kind,
        categories=tuple((name, (label,)) for name, label in query.categories),
        place=query.place,
        entity=query.entity,
        since=query.since,
        until=query.until,
        score_from=float(query.score.split("-")[0]) if query.score else None,
        score_to=float(query.score.split("-")[1]) if query.score else None,
        trail=int(query.trail) if query.trail else None,
        keys=_labelled(directory, query.label == "yes") if query.label else None,
    )


def _media_type(text: str) -> str:
    """Return a media type given by its name or in words.

    >>> _media_type("pdf"), _media_type("Plain text"), _media_type("Image/PNG")
    ('application/pdf', 'text/plain', 'image/png')
    """
    by_word = {word.lower(): media_type for media_type, word in reversed(KINDS.items())}
    return by_word.get(text.lower(), text.lower())


def _labelled(directory: Path, relevant: bool) -> tuple[int, ...]:
    """Return the keys of pages labelled relevant, or not."""
    return tuple(label.key for label in labels_in(directory).values() if label.relevant is relevant)


def _period(text: str) -> str:
    """Return a year, a month or a day (ISO); '' for anything else."""
    if not re.fullmatch(r"\d{4}(-\d{2}(-\d{2})?)?", text):
        return ""
    try:
        datetime.date.fromisoformat((text + "-01-01")[:10])
    except ValueError:
        return ""
    return text


def _whole(text: str, limit: int) -> int:
    return min(limit, max(1, int(text))) if text.isdecimal() and len(text) < 9 else 1


PER_PAGE = 20
LANGUAGES = 8
"""Number of languages, the most frequent ones, whose word forms are searched."""
DEFAULT_THRESHOLD = 0.5


class SearchGround(msgspec.Struct, frozen=True):
    """What searches of a collection share: the languages of its pages and the threshold of its judge."""

    languages: tuple[str, ...] = ("en",)
    threshold: float = DEFAULT_THRESHOLD


class ResultPage(msgspec.Struct, frozen=True):
    """One page of hits.

    `near_misses` counts matching pages that are not in the collection; `instead` is a suggested spelling.
    """

    hits: tuple[SearchHit, ...]
    total: int
    page: int
    query: TypedQuery = TypedQuery()
    near_misses: int = 0
    instead: str = ""

    @property
    def pages(self) -> int:
        """Number of pages of results."""
        return -(-self.total // PER_PAGE)


def marked(snippet: str) -> Markup:
    """Return a snippet as HTML with found words in `mark`; the page's own text is escaped.

    >>> marked("<b> " + MARK + "owls" + END_MARK)
    Markup('&lt;b&gt; <mark>owls</mark>')
    """
    return escape(snippet).replace(MARK, Markup("<mark>")).replace(END_MARK, Markup("</mark>"))


def search_ground(collection: Collection) -> SearchGround:
    """Return what searches of this collection share. It reads every page: cache it."""
    spoken = [language for language, _ in collection.statistics.values("language", JUDGED, LANGUAGES)]
    version = saved_version(collection)
    return SearchGround(
        tuple(spoken) or ("en",), version.threshold if version else _spec_threshold(collection)
    )


def _spec_threshold(collection: Collection) -> float:
    said = collection.spec().get("judge", {}).get("threshold")
    return float(said) if isinstance(said, int | float) else DEFAULT_THRESHOLD

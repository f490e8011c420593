"""A part of the demo web: pages with their labels, made by one module of this folder.

Later parts (an environmental one, a media-sharing site) are further modules that return a `Part`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lycosa.testing import CannedResponse


@dataclass(frozen=True)
class DemoEvent:
    """When and where a topic that is an event happened: a row of events.csv."""

    date: str
    place: str
    lat: float
    lon: float


@dataclass(frozen=True)
class DemoTopic:
    """A topic to crawl for: what a user would write into a spec."""

    title: str
    keywords: tuple[str, ...]
    description: str
    seeds: tuple[str, ...]
    tags: tuple[str, ...] = ()  # on sharing sites
    event: DemoEvent | None = field(default=None, repr=False)  # of topics that happened


@dataclass(frozen=True)
class Part:
    """Pages by URL, labels (url, topic, grade), topics by name, start pages.

    `beyond` answers for URLs that are not among the pages, such as the months of a calendar
    without end; None means 404. `page_types`: (url, list, detail, profile or other) of a sharing site.
    """

    pages: Mapping[str, CannedResponse]
    labels: tuple[tuple[str, str, int], ...]
    topics: Mapping[str, DemoTopic]
    start: tuple[str, ...]
    beyond: Callable[[str], CannedResponse | None] = field(default=lambda _: None)
    page_types: tuple[tuple[str, str], ...] = ()

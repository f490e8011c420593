"""A part of the demo web: pages with their labels, made by one module of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lycosa.demo.web import DemoEvent, DemoTopic
from lycosa.testing import CannedResponse

__all__ = ["DemoEvent", "DemoTopic", "Part"]


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

"""The demo web: a small generated web of many hosts, with written texts and drawn pictures.

Each module of this folder returns a `Part`; `PARTS` lists them. The same random seed makes the same web.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

from lycosa.testing import CannedResponse, Request, Site, status
from lycosa_lab.demo_web.environment import environment_part
from lycosa_lab.demo_web.happenings import happenings_part
from lycosa_lab.demo_web.part import DemoTopic, Part
from lycosa_lab.demo_web.sharing import sharing_part
from lycosa_lab.demo_web.topics import topics_part

__all__ = ["DemoTopic", "DemoWeb", "Part", "demo_web"]

PARTS: tuple[Callable[[int], Part], ...] = (topics_part, environment_part, sharing_part, happenings_part)
NOT_FOUND = status(404)


@dataclass(frozen=True)
class DemoWeb:
    """The whole web: pages by URL, labels (url, topic, grade 0 to 2), topics, start pages."""

    parts: tuple[Part, ...]

    @cached_property
    def pages(self) -> Mapping[str, CannedResponse]:
        """Every page, image, robots.txt, feed and redirect by its URL."""
        return {url: page for part in self.parts for url, page in part.pages.items()}

    @property
    def labels(self) -> list[tuple[str, str, int]]:
        """(url, topic, grade): 2 on the topic, 1 partly, 0 close to it but not on it."""
        return [label for part in self.parts for label in part.labels]

    @property
    def topics(self) -> Mapping[str, DemoTopic]:
        """The topics by name."""
        return {name: topic for part in self.parts for name, topic in part.topics.items()}

    @property
    def page_types(self) -> list[tuple[str, str]]:
        """(url, type) of the pages of sharing sites."""
        return [each for part in self.parts for each in part.page_types]

    @property
    def start(self) -> tuple[str, ...]:
        """General pages to start from."""
        return tuple(url for part in self.parts for url in part.start)

    def only(self, topic: str) -> DemoWeb:
        """The part of it that has this topic, as a web of its own."""
        return DemoWeb(tuple(part for part in self.parts if topic in part.topics))

    def respond(self, host: str, target: str) -> CannedResponse:
        """What the web answers to a request for a host's path and query."""
        url = f"http://{host}{target}"
        for part in self.parts:
            if page := part.pages.get(url) or part.beyond(url):
                return page
        return NOT_FOUND

    def answer(self, request: Request) -> CannedResponse:
        """As `respond`, for the local server."""
        return self.respond(request.host, request.target)

    def serve(self, port: int = 0) -> Site:
        """A local server of this web; use it in a `with` block."""
        return Site(self.answer, port)

    def write(self, folder: str | PathLike[str]) -> None:
        """Write it as a virtual web (WARC, labels.csv, page-types.csv, events.csv, web.toml)."""
        from lycosa_lab.demo_web.archive import write_web

        write_web(self, Path(folder))


def demo_web(random_seed: int = 1) -> DemoWeb:
    """The demo web of a random seed: the same seed gives the same bytes."""
    return DemoWeb(tuple(part(random_seed) for part in PARTS))


def demo_answers(random_seed: int = 1) -> Callable[[Request], CannedResponse]:
    """The demo web for `SiteProcess("lycosa_lab.demo_web:demo_answers")`."""
    return demo_web(random_seed).answer

"""Models and samples of the events of a virtual web."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from lycosa.errors import InputError
from lycosa.methods.event.model import EventModel, Facts, event_model, link_facts, page_facts, scored_by
from lycosa.methods.event.training.scoring import Sample, Texts, sample_of
from lycosa.page.document import Document
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

MODEL_PAGES = 3
MIN_PAGES = MODEL_PAGES + 1
"""An event needs its model pages and something to find."""


class EventWeb:
    """A web with events, and what its pages and links say, read once."""

    def __init__(self, path: Path) -> None:
        self.cached = CachedWeb(VirtualWeb.open(path))
        self.keys = sorted(self.cached.pages)
        topics = self.cached.web.topics
        named = {name: topic for name, topic in topics.items() if topic.is_event} or topics
        pages = {
            name: frozenset(topic.relevant() & self.cached.pages) for name, topic in sorted(named.items())
        }
        self.events = {name: found for name, found in pages.items() if len(found) >= MIN_PAGES}
        if len(self.events) < 2:
            raise InputError(
                f"{path} has {len(self.events)} events of {MIN_PAGES} pages or more; what is learned on one is "
                "measured on others. Give a web with at least two."
            )

    @cached_property
    def facts(self) -> list[Facts]:
        """Of every page, in the order of `keys`."""
        return [page_facts(self.document(key), names=True) for key in self.keys]

    @cached_property
    def links(self) -> dict[int, Facts]:
        """Of every page that is linked to: what the first link to it says."""
        found: dict[int, Facts] = {}
        for key in self.keys:
            document = self.document(key)
            for link, facts in zip(document.links, link_facts(document), strict=True):
                if link.key in self.cached.pages:
                    found.setdefault(link.key, facts)
        return found

    def document(self, key: int) -> Document:
        """A page of the web."""
        document = self.cached.document(key)
        assert document is not None
        return document

    def model_pages(self, event: str, draw: int) -> list[int]:
        """Keys of the model pages of an event: the same for the same draw."""
        return Random(f"{draw}/{event}").sample(sorted(self.events[event]), MODEL_PAGES)

    def model(self, event: str, draw: int, like: EventModel) -> EventModel:
        """The event's model of that draw's pages, compared and weighed like another."""
        at = {key: number for number, key in enumerate(self.keys)}
        made = event_model([self.facts[at[key]] for key in self.model_pages(event, draw)])
        return scored_by(made, like)

    def page_sample(self, event: str, draw: int, like: EventModel, ks: Sequence[int]) -> Sample:
        """All pages but the model pages, compared with the event."""
        return self._sample(event, draw, like, ks, self.keys, self.facts, self._page_texts)

    def link_sample(self, event: str, draw: int, like: EventModel, ks: Sequence[int]) -> Sample:
        """One link to each page that is linked to, but the model pages, compared with the event."""
        facts = [*self.links.values()]
        return self._sample(event, draw, like, ks, [*self.links], facts, self._link_texts)

    @cached_property
    def _page_texts(self) -> Texts:
        return Texts([facts.terms for facts in self.facts])

    @cached_property
    def _link_texts(self) -> Texts:
        return Texts([facts.terms for facts in self.links.values()])

    def _sample(
        self,
        event: str,
        draw: int,
        like: EventModel,
        ks: Sequence[int],
        keys: Sequence[int],
        facts: Sequence[Facts],
        texts: Texts,
    ) -> Sample:
        relevant = [key in self.events[event] for key in keys]
        sample = sample_of(self.model(event, draw, like), facts, relevant, ks, texts)
        left_out = {*self.model_pages(event, draw)}
        return sample.of_rows([number for number, key in enumerate(keys) if key not in left_out])

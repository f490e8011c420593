"""Farag's tables 11 and 12: seeds from posts, by number and by number of sources.

The posts are simulated: a Pareto law draws how many link to each page of the web. Counting, keywords, sources,
selections and crawls are the product's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from lycosa.methods.event.model import OURS
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.post import Mention
from lycosa.seeds.posts.selection import select
from lycosa.seeds.posts.tally import UrlTally
from lycosa.urls import key_of
from lycosa_lab.grids.progress import Bar
from lycosa_lab.papers.event.crawls import Crawls
from lycosa_lab.papers.event.web import EventWeb
from lycosa_lab.papers.output import write_table
from lycosa_lab.runs.protocol import Draw, reachable

SIZES = (10, 50, 100)
SELECTIONS = {"top K sources, one URL each": 1, "top K/2 sources, two URLs each": 2}
PAGES = 200
"""Of each collection, seeds included."""
SHAPE, MAX_POSTS = 1.2, 50
TERMS, PLACES = 5, 2
"""How many of its most frequent terms and places are the keywords of an event."""


@dataclass(frozen=True, slots=True)
class WithSeeds(Draw):
    """A crawl whose seeds count like all other pages, as in the paper."""

    @property
    def excluded(self) -> frozenset[int]:
        """The model pages alone."""
        return frozenset(self.positives)


def write_tables(web: EventWeb, out: Path) -> list[list[Any]]:
    """Crawl from both selections at all sizes; the means over events, as table-11-12.csv."""
    crawls = Crawls(web, PAGES)
    figures: dict[tuple[str, int], list[tuple[float, float, int]]] = {}
    with Bar("crawls from posts") as bar:
        for done, event in enumerate(web.events):
            for (selection, size), seeds in _seeds(web, event):
                found = crawls.event(event, OURS, start=_draw(web, event, seeds))
                figures.setdefault((selection, size), []).append((found.harvest, found.recall, found.hosts))
            bar.update(done + 1, len(web.events))
    rows: list[list[Any]] = [
        [selection, size, *(round(float(mean), 4) for mean in np.mean(values, axis=0)), len(values)]
        for (selection, size), values in figures.items()
    ]
    head = ["selection", "K", "harvest ratio", "recall", "sources", "events"]
    write_table(out / "tables-11-12.csv", head, rows)
    return rows


def _seeds(web: EventWeb, event: str) -> Iterator[tuple[tuple[str, int], list[int]]]:
    model = web.model(event, 0, OURS)
    words = [*model.terms][:TERMS] + [place.name for place in model.places[:PLACES]]
    with UrlTally() as tally:
        for key in web.keys:
            url = web.cached.url(key)
            times = min(MAX_POSTS, int(Random(f"posts/{url}").paretovariate(SHAPE)))
            tally.add([Mention(url)] * times)
        tally.settle(Keywords(words))
        names = web.cached.web.folding
        for selection, per_source in SELECTIONS.items():
            for size in SIZES:
                chosen = [key_of(seed.url, names) for seed in select(tally, size, per_source)]
                yield (selection, size), [key for key in chosen if key in web.cached.pages]


def _draw(web: EventWeb, event: str, seeds: list[int]) -> Draw:
    model_pages = tuple(web.model_pages(event, 0))
    kept = tuple(key for key in seeds if key not in model_pages)
    targets = web.events[event] - set(model_pages)
    return WithSeeds(model_pages, (), kept, targets & reachable(web.cached.graph, kept))

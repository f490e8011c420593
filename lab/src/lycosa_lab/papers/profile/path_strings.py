"""Measure the CPU time of path strings and of parsing on archived pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean
from time import process_time

import msgspec
from selectolax.lexbor import LexborHTMLParser

from lycosa.fetch.decode import decoded_body
from lycosa.page.links.paths import outline_of
from lycosa.urls import key_of
from lycosa.values import Fetched, Link
from lycosa_lab.webs.web import VirtualWeb

PAGES = 40
REPEAT = 5
MAX_BYTES = 50_000_000


class PathCost(msgspec.Struct, frozen=True):
    """Means over pages, each the best of some repetitions; `worst_ms` is that of the dearest page."""

    pages: int
    elements: float
    path_strings_ms: float
    parsing_ms: float
    worst_ms: float


def path_cost(web: VirtualWeb, urls: Sequence[str]) -> PathCost:
    """Measure on a random draw of the URLs."""
    drawn = Random("path strings").sample(sorted(urls), min(PAGES, len(urls)))
    timed = [_timed(body) for body in _bodies(web, drawn)]
    elements, outlining, parsing = (mean(each) for each in zip(*timed, strict=True))
    worst = max(each[1] for each in timed)
    return PathCost(
        len(timed), round(elements, 1), *(round(1000 * s, 3) for s in (outlining, parsing, worst))
    )


def _bodies(web: VirtualWeb, urls: Sequence[str]) -> Iterator[bytes]:
    for url in urls:
        fetched = asyncio.run(web.archive.fetch(Link(url, key_of(url, web.folding))))
        if isinstance(fetched, Fetched) and isinstance(body := decoded_body(fetched, MAX_BYTES), bytes):
            yield body


def _timed(body: bytes) -> tuple[int, float, float]:
    """Elements, seconds for path strings, seconds for parsing."""
    times = []
    for _ in range(REPEAT):
        began = process_time()
        tree = LexborHTMLParser(body)
        parsed = process_time()
        outline = outline_of(tree, {})
        times.append((process_time() - parsed, parsed - began))
    return len(outline.parents), min(each[0] for each in times), min(each[1] for each in times)

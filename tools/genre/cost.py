"""What the genre of a page costs. In: the folder of shared pages. Out: CPU milliseconds a page.

Each page is parsed and analysed as a crawl does it without genres, once; then the clock runs while its
genre is found. So what is shared (parse, text, links, language) does not count, and the processor's caches
are as cold as in a crawl. The elements that the walk over the links counts for genres are a third figure.
The processor's time grows when others share its caches: beside the mean stand the share of the parse
in the same run, and the mean of each page's quickest of five repeats, which is nearest to a quiet machine.

Command line: python -m tools.genre.cost ../shared
Expected time: two minutes.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from lycosa.engine.analysis import Recipe, page_of
from lycosa.lab.web import VirtualWeb
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.signs import genre_features
from lycosa.page.document import Document
from lycosa.page.links import COUNTED, SELECTOR
from lycosa.page.response import document_of
from lycosa.urls import key_of, source_of
from lycosa.values import Fetched, Link
from tools.genre.examples import dated_pages

PAGES = 400
REPEATS = 5
WEBS = ("news", "media", "webkb", "wikischools")
PLAIN_SELECTOR = SELECTOR.removesuffix("," + ",".join(COUNTED.split()))


class Cost(NamedTuple):
    """CPU milliseconds a page: parse, the analysis without genres (parse included), and what genres add."""

    pages: int
    kilobytes: float
    parse: float
    analysis: float
    features: float
    forest: float
    elements: float
    quickest: float  # of five repeats of features and forest, the mean over the pages

    @property
    def genre(self) -> float:
        """Features and forest."""
        return self.features + self.forest


def cost_of(documents: Iterable[Document], extended: bool = False) -> Cost:
    """The mean cost over fresh documents."""
    evidence = GenreEvidence(built_in_model(extended))
    evidence.of_page(Document(b"<p>warm", "http://warm.example/"))  # what a process does once
    source_of("http://warm.example")
    clock, spent, size = time.process_time, [], 0
    for document in documents:
        size += len(document.body)
        began = clock()
        document.tree  # noqa: B018 -- parses
        parsed = clock()
        page_of(document, Link(document.url, key_of(document.url)), Recipe())
        analysed = clock()
        features = genre_features(document)
        counted = clock()
        evidence.model.guess(features)
        guessed = clock()
        quickest = min(_again(document, evidence) for _ in range(REPEATS))
        document.tree.css(PLAIN_SELECTOR)  # brings the tree into the cache for the comparison
        again = clock()
        document.tree.css(SELECTOR)
        whole = clock()
        document.tree.css(PLAIN_SELECTOR)
        plain = clock()
        elements = (whole - again) - (plain - whole)
        steps = (parsed - began, analysed - began, counted - analysed, guessed - counted)
        spent.append((*steps, elements, quickest))
    means = [1000 * mean(column) for column in zip(*spent, strict=True)]
    return Cost(len(spent), size / 1000 / len(spent), *means)


def _again(document: Document, evidence: GenreEvidence) -> float:
    began = time.process_time()
    evidence.model.guess(genre_features(document))
    return time.process_time() - began


def web_documents(web: Path, pages: int = PAGES) -> Iterator[Document]:
    """Pages of a virtual web, drawn at random."""
    opened = VirtualWeb.open(web)
    found = sorted(opened.archive.urls())
    for url in Random(1).sample(found, min(pages, len(found))):
        fetched = asyncio.run(opened.archive.fetch(Link(url, key_of(url, opened.folding))))
        if isinstance(fetched, Fetched) and fetched.status == 200:
            document = document_of(fetched, folding=opened.folding)
            if isinstance(document, Document):
                yield document


def told(name: str, cost: Cost) -> str:
    """The figures in a line."""
    return (
        f"{name}: {cost.pages} pages of {cost.kilobytes:.0f} KB; genre {cost.genre:.3f} ms, quickest "
        f"{cost.quickest:.3f} (features {cost.features:.3f}, forest {cost.forest:.3f}; elements "
        f"{cost.elements:+.3f}); parse {cost.parse:.2f}, all else {cost.analysis - cost.parse:.2f} ms; "
        f"genre / parse {cost.genre / cost.parse:.2f}, genre / page {cost.genre / cost.analysis:.3f}"
    )


if __name__ == "__main__":
    shared = Path(sys.argv[1])
    for extended in (False, True):
        kind = "ten genres" if extended else "five genres"
        print(told(f"data/dates, {kind}", cost_of(islice(dated_pages(shared), 0, None, 2), extended)))
        for web in WEBS:
            print(told(f"webs/{web}, {kind}", cost_of(web_documents(shared / "webs" / web), extended)))

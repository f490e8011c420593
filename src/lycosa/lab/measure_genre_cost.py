"""What the genre of a page costs. In: the folder of shared pages. Out: CPU milliseconds a page.

Each page is analysed as a crawl does it without genres, once; then the clock runs while its genre is
found. So what is shared (parse, text, links, language) does not count, and the processor's caches are as
cold as in a crawl. The elements that the walk over the links counts for genres are a second figure.

    python -m lycosa.lab.measure_genre_cost ../shared
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from lycosa.analysis import Recipe, document_of, page_of
from lycosa.evidence.genre import GenreEvidence, built_in_model
from lycosa.lab.genre_examples import dated_pages
from lycosa.lab.web import VirtualWeb
from lycosa.page.document import Document
from lycosa.page.links import COUNTED, SELECTOR
from lycosa.urls import key_of, source_of
from lycosa.values import Fetched, Link

PAGES = 800
PLAIN_SELECTOR = SELECTOR.removesuffix("," + ",".join(COUNTED.split()))


class Cost(NamedTuple):
    """CPU milliseconds a page: all the analysis without genres, features, forest, and counting elements."""

    pages: int
    kilobytes: float
    analysis: float
    features: float
    forest: float
    elements: float

    @property
    def genre(self) -> float:
        """All that the genre adds."""
        return self.features + self.forest + self.elements


def cost_of(documents: Iterable[Document], extended: bool = False) -> Cost:
    """The mean cost over fresh documents."""
    evidence = GenreEvidence(built_in_model(extended))
    evidence.of_page(Document(b"<p>warm", "http://warm.example/"))  # what a process does once
    source_of("http://warm.example")
    clock, spent, count, size = time.process_time, [0.0] * 4, 0, 0
    for document in documents:
        count, size = count + 1, size + len(document.body)
        began = clock()
        page_of(document, Link(document.url, key_of(document.url)), Recipe())
        analysed = clock()
        features = document.genre_features
        counted = clock()
        evidence.model.guess(features)
        guessed = clock()
        document.tree.css(PLAIN_SELECTOR)  # brings the tree into the cache for the comparison
        again = clock()
        document.tree.css(SELECTOR)
        whole = clock()
        document.tree.css(PLAIN_SELECTOR)
        plain = clock()
        steps = (analysed - began, counted - analysed, guessed - counted, (whole - again) - (plain - whole))
        spent = [total + step for total, step in zip(spent, steps, strict=True)]
    return Cost(count, size / 1000 / max(1, count), *(1000 * total / max(1, count) for total in spent))


def web_documents(web: Path, pages: int = PAGES) -> Iterator[Document]:
    """Pages of a virtual web, drawn at random."""
    opened = VirtualWeb.open(web)
    found = sorted(opened.archive.urls())
    for url in Random(1).sample(found, min(pages, len(found))):
        fetched = asyncio.run(opened.archive.fetch(Link(url, key_of(url, opened.index_names))))
        if isinstance(fetched, Fetched) and fetched.status == 200:
            document = document_of(fetched, Recipe(index_names=opened.index_names))
            if isinstance(document, Document):
                yield document


def told(name: str, cost: Cost) -> str:
    """The figures in a line."""
    return (
        f"{name}: {cost.pages} pages of {cost.kilobytes:.0f} KB; genre {cost.genre:.3f} ms "
        f"(features {cost.features:.3f}, forest {cost.forest:.3f}, elements {cost.elements:.3f}) "
        f"beside {cost.analysis:.2f} ms for the page"
    )


if __name__ == "__main__":
    shared = Path(sys.argv[1])
    for extended in (False, True):
        kind = "ten genres" if extended else "five genres"
        print(told(f"data/dates, {kind}", cost_of(dated_pages(shared), extended)))
        print(told(f"webs/news, {kind}", cost_of(web_documents(shared / "webs" / "news"), extended)))

"""What the genre of a page costs. In: the folder of shared pages. Out: the table of docs/strategies/genre.md.

Each page is parsed and analysed as a crawl does it without genres, once: with its terms, which the default judge asks for.
Then the clock runs while its genre is found (by the larger model, which tells twelve apart). So what is shared (parse,
text, terms, links, language) does not count, and the processor's caches are as cold as in a crawl. The processor's time
grows when others share its caches: beside the mean stand its share of the parse and of the analysis in the same run, and the
mean of each page's quickest of five repeats, which is nearest to a quiet machine.

Command line: python -m research.genre.cost ../shared
Expected time: half a minute of CPU.
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
from lycosa.page.response import document_of
from lycosa.urls import key_of, source_of
from lycosa.values import Fetched, Link
from research.genre.examples import dated_pages
from research.measured import ROOT, commit_of, table, write_part

PAGES = 200
REPEATS = 5
WEBS = ("news", "media", "webkb", "wikischools")
PAGE = ROOT / "docs" / "strategies" / "genre.md"


class Cost(NamedTuple):
    """CPU milliseconds a page: parse, the analysis without genres (parse included), and what genres add."""

    pages: int
    kilobytes: float
    parse: float
    analysis: float
    features: float
    forest: float
    quickest: float  # of five repeats of features and forest, the mean over the pages

    @property
    def genre(self) -> float:
        """Features and forest."""
        return self.features + self.forest


def cost_of(documents: Iterable[Document]) -> Cost:
    """The mean cost over fresh documents."""
    evidence = GenreEvidence(built_in_model(extended=True))
    evidence.of_page(Document(b"<p>warm", "http://warm.example/"))  # what a process does once
    source_of("http://warm.example")
    clock, spent, size = time.process_time, [], 0
    for document in documents:
        size += len(document.body)
        began = clock()
        document.tree  # noqa: B018 -- parses
        parsed = clock()
        page_of(document, Link(document.url, key_of(document.url)), Recipe(terms=True))
        analysed = clock()
        features = genre_features(document)
        counted = clock()
        evidence.model.guess(features)
        guessed = clock()
        quickest = min(_again(document, evidence) for _ in range(REPEATS))
        steps = (parsed - began, analysed - began, counted - analysed, guessed - counted)
        spent.append((*steps, quickest))
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


def row(name: str, cost: Cost) -> list[str]:
    """The figures as a line of the table."""
    milliseconds = (cost.quickest, cost.genre, cost.parse)
    shares = (cost.genre / cost.parse, cost.genre / cost.analysis)
    return [name, f"{cost.kilobytes:.0f} KB", *(f"{one:.3f}" for one in (*milliseconds, *shares))]


def main(shared: Path) -> None:
    """Measure, and write the table."""
    rows = [row("data/dates", cost_of(islice(dated_pages(shared), 0, 2 * PAGES, 2)))]
    rows += [row(f"webs/{web}", cost_of(web_documents(shared / "webs" / web))) for web in WEBS]
    heads = (
        "pages",
        "mean size",
        "quickest",
        "first time",
        "parse",
        "first time / parse",
        "first time / analysis",
    )
    told = f"{table(heads, rows)}\n\nMeasured at {commit_of(ROOT)}, {PAGES} pages each."
    write_part(PAGE, "costs", told)
    print(told)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

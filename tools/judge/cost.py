"""What fitting a judge costs: CPU seconds of a fit on made-up pages, and of judging one page.

Pages have 900 words, some 650 of them different, by Zipf's law; a fifth have words of the topic as well.

Command line: python -m tools.judge.cost [PAGES …]      (default: 200 1000 10000)
Expected time: half a minute
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import numpy as np

from lycosa.learn.fitting.crawl_fitter import Fitter, Said
from lycosa.learn.judges.version import Brief, KnownPage, Scorer, packed
from lycosa.page.text.terms import packed as packed_counts
from lycosa.values import PageTerms

VOCABULARY = 60_000
WORDS = 900
TOPIC = [f"w{number}" for number in range(500, 520)]


def made_pages(count: int, random_seed: int = 1) -> list[dict[str, int]]:
    """Counts by term of pages; every fifth is about the topic."""
    chance = np.random.default_rng(random_seed)
    weights = 1.0 / np.arange(10, VOCABULARY + 10)
    reached = np.cumsum(weights / weights.sum())
    pages = []
    for number in range(count):
        drawn = np.searchsorted(reached, chance.random(WORDS))
        words = Counter(f"w{word}" for word in drawn.tolist())
        if number % 5 == 0:
            words.update(chance.choice(TOPIC, 60).tolist())
        pages.append(dict(words))
    return pages


def cost_at(pages: list[dict[str, int]]) -> tuple[float, float, float, int]:
    """CPU seconds of reading all pages once and of a fit, of judging one page, and the size of the version."""
    examples = tuple(KnownPage(-number - 1, page) for number, page in enumerate(pages[:15:5]))
    fitter = Fitter(Brief(keywords=dict.fromkeys(TOPIC[:6], 1.0), examples=examples))
    found = [PageTerms(number, number, packed_counts(terms)) for number, terms in enumerate(pages, start=1)]
    begun = time.process_time()
    fitter.read(found)
    read = time.process_time()
    version = fitter.fit(Said(), 1).version
    fitted = time.process_time()
    scorer = Scorer(version)
    for terms in pages[:100]:
        scorer.probability(terms)
    judged = (time.process_time() - fitted) / min(100, len(pages))
    return read - begun, fitted - read, judged, len(packed(version))


def main() -> None:
    """Print a line for each number of pages."""
    numbers = [int(number) for number in sys.argv[1:]] or [200, 1000, 10_000]
    pages = made_pages(max(numbers))
    cost_at(pages[:100])  # imports
    for number in numbers:
        read, fit, judge, size = cost_at(pages[:number])
        print(
            f"{number:,} pages: fit {fit:.2f} s CPU; reading all of them once {read:.2f} s; "
            f"judging a page {judge * 1000:.2f} ms; version {size / 1000:.0f} kB",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Fit the calibration's coefficients for events, and measure how events are judged.

Every event is crawled with `event` from two model pages and the web's start pages; the judge does not change what is
fetched. Each is judged with coefficients of the other events, as crawled and with other pages left out at random for a
larger share of relevant pages. Prints the coefficients of all events in the form of
`src/lycosa/judge/data/coefficients.json`; put them there and run it again until they stay.

Command line: python -m research.judge.events WEB [DRAWS [PAGES]]      (default: 2 draws of 300 pages)
Expected time: 2 minutes
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import msgspec
import numpy as np

from lycosa.learn.fitting.crawl_fitter import Fitter
from lycosa.learn.fitting.fit import Fitted
from lycosa.learn.judges.calibration import Coefficients, shipped
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods.lookup import fitted
from lycosa.values import Floats, Link, PageTerms
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

KIND = "event"
SHARES = (0.0, 0.1, 0.3, 0.6)
"""Shares of relevant pages; 0: as crawled."""


@dataclass(frozen=True)
class Crawled:
    """A crawl for an event (or a part of its pages): rows that are not model pages, and their labels."""

    event: str
    share: float
    fitter: Fitter
    rows: list[int]
    right: Floats

    def fit(self, coefficients: Coefficients) -> Fitted:
        """Judge all pages."""
        return self.fitter.fitted({}, {KIND: coefficients})


def crawls_of(web: CachedWeb, event: str, draw: int, pages: int) -> list[Crawled]:
    """One crawl, at all shares."""
    options = Options(pages=pages, given=parse_given("examples:2"), start_from="both")
    laboratory = Laboratory(web, event, draw, options)
    laboratory.prepare((KIND,))
    judge, store = laboratory.preparations[KIND].judge, CountingStore(laboratory.draw.excluded, pages)
    assert isinstance(judge, LearningJudge)
    store.crawl = make_crawl(fitted(KIND, {}, laboratory.preparations[KIND]), web, store)
    seeds = [Link(web.url(key), key, priority=1.0) for key in laboratory.draw.seeds]
    asyncio.run(store.crawl.run(seeds))
    relevant, examples = web.web.topics[event].relevant(), {page.key for page in judge.brief.examples}
    found = list(store.page_terms(0, judge.brief.evidence))
    made = []
    for share in SHARES:
        some = _thinned(found, relevant, share, Random(f"{event}{share}"))
        fitter = Fitter(judge.brief)
        fitter.read(some)
        keys = [page.key for page in some if page.key not in examples]
        right = np.array([key in relevant for key in keys], np.float64)
        if right.sum() > 1 or not share:
            made.append(Crawled(event, share, fitter, [fitter.rows[key] for key in keys], right))
    return made


def _thinned(
    pages: Sequence[PageTerms], relevant: frozenset[int], share: float, chance: Random
) -> list[PageTerms]:
    """Pages in order, with enough others left out for this share of relevant pages."""
    others = [page.id for page in pages if page.key not in relevant]
    wanted = round((len(pages) - len(others)) * (1 - share) / share) if share else len(others)
    kept = set(chance.sample(others, min(wanted, len(others))))
    return [page for page in pages if page.key in relevant or page.id in kept]


def coefficients_of(crawls: Sequence[Crawled], before: Coefficients) -> Coefficients:
    """Logistic regressions of both rounds, on all pages as crawled."""
    from sklearn.linear_model import LogisticRegression

    told = [crawl.fit(before).signs for crawl in crawls]
    right, rounds = np.concatenate([crawl.right for crawl in crawls]), []
    for number in range(2):
        signs = np.vstack([one[number][crawl.rows] for one, crawl in zip(told, crawls, strict=True)])
        model = LogisticRegression(C=10.0, max_iter=500).fit(signs, right)
        rounds.append(tuple(round(float(c), 3) for c in (model.intercept_[0], *model.coef_[0])))
    return Coefficients(rounds[0], rounds[1], before.cap)


def row_of(name: str, judged: Sequence[tuple[Crawled, Fitted]]) -> str:
    """A row: recall and precision of what is kept, error of the estimated share, and how often its interval holds."""
    kept = np.concatenate([one.probability[crawl.rows] >= one.version.threshold for crawl, one in judged])
    right = np.concatenate([crawl.right for crawl, _ in judged]) > 0
    off = [abs(one.probability[crawl.rows].mean() - crawl.right.mean()) for crawl, one in judged]
    holds = []
    for crawl, one in judged:
        told = one.version.estimate  # model pages were given, not found
        holds.append(told.relevant_low <= crawl.right.sum() <= told.relevant_high)
    figures = (
        right.mean(),
        (kept & right).sum() / right.sum(),
        (kept & right).sum() / max(1, kept.sum()),
        np.mean(off),
        np.mean(holds),
    )
    return f"| {name} | {int(right.sum())} | {' | '.join(f'{value:.3f}' for value in figures)} |"


def main() -> None:
    """Crawl all events, judge each with coefficients of the others, and print."""
    path, draws, pages = Path(sys.argv[1]), *(*map(int, sys.argv[2:4]), *(2, 300)[len(sys.argv) - 2 :])
    web = CachedWeb(VirtualWeb.open(path))
    crawls = [
        crawl
        for event in sorted(web.web.topics)
        for draw in range(1, draws + 1)
        for crawl in crawls_of(web, event, draw, pages)
    ]
    whole, before = [crawl for crawl in crawls if not crawl.share], shipped()[KIND]
    judged = []
    for event in sorted({crawl.event for crawl in crawls}):
        others = coefficients_of([crawl for crawl in whole if crawl.event != event], before)
        judged += [(crawl, crawl.fit(others)) for crawl in crawls if crawl.event == event]
    print("| pages | relevant | share | relevant ones kept | precision | share, off by | interval holds |")
    print("|---|---|---|---|---|---|---|")
    for share in SHARES:
        name = f"thinned to {share:g}" if share else "as crawled"
        print(row_of(name, [pair for pair in judged if pair[0].share == share]))
    found = coefficients_of(whole, before)
    print(row_of("as crawled, fitted on all events", [(crawl, crawl.fit(found)) for crawl in whole]))
    print(msgspec.json.encode({KIND: found}).decode())


if __name__ == "__main__":
    main()

"""Fit the calibration's coefficients for events, and measure how events are judged.

Every event is crawled with `event` from the web's start pages: from two model pages, and from a headline with place and
day. The judge does not change what is fetched. Each half of the events is judged with coefficients of the other half, as
crawled and, from model pages, with other pages left out at random for a larger share of relevant pages. Prints the
coefficients of all events in the form of `src/lycosa/learn/judges/coefficients.json`; put them there and run it again
until they stay.

Command line: python -m research.judge.events WEB [DRAWS [PAGES]]      (default: 2 draws of 300 pages)
Expected time: 4 minutes
"""

from __future__ import annotations

import asyncio
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from unittest.mock import patch

import msgspec
import numpy as np

from lycosa.engine.start.prepare import prepare
from lycosa.learn.fitting import guesses
from lycosa.learn.fitting.crawl_fitter import Fitter
from lycosa.learn.fitting.fit import Fitted
from lycosa.learn.judges.calibration import Coefficients, shipped
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods.event.section import EventSpec
from lycosa.methods.lookup import fitted
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import JudgeSpec, Spec
from lycosa.values import Floats, Link, PageTerms
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.runs.user import user_means
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

STRATEGY = "event"
WITH_PAGES, ALONE, GUESSED = "evidence", "evidence alone", "evidence guessed"
SHARES = (0.0, 0.1, 0.3, 0.6)
"""Shares of relevant pages; 0: as crawled."""
Known = dict[str, Coefficients]


@dataclass(frozen=True)
class Crawled:
    """A crawl for an event (or a part of its pages): rows that are not model pages, and their labels."""

    event: str
    kind: str
    share: float
    fitter: Fitter
    rows: list[int]
    right: Floats

    def fit(self, coefficients: Known) -> Fitted:
        """Judge all pages."""
        return self.fitter.fitted({}, coefficients)


def crawls_of(web: CachedWeb, event: str, draw: int, pages: int) -> list[Crawled]:
    """A crawl from two model pages, at all shares, and one from a headline."""
    options = Options(pages=pages, given=parse_given("examples:2"), start_from="both")
    laboratory = Laboratory(web, event, draw, options)
    laboratory.prepare((STRATEGY,))
    made: list[Crawled] = []
    found = crawled(web, laboratory.preparations[STRATEGY], laboratory.draw.seeds, pages)
    for share in SHARES:
        made += judged(web, event, WITH_PAGES, share, *found)
    headline = asyncio.run(_prepared(web, event, draw))
    return [*made, *judged(web, event, ALONE, 0.0, *crawled(web, headline, web.start, pages))]


async def _prepared(web: CachedWeb, event: str, draw: int) -> Preparation:
    """What a user gives who has a headline: that of one of the event's pages, drawn at random."""
    with (web.web.path / "events.csv").open(encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["topic"] == event)
    there = sorted(web.web.topics[event].relevant() & web.pages)
    page = web.document(Random(f"{draw}/{event}").choice(there))
    assert page is not None
    place = row["place"].split(" (")[0]
    about = f"{row['date']}, {place}, {row['state']}: {page.title.replace(':', ' ')}"
    spec = Spec(strategy=STRATEGY, judge=JudgeSpec(kind=STRATEGY), methods={STRATEGY: EventSpec(about=about)})
    return await prepare(spec, user_means(web, spec), (STRATEGY,))


def crawled(
    web: CachedWeb, ready: Preparation, seeds: Sequence[int], pages: int
) -> tuple[LearningJudge, list[PageTerms]]:
    """The judge of a crawl, and the pages that it found."""
    judge, store = ready.judge, CountingStore(frozenset(), pages)
    assert isinstance(judge, LearningJudge)
    store.crawl = make_crawl(fitted(STRATEGY, {}, ready), web, store)
    asyncio.run(store.crawl.run([Link(web.url(key), key, priority=1.0) for key in seeds]))
    return judge, list(store.page_terms(0, judge.brief.evidence))


def judged(
    web: CachedWeb, event: str, kind: str, share: float, judge: LearningJudge, found: Sequence[PageTerms]
) -> Iterator[Crawled]:
    """A crawl with this share of relevant pages, unless it has too few."""
    relevant, examples = web.web.topics[event].relevant(), {page.key for page in judge.brief.examples}
    some = _thinned(found, relevant, share, Random(f"{event}{share}"))
    fitter = Fitter(judge.brief)
    fitter.read(some)
    keys = [page.key for page in some if page.key not in examples]
    right = np.array([key in relevant for key in keys], np.float64)
    if right.sum() > 1 or not share:
        yield Crawled(event, kind, share, fitter, [fitter.rows[key] for key in keys], right)


def _thinned(
    pages: Sequence[PageTerms], relevant: frozenset[int], share: float, chance: Random
) -> list[PageTerms]:
    """Pages in order, with enough others left out for this share of relevant pages."""
    others = [page.id for page in pages if page.key not in relevant]
    wanted = round((len(pages) - len(others)) * (1 - share) / share) if share else len(others)
    kept = set(chance.sample(others, min(wanted, len(others))))
    return [page for page in pages if page.key in relevant or page.id in kept]


def coefficients_of(crawls: Sequence[Crawled], kind: str, so_far: Known) -> Coefficients:
    """Logistic regressions of both rounds, on all pages as crawled. No sign counts against a page.

    Those of guessed pages follow from guesses, and these from the coefficients of an event alone.
    """
    from sklearn.linear_model import LogisticRegression

    known, rounds = shipped()[kind], list[tuple[float, ...]]()
    for number in range(2):
        with patch.object(guesses, "GUESSES", guesses.GUESSES if kind == GUESSED else 0):
            fits = [(crawl, crawl.fit({**shipped(), **so_far, kind: known})) for crawl in crawls]
        told = [(crawl, one.signs[number]) for crawl, one in fits if one.version.given == kind]
        right = np.concatenate([crawl.right for crawl, _ in told])
        signs = np.vstack([one[crawl.rows] for crawl, one in told])
        model = LogisticRegression(C=10.0, max_iter=500).fit(signs, right)
        if model.coef_[0][1] < 0:
            model = LogisticRegression(C=10.0, max_iter=500).fit(signs * [1.0, 0.0], right)
        rounds.append(tuple(round(float(c), 3) for c in (model.intercept_[0], *model.coef_[0])))
        known = Coefficients(rounds[0], rounds[-1], known.cap)
    return known


def fitted_on(crawls: Sequence[Crawled]) -> Known:
    """Coefficients of all kinds, from whole crawls."""
    known: Known = {}
    for kind in (WITH_PAGES, ALONE, GUESSED):
        begun = WITH_PAGES if kind == WITH_PAGES else ALONE
        some = [one for one in crawls if one.kind == begun and not one.share]
        known[kind] = coefficients_of(some, kind, known)
    return known


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
    """Crawl all events, judge each half with coefficients of the other, and print."""
    path, draws, pages = Path(sys.argv[1]), *(*map(int, sys.argv[2:4]), *(2, 300)[len(sys.argv) - 2 :])
    web = CachedWeb(VirtualWeb.open(path))
    events = sorted(web.web.topics)
    crawls = [
        crawl
        for event in events
        for draw in range(1, draws + 1)
        for crawl in crawls_of(web, event, draw, pages)
    ]
    of_half = [[crawl for crawl in crawls if events.index(crawl.event) % 2 == half] for half in (0, 1)]
    told: list[tuple[Crawled, Fitted]] = []
    for half, others in zip(of_half, reversed(of_half), strict=True):
        known = fitted_on(others)
        told += [(crawl, crawl.fit(known)) for crawl in half]
    print("| pages | relevant | share | relevant ones kept | precision | share, off by | interval holds |")
    print("|---|---|---|---|---|---|---|")
    for share in SHARES:
        name = f"thinned to {share:g}" if share else "two model pages, as crawled"
        print(row_of(name, [pair for pair in told if pair[0].share == share and pair[0].kind == WITH_PAGES]))
    for number in (1, 2):
        mine = [
            pair for pair in told if pair[0].kind == ALONE and events.index(pair[0].event) % 2 == number - 1
        ]
        print(row_of(f"a headline alone, half {number}", mine))
    print(row_of("a headline alone", [pair for pair in told if pair[0].kind == ALONE]))
    print(msgspec.json.encode(fitted_on(crawls)).decode())


if __name__ == "__main__":
    main()

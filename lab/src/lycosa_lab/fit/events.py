"""Crawls of events, from two model pages and from a headline, that the coefficients of an event's judge are fitted on."""

from __future__ import annotations

import asyncio
import csv
from collections import defaultdict
from collections.abc import Sequence
from random import Random

import numpy as np

from lycosa.engine.start.prepare import prepare
from lycosa.learn.fitting.crawl_fitter import Fitter
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods.event.section import EventSpec
from lycosa.methods.lookup import fitted
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import JudgeSpec, Spec
from lycosa.values import Link, PageTerms
from lycosa_lab.fit.crawls import JudgedCrawl
from lycosa_lab.fit.weights import ALONE, GUESSED
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.runs.user import user_means
from lycosa_lab.webs.cache import CachedWeb

STRATEGY = "event"
WITH_PAGES = "evidence"


def event_crawls(web: CachedWeb, draws: Sequence[int], sizes: Sequence[int]) -> dict[str, list[JudgedCrawl]]:
    """By the kind of request: crawls of all events from two model pages, and from a headline, at each of these numbers of
    pages."""
    found: dict[str, list[JudgedCrawl]] = defaultdict(list)
    options = Options(pages=max(sizes), given=parse_given("examples:2"), start_from="both")
    for event in sorted(web.web.topics):
        for draw in draws:
            laboratory = Laboratory(web, event, draw, options)
            laboratory.prepare((STRATEGY,))
            with_pages = crawled(web, laboratory.preparations[STRATEGY], laboratory.draw.seeds, max(sizes))
            found[WITH_PAGES] += judged(web, event, sizes, *with_pages)
            headline = asyncio.run(_prepared(web, event, draw))
            alone = judged(web, event, sizes, *crawled(web, headline, web.start, max(sizes)))
            found[ALONE] += alone
            found[GUESSED] += alone
    return found


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
    web: CachedWeb, event: str, sizes: Sequence[int], judge: LearningJudge, found: Sequence[PageTerms]
) -> list[JudgedCrawl]:
    """A crawl at each of these numbers of pages, with its labels."""
    relevant, examples = web.web.topics[event].relevant(), {page.key for page in judge.brief.examples}
    made = []
    for size in sizes:
        fitter = Fitter(judge.brief)
        fitter.read(found[:size])
        labelled = np.array([key in relevant for key in fitter.rows], np.float64)
        rows = np.array([row for key, row in fitter.rows.items() if key not in examples], np.intp)
        made.append(JudgedCrawl(web.web.title, event, size, fitter, labelled, rows, len(relevant - examples)))
    return made

"""Crawls that a judge's coefficients are fitted on: their pages, labels, and what a judge says of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lycosa.learn.fitting.crawl_fitter import Fitter
from lycosa.learn.fitting.fit import Fitted
from lycosa.learn.fitting.given import Rows
from lycosa.learn.judges.calibration import find_threshold
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.signals import Coefficients
from lycosa.methods.lookup import fitted
from lycosa.values import Floats
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import crawled as crawled_in_lab
from lycosa_lab.webs.cache import CachedWeb

SEEDS = 3


@dataclass(frozen=True)
class JudgedCrawl:
    """A crawl, or its beginning: a fitter that has read its pages, their labels, and the rows of the pages it found."""

    web: str
    topic: str
    size: int  # the number of pages that was asked for
    fitter: Fitter
    relevant: Floats
    found: Rows  # neither examples nor seeds
    targets: int

    def fit(self, known: Mapping[str, Coefficients]) -> Fitted:
        """Judge all pages with these coefficients, by kind of request."""
        return self.fitter.fitted({}, known)


class Quality(NamedTuple):
    """Quality of the judgements of a crawl, measured with the labels."""

    average_precision: float
    f1: float
    precision: float
    kept: float  # of the relevant pages that were fetched
    harvest_error: float  # abs(reported − true): of the share of the pages that is relevant


def crawls_of(
    web: CachedWeb, given: str, draws: Sequence[int], sizes: Sequence[int], topics: Sequence[str] = ()
) -> Iterator[JudgedCrawl]:
    """Crawl topics of a web (all, if none is named) as a user would: the state at each of these numbers of pages."""
    options = Options(pages=max(sizes), seeds=SEEDS, given=parse_given(given))
    for topic in topics or sorted(web.web.topics):
        for draw in draws:
            yield from crawled_to(Laboratory(web, topic, draw, options), sizes)


def crawled_to(laboratory: Laboratory, sizes: Sequence[int], strategy: str = "fused") -> list[JudgedCrawl]:
    """The state of a crawl at each of these numbers of pages, or at its end."""
    laboratory.prepare((strategy,))
    draw, judge = laboratory.draw, laboratory.preparations[strategy].judge
    assert isinstance(judge, LearningJudge)
    made = fitted(strategy, {}, laboratory.preparations[strategy])
    store = crawled_in_lab(made, laboratory.web, laboratory.topic, draw, laboratory.options).store
    pages, labelled = list(store.page_terms(0, "")), laboratory.topic.relevant()
    found: list[JudgedCrawl] = []
    for size in sizes:
        if found and found[-1].fitter.pages == len(pages):
            break  # nothing was left to fetch
        fitter = Fitter(judge.brief)
        fitter.read(pages[:size])
        found.append(
            JudgedCrawl(
                laboratory.web.web.title,
                laboratory.topic.name,
                size,
                fitter,
                np.array([key in labelled for key in fitter.rows], np.float64),
                np.array([row for key, row in fitter.rows.items() if key not in draw.excluded], np.intp),
                len(draw.targets),
            )
        )
    return found


def quality(crawl: JudgedCrawl, probability: Floats) -> Quality:
    """Judgements of the fetched pages, with the threshold that the judge would choose."""
    told, relevant = probability[crawl.found], crawl.relevant[crawl.found]
    ranked = relevant[np.argsort(-told, kind="stable")]
    precisions = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    kept = told >= find_threshold(told)
    right = float(relevant[kept].sum())
    return Quality(
        float((precisions * ranked).sum() / max(1.0, ranked.sum())),
        2.0 * right / (int(kept.sum()) + crawl.targets),
        right / max(1, int(kept.sum())),
        right / max(1.0, float(relevant.sum())),
        float(abs(told.mean() - relevant.mean())),
    )

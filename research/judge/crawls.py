"""Crawl in the lab with what a user gives, for the programs that measure judges.

Command line: none, the other programs of this folder use it.
Expected time: 5 seconds of CPU a crawl of 200 pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lycosa.learn.fitting.crawl_fitter import Fitter
from lycosa.learn.fitting.given import Rows
from lycosa.learn.judges.calibration import find_threshold
from lycosa.learn.judges.learning import LearningJudge
from lycosa.methods.lookup import fitted
from lycosa.values import Floats
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import crawled as crawled_in_lab
from lycosa_lab.webs.cache import CachedWeb

STRATEGIES = ("best-first", "fused")


@dataclass(frozen=True)
class JudgedCrawl:
    """A finished crawl: a fitter that has read its pages, their labels, and the rows of the pages it found."""

    topic: str
    strategy: str
    fitter: Fitter
    relevant: Floats
    found: Rows  # neither examples nor seeds
    targets: int


class Quality(NamedTuple):
    """Quality of the judgements of a crawl, measured with the labels."""

    average_precision: float
    f1: float
    precision: float
    harvest_error: float  # abs(share kept − share relevant)


def crawls_of(
    web: CachedWeb, given: str, draws: int, pages: int = 200, topics: Sequence[str] = ()
) -> list[JudgedCrawl]:
    """Crawl topics of a web (all, if none is named) with every strategy."""
    options, found = Options(pages=pages, seeds=3, given=parse_given(given)), []
    for topic in topics or sorted(web.web.topics):
        for draw in range(1, draws + 1):
            laboratory = Laboratory(web, topic, draw, options)
            laboratory.prepare(STRATEGIES)
            found += [crawled(laboratory, strategy) for strategy in STRATEGIES]
    return found


def crawled(laboratory: Laboratory, strategy: str) -> JudgedCrawl:
    """Crawl as a user would."""
    return crawled_to(laboratory, strategy, (laboratory.options.pages,))[-1]


def crawled_to(laboratory: Laboratory, strategy: str, sizes: Sequence[int]) -> list[JudgedCrawl]:
    """The state of a crawl at each of these numbers of pages, and at its end."""
    draw, judge = laboratory.draw, laboratory.preparations[strategy].judge
    assert isinstance(judge, LearningJudge)
    made = fitted(strategy, {}, laboratory.preparations[strategy])
    store = crawled_in_lab(made, laboratory.web, laboratory.topic, draw, laboratory.options).store
    pages, labelled = list(store.page_terms(0, "")), laboratory.topic.relevant()
    found = []
    for size in (*(size for size in sizes if size < len(pages)), len(pages)):
        fitter = Fitter(judge.brief)
        fitter.read(pages[:size])
        found.append(
            JudgedCrawl(
                laboratory.topic.name,
                strategy,
                fitter,
                np.array([key in labelled for key in fitter.rows], np.float64),
                np.array([row for key, row in fitter.rows.items() if key not in draw.excluded], np.intp),
                len(draw.targets),
            )
        )
    return found


def quality(crawl: JudgedCrawl, probability: Floats) -> Quality:
    """Judgements of the fetched pages, with the threshold that the judge would choose."""
    return quality_of(probability[crawl.found], crawl.relevant[crawl.found], crawl.targets)


def quality_of(told: Floats, relevant: Floats, targets: int) -> Quality:
    """Judgements of the fetched pages; `targets` is how many relevant pages could be fetched."""
    ranked = relevant[np.argsort(-told, kind="stable")]
    precisions = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    kept = told >= find_threshold(told)
    right = float(relevant[kept].sum())
    return Quality(
        float((precisions * ranked).sum() / max(1.0, ranked.sum())),
        2.0 * right / (int(kept.sum()) + targets),
        right / max(1, int(kept.sum())),
        float(abs(kept.mean() - relevant.mean())),
    )

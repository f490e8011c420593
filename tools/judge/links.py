"""Whether the links among fetched pages tell which of them are relevant, beyond their words. In: a web. Out: a table.

Every crawl is made as a user would make it. The judge's calibration gets one sign more, and its weights are fitted for
each topic on the crawls of all others. Writes its part of docs/judge.md.

Command line: python -m tools.judge.links ../shared/webs/wikischools [DRAWS]      (default: 2 draws)
Expected time: 2 minutes of CPU a draw of 12 topics
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lycosa.engine.limits import Limits
from lycosa.judge.calibration import log_odds, sigmoid
from lycosa.judge.fit import Rows
from lycosa.judge.fitter import Fitter
from lycosa.judge.learning import LearningJudge
from lycosa.judge.threshold import find_threshold
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.given import parse_given
from lycosa.lab.grid import Laboratory
from lycosa.lab.protocol import Options
from lycosa.lab.run import CountingStore, make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.methods.lookup import fitted
from lycosa.store import Conclusion, Record
from lycosa.values import Floats, Link
from tools.judge.coefficients import STRATEGIES, coefficients_of
from tools.measured import ROOT, commit_of, number, table, write_part

PAGE = ROOT / "docs" / "judge.md"
GIVEN = "keywords,examples:3"
MADE_UP = 2.0
"""Neighbours of the crawl's mean that are added to those of a page."""


@dataclass(frozen=True)
class LinkedCrawl:
    """What calibration saw of each page, which of them are relevant, count and are linked: by rows."""

    topic: str
    strategy: str
    signs: Floats
    relevant: Floats
    found: Rows  # rows that are no examples
    linked: Floats  # 1 where either of two pages links to the other
    targets: int


class _LinkingStore(CountingStore):
    """Remembers links as well."""

    def __init__(self, excluded: frozenset[int], budget: int) -> None:
        super().__init__(excluded, budget)
        self.links: dict[int, set[int]] = {}

    def save(self, record: Record) -> Conclusion:
        if record.page is not None:
            self.links[record.page.link.key] = {link.key for link in record.page.links}
        return super().save(record)


def crawled(laboratory: Laboratory, strategy: str) -> LinkedCrawl:
    """A crawl as a user would make it."""
    draw = laboratory.draw
    store = _LinkingStore(draw.excluded, laboratory.options.pages)
    limits = Limits(pages=laboratory.options.pages)
    crawl = make_crawl(fitted(strategy, {}, laboratory.preparation), laboratory.web, store, limits=limits)
    store.crawl = crawl
    asyncio.run(crawl.run([Link(laboratory.web.url(key), key, priority=1.0) for key in draw.seeds]))
    judge = laboratory.preparation.judge
    assert isinstance(judge, LearningJudge)
    fitter = Fitter(judge.brief)
    fitter.read(store.page_terms(0, ""))
    rows, examples = fitter.rows, {page.key for page in judge.brief.examples}
    linked = np.zeros((len(rows), len(rows)))
    for key, row in rows.items():
        theirs = [rows[target] for target in store.links.get(key, ()) if target in rows and target != key]
        linked[row, theirs] = linked[theirs, row] = 1.0
    return LinkedCrawl(
        laboratory.topic.name,
        strategy,
        fitter.fitted({}).signs[-1],
        np.array([key in draw.targets or key in examples for key in rows], np.float64),
        np.array([row for key, row in rows.items() if key not in examples], np.intp),
        linked,
        len(draw.targets),
    )


def lift(linked: Floats, likely: Floats) -> Floats:
    """How much likelier the neighbours of each page are than all pages: log of (Σp + 2b) / (n + 2) / b.

    >>> lift(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0.2, 0.6])).round(2).tolist()
    [0.15, -0.18]
    """
    usual = float(np.clip(likely.mean(), 0.02, 0.9))
    mean = (linked @ likely + MADE_UP * usual) / (linked.sum(1) + MADE_UP)
    return np.asarray(np.log(mean / usual))


More = Callable[[LinkedCrawl, Floats], Floats]
"""A further sign of the pages of a crawl, which may go by how likely their words make them."""
SIGNS: Mapping[str, More | None] = {
    "words alone": None,
    "and how likely its neighbours are": lambda crawl, likely: lift(crawl.linked, likely),
    "the same, neighbours with more links counting less": lambda crawl, likely: lift(
        crawl.linked / np.sqrt(np.maximum(crawl.linked.sum(1), 1.0)), likely
    ),
    "and what its neighbours truly are": lambda crawl, _: lift(crawl.linked, crawl.relevant),
}


def left_out(crawls: Sequence[LinkedCrawl], signs: Sequence[Floats]) -> list[Floats]:
    """Probabilities of all pages of each crawl, by a calibration that has seen the other topics alone."""
    known = {
        topic: coefficients_of(
            [
                (told[crawl.found], crawl.relevant[crawl.found])
                for crawl, told in zip(crawls, signs, strict=True)
                if crawl.topic != topic
            ]
        )
        for topic in {crawl.topic for crawl in crawls}
    }
    return [sigmoid(log_odds(known[crawl.topic], told)) for crawl, told in zip(crawls, signs, strict=True)]


def quality(crawl: LinkedCrawl, probability: Floats) -> tuple[float, float, float, float]:
    """Average precision, F1 at the threshold that is found, precision, and how far the share kept is from the truth."""
    told, relevant = probability[crawl.found], crawl.relevant[crawl.found]
    ranked = relevant[np.argsort(-told, kind="stable")]
    precisions = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    kept = told >= find_threshold(told)
    right = float(relevant[kept].sum())
    return (
        float((precisions * ranked).sum() / max(1.0, ranked.sum())),
        2.0 * right / (int(kept.sum()) + crawl.targets),
        right / max(1, int(kept.sum())),
        float(abs(kept.mean() - relevant.mean())),
    )


def summary(crawls: Sequence[LinkedCrawl]) -> str:
    """A row for each strategy and kind of sign."""
    words = left_out(crawls, [crawl.signs for crawl in crawls])
    likely = [
        np.where(np.isin(np.arange(len(p)), crawl.found), p, 1.0)
        for crawl, p in zip(crawls, words, strict=True)
    ]
    rows = []
    for name, sign in SIGNS.items():
        told = [
            np.column_stack([crawl.signs, sign(crawl, p)]) if sign else crawl.signs
            for crawl, p in zip(crawls, likely, strict=True)
        ]
        found = left_out(crawls, told)
        for strategy in STRATEGIES:
            group = [
                quality(crawl, p)
                for crawl, p in zip(crawls, found, strict=True)
                if crawl.strategy == strategy
            ]
            means = [number(metrics.mean_and_error(values).mean) for values in zip(*group, strict=True)]
            rows.append([name, strategy, *means])
    heads = ["judged by", "strategy", "average precision", "F1", "precision", "abs(reported − true)"]
    topics = len({crawl.topic for crawl in crawls})
    return f"{table(heads, rows)}\n\n{topics} topics, {len(crawls)} crawls, measured at {commit_of(ROOT)}."


def main(path: Path, draws: int = 2) -> None:
    """Crawl all topics, and write the table."""
    web = CachedWeb(VirtualWeb.open(path))
    crawls = []
    for topic in sorted(web.web.topics):
        for run in range(1, draws + 1):
            laboratory = Laboratory(web, topic, run, Options(pages=200, given=parse_given(GIVEN)))
            laboratory.prepare(STRATEGIES)
            crawls += [crawled(laboratory, strategy) for strategy in STRATEGIES]
    write_part(PAGE, "links", summary(crawls))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))

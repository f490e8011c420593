"""Whether the links among fetched pages tell which of them are relevant, beyond their words. In: a web. Out: a table.

Every crawl is made as a user would make it. The judge's calibration gets one sign more, and its weights are fitted for
each topic on the crawls of all others. Writes its part of docs/judge.md.

Command line: python -m research.judge.links ../shared/webs/wikischools [DRAWS]      (default: 2 draws)
Expected time: 2 minutes of CPU a draw of 12 topics
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lycosa.judge.calibration import log_odds, sigmoid
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.web import VirtualWeb
from lycosa.values import Floats
from research.judge.coefficients import coefficients_of
from research.judge.crawls import STRATEGIES, JudgedCrawl, crawls_of, quality
from research.measured import ROOT, commit_of, number, table, write_part

PAGE = ROOT / "docs" / "judge.md"
GIVEN = "keywords,examples:3"
MADE_UP = 2.0
"""Neighbours of the crawl's mean that are added to those of a page."""


@dataclass(frozen=True)
class LinkedCrawl:
    """What calibration saw of each page of a crawl, and which pages are linked, by rows."""

    crawl: JudgedCrawl
    signs: Floats
    linked: Floats  # 1 where either of two pages links to the other


def linked(crawl: JudgedCrawl, graph: Mapping[int, Sequence[int]]) -> LinkedCrawl:
    """A crawl with the links among its pages."""
    rows = crawl.fitter.rows
    found = np.zeros((len(rows), len(rows)))
    for key, row in rows.items():
        theirs = [rows[target] for target in graph.get(key, ()) if target in rows and target != key]
        found[row, theirs] = found[theirs, row] = 1.0
    return LinkedCrawl(crawl, crawl.fitter.fitted({}).signs[-1], found)


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
    "and what its neighbours truly are": lambda crawl, _: lift(crawl.linked, crawl.crawl.relevant),
}


def left_out(crawls: Sequence[LinkedCrawl], signs: Sequence[Floats]) -> list[Floats]:
    """Probabilities of all pages of each crawl, by a calibration that has seen the other topics alone."""
    pairs = [(one.crawl, told) for one, told in zip(crawls, signs, strict=True)]
    known = {
        topic: coefficients_of(
            [
                (told[crawl.found], crawl.relevant[crawl.found])
                for crawl, told in pairs
                if crawl.topic != topic
            ]
        )
        for topic in {crawl.topic for crawl, _ in pairs}
    }
    return [sigmoid(log_odds(known[crawl.topic], told)) for crawl, told in pairs]


def summary(crawls: Sequence[LinkedCrawl]) -> str:
    """A row for each strategy and kind of sign."""
    words = left_out(crawls, [one.signs for one in crawls])
    likely = [
        np.where(np.isin(np.arange(len(p)), one.crawl.found), p, 1.0)
        for one, p in zip(crawls, words, strict=True)
    ]
    rows = []
    for name, sign in SIGNS.items():
        told = [
            np.column_stack([one.signs, sign(one, p)]) if sign else one.signs
            for one, p in zip(crawls, likely, strict=True)
        ]
        found = left_out(crawls, told)
        for strategy in STRATEGIES:
            group = [
                quality(one.crawl, p)
                for one, p in zip(crawls, found, strict=True)
                if one.crawl.strategy == strategy
            ]
            means = [number(metrics.mean_and_error(values).mean) for values in zip(*group, strict=True)]
            rows.append([name, strategy, *means])
    heads = ["judged by", "strategy", "average precision", "F1", "precision", "abs(reported − true)"]
    topics = len({one.crawl.topic for one in crawls})
    return f"{table(heads, rows)}\n\n{topics} topics, {len(crawls)} crawls, measured at {commit_of(ROOT)}."


def main(path: Path, draws: int = 2) -> None:
    """Crawl all topics, and write the table."""
    web = CachedWeb(VirtualWeb.open(path))
    crawls = [linked(crawl, web.graph) for crawl in crawls_of(web, GIVEN, draws)]
    write_part(PAGE, "links", summary(crawls))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))

"""Fit how the size of a crawl (its share of likely pages, its decline) counts in the judge's calibration.

Coefficients fitted on crawls of 200 pages keep too much of a longer one. Prints the coefficients `of_crawl` of
`src/lycosa/judge/data/coefficients.json`, and writes a table of research/judge.md: what is kept at each size with and
without them, each topic by coefficients of all *other* topics.

Command line: python -m research.judge.sizes WEBS [DRAWS [KIND…]]      (default: 2 draws; both, keywords, examples)
Expected time: 3 minutes of CPU a draw and kind
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lycosa.learn.judges.calibration import crawl_signs, log_odds, shipped, sigmoid
from lycosa.values import Floats
from lycosa_lab import metrics
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.judge.coefficients import GIVEN, PAGE, PLAIN, WEB, coefficients_of
from research.judge.crawls import STRATEGIES, JudgedCrawl, Quality, crawled_to, quality_of
from research.measured import ROOT, commit_of, number, table, write_part

SIZES = (100, 200, 400, 900)
FIRST_DRAW = 31
"""No other table has it."""
OTHER_WEB = "webkb"
HELD = {PLAIN: 0.6, PLAIN + 1: 1.0}
"""The weights of the plain sign and of the share. Twelve topics find the first anywhere around 0, and the second at 2 or, where shares
hardly differ (examples), at 6. Held at 0.2 and 2.5 F1 of topics left out is the same within .01, and the other web's is estimated worse."""


class Sized(NamedTuple):
    """A crawl at one of the sizes: the signs and labels of its found pages."""

    size: int
    topic: str
    strategy: str
    signs: Floats
    relevant: Floats
    targets: int

    def quality(self, coefficients: Sequence[float]) -> Quality:
        """Probabilities with these coefficients, with or without the signs of the crawl."""
        signs = self.signs[:, : len(coefficients) - 1]
        return quality_of(sigmoid(log_odds(coefficients, signs)), self.relevant, self.targets)


def sized_crawls(web: CachedWeb, kind: str, draws: int) -> list[Sized]:
    """Crawl all topics of a web with every strategy, at every size they reach."""
    options, found = Options(pages=SIZES[-1], seeds=3, given=parse_given(GIVEN[kind])), []
    for topic in sorted(web.web.topics):
        for draw in range(FIRST_DRAW, FIRST_DRAW + draws):
            laboratory = Laboratory(web, topic, draw, options)
            laboratory.prepare(STRATEGIES)
            for strategy in STRATEGIES:
                # unreadable pages count for a crawl's size, so the last one has fewer than asked for
                made = zip(SIZES, crawled_to(laboratory, strategy, SIZES[:-1]), strict=False)
                found += [
                    Sized(size, topic, strategy, signs_of(one, kind), one.relevant[one.found], one.targets)
                    for size, one in made
                ]
    return found


def signs_of(crawl: JudgedCrawl, kind: str) -> Floats:
    """The signs of found pages at the end: two of each page and two of the crawl."""
    known = shipped()[kind]
    signs = crawl.fitter.fitted({}, {kind: known}).signs[-1][crawl.found]
    whole = crawl_signs(log_odds(known.in_full, signs))
    return np.column_stack([signs, np.tile(whole, (len(signs), 1))])


def fitted_on(crawls: Sequence[Sized]) -> tuple[float, ...]:
    """Coefficients with the signs of the crawl, fitted on these crawls."""
    return coefficients_of([(one.signs, one.relevant) for one in crawls], HELD)


def summary(kind: str, crawls: Sequence[Sized], others: Sequence[Sized]) -> tuple[str, tuple[float, ...]]:
    """Quality at each size without and with the signs of the crawl, and the coefficients of all topics."""
    everything = fitted_on(crawls)
    of_topic = {
        topic: fitted_on([one for one in crawls if one.topic != topic])
        for topic in {one.topic for one in crawls}
    }
    rows = []
    for name, theirs in ((WEB, crawls), (OTHER_WEB, others)):
        for strategy in STRATEGIES:
            for size in SIZES:
                group = [one for one in theirs if one.size == size and one.strategy == strategy]
                if not group:
                    continue
                relevant = metrics.mean_and_error([float(one.relevant.mean()) for one in group]).mean
                rows.append([name, strategy, str(size), str(len(group)), number(relevant)])
                for values in (
                    [one.quality(shipped()[kind].in_full) for one in group],
                    [one.quality(of_topic.get(one.topic, everything)) for one in group],
                ):
                    means = [metrics.mean_and_error(part).mean for part in zip(*values, strict=True)]
                    rows[-1] += [number(mean) for mean in means[1:]]
    heads = ["web", "strategy", "pages", "crawls", "relevant"]
    heads += [
        f"{what}, {how}"
        for how in ("without", "with")
        for what in ("F1", "precision", "abs(reported − true)")
    ]
    return f"{table(heads, rows)}\n\n{GIVEN[kind]}, measured at {commit_of(ROOT)}.", everything


def main(webs: Path, draws: int, kinds: Sequence[str]) -> None:
    """Crawl, fit, and write the table."""
    opened = {name: CachedWeb(VirtualWeb.open(webs / name)) for name in (WEB, OTHER_WEB)}
    told, found = [], {}
    for kind in kinds:
        text, found[kind] = summary(kind, *(sized_crawls(web, kind, draws) for web in opened.values()))
        told.append(text)
        print(kind, text, sep="\n\n", flush=True)
    write_part(PAGE, "sizes", "\n\n".join(told))
    print(msgspec.json.encode(found).decode())


if __name__ == "__main__":
    asked = sys.argv[2:]
    main(Path(sys.argv[1]), int(asked[0]) if asked else 2, asked[1:] or [*GIVEN])

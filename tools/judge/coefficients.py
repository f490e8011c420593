"""Fit the coefficients of the judge's calibration again, from crawls in the lab as a user would make them.

Every crawl is made with the shipped coefficients; what calibration saw of its pages, in both rounds of the last fit, is
held against the labels, all crawls weighing alike. Prints JSON in the form of `src/lycosa/judge/data/coefficients.json`;
Those of events are made by `events`. Run it again with what it printed put into that file, until it stays.

Command line: python -m tools.judge.coefficients WEB [RUNS [PAGES]]      (default: 3 runs of 200 pages)
Expected time: not measured; about 4 seconds a crawl, of which there are 6 a topic and run
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa.judge.calibration import Coefficients, shipped
from lycosa.judge.fitter import Fitter
from lycosa.judge.learning import LearningJudge
from lycosa.lab.cache import CachedWeb
from lycosa.lab.given import parse_given
from lycosa.lab.grid import Laboratory
from lycosa.lab.protocol import Options
from lycosa.lab.run import CountingStore, make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.methods.lookup import fitted
from lycosa.values import Floats, Link

GIVEN = {"both": "keywords,examples:3", "keywords": "keywords", "examples": "examples:3"}
STRATEGIES = ("best-first", "fused")


def crawled(laboratory: Laboratory, strategy: str) -> tuple[list[Floats], Floats]:
    """What calibration saw of the pages of a crawl (examples left out) in each round, and which are relevant."""
    draw = laboratory.draw
    store = CountingStore(draw.excluded, laboratory.options.pages)
    crawl = make_crawl(fitted(strategy, {}, laboratory.preparation), laboratory.web, store)
    store.crawl = crawl
    asyncio.run(crawl.run([Link(laboratory.web.url(key), key, priority=1.0) for key in draw.seeds]))
    judge = laboratory.preparation.judge
    assert isinstance(judge, LearningJudge)
    fitter = Fitter(judge.brief)
    fitter.read(store.page_terms(0, ""))
    examples = {page.key for page in judge.brief.examples}
    rows = {key: row for key, row in fitter.rows.items() if key not in examples}
    signs = [told[list(rows.values())] for told in fitter.fitted({}).signs]
    return signs, np.array([key in draw.targets for key in rows], np.float64)


def coefficients_of(crawls: Sequence[tuple[Floats, Floats]]) -> tuple[float, ...]:
    """Constant and weights of a logistic regression in which all crawls weigh alike.

    >>> steps = np.linspace(-2, 2, 200)[:, None]
    >>> constant, weight = coefficients_of([(steps, (steps[:, 0] > 0.5).astype(float))])
    >>> constant < 0 < weight
    True
    """
    from sklearn.linear_model import LogisticRegression

    told = np.vstack([signs for signs, _ in crawls])
    wanted = np.concatenate([relevant for _, relevant in crawls])
    weight = np.concatenate([np.full(len(relevant), 200 / len(relevant)) for _, relevant in crawls])
    model = LogisticRegression(C=10.0, max_iter=500).fit(told, wanted, weight)
    return (round(float(model.intercept_[0]), 3), *(round(float(c), 3) for c in model.coef_[0]))


def main() -> None:
    """Crawl all topics of a web with all that may be given, and fit."""
    path, runs, pages = Path(sys.argv[1]), *(*map(int, sys.argv[2:4]), *(3, 200)[len(sys.argv) - 2 :])
    web = CachedWeb(VirtualWeb.open(path))
    found: dict[str, Coefficients] = dict(shipped())
    for kind, given in GIVEN.items():
        rounds: tuple[list[tuple[Floats, Floats]], ...] = ([], [])
        for topic in sorted(web.web.topics):
            for run in range(1, runs + 1):
                laboratory = Laboratory(web, topic, run, Options(pages=pages, given=parse_given(given)))
                laboratory.prepare(STRATEGIES)
                for strategy in STRATEGIES:
                    signs, relevant = crawled(laboratory, strategy)
                    for made, told in zip(rounds, signs, strict=False):
                        made.append((told, relevant))
        first, full = map(coefficients_of, rounds)
        found[kind] = Coefficients(first, full, found[kind].cap)
        print(f"{kind}: {found[kind]}", file=sys.stderr, flush=True)
    provenance = f"Fitted on crawls of {path.name} ({runs} runs, {pages} pages, {' and '.join(STRATEGIES)}) by tools/judge/coefficients.py."
    print(msgspec.json.format(msgspec.json.encode({"provenance": provenance, "given": found})).decode())


if __name__ == "__main__":
    main()

"""Fit the coefficients of the judge's calibration from crawls in the lab.

Every crawl uses the shipped coefficients. What calibration saw of its pages, in both rounds of the last fit, is compared
with the labels; all crawls have the same weight. Prints JSON in the form of `src/lycosa/judge/data/coefficients.json`,
and writes a table of research/judge.md: quality with coefficients from all *other* topics, by the weight of the
plain sign. `events` fits those of events.

Command line: python -m research.judge.coefficients WEBS KEPT [DRAWS [KIND…]]      (default: 2 draws; both, keywords, examples)
    KEPT is a folder for the demo web.
Expected time: 3 minutes of CPU a draw and kind
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa.learn.judges.calibration import Coefficients, shipped, sigmoid
from lycosa.values import Floats
from lycosa_lab import metrics
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.judge.crawls import STRATEGIES, JudgedCrawl, crawls_of, quality
from research.measured import DEMO_TOPICS, NOTEBOOKS, ROOT, commit_of, number, table, web_of, write_part

PAGE = NOTEBOOKS / "judge.md"
GIVEN = {"both": "keywords,examples:3", "keywords": "keywords", "examples": "examples:3"}
WEB, OTHER_WEBS = "wikischools", {"webkb": (), "demo": DEMO_TOPICS}
"""The web for fitting, and the webs and topics that also measure quality."""
PLAIN = 2
"""Index of the plain sign's weight among the coefficients."""
HELD = (None, 0.3, 1.0)
"""Weights of the plain sign that are tried; None: as fitted."""
HELD_OF = {"examples": 1.0}
"""Where it is held in what is printed. Twelve topics do not tell what it weighs beside examples: without one of them
(chemical elements) the regression finds less than nothing."""
RIDGE = 0.1


def coefficients_of(
    crawls: Sequence[tuple[Floats, Floats]], held: Mapping[int, float] | None = None
) -> tuple[float, ...]:
    """Constant and weights of a logistic regression in which all crawls weigh alike; some may be held, by their places.

    >>> steps = np.linspace(-2, 2, 200)[:, None]
    >>> crawl = steps, (steps[:, 0] > 0.5).astype(float)
    >>> constant, weight = coefficients_of([crawl])
    >>> constant < 0 < weight, coefficients_of([crawl], {1: 2.0})[1]
    (True, 2.0)
    """
    from scipy.optimize import minimize

    told = np.vstack([np.column_stack([np.ones(len(signs)), signs]) for signs, _ in crawls])
    wanted = np.concatenate([relevant for _, relevant in crawls])
    weight = np.concatenate([np.full(len(relevant), 200 / len(relevant)) for _, relevant in crawls])
    whole = np.zeros(told.shape[1])
    for place, value in (held or {}).items():
        whole[place] = value
    free = [place for place in range(len(whole)) if place not in (held or {})]
    ridge = np.where(np.arange(len(whole)) > 0, RIDGE, 0.0)

    def loss(values: Floats) -> tuple[float, Floats]:
        tried = whole.copy()
        tried[free] = values
        odds = told @ tried
        found = weight @ (np.logaddexp(0.0, odds) - wanted * odds) + ridge @ tried**2 / 2
        return float(found), (told.T @ (weight * (sigmoid(odds) - wanted)) + ridge * tried)[free]

    whole[free] = minimize(loss, whole[free], jac=True, method="BFGS").x
    return tuple(round(float(value), 3) for value in whole)


def fitted_on(crawls: Sequence[JudgedCrawl], kind: str, plain: float | None) -> Coefficients:
    """Coefficients of both rounds: the second uses the result of the first."""
    held, known = {} if plain is None else {PLAIN: plain}, shipped()[kind]
    rounds: list[tuple[float, ...]] = []
    for _ in range(2):
        signs = [crawl.fitter.fitted({}, {kind: known}).signs[len(rounds)] for crawl in crawls]
        rounds.append(
            coefficients_of(
                [(told[one.found], one.relevant[one.found]) for told, one in zip(signs, crawls, strict=True)],
                held,
            )
        )
        known = Coefficients(rounds[0], rounds[-1], known.cap)
    return known


def probabilities(crawl: JudgedCrawl, kind: str, coefficients: Coefficients) -> Floats:
    """Probabilities of a crawl's pages with these coefficients."""
    return crawl.fitter.fitted({}, {kind: coefficients}).probability


def log_loss(crawl: JudgedCrawl, probability: Floats) -> float:
    """Log loss of the fetched pages' probabilities."""
    p, right = np.clip(probability[crawl.found], 0.001, 0.999), crawl.relevant[crawl.found]
    return float(-(right * np.log(p) + (1.0 - right) * np.log(1.0 - p)).mean())


def left_out(crawls: Sequence[JudgedCrawl], kind: str, plain: float | None) -> list[Floats]:
    """Probabilities of the pages of each crawl, with coefficients of the other topics."""
    topics = {crawl.topic for crawl in crawls}
    known = {topic: fitted_on([one for one in crawls if one.topic != topic], kind, plain) for topic in topics}
    return [probabilities(crawl, kind, known[crawl.topic]) for crawl in crawls]


def chosen_by_others(
    crawls: Sequence[JudgedCrawl], losses: Mapping[float | None, Sequence[float]]
) -> list[float | None]:
    """For each crawl the weight with the least log loss on the other topics, each of them left out as well."""
    return [
        min(
            losses,
            key=lambda plain: sum(
                loss for loss, one in zip(losses[plain], crawls, strict=True) if one.topic != crawl.topic
            ),
        )
        for crawl in crawls
    ]


def rows_of(name: str, crawls: Sequence[JudgedCrawl], found: Sequence[Floats]) -> list[list[str]]:
    """A row for each strategy."""
    rows = []
    for strategy in STRATEGIES:
        group = [
            (*quality(crawl, p), log_loss(crawl, p))
            for crawl, p in zip(crawls, found, strict=True)
            if crawl.strategy == strategy
        ]
        means = [number(metrics.mean_and_error(values).mean) for values in zip(*group, strict=True)]
        rows.append([name, strategy, *means])
    return rows


def summary(kind: str, crawls: Sequence[JudgedCrawl], others: Mapping[str, Sequence[JudgedCrawl]]) -> str:
    """Quality with topics left out, and on other webs with coefficients of all topics."""
    known = {plain: left_out(crawls, kind, plain) for plain in HELD}
    losses = {
        plain: [log_loss(*pair) for pair in zip(crawls, found, strict=True)] for plain, found in known.items()
    }
    choices = chosen_by_others(crawls, losses)
    told = [known[plain][at] for at, plain in enumerate(choices)]
    rows = []
    for plain in HELD:
        rows += rows_of(_in_words(plain), crawls, known[plain])
    rows += rows_of("held where it is best for the other topics", crawls, told)
    rows += rows_of(
        "shipped (fitted on these topics)",
        crawls,
        [probabilities(one, kind, shipped()[kind]) for one in crawls],
    )
    for web, theirs in others.items():
        for plain in HELD:
            found = fitted_on(crawls, kind, plain)
            rows += rows_of(
                f"{web}: {_in_words(plain)}", theirs, [probabilities(one, kind, found) for one in theirs]
            )
        rows += rows_of(
            f"{web}: shipped", theirs, [probabilities(one, kind, shipped()[kind]) for one in theirs]
        )
    heads = [
        "weight of the plain sign",
        "strategy",
        "average precision",
        "F1",
        "precision",
        "abs(reported − true)",
        "log loss",
    ]
    topics = len({one.topic for one in crawls})
    return f"{table(heads, rows)}\n\n{GIVEN[kind]}: {topics} topics, {len(crawls)} crawls, measured at {commit_of(ROOT)}."


def _in_words(plain: float | None) -> str:
    return "as the regression finds it" if plain is None else f"held at {plain:g}"


def main(webs: Path, kept: Path, draws: int, kinds: Sequence[str]) -> None:
    """Crawl all topics with every kind of input, fit, and write the tables."""
    opened = {name: CachedWeb(VirtualWeb.open(web_of(name, webs, kept))) for name in (WEB, *OTHER_WEBS)}
    found: dict[str, Coefficients] = dict(shipped())
    told = []
    for kind in kinds:
        crawls = crawls_of(opened[WEB], GIVEN[kind], draws)
        others = {
            name: crawls_of(opened[name], GIVEN[kind], draws, topics=topics)
            for name, topics in OTHER_WEBS.items()
        }
        told.append(summary(kind, crawls, others))
        found[kind] = fitted_on(crawls, kind, HELD_OF.get(kind))
    write_part(PAGE, "coefficients", "\n\n".join(told))
    print(msgspec.json.format(msgspec.json.encode(found)).decode())


if __name__ == "__main__":
    asked = sys.argv[3:]
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(asked[0]) if asked else 2, asked[1:] or [*GIVEN])

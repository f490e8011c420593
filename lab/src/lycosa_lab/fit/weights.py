"""Fit what each signal weighs in the log odds of a judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from msgspec.structs import replace

from lycosa.learn.fitting import guesses
from lycosa.learn.judges.calibration import sigmoid
from lycosa.learn.judges.signals import (
    ASKED,
    CONSTANT,
    DECLINE,
    EACH,
    EVIDENCE,
    EXAMPLES,
    KEYWORDS,
    LIKELY,
    SHOWN,
    TEXT,
    UNLIKELY,
    Coefficients,
    Signals,
    shipped,
)
from lycosa.values import Floats

if TYPE_CHECKING:
    from lycosa_lab.fit.crawls import JudgedCrawl

ALONE, GUESSED = "evidence alone", "evidence guessed"
RIDGE = 1.0
FOLDS = 6
SIGNALS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "both": ((KEYWORDS, EXAMPLES), (TEXT, DECLINE)),
    "keywords": ((KEYWORDS,), (TEXT, DECLINE)),
    "sentence": ((KEYWORDS,), (TEXT, DECLINE)),
    "examples": ((EXAMPLES,), (TEXT, DECLINE)),
    "both, meaning": ((KEYWORDS, EXAMPLES, ASKED, EACH, SHOWN), (TEXT, LIKELY, UNLIKELY, DECLINE)),
    "keywords, meaning": ((KEYWORDS, ASKED, EACH), (TEXT, LIKELY, UNLIKELY, DECLINE)),
    "sentence, meaning": ((KEYWORDS, ASKED, EACH), (TEXT, LIKELY, UNLIKELY, DECLINE)),
    "examples, meaning": ((EXAMPLES, SHOWN), (TEXT, LIKELY, UNLIKELY, DECLINE)),
    "evidence": ((EVIDENCE,), (TEXT,)),
    GUESSED: ((EVIDENCE,), (TEXT,)),
    ALONE: ((EVIDENCE,), (TEXT,)),
}
"""By kind of request: the signals of the first round, and what the second round looks at besides."""

Step = Callable[[str], None]


def regressed(values: Floats, wanted: Floats, weight: Floats) -> tuple[float, ...]:
    """Constant and weights of a logistic regression; the ridge is on weights of standardised values.

    >>> steps = np.linspace(-2, 2, 200)[:, None]
    >>> constant, weight = regressed(steps, (steps[:, 0] > 0.5).astype(float), np.ones(200))
    >>> constant < 0 < weight
    True
    """
    from scipy.optimize import minimize

    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-9
    told = np.column_stack([np.ones(len(values)), (values - mean) / deviation])
    ridge = np.append(0.0, np.full(values.shape[1], RIDGE))

    def loss(tried: Floats) -> tuple[float, Floats]:
        odds = told @ tried
        found = weight @ (np.logaddexp(0.0, odds) - wanted * odds) + ridge @ tried**2 / 2
        return float(found), told.T @ (weight * (sigmoid(odds) - wanted)) + ridge * tried

    constant, *weights = minimize(loss, np.zeros(told.shape[1]), jac=True, method="L-BFGS-B").x
    scaled = np.array(weights) / deviation
    return (round(float(constant - scaled @ mean), 3), *(round(float(each), 3) for each in scaled))


def fitted_on(crawls: Sequence[JudgedCrawl], kind: str) -> dict[str, Coefficients]:
    """Coefficients of both rounds; the second sees what the first makes of the pages. All crawls weigh alike.

    Those of guessed pages come with those that the guesses follow from.
    """
    first, more = SIGNALS[kind]
    share = float(np.mean([crawl.relevant[crawl.found].mean() for crawl in crawls]))
    known = fitted_on(crawls, ALONE) if kind == GUESSED else {}
    begun = Coefficients(dict.fromkeys((CONSTANT, *first), 0.0), {CONSTANT: 0.0}, share)
    begun = replace(begun, at_first=_round(_signals(crawls, {**known, kind: begun}, kind, 0), first))
    in_full = _round(_signals(crawls, {**known, kind: begun}, kind, 1), (*first, *more))
    return {**known, kind: replace(begun, in_full=in_full, share=round(share, 4))}


def _signals(
    crawls: Sequence[JudgedCrawl], known: Mapping[str, Coefficients], kind: str, number: int
) -> Iterator[tuple[Signals, JudgedCrawl]]:
    """The signals of a round in crawls that have this kind of request, and so many rounds."""
    with patch.object(guesses, "GUESSES", guesses.GUESSES if kind == GUESSED else 0):
        for crawl in crawls:
            found = crawl.fit({**shipped(), **known})
            if found.version.given == kind and number < len(found.signals):
                yield found.signals[number], crawl


def _round(told: Iterator[tuple[Signals, JudgedCrawl]], names: Sequence[str]) -> dict[str, float]:
    rows, wanted, weight = [], [], []
    for signals, crawl in told:
        rows.append(np.column_stack([signals[name] for name in names])[crawl.found])
        wanted.append(crawl.relevant[crawl.found])
        weight.append(np.full(len(crawl.found), 200.0 / max(1, len(crawl.found))))
    found = regressed(np.vstack(rows), np.concatenate(wanted), np.concatenate(weight))
    return dict(zip((CONSTANT, *names), found, strict=True))


def left_out(crawls: Sequence[JudgedCrawl], kind: str, step: Step) -> dict[int, Floats]:
    """By crawl: the probabilities of its pages, with coefficients of other topics."""
    found: dict[int, Floats] = {}
    for number, topics in enumerate(_folds(crawls), start=1):
        step(f"{kind}: topics left out, {number} of {FOLDS}")
        known = fitted_on([crawl for crawl in crawls if (crawl.web, crawl.topic) not in topics], kind)
        for at, crawl in enumerate(crawls):
            if (crawl.web, crawl.topic) in topics:
                found[at] = crawl.fit({**shipped(), **known}).probability
    return found


def other_webs(crawls: Sequence[JudgedCrawl], kind: str, step: Step) -> dict[int, Floats]:
    """By crawl: the probabilities of its pages, with coefficients of other webs. Nothing, if there is one web."""
    found: dict[int, Floats] = {}
    webs = {crawl.web for crawl in crawls}
    for web in sorted(webs) if len(webs) > 1 else ():
        step(f"{kind}: {web} left out")
        known = fitted_on([crawl for crawl in crawls if crawl.web != web], kind)
        for at, crawl in enumerate(crawls):
            if crawl.web == web:
                found[at] = crawl.fit({**shipped(), **known}).probability
    return found


def _folds(crawls: Sequence[JudgedCrawl]) -> Iterator[set[tuple[str, str]]]:
    topics = sorted({(crawl.web, crawl.topic) for crawl in crawls})
    order = np.random.default_rng(1).permutation(len(topics)).tolist()
    for fold in range(min(FOLDS, len(topics))):
        yield {topics[at] for at in order[fold::FOLDS]}

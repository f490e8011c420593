"""From scores to probabilities. In: what the scores of a page are. Out: the chance that it is relevant.

The coefficients were fitted once, on crawls of many topics (`data/coefficients.json` says which; made by
`tools/judge/coefficients.py`). What people answer in a crawl moves them, as far as it speaks against them (`Shift`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log, log1p
from pathlib import Path

import msgspec
import numpy as np

from lycosa.values import Floats

PLAIN_FLOOR = 0.02
PRIOR_SHIFT, PRIOR_FACTOR = 0.7, 0.2
"""How far answers are expected to move the log odds (standard deviations of shift and factor). Topics are off by
more, 1.05; believing in less keeps a few unlucky answers from making the judge worse."""
TOPICS_DIFFER_BY = 1.05
"""By how much the log odds of a topic are off without any answer (standard deviation, measured between topics)."""
MIN_FACTOR = 0.2
SHARE_THEN = 0.0126
"""Of the pages that the coefficients of events were fitted on, this share was relevant."""
EXPECTED_RELEVANT, EXPECTED_OTHERS = 0.5, 9.5
"""Pages that a share is estimated with in advance."""
_FILE = Path(__file__).parent / "data" / "coefficients.json"


class Coefficients(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Log odds of what a user gives: the constant, and what the two signs of a page weigh."""

    at_first: tuple[float, ...]  # before there is a text model
    in_full: tuple[float, ...]
    cap: float  # in deviations of other pages: far above it, a higher score says hardly more


class _Shipped(msgspec.Struct, frozen=True):
    provenance: str
    given: dict[str, Coefficients]


class Shift(msgspec.Struct, frozen=True):
    """How answers move the log odds: a + b · logit, with the deviation of a."""

    a: float = 0.0
    b: float = 1.0
    deviation: float = TOPICS_DIFFER_BY


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Coefficients]:
    """The coefficients by what was given: `both` (keywords and examples), `keywords`, `examples`, `event` (with model
    pages), `event by hand` (with words, places and days alone)."""
    return msgspec.json.decode(_FILE.read_bytes(), type=_Shipped).given


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^−x).

    >>> sigmoid(np.array([0.0, 100.0])).round(3).tolist()
    [0.5, 1.0]
    """
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0))))


def capped(score: Floats, cap: float) -> Floats:
    """A smooth min(score, cap): c − log(1 + e^(c − s)).

    >>> capped(np.array([-4.0, 1.5, 9.0]), 1.5).round(2).tolist()
    [-4.0, 0.81, 1.5]
    """
    return np.asarray(cap - np.log1p(np.exp(np.clip(cap - score, -30.0, 30.0))))


def signs_of(score: Floats, plain: Floats, cap: float) -> Floats:
    """What calibration looks at: the capped standard score, and log(plain + 0.02) of the cosine with the keywords (or the
    examples), or of the evidence.

    The standard score alone cannot tell a crawl full of the topic from one without it: its zero moves with what was
    fetched. The plain one does not move.

    >>> signs_of(np.array([-4.0]), np.array([0.98]), 1.5).round(2).tolist()
    [[-4.0, 0.0]]
    """
    return np.column_stack([capped(score, cap), np.log(np.maximum(plain, 0.0) + PLAIN_FLOOR)])


def log_odds(coefficients: Sequence[float], signs: Floats) -> Floats:
    """The first coefficient is the constant.

    >>> log_odds((1.0, 2.0, 3.0), np.array([[0.5, 1.0]])).tolist()
    [5.0]
    """
    return np.asarray(coefficients[0] + signs @ np.asarray(coefficients[1:]))


def page_log_odds(coefficients: Sequence[float], cap: float, score: float, plain: float) -> float:
    """As `log_odds` of `signs_of`, for one page, without arrays: what judging a new page costs.

    >>> page_log_odds((1.0, 2.0, 3.0), 1.5, 0.7, 0.1) - log_odds((1.0, 2.0, 3.0), signs_of(np.array([0.7]), np.array([0.1]), 1.5)).item()
    0.0
    """
    found = coefficients[0] + coefficients[1] * (cap - log1p(exp(min(30.0, max(-30.0, cap - score)))))
    return found + coefficients[2] * log(max(plain, 0.0) + PLAIN_FLOOR)


def share_shift(logits: Floats) -> float:
    """What to add to the log odds because another share of the pages is relevant than when they were calibrated.

    The likeliest share, with half a relevant page of ten seen before, by expectation and maximisation [Saerens et al. 2002].

    >>> share_shift(np.array([6.0, 6.0, -6.0])) > 2.0 > 1.0 > share_shift(np.full(1000, -6.0))
    True
    """
    then = log(SHARE_THEN / (1.0 - SHARE_THEN))
    seen = EXPECTED_RELEVANT + EXPECTED_OTHERS
    share, more = EXPECTED_RELEVANT / seen, 0.0
    for _ in range(100):
        more = log(share / (1.0 - share)) - then
        now = (float(sigmoid(logits + more).sum()) + EXPECTED_RELEVANT) / (len(logits) + seen)
        if abs(now - share) < 1e-5:
            break
        share = now
    return more


def shift_of(logits: Floats, answers: Sequence[bool]) -> Shift:
    """The most likely shift after the answers: logistic, with a Gaussian prior around 'no shift', by Newton's method.

        max over a, b of  Σ log P(answer | a + b · logit) − a² / (2 · 0.7²) − (b − 1)² / (2 · 0.2²)

    >>> round(shift_of(np.array([0.0] * 9), [True] * 9).a, 2), shift_of(np.array([]), []) == Shift()
    (1.1, True)
    """
    if not len(answers):
        return Shift()
    design = np.column_stack([np.ones(len(logits)), logits])
    wanted, expected = np.asarray(answers, np.float64), np.array([0.0, 1.0])
    precision = np.diag([PRIOR_SHIFT**-2, PRIOR_FACTOR**-2])
    theta, hessian = expected, precision
    for _ in range(30):
        p = sigmoid(design @ theta)
        gradient = design.T @ (p - wanted) + precision @ (theta - expected)
        hessian = design.T @ (design * (p * (1 - p))[:, None]) + precision
        step = np.linalg.solve(hessian, gradient)
        theta = theta - np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-6:
            break
    deviation = float(np.sqrt(np.linalg.inv(hessian)[0, 0]))
    return Shift(float(theta[0]), float(max(theta[1], MIN_FACTOR)), deviation)

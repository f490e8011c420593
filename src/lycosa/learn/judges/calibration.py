"""From log odds to probabilities, thresholds and estimates. Answers of people move the log odds (`Shift`)."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.learn.judges.missed import Missed
from lycosa.values import Floats

PRIOR_SHIFT, PRIOR_FACTOR, PRIOR_WORDS = 0.7, 0.2, 4.0
"""Prior standard deviations of what answers do to the log odds: shift, factor, and what the words of a page add. A small
shift keeps a few unlucky answers from making the judge worse."""
MAX_LESSONS = 300
"""Answers that the log odds are moved by; of more, an even sample. The work grows with the third power."""
TOPICS_DIFFER_BY = 1.05
"""Standard deviation of a topic's log odds before any answer, between topics."""
MIN_FACTOR = 0.2
MAX_STEPS = 50
MIN_VARIANCE = 1e-4
EXPECTED_RELEVANT, EXPECTED_OTHERS = 0.5, 9.5
"""Pages that a share is estimated with in advance."""
MAX_THRESHOLD = 0.6
"""Maximum threshold: a page above it is always kept."""
MIN_THRESHOLD = 0.3
"""Minimum threshold: below it, most kept pages of a vague topic would be wrong."""
USUAL_DIFFERENCE = 0.5
"""Assumed difference in log loss per page between two versions, with too few answers to measure it."""
Z = 1.28
"""Standard deviations of an interval that holds in 80 of 100 cases."""


class Shift(msgspec.Struct, frozen=True):
    """How answers shift the log odds: a + b · logit, with the deviation of a."""

    a: float = 0.0
    b: float = 1.0
    deviation: float = TOPICS_DIFFER_BY


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^−x).

    >>> sigmoid(np.array([0.0, 100.0])).round(3).tolist()
    [0.5, 1.0]
    """
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -30.0, 30.0))))


def share_shift(logits: Floats, share_then: float) -> float:
    """What to add to the log odds because another share of the pages is relevant than when they were calibrated.

    The likeliest share, with half a relevant page of ten seen before, by expectation and maximisation [Saerens et al. 2002].

    >>> share_shift(np.array([6.0, 6.0, -6.0]), 0.0126) > 2.0 > 1.0 > share_shift(np.full(1000, -6.0), 0.0126)
    True
    """
    then = log(share_then / (1.0 - share_then))
    seen = EXPECTED_RELEVANT + EXPECTED_OTHERS
    share, more = EXPECTED_RELEVANT / seen, 0.0
    for _ in range(100):
        more = log(share / (1.0 - share)) - then
        now = (float(sigmoid(logits + more).sum()) + EXPECTED_RELEVANT) / (len(logits) + seen)
        if abs(now - share) < 1e-5:
            break
        share = now
    return more


class Lessons(NamedTuple):
    """What answers say: how all log odds move, what each answered page adds to those of pages like it, and forecasts.

    Each forecast is the probability of an answered page as if it had not been answered.
    """

    shift: Shift
    weights: Floats
    forecasts: Floats


def lessons_of(logits: Floats, answers: Sequence[bool], alike: Floats) -> Lessons:
    """The likeliest log odds after the answers: a Gaussian process around those before, logistic, by Newton's method.

        f = a + b · logit + g,   a ~ N(0, 0.7²),  b ~ N(1, 0.2²),  cov(g, g') = 4² · likeness of the two pages
        K = 0.7² + 0.2² · logit logitᵀ + 4² · likeness,   f = logit + K w,   w = answers − P(f)       [Rasmussen, Williams 3.4]
        without its own answer: f_i − w_i s_i / (1 − p_i (1 − p_i) s_i),  s the variance of f after the answers

    `alike` has the likeness of the answered pages to one another. What they say of any other page is `a + b · logit`,
    and 4² times the sum over the answered pages of weight × likeness.

    >>> told = lessons_of(np.zeros(9), [True] * 9, np.zeros((9, 9)))
    >>> round(told.shift.a, 2), 0.5 < float(told.forecasts[0]) < 0.8, lessons_of(np.zeros(0), [], np.zeros((0, 0))).shift == Shift()
    (1.1, True, True)
    >>> (lessons_of(np.zeros(2), [True, False], np.eye(2)).weights > 0).tolist()
    [True, False]
    """
    if not len(answers):
        return Lessons(Shift(), np.zeros(0), np.zeros(0))
    said = np.asarray(answers, np.float64)
    prior = PRIOR_SHIFT**2 + PRIOR_FACTOR**2 * np.outer(logits, logits) + PRIOR_WORDS**2 * alike
    odds, weights, inner = logits, np.zeros(len(said)), np.eye(len(said))
    for _ in range(MAX_STEPS):
        p = sigmoid(odds)
        root = np.sqrt(np.maximum(p * (1.0 - p), MIN_VARIANCE))
        inner = np.eye(len(said)) + root[:, None] * prior * root
        wanted = root**2 * (odds - logits) + said - p
        weights = wanted - root * np.linalg.solve(inner, root * (prior @ wanted))
        step = logits + prior @ weights - odds
        odds = odds + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-6:
            break
    p = sigmoid(odds)
    root = np.sqrt(np.maximum(p * (1.0 - p), MIN_VARIANCE))
    known = root[:, None] * np.linalg.solve(inner, np.diag(root))  # (K + 1 / variance of the answers)⁻¹
    variance = np.diag(prior) - np.einsum("ij,ji->i", prior @ known, prior)
    left_out = odds - (said - p) * variance / np.maximum(1.0 - root**2 * variance, 0.01)
    shift = Shift(
        float(PRIOR_SHIFT**2 * weights.sum()),
        max(1.0 + PRIOR_FACTOR**2 * float(weights @ logits), MIN_FACTOR),
        float(PRIOR_SHIFT * np.sqrt(max(1.0 - PRIOR_SHIFT**2 * known.sum(), 0.0))),
    )
    return Lessons(shift, weights, sigmoid(left_out))


class Harvest(msgspec.Struct, frozen=True):
    """Relevant pages among the pages judged: an estimate, and between what it lies in 80 of 100 crawls."""

    value: float
    low: float
    high: float


class Estimate(msgspec.Struct, frozen=True):
    """How many of the pages are relevant, and what share of the kept ones is; each with an 80 % interval.

    `pages` were found by the crawl: it is these that a harvest is a share of. `unsure` is why the judge cannot tell yet
    which pages are relevant; empty if it can. `missed` is None where nobody can tell.
    """

    relevant: float = 0.0
    relevant_low: float = 0.0
    relevant_high: float = 0.0
    precision: float = 0.0
    precision_low: float = 0.0
    precision_high: float = 1.0
    kept: int = 0
    pages: int = 0
    unsure: str = ""
    missed: Missed | None = None

    @property
    def harvest(self) -> Harvest | None:
        """The share of the pages found that is relevant; None without any.

        >>> Estimate(2.0, 1.0, 4.0, pages=10).harvest, Estimate().harvest
        (Harvest(value=0.2, low=0.1, high=0.4), None)
        """
        if not self.pages:
            return None
        shares = (number / self.pages for number in (self.relevant, self.relevant_low, self.relevant_high))
        return Harvest(*(min(1.0, share) for share in shares))


def find_threshold(probability: Floats) -> float:
    """The threshold with the best expected F1, between 0.3 and 0.6.

        E[F1] of keeping the k likeliest ≈ 2 · Σ p of these k / (k + Σ p of all)

    >>> find_threshold(np.array([0.9, 0.8, 0.45, 0.1, 0.0])), find_threshold(np.array([0.9, 0.1])), find_threshold(np.array([]))
    (0.45, 0.6, 0.5)
    """
    if not len(probability):
        return 0.5
    ranked = np.sort(probability)[::-1]
    kept = np.arange(1, len(ranked) + 1)
    best = int(np.argmax(2.0 * np.cumsum(ranked) / (kept + ranked.sum())))
    return float(np.clip(ranked[best], MIN_THRESHOLD, MAX_THRESHOLD))


def estimate_of(
    logits: Floats, certain: NDArray[np.bool_], deviation: float, kept: NDArray[np.bool_]
) -> Estimate:
    """Estimate the relevant pages and the precision of the kept ones from the log odds of all pages.

    The log odds of this topic are off by up to `deviation`, and each page adds chance. What is `certain` (answered; log
    odds ±∞) does not move. The precision of no kept page is unknown: between 0 and 1.

    >>> told = estimate_of(np.array([0.0, 0.0, 30.0]), np.array([False, False, True]), 1.0, np.array([False, False, True]))
    >>> round(told.relevant, 3), told.relevant_low < 1.5 < told.relevant_high, round(told.precision, 3)
    (2.0, True, 1.0)
    >>> told = estimate_of(np.full(200, -20.0), np.zeros(200, bool), 1.0, np.zeros(200, bool))
    >>> round(told.relevant, 3), round(told.relevant_high, 1), told.precision_low, told.precision_high
    (0.0, 2.3, 0.0, 1.0)
    """
    relevant, lower, upper = number_of(logits, certain, deviation)
    number, (right, low, high) = int(kept.sum()), number_of(logits[kept], certain[kept], deviation)
    if not number:
        return Estimate(relevant, lower, upper)
    return Estimate(relevant, lower, upper, right / number, low / number, high / number, number)


def number_of(logits: Floats, certain: NDArray[np.bool_], deviation: float) -> tuple[float, float, float]:
    """The expected number of relevant pages with an 80 % interval.

    However sure the log odds are, n pages that nobody looked at leave room for a share of 1 − 0.1^(1/n) that is
    otherwise: with a larger one, 90 of 100 such samples would have shown it.
    """
    known, open_ = float((logits[certain] > 0).sum()), logits[~certain]
    if not len(open_):
        return known, known, known
    now, low, high = (sigmoid(open_ + shift) for shift in (0.0, -Z * deviation, Z * deviation))
    noise = Z * float(np.sqrt((now * (1.0 - now)).sum()))
    pages = float(len(open_))
    room = pages * (1.0 - 0.1 ** (1.0 / pages))
    lower = max(0.0, min(float(low.sum()) - noise, pages - room))
    upper = min(pages, max(float(high.sum()) + noise, room))
    return known + float(now.sum()), known + lower, known + upper


def is_worse(new: Floats, old: Floats, answers: NDArray[np.bool_]) -> bool:
    """Whether a new version explains the answers worse than the old one, by log loss: then it is not applied.

    `old` is what the version before said of these pages *before* they were answered; `new` what the new one says of
    each as if it had not been answered. No page counts for more than one forecast with 2 % of being wrong. Worse is
    what is so by more than the standard error of the difference: leaving out one of few answers moves the
    calibration against it, so that of equals the new one would lose. The answers themselves always hold.

    >>> yes = np.array([True])
    >>> is_worse(np.array([0.2]), np.array([0.6]), yes), is_worse(np.array([0.9]), np.array([0.6]), yes)
    (True, False)
    """

    def losses(probability: Floats) -> Floats:
        p = np.clip(probability, 0.02, 0.98)
        return -np.where(answers, np.log(p), np.log(1.0 - p))

    if not len(answers):
        return False
    more = losses(new) - losses(old)
    error = sqrt(float(((more - more.mean()) ** 2).sum()) + USUAL_DIFFERENCE**2) / len(more)
    return float(more.mean()) > error

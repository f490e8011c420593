"""From which probability on a page is kept, and what may be said of it. In: probabilities. Out: a threshold, estimates.

The same for topics and events: it needs calibrated probabilities and nothing else.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.learn.judges.calibration import sigmoid
from lycosa.values import Floats
from lycosa.wording import interval

MAX_THRESHOLD = 0.6
"""What is clearly likelier right than wrong is always kept."""
MIN_THRESHOLD = 0.3
"""How low the threshold may lie: below, what is kept of vague topics would be mostly wrong."""
MIN_OF_EVENTS, EVENT_ANSWERS = 0.45, 15
"""The same for an event with fewer answers than these: the pages of other events in the same words are likelier than chance,
and wrong."""
USUAL_DIFFERENCE = 0.5
"""By how much the log losses of two versions differ on a page, where there are too few answers to see it."""
Z = 1.28
"""Standard deviations of an interval that holds in 80 of 100 cases."""


class Harvest(msgspec.Struct, frozen=True):
    """The share of the pages found that is relevant: an estimate, and between what it lies in 80 of 100 crawls."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """For people.

        >>> print(Harvest(0.25, 0.1, 0.4))
        about 25 % (10 % to 40 %)
        """
        return f"about {interval(self.value, self.low, self.high)}"


class Estimate(msgspec.Struct, frozen=True):
    """How many of the pages are relevant, and what share of the kept ones is; each with an 80 % interval.

    `pages` were found by the crawl: it is these that a harvest is a share of.
    """

    relevant: float = 0.0
    relevant_low: float = 0.0
    relevant_high: float = 0.0
    precision: float = 0.0
    precision_low: float = 0.0
    precision_high: float = 0.0
    kept: int = 0
    pages: int = 0

    @property
    def harvest(self) -> Harvest | None:
        """The share of the pages found that is relevant; None without any.

        >>> print(Estimate(2.0, 1.0, 4.0, pages=10).harvest, Estimate().harvest)
        about 20 % (10 % to 40 %) None
        """
        if not self.pages:
            return None
        shares = (number / self.pages for number in (self.relevant, self.relevant_low, self.relevant_high))
        return Harvest(*(min(1.0, share) for share in shares))


def lowest_threshold(answers: int, *, is_event: bool) -> float:
    """How low the threshold may lie with so many answers.

    >>> lowest_threshold(0, is_event=False), lowest_threshold(14, is_event=True), lowest_threshold(15, is_event=True)
    (0.3, 0.45, 0.3)
    """
    return MIN_OF_EVENTS if is_event and answers < EVENT_ANSWERS else MIN_THRESHOLD


def find_threshold(probability: Floats, lowest: float = MIN_THRESHOLD) -> float:
    """The threshold with the best expected F1, between the lowest and 0.6.

        E[F1] of keeping the k likeliest ≈ 2 · Σ p of these k / (k + Σ p of all)

    >>> find_threshold(np.array([0.9, 0.8, 0.45, 0.1, 0.0])), find_threshold(np.array([0.9, 0.1])), find_threshold(np.array([]))
    (0.45, 0.6, 0.5)
    """
    if not len(probability):
        return 0.5
    ranked = np.sort(probability)[::-1]
    kept = np.arange(1, len(ranked) + 1)
    best = int(np.argmax(2.0 * np.cumsum(ranked) / (kept + ranked.sum())))
    return float(np.clip(ranked[best], lowest, MAX_THRESHOLD))


def estimate_of(
    logits: Floats, certain: NDArray[np.bool_], deviation: float, kept: NDArray[np.bool_]
) -> Estimate:
    """Relevant pages and the precision of the kept ones, as the probabilities say.

    How much the log odds of this topic are off is known up to `deviation`; beside that there is the chance of every
    page. What is `certain` (answered; log odds ±∞) does not move.

    >>> told = estimate_of(np.array([0.0, 0.0, 30.0]), np.array([False, False, True]), 1.0, np.array([False, False, True]))
    >>> round(told.relevant, 3), told.relevant_low < 1.5 < told.relevant_high, round(told.precision, 3)
    (2.0, True, 1.0)
    """
    now, low, high = (
        sigmoid(np.where(certain, logits, logits + shift)) for shift in (0.0, -Z * deviation, Z * deviation)
    )
    chance = now * (1.0 - now)
    noise = Z * float(np.sqrt(chance.sum()))
    pages, number = len(now), int(kept.sum())
    noise_kept = Z * float(np.sqrt(chance[kept].sum())) / max(1, number)
    return Estimate(
        relevant=float(now.sum()),
        relevant_low=max(0.0, float(low.sum()) - noise),
        relevant_high=min(float(pages), float(high.sum()) + noise),
        precision=float(now[kept].mean()) if number else 0.0,
        precision_low=max(0.0, float(low[kept].mean()) - noise_kept) if number else 0.0,
        precision_high=min(1.0, float(high[kept].mean()) + noise_kept) if number else 0.0,
        kept=number,
    )


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

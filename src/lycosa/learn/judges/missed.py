"""What a crawl missed: relevant pages that were fetched and not kept, and those that are not fetched yet.

The first are counted by their probabilities. The second follow from how fast the yield of the crawl declines: scores of
waiting links and capture-recapture over linking pages foretell them worse (research/judge.md).
"""

from __future__ import annotations

from math import exp, hypot, log
from typing import NamedTuple

import msgspec

from lycosa.values import Floats

MIN_PAGES = 100
"""With fewer pages, the decline of the yield says nothing, and nobody can tell what was missed."""
THIRD_QUARTER, LAST_QUARTER = 1.0, 3.0
"""Relevant pages ahead for each that this quarter of the crawl brought."""
FACTOR = exp(1.28)
"""The pages ahead lie between their estimate divided and multiplied by this in 80 of 100 crawls. Answers do not reduce
it: they say nothing of pages that are not fetched."""


class Span(NamedTuple):
    """An estimated number, and between what it lies in 80 of 100 crawls."""

    value: float
    low: float
    high: float


class Missed(msgspec.Struct, frozen=True):
    """Relevant pages that are not kept: those below the threshold, and those ahead."""

    below: Span
    ahead: Span

    def within(self, waiting: int | None = None) -> Span:
        """All together. Where no URL is `waiting`, nothing is ahead.

            missed = below + ahead,   low, high = missed ∓ √(distance of below² + distance of ahead²)

        >>> missed = Missed(Span(10.0, 6.0, 16.0), Span(9.0, 6.0, 17.0))
        >>> missed.within()
        Span(value=19.0, low=14.0, high=29.0)
        >>> missed.within(0)
        Span(value=10.0, low=6.0, high=16.0)
        """
        below, ahead = self.below, Span(0.0, 0.0, 0.0) if waiting == 0 else self.ahead
        value = below.value + ahead.value
        down = hypot(below.value - below.low, ahead.value - ahead.low)
        up = hypot(below.high - below.value, ahead.high - ahead.value)
        return Span(value, max(0.0, value - down), value + up)


def ahead_of(brought: Floats) -> Span:
    """The relevant pages that are not fetched yet. `brought`: the probability of each kept page, 0 for others, as fetched.

        ahead = 1 · (brought by the third quarter of the pages) + 3 · (brought by the last quarter)
        low = ahead / e^1.28,   high = (ahead + 1) · e^1.28

    >>> import numpy as np
    >>> [round(number, 1) for number in ahead_of(np.repeat([0.9, 0.5, 0.2, 0.1], 10))]
    [5.0, 1.4, 21.6]
    >>> ahead_of(np.zeros(100)).value
    0.0
    """
    quarter = len(brought) // 4
    last, third = brought[len(brought) - quarter :], brought[len(brought) - 2 * quarter :][:quarter]
    ahead = THIRD_QUARTER * float(third.sum()) + LAST_QUARTER * float(last.sum())
    return Span(ahead, ahead / FACTOR, (ahead + 1.0) * FACTOR)


def recall_of(kept: Span, missed: Span) -> Span:
    """The share of all relevant pages that is kept; `kept` is the number of relevant pages kept.

        recall = kept / (kept + missed),   low, high: its log odds, log(kept / missed), ∓ √(down² + up²)

    with down and up the distances of the logarithms of the two numbers. A number counts as half a page at least.

    >>> [round(share, 2) for share in recall_of(Span(30.0, 20.0, 35.0), Span(10.0, 5.0, 30.0))]
    [0.75, 0.48, 0.86]
    >>> recall_of(Span(30.0, 30.0, 30.0), Span(0.0, 0.0, 0.0)).value > 0.98
    True
    """
    there, away = ([log(max(number, 0.5)) for number in span] for span in (kept, missed))
    odds = there[0] - away[0]
    down, up = hypot(there[0] - there[1], away[2] - away[0]), hypot(there[2] - there[0], away[0] - away[1])
    return Span(*(1.0 / (1.0 + exp(-each)) for each in (odds, odds - down, odds + up)))

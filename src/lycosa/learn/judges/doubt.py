"""When a judge cannot tell which pages are relevant, and which pages are kept then."""

from __future__ import annotations

from math import ceil

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.learn.judges.calibration import Estimate, estimate_of, find_threshold, number_of, sigmoid
from lycosa.learn.judges.missed import MIN_PAGES, Missed, Span, ahead_of
from lycosa.values import Floats
from lycosa.wording import percent

MAX_SPREAD = 0.75
"""Width of the interval of the precision from which on a judge cannot tell. From keywords alone 0.7 is usual."""
MIN_LEAD = 0.2
"""Minimum difference between the mean probabilities of kept pages and of the others."""
MIN_KEPT, MIN_KEPT_SHARE = 5, 0.1
"""Pages kept where none is above the threshold: at least this many, but not more than this share of the pages unless
more are expected to be relevant."""

MIN_BEST = 0.002
"""A page less likely than this is not kept as one of the best: it has nothing of what was asked for."""


def described(
    logits: Floats,
    certain: NDArray[np.bool_],
    deviation: float,
    threshold: float | None,
    given: NDArray[np.bool_] | None = None,
) -> tuple[float, Estimate]:
    """The threshold of a version and its estimate, with the reason if it cannot tell.

    The pages are in the order in which they were fetched: that tells what is ahead. `threshold` is the user's own.
    `given` pages do not move one that is found. If no page reaches that, it is lowered to keep the best pages.
    """
    probability = sigmoid(logits)
    found = np.ones(len(logits), np.bool_) if given is None else ~given
    used = find_threshold(probability[found]) if threshold is None else threshold
    told = estimate_of(logits, certain, deviation, probability >= used)
    unsure = reason_unsure(told, probability[~certain], used)
    if threshold is None and not told.kept:
        used = threshold_of_best(probability[found & ~certain], used)
        told = estimate_of(logits, certain, deviation, probability >= used)
    missed = None
    if not unsure and len(logits) >= MIN_PAGES:
        is_kept = probability >= used
        below = Span(*number_of(logits[~is_kept], certain[~is_kept], deviation))
        missed = Missed(below, ahead_of(np.where(is_kept, probability, 0.0)))
    return used, msgspec.structs.replace(told, unsure=unsure, missed=missed)


def reason_unsure(told: Estimate, probability: Floats, threshold: float) -> str:
    """Why a judge cannot tell, for people; empty if it can. `probability` is that of the pages without an answer.

    >>> reason_unsure(Estimate(kept=0), np.array([0.01, 0.02]), 0.3)
    'no page is likely enough to be relevant'
    >>> reason_unsure(Estimate(precision=0.5, precision_low=0.1, precision_high=0.9, kept=9), np.array([0.5, 0.0]), 0.3)
    'between 10 % and 90 % of the kept pages may be relevant'
    >>> reason_unsure(Estimate(precision=0.9, precision_low=0.8, precision_high=0.95, kept=9), np.array([0.9, 0.0]), 0.3)
    ''
    """
    if not told.kept:
        return "no page is likely enough to be relevant" if len(probability) else "no page was found"
    above, below = probability[probability >= threshold], probability[probability < threshold]
    if len(above) and len(below) and above.mean() - below.mean() < MIN_LEAD:
        return "the kept pages hardly differ from the others"
    if told.precision_high - told.precision_low > MAX_SPREAD:
        between = f"{percent(told.precision_low)} and {percent(told.precision_high)}"
        return f"between {between} of the kept pages may be relevant"
    return ""


def threshold_of_best(probability: Floats, threshold: float) -> float:
    """The threshold that keeps the best pages where none reaches `threshold`: as many as are expected to be relevant.

    At least 5, or a tenth of fewer than 50 pages. Pages with the same probability are kept together, unless that would
    double their number. Pages below 0.002 are not kept.

    >>> threshold_of_best(np.linspace(0.0, 0.2, 100), 0.3).__round__(3)
    0.182
    >>> threshold_of_best(np.full(100, 0.01), 0.3)
    0.3
    """
    ranked = np.sort(probability)[::-1]
    fewest = min(MIN_KEPT, ceil(len(ranked) * MIN_KEPT_SHARE))
    wanted = min(max(round(float(ranked.sum())), fewest), int((ranked >= MIN_BEST).sum()))
    if not wanted:
        return threshold
    lowest = float(ranked[wanted - 1])
    if (ranked >= lowest).sum() < 2 * wanted:
        return lowest
    higher = ranked[ranked > lowest]
    return float(higher[-1]) if len(higher) else threshold

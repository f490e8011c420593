"""Measures of a crawl, as pure functions over its curve: relevant pages after each page fetched."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

Curve = Sequence[int]
"""curve[i]: how many relevant pages were among the first i + 1 fetched."""


def harvest_ratio(curve: Curve) -> float:
    """Share of the fetched pages that were relevant.

        H(n) = (1/n) · sum of r_i for i <= n          [Liu et al., eq. 7]

    >>> harvest_ratio([1, 1, 2, 3])
    0.75
    """
    return curve[-1] / len(curve) if curve else 0.0


def target_recall(curve: Curve, targets: int) -> float:
    """Share of the relevant pages that were fetched.

        R(n) = |C(n) ∩ T| / |T|                       [Liu et al., eq. 8]

    >>> target_recall([1, 1, 2, 3], 6)
    0.5
    """
    return curve[-1] / targets if curve and targets else 0.0


def area_under_coverage(curve: Curve, targets: int, budget: int) -> float:
    """Area under coverage against pages fetched, normalised to [0, 1].

        AUC = (1/n) · sum of R(i) for i <= n          [Qian et al.]

    A crawl that ran out of links before its budget keeps its last coverage to the end.

    >>> area_under_coverage([1, 2], targets=2, budget=4)
    0.875
    """
    if not targets or not budget:
        return 0.0
    tail = (budget - len(curve)) * (curve[-1] if curve else 0)
    return (sum(curve[:budget]) + max(0, tail)) / (targets * budget)


def sliding_harvest(curve: Curve, window: int) -> list[float]:
    """Harvest ratio over the last `window` pages, at each page from the window's end on.

    >>> sliding_harvest([1, 1, 2, 3], 2)
    [0.5, 0.5, 1.0]
    """
    padded = [0, *curve]
    return [(padded[i] - padded[i - window]) / window for i in range(window, len(padded))]


@dataclass(frozen=True, slots=True)
class Quality:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """2PR / (P + R).

        >>> Quality(0.5, 1.0).f1
        0.6666666666666666
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def quality(
    collected: Collection[int], grades: dict[int, int], targets: Collection[int], least: int
) -> Quality:
    """Precision and recall of a set of pages; relevant means a grade of at least `least`.

    Strict: least = 2; lenient: least = 1 [Tsikrika et al., 5.3].

    >>> quality({1, 2, 3, 4}, {1: 2, 2: 1}, {1, 2, 5}, least=1)
    Quality(precision=0.5, recall=0.6666666666666666)
    """
    wanted = {key for key in targets if grades.get(key, least) >= least}
    hits = sum(grades.get(key, 0) >= least for key in collected)
    found = sum(key in wanted for key in collected)
    return Quality(hits / len(collected) if collected else 0.0, found / len(wanted) if wanted else 0.0)


BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages whose scores lie together: their mean score, and what share of them is relevant."""

    pages: int
    score: float
    relevant: float


def reliability(scores: Sequence[float], relevant: Sequence[bool], bins: int = BINS) -> list[Bin | None]:
    """What became of the scores, in bins of equal width from 0 to 1; None where no page lies.

    Calibrated scores are probabilities: of the pages scored 0.8, eight in ten are relevant.

    >>> reliability([0.1, 0.3, 0.9], [False, True, True], bins=2)
    [Bin(pages=2, score=0.2, relevant=0.5), Bin(pages=1, score=0.9, relevant=1.0)]
    """
    found: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for score, is_relevant in zip(scores, relevant, strict=True):
        found[min(bins - 1, max(0, int(score * bins)))].append((score, is_relevant))
    return [
        Bin(
            len(pages),
            math.fsum(score for score, _ in pages) / len(pages),
            sum(r for _, r in pages) / len(pages),
        )
        if pages
        else None
        for pages in found
    ]


def calibration_error(scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """How far scores are from being probabilities, in the mean over all pages.

        ECE = sum over bins of (pages in the bin / pages) · |mean score − share of relevant pages|

    >>> round(calibration_error([0.1, 0.3, 0.9, 0.9], [False, True, True, False]), 3)
    0.4
    """
    bins = [bin_ for bin_ in reliability(scores, relevant) if bin_]
    return math.fsum(bin_.pages * abs(bin_.score - bin_.relevant) for bin_ in bins) / max(1, len(scores))


def brier_score(scores: Sequence[float], relevant: Sequence[bool]) -> float:
    """Mean squared distance of the scores from the truth: 0 is perfect, 0.25 says nothing.

        B = (1/n) · sum of (score_i − r_i)²            [Brier]

    >>> round(brier_score([0.5, 0.9], [False, True]), 3)
    0.13
    """
    squares = ((score - is_relevant) ** 2 for score, is_relevant in zip(scores, relevant, strict=True))
    return math.fsum(squares) / max(1, len(scores))


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with its standard error; NaN (null in JSON) if there is only one value."""

    mean: float
    se: float

    def __str__(self) -> str:
        return f"{self.mean:.3f}" + ("" if math.isnan(self.se) else f" ± {self.se:.3f}")


def mean_and_error(values: Sequence[float]) -> Mean:
    """Mean and standard error of the mean of independent values.

        se = s / sqrt(n),  s² = sum of (x - mean)² / (n - 1)

    >>> mean_and_error([1.0, 3.0])
    Mean(mean=2.0, se=1.0)
    """
    n = len(values)
    if not n:
        return Mean(0.0, math.nan)
    mean = math.fsum(values) / n
    if n == 1:
        return Mean(mean, math.nan)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return Mean(mean, math.sqrt(variance / n))


def topic_means(topics: Sequence[str], values: Sequence[float]) -> list[float]:
    """The mean of each topic's values. Draws of one topic are not independent; topics are.

    >>> topic_means(["owls", "owls", "bread"], [1.0, 3.0, 5.0])
    [2.0, 5.0]
    """
    found: dict[str, list[float]] = {}
    for topic, value in zip(topics, values, strict=True):
        found.setdefault(topic, []).append(value)
    return [math.fsum(own) / len(own) for own in found.values()]


MAX_EXACT = 18
"""Up to this many pairs all signs are tried; above it, `RESAMPLES` random ones."""
RESAMPLES = 100_000


def paired_test(first: Sequence[float], second: Sequence[float]) -> float:
    """The two-sided p value of the paired permutation test, which flips the signs of the differences.

    Each pair must be independent of the others: means of topics, not runs. See `least_p`.

    >>> paired_test([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]), paired_test([1.0], [1.0])
    (0.25, 1.0)
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    if len(differences) > MAX_EXACT:
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (RESAMPLES, len(differences)))
        sums = np.append(signs @ np.array(differences), math.fsum(differences))
    else:
        sums = np.zeros(1)
        for difference in differences:
            sums = np.concatenate([sums + difference, sums - difference])
    rounding = 1e-12 * math.fsum(map(abs, differences))
    return float(np.mean(np.abs(sums) >= abs(math.fsum(differences)) - rounding))


def least_p(topics: int) -> float:
    """The smallest p value that the paired permutation test can give: 2 / 2^n, or one in all resamples.

    >>> least_p(6), least_p(1)
    (0.03125, 1.0)
    """
    return max(2.0 ** (1 - max(1, topics)), 1 / (RESAMPLES + 1) if topics > MAX_EXACT else 0.0)


def holm(chances: Sequence[float]) -> list[float]:
    """The p values, corrected for their number by Holm's method.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    found, least = [0.0] * len(chances), 0.0
    for rank, at in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        least = max(least, min(1.0, (len(chances) - rank) * chances[at]))
        found[at] = least
    return found

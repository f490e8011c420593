"""The choice keys of sources in the two-level frontier [Farag, 7.1, after Meusel et al.].

Each function takes arrays over the sources that may be fetched from now: relevant (good) and other (bad) pages so
far, and the best waiting priority. The frontier takes the source with the largest key.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from lycosa.values import Floats

Source = Literal[
    "none",
    "negative-absolute-bad",
    "best-score",
    "success-rate",
    "thompson",
    "absolute-good",
    "thompson-best",
    "success-rate-best",
    "mean-score",
]
SOURCES: tuple[str, ...] = get_args(Source)


def negative_absolute_bad(bad: Floats) -> Floats:
    """(a) 1 / (1 + bad): the paper's -bad, shifted to stay positive; the order is the same.

    >>> negative_absolute_bad(np.array([0.0, 3.0])).tolist()
    [1.0, 0.25]
    """
    return 1 / (1 + bad)


def best_score(best: Floats) -> Floats:
    """(b) the best waiting priority."""
    return best


def success_rate(good: Floats, bad: Floats, alpha: float = 1.0, beta: float = 1.0) -> Floats:
    """(c) (good + α) / (bad + β).

    >>> success_rate(np.array([3.0, 0.0]), np.array([1.0, 4.0])).tolist()
    [2.0, 0.2]
    """
    return (good + alpha) / (bad + beta)


def thompson(
    good: Floats, bad: Floats, seed: int, step: int, alpha: float = 1.0, beta: float = 1.0
) -> Floats:
    """(d) a draw from Beta(good + α, bad + β), afresh at every step and repeatable by (seed, step).

    >>> draws = thompson(np.array([50.0, 0.0]), np.array([0.0, 50.0]), seed=1, step=7)
    >>> bool(draws[0] > draws[1]), bool((draws == thompson(np.array([50.0, 0.0]), np.array([0.0, 50.0]), 1, 7)).all())
    (True, True)
    """
    return np.random.default_rng((seed, step)).beta(good + alpha, bad + beta)


def absolute_good(good: Floats, best: Floats) -> Floats:
    """(e) (1 + good) · best: the paper's good · best, shifted so that a new source can be chosen.

    >>> absolute_good(np.array([0.0, 2.0]), np.array([0.5, 0.5])).tolist()
    [0.5, 1.5]
    """
    return (1 + good) * best


def mean_score(
    good: Floats, bad: Floats, best: Floats, mean: float, prior_pages: float, newcomers: float
) -> Floats:
    """Ours: best · (Σ score + m · c · mean) / (pages + m), the expected score of a page of the source.

    (g) with three changes. A page counts with its score, so `good` is Σ score and `good + bad` the number of pages:
    near misses separate sources before there are hits. A new source starts with m pages of c times the crawl's mean
    score. The mean is in [0, 1]; the ratio of good to bad is not bounded.

    >>> good, bad, best = np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> mean_score(good, bad, best, mean=0.2, prior_pages=1.0, newcomers=1.0).round(2).tolist()
    [0.1, 0.2]
    """
    return best * (good + prior_pages * newcomers * mean) / (good + bad + prior_pages)


def source_keys(
    source: str,
    good: Floats,
    bad: Floats,
    best: Floats,
    *,
    seed: int = 1,
    step: int = 0,
    alpha: float = 1.0,
    beta: float = 1.0,
) -> Floats:
    """The choice keys by the function (a)-(g) of that name; (f) and (g) are (d) and (c) times the best score."""
    match source:
        case "negative-absolute-bad":
            return negative_absolute_bad(bad)
        case "success-rate":
            return success_rate(good, bad, alpha, beta)
        case "thompson":
            return thompson(good, bad, seed, step, alpha, beta)
        case "absolute-good":
            return absolute_good(good, best)
        case "thompson-best":
            return thompson(good, bad, seed, step, alpha, beta) * best
        case "success-rate-best":
            return success_rate(good, bad, alpha, beta) * best
        case _:
            return best_score(best)

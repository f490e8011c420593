"""How close pages are to keywords and examples.

A page is a vector of unit length over its terms: (1 + log tf) × rarity of the term in the language. Sparse matrices
have a page in each row; the vectors that pages are compared with have a number for each term.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.words.background import Background
from lycosa.values import Floats

if TYPE_CHECKING:  # SciPy is loaded where judges are fitted, not where pages are judged
    from scipy.sparse import csr_matrix

LOGS = (0.0, *(1.0 + math.log(times) for times in range(1, 256)))
"""1 + log tf, worked out for all but very long pages."""
_LOGS = np.array(LOGS)


def logs_of(counts: NDArray[np.integer]) -> Floats:
    """1 + log tf of each term; 0 for one that does not occur.

    >>> logs_of(np.array([1, 0, 3, 1000])).round(3).tolist()
    [1.0, 0.0, 2.099, 7.908]
    """
    logs: Floats = _LOGS.take(counts, mode="clip")
    if len(counts) and counts.max() >= len(LOGS):
        often = counts >= len(LOGS)
        logs[often] = 1.0 + np.log(counts[often])
    return logs


def unit_weights(terms: Mapping[str, int], background: Background) -> dict[str, float]:
    """What each term of a page weighs; the squares sum up to 1.

        u_t = (1 + log tf_t) · rarity_t / length

    >>> unit_weights({"owl": 1, "night": 1}, Background({"owl": 4.5, "night": 3.5}))
    {'owl': 0.6, 'night': 0.8}
    """
    logs = logs_of(np.fromiter(terms.values(), np.int64, len(terms)))
    weights = unit(logs * np.array([background.rarity(term) for term in terms]))
    return {term: weight for term, weight in zip(terms, weights.tolist(), strict=True) if weight}


def unit(vector: Floats) -> Floats:
    """The vector at length 1; zeros stay zeros.

    >>> unit(np.array([3.0, 4.0])).tolist()
    [0.6, 0.8]
    """
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def term_profile(on: Floats, pages: int, mean: Floats, elsewhere: Floats) -> Floats:
    """The mean of the examples, each term times how much more often examples have it than other pages.

        w_t = mean u_t · max(0, log((m_t + ½) / (k − m_t + ½)) − logit q_t)      [Robertson, Sparck Jones 1976]

    m_t of the k examples have the term, a share q_t of other pages has it. A term that is everywhere goes:

    >>> term_profile(np.array([2.0, 2.0]), 2, np.array([0.5, 0.5]), np.array([0.01, 0.9])).round(3).tolist()
    [1.0, 0.0]
    """
    vector = np.zeros(len(mean))
    at = np.nonzero(on)[0]
    lift = np.log((on[at] + 0.5) / (pages - on[at] + 0.5)) - np.log(elsewhere[at] / (1.0 - elsewhere[at]))
    vector[at] = mean[at] * np.clip(lift, 0.0, None)
    return unit(vector)


def standard(
    values: Floats, weight: Floats, usual: tuple[float, float] = (0.0, 0.0), pages: float = 0.0
) -> tuple[float, float]:
    """Mean and deviation of a score over the pages that are not of the topic, by weight: the null distribution.

    `pages` with the usual mean and deviation may be added to them.

    >>> standard(np.array([1.0, 3.0, 9.0]), np.array([1.0, 1.0, 0.0]))
    (2.0, 1.0)
    >>> standard(np.array([1.0, 3.0]), np.array([1.0, 1.0]), (2.0, 1.0), 10.0)
    (2.0, 1.0)
    """
    total = weight.sum() + pages
    mean = float(((weight * values).sum() + pages * usual[0]) / total)
    theirs = pages * (usual[1] ** 2 + (usual[0] - mean) ** 2)
    deviation = float(np.sqrt(((weight * (values - mean) ** 2).sum() + theirs) / total))
    return mean, max(deviation, 1e-6)


def column_sums(rows: csr_matrix, weight: Floats | None = None) -> Floats:
    """For each term the sum over the rows, each times its weight."""
    ones = np.ones(rows.shape[0]) if weight is None else weight
    return np.asarray(rows.T @ ones, np.float64).ravel()

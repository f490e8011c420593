"""Which pages to ask about. In: probabilities. Out: rows, the most telling first."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from lycosa.values import Floats

SPREAD = 5
"""This many answers are spread out; from then on the pages nearest to the threshold are asked about."""


def to_ask(
    probability: Floats, known: Collection[int], count: int, *, answered: int, threshold: float
) -> list[int]:
    """Rows to ask about: first spread evenly over the uncertainty p · (1 − p), later those nearest to the threshold.

    Spread out, answers teach the words of both sides and calibrate the whole range; when that is done, an answer near
    the threshold decides most. No chance is involved: the same pages give the same questions. `known` are rows that
    nobody has to be asked about, `answered` is how many answers there are already.

    >>> p = np.array([0.01, 0.5, 0.45, 0.9, 0.99])
    >>> to_ask(p, {1}, 2, answered=0, threshold=0.5), to_ask(p, {1}, 2, answered=15, threshold=0.5)
    ([2, 3], [2, 3])
    """
    rows = np.array([row for row in np.argsort(probability, kind="stable") if row not in known], np.intp)
    if not len(rows):
        return []
    if answered >= SPREAD:
        nearest = np.argsort(np.abs(probability[rows] - threshold), kind="stable")
        return [int(row) for row in rows[nearest[:count]]]
    unsure = probability[rows] * (1.0 - probability[rows]) + 1e-6
    reached = np.cumsum(unsure) / unsure.sum()
    middles = (np.arange(count) + 0.5) / count
    return [int(row) for row in dict.fromkeys(rows[np.searchsorted(reached, middles)])]

"""How much less likely a page is that is about an excluded subject."""

from __future__ import annotations

import numpy as np

from lycosa.values import Floats

STRENGTH = 40.0
"""Log odds lost per unit of cosine by which a page is closer to the excluded words than to the topic."""


def log_odds_of_excluded(excluded: Floats, topic: Floats) -> Floats:
    """What pages lose, by their cosines with the excluded words and with the topic.

    A page of the topic that mentions an excluded word loses nothing.

    >>> log_odds_of_excluded(np.array([0.0, 0.1, 0.2]), np.array([0.0, 0.3, 0.1])).round(3).tolist()
    [-0.0, -0.0, -4.0]
    """
    return -STRENGTH * np.maximum(0.0, excluded - np.maximum(0.0, topic))

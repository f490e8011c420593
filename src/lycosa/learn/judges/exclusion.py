"""How much less likely a page is that is about an excluded subject."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from lycosa.values import Floats

STRENGTH = 40.0
"""Log odds lost per unit of cosine. A larger value does not change the result: such pages are lost already."""
TOPIC_SHARE = 0.5
"""A page loses nothing while its cosine with the excluded words is below this share of that with the topic: pages of the
topic mention what is next to it. A smaller value costs the topic pages of its own."""

USUAL_RARITY = 2.5
"""Mean rarity of the words of a topic. Excluded words that are more common have lower cosines; they are scaled up to it."""


def scale_of_excluded(rarities: Collection[float]) -> float:
    """What the cosine with excluded words is multiplied by.

    >>> scale_of_excluded([1.5, 1.0]), scale_of_excluded([3.0]), scale_of_excluded([])
    (2.0, 1.0, 1.0)
    """
    total = sum(rarities)
    return max(1.0, USUAL_RARITY * len(rarities) / total) if total else 1.0


def log_odds_of_excluded(excluded: Floats | float, topic: Floats | float) -> Floats:
    """What pages lose, by their cosines with the excluded words and with the topic.

    >>> log_odds_of_excluded(np.array([0.0, 0.1, 0.2]), np.array([0.0, 0.3, 0.1])).round(3).tolist()
    [0.0, 0.0, -6.0]
    """
    return np.minimum(0.0, STRENGTH * (TOPIC_SHARE * np.maximum(0.0, topic) - excluded))

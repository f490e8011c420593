"""How well a user's profile fits a topic [Zhang & Nasraoui, 5]: pure formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lycosa.methods.strategy import log_odds

APART = 14.0
"""Log odds between what goes first, by rank and last; other evidence rarely outweighs it."""


def inner_rank(profile: Mapping[str, float], topic: Mapping[str, float]) -> float:
    """The cosine of what the user tagged and named with the topic.

        Rank_inner(u | τ) = cos(x_u, x_τ)                              [eq. 1]

    >>> round(inner_rank({"metal": 3, "rock": 4}, {"metal": 1}), 2)
    0.6
    >>> inner_rank({}, {"metal": 1})
    0.0
    """
    product = sum(weight * profile.get(term, 0.0) for term, weight in topic.items())
    if not product:
        return 0.0
    lengths = math.hypot(*profile.values()) * math.hypot(*topic.values())
    return min(1.0, product / lengths)


def inter_rank(total: float, known: int) -> float:
    """The mean of the contacts' inner ranks, from their sum and number.

        Rank_inter(u | τ) = (1/N) · sum of Rank_inner(c_i | τ)         [eq. 2]

    Only contacts whose profile has been read count: we know nothing of the others.

    >>> inter_rank(0.5 + 0.25, 2), inter_rank(0.0, 0)
    (0.375, 0.0)
    """
    return total / known if known else 0.0


def user_rank(inner: float, inter: float, alpha: float, beta: float) -> float:
    """How likely an item of this user is on the topic.

        Pr(τ | L) = α · Rank_inner(u) + β · Rank_inter(u)              [eq. 5]

    >>> user_rank(0.5, 0.25, alpha=0.5, beta=0.5)
    0.375
    """
    return alpha * inner + beta * inter


def after_items(rank: float, hits: int, items: int, prior_items: float) -> float:
    """A rank corrected by the user's items that have been seen (ours: the paper never looks back).

        rank' = (m · rank + hits) / (m + items)        m: how many items the profile is worth

    >>> after_items(0.25, hits=2, items=8, prior_items=2)
    0.25
    """
    total = prior_items + items
    return (prior_items * rank + hits) / total if total else rank


def place_log_odds(priority: float, *, leads_on: bool = False, listed: bool = False) -> float:
    """The log odds of a priority of this strategy, for use with other evidence (ours; docs/strategies/profile.md).

        14 · (⌊p⌋ + listed) + w · log( r / (1 - r) )      r = p - ⌊p⌋, a rank; w = 1 for items, 2 for what only leads on

    >>> [round(place_log_odds(p), 1) for p in (0.5, 0.5 - 1)], round(place_log_odds(1.0, listed=True), 1)
    ([0.0, -14.0], 23.4)
    >>> round(place_log_odds(0.1), 1), round(place_log_odds(0.1, leads_on=True), 1)
    (-2.2, -4.4)
    """
    step = math.floor(priority)
    return APART * (step + listed) + (2 if leads_on else 1) * log_odds(priority - step)

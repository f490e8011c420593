"""The price: the priority below which no shard fetches.

A crawl in one process takes the best of all URLs. Shards that each take their own best would waste requests on poor
sources. So the coordinator compares the best URLs of all shards and sets one minimum priority.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import islice
from math import inf


def allot(best: Sequence[Sequence[float]], pages: int) -> tuple[float, list[int]]:
    """The priority of the last of the `pages` best URLs of all shards, and how many of these each shard has.

    With x(1) ≥ x(2) ≥ … the priorities of all, price = x(pages), and −∞ where fewer wait. `best` has them best first.
    Among equals, those of shards that have got less come first, so that nobody waits while others fetch the same.

    >>> allot([[0.9, 0.8, 0.1], [0.7, 0.2], []], 3)
    (0.7, [2, 1, 0])
    >>> allot([[0.9], [0.5]], 10)
    (-inf, [1, 1])
    >>> allot([[0.5, 0.5, 0.5], [0.5, 0.5]], 4)
    (0.5, [2, 2])
    """
    shares = [0] * len(best)
    ranked = heapq.merge(
        *([(-value, place, shard) for place, value in enumerate(of)] for shard, of in enumerate(best))
    )
    last = 0.0
    for value, _, shard in islice(ranked, pages):
        shares[shard] += 1
        last = value
    return (-last if sum(shares) == pages > 0 else -inf), shares

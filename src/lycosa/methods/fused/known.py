"""What training and example pages say of the URLs that they link to.

They are read before the crawl. They add no URL to the queue, but count as soon as a URL is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lycosa.values import Floats

MAX_URLS = 60_000
"""URLs of which training pages may say something; links beyond are passed over."""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of known relevance: what its words and links say, one number a link."""

    key: int
    relevance: float
    targets: Sequence[int]
    anchors: Sequence[float]
    contexts: Sequence[float]


@dataclass(slots=True)
class Known:
    """What known pages say of URLs. `sums` has a row for each URL of `places`: links, relevance, anchors, contexts."""

    pages: frozenset[int] = frozenset()
    places: dict[int, int] = field(default_factory=dict)
    near: dict[int, list[int]] = field(default_factory=dict)
    far: dict[int, list[int]] = field(default_factory=dict)
    sums: Floats = field(default_factory=lambda: np.zeros((1, 4)))  # row 0: of what nothing is said

    @classmethod
    def of(cls, pages: Sequence[KnownPage]) -> Known:
        """What the pages say, in this order.

        >>> known = Known.of([KnownPage(1, 1.0, [5, 6], [0.5, 0.0], [0.25, 0.0]), KnownPage(2, 0.0, [6], [1.0], [0.0])])
        >>> known.sums[known.places[6]].tolist(), known.near[5]
        ([2.0, 1.0, 1.0, 0.0], [6])
        """
        known = cls(frozenset(page.key for page in pages))
        rows: list[list[float]] = [[0.0] * 4]
        for page in pages:
            for at, target in enumerate(page.targets):
                if target not in known.places:
                    if len(rows) > MAX_URLS:
                        continue
                    known.places[target] = len(rows)
                    rows.append([0.0] * 4)
                row = rows[known.places[target]]
                said = (1.0, page.relevance, page.anchors[at], page.contexts[at])
                row[:] = [old + new for old, new in zip(row, said, strict=True)]
                known.near.setdefault(target, []).extend(beside(page.targets, at, 1))
                known.far.setdefault(target, []).extend(beside(page.targets, at, 2))
        known.sums = np.array(rows)
        return known


def beside(keys: Sequence[int], at: int, distance: int) -> list[int]:
    """The keys a number of places before and after one.

    >>> beside([5, 6, 7, 8], 1, 1), beside([5, 6, 7, 8], 0, 2)
    ([5, 7], [7])
    """
    return [keys[place] for place in (at - distance, at + distance) if 0 <= place < len(keys)]

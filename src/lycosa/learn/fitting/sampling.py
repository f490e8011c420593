"""A bounded sample of the pages of a crawl, for a judge to be fitted on.

It follows from the keys of the pages and from what the user gave, not from when they were read or how they were judged: the
same pages give the same sample, also after a crash.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

import numpy as np

from lycosa.learn.judges.version import Brief
from lycosa.learn.words.background import background_of
from lycosa.learn.words.numbered_words import WordVectors
from lycosa.learn.words.similarity import unit, unit_weights
from lycosa.values import PageTerms

MAX_PAGES = 10_000
"""Pages that a judge is fitted on. Of more, a sample: what the fit holds in memory does not grow with the crawl."""
LIKELIEST = 0.25
"""The share of the sample for the pages that are likeliest at first sight: right ones may be one in a thousand."""

_MASK = (1 << 64) - 1
_MIXERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


class Sample:
    """All pages that are likeliest at first sight, and of the others an even sample.

    At first sight: by their evidence, where the judge looks at one, else by their likeness to keywords and examples.
    """

    def __init__(self, brief: Brief, size: int) -> None:
        self.brief = brief
        self.likeliest_size = int(size * LIKELIEST)
        self.others_size = size - self.likeliest_size
        self._likeliest: list[
            tuple[float, int, int]
        ] = []  # the least likely of them first, with lots and keys
        self._others: list[tuple[int, int]] = []  # those with the least lots: the greatest of these first
        self._table = WordVectors(brief.language, [_sought(brief)])

    def add(self, page: PageTerms) -> None:
        """Take a page into account."""
        lot = lot_of(page.key)
        mine = (self._at_first_sight(page), -lot, page.key)
        if len(self._likeliest) < self.likeliest_size:
            heapq.heappush(self._likeliest, mine)
            return
        if self.likeliest_size:
            mine = heapq.heappushpop(self._likeliest, mine)
        other = (mine[1], mine[2])
        if len(self._others) < self.others_size:
            heapq.heappush(self._others, other)
        else:
            heapq.heappushpop(self._others, other)

    @property
    def keys(self) -> set[int]:
        """The pages that are in it."""
        return {key for *_, key in self._likeliest} | self.others

    @property
    def others(self) -> set[int]:
        """The rows of the sample, which represent all others."""
        return {key for _, key in self._others}

    def _at_first_sight(self, page: PageTerms) -> float:
        if self.brief.evidence:
            return page.evidence
        at, weights = self._table.unit_weights(page.terms)
        return float(weights @ self._table.vectors[0][at])


def lot_of(key: int) -> int:
    """A number without a pattern for a page, always the same; the least ones are drawn [SplitMix64].

    >>> lot_of(1) != lot_of(2), lot_of(-5) == lot_of(-5)
    (True, True)
    """
    lot = key & _MASK
    for shift, mixer in zip((30, 27), _MIXERS, strict=True):
        lot = (lot ^ lot >> shift) * mixer & _MASK
    return lot ^ lot >> 31


def shared_out(pages: int, drawn: Sequence[int]) -> Mapping[int, int]:
    """For how many of the pages each of those stands that were drawn; together for all of them.

    >>> shared_out(8, [5, 6, 7])
    {5: 2, 6: 3, 7: 3}
    """
    size = len(drawn)
    return {key: pages * (at + 1) // size - pages * at // size for at, key in enumerate(drawn)}


def _sought(brief: Brief) -> dict[str, float]:
    """The vectors of the keywords and of the examples, both at length 1."""
    background = background_of(brief.language)
    keywords = {term: weight * background.rarity(term) for term, weight in brief.keywords.items()}
    examples: dict[str, float] = {}
    for page in brief.examples:
        for term, weight in unit_weights(page.terms, background).items():
            examples[term] = examples.get(term, 0.0) + weight
    sought: dict[str, float] = {}
    for words in (keywords, examples):
        for term, weight in zip(words, unit(np.array([*words.values()])).tolist(), strict=True):
            sought[term] = sought.get(term, 0.0) + weight
    return sought

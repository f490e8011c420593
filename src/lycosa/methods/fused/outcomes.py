"""What pages turned out to be: by page, by the words of their URLs, and on the whole. Learned page by page.

A function of the judged pages in their order, and of nothing else: learned again from the catalogue it is the
same. Its size does not depend on that of the crawl.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from lycosa.methods.fused.record import WORDS, tag_of
from lycosa.values import Floats

BUCKETS = 1 << 16
REMEMBERED = 200_000
"""Pages whose probability is remembered, the last ones: about 45 MB. An older one counts as the mean."""
MIN_BASE, MAX_BASE, FIRST_BASE = 0.02, 0.9, 0.2
"""Bounds of the mean, and what it is taken for before there is a page."""


class Outcomes:
    """The probabilities of pages by tag, and sums of them by word of the URL."""

    def __init__(self) -> None:
        self.by_tag: dict[int, float] = {}
        self._words: dict[int, bytes] = {}
        self.good = np.zeros(BUCKETS)
        self.seen = np.zeros(BUCKETS)
        self.relevance = 0.0
        self.pages = 0

    def learn(self, key: int, words: Sequence[int], relevance: float) -> None:
        """Count one judged page."""
        if len(self.by_tag) >= REMEMBERED:
            oldest = next(iter(self.by_tag))
            del self.by_tag[oldest], self._words[oldest]
        at, tag = np.array(words, np.uint16), tag_of(key)
        self.by_tag[tag], self._words[tag] = relevance, at.tobytes()
        self.good[at] += relevance
        self.seen[at] += 1
        self.relevance += relevance
        self.pages += 1

    def correct(self, key: int, relevance: float) -> None:
        """A page is judged otherwise now. One that is forgotten stays as it was counted."""
        tag = tag_of(key)
        before = self.by_tag.get(tag)
        if before is not None:
            self.by_tag[tag] = relevance
            self.good[np.frombuffer(self._words[tag], np.uint16)] += relevance - before
            self.relevance += relevance - before

    @property
    def base(self) -> float:
        """The mean probability of the pages, kept away from 0 and 1."""
        mean = self.relevance / self.pages if self.pages else FIRST_BASE
        return min(max(mean, MIN_BASE), MAX_BASE)


@lru_cache(maxsize=1 << 16)
def bucket_of(word: str) -> int:
    """A word's place in the tables; 0 stands for none.

    >>> 0 < bucket_of("owl") < BUCKETS
    True
    """
    return zlib.crc32(word.encode()) % (BUCKETS - 1) + 1


def buckets_of(terms: Iterable[str]) -> list[int]:
    """The places of a URL's terms, each once; the last ones where there are many, since these say most.

    >>> len(buckets_of(["birds", "owl", "owl"])), len(buckets_of(f"w{n}" for n in range(20)))
    (2, 8)
    """
    return list(dict.fromkeys(map(bucket_of, terms)))[-WORDS:]


def log_lift(good: Floats, seen: Floats, base: float, prior: float) -> Floats:
    """How much more often than the base rate, with a prior of so many observations at the base rate.

        log( (good + prior · base) / (seen + prior) / base )

    >>> log_lift(np.array([0.0, 2.0]), np.array([0.0, 2.0]), 0.25, 2.0).round(3).tolist()
    [0.0, 0.916]
    """
    lift: Floats = np.log((good + prior * base) / ((seen + prior) * base))
    return lift


def relevance_of(by_tag: Mapping[int, float], tags: np.ndarray) -> tuple[Floats, Floats]:
    """For an array of tags (0: none) the probabilities of their pages, and 1 where one is known, else 0 and 0."""
    flat = tags.ravel().tolist()
    found = np.array([by_tag.get(tag, -1.0) for tag in flat]).reshape(tags.shape)
    known = found >= 0
    return np.where(known, found, 0.0), known.astype(np.float64)

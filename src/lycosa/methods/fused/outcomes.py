"""Results of judged pages: by page, by the words of their URLs, and overall.

They depend only on the judged pages in order and on URLs that led to no page, so a resumed crawl learns the same
from the catalogue. Their size does not grow with the crawl.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lycosa.methods.fused.record import WORDS, packed_words, tag_of
from lycosa.page.text.terms import url_terms_of_each
from lycosa.values import Floats

BUCKETS = 1 << 16
PLACES = 1 << 20
"""Of how many pages the probability is remembered: each has one place, at most 44 MiB in all. A later page at the same
place takes it; the earlier one then counts as the mean."""
OWN = 4.0
"""A page's own probability says as much of what it links to as this many pages that it has led to."""
URLS = 1 << 14
"""URLs whose words are remembered: menus link to the same pages again and again."""
MIN_BASE, MAX_BASE, FIRST_BASE = 0.02, 0.9, 0.2
"""Bounds of the mean, and what it is taken for before there is a page."""


class Outcomes:
    """The probabilities of pages, and sums of them by word of the URL."""

    def __init__(self) -> None:
        self._tags = np.zeros(PLACES, np.uint32)
        self._tags[0] = 1  # a tag that never lies there: 0, which stands for no page, is nowhere
        self._relevance = np.zeros(PLACES)
        self._parents = np.zeros(PLACES, np.uint32)  # tags of the pages on which they were found
        self._led_to = np.zeros(PLACES, np.float32)  # how many pages were found on it
        self._led_to_good = np.zeros(PLACES)  # the sum of their probabilities
        self._words = np.zeros((PLACES, WORDS), np.uint16)
        self.good = np.zeros(BUCKETS)
        self.seen = np.zeros(BUCKETS)
        self.missed = np.zeros(BUCKETS)
        self.relevance = 0.0
        self.pages = 0
        self.misses = 0

    def learn(self, key: int, words: Sequence[int], relevance: float, parent: int = 0) -> None:
        """Count one judged page, and for the page on which it was found (its key; 0: none), if that is known."""
        at, tag = list(words), tag_of(key)
        place = tag % PLACES
        self._tags[place], self._relevance[place] = tag, relevance
        self._words[place] = (*at, *(0,) * (WORDS - len(at)))
        self._led_to[place] = self._led_to_good[place] = 0
        self._parents[place] = found_on = tag_of(parent) if parent else 0
        if self._tags[above := found_on % PLACES] == found_on:
            self._led_to[above] += 1
            self._led_to_good[above] += relevance
        self.good[at] += relevance
        self.seen[at] += 1
        self.relevance += relevance
        self.pages += 1

    def miss(self, words: Sequence[int]) -> None:
        """Count a URL with these words that led to no page."""
        self.missed[list(words)] += 1
        self.misses += 1

    def correct(self, relevance: Mapping[int, float]) -> None:
        """Pages, by key, are judged otherwise now. One that is forgotten stays as it was counted."""
        tags = np.fromiter(map(tag_of, relevance), np.uint32, len(relevance))
        now = np.fromiter(relevance.values(), np.float64, len(relevance))
        is_known = self._tags[tags % PLACES] == tags
        places, now = tags[is_known] % PLACES, now[is_known]
        change = now - self._relevance[places]
        self._relevance[places] = now
        found_on = self._parents[places]
        is_there = self._tags[found_on % PLACES] == found_on
        np.add.at(self._led_to_good, found_on[is_there] % PLACES, change[is_there])
        words = self._words[places]
        np.add.at(self.good, words, np.where(words > 0, change[:, None], 0.0))
        self.relevance += float(change.sum())

    def of(self, tags: NDArray[np.uint32]) -> tuple[Floats, NDArray[np.bool_]]:
        """The probabilities of the pages with these tags (0: none), and whether one is known; if not, 0."""
        places = tags & (PLACES - 1)
        known = self._tags[places] == tags
        return self._relevance[places] * known, known

    def leading_to(self, tags: NDArray[np.uint32]) -> tuple[Floats, NDArray[np.bool_]]:
        """How likely what these pages link to is relevant, and whether a page is known; if not, 0.

            (OWN · p + Σ p of the pages found on it) / (OWN + their number)

        >>> outcomes = Outcomes()
        >>> outcomes.learn(1, [], 0.0)
        >>> for key in range(2, 6):
        ...     outcomes.learn(key, [], 1.0, parent=1)
        >>> outcomes.leading_to(np.array([1, 2, 99], np.uint32))[0].tolist()
        [0.5, 1.0, 0.0]
        """
        places = tags & (PLACES - 1)
        known = self._tags[places] == tags
        good = OWN * self._relevance[places] + self._led_to_good[places]
        return good / (OWN + self._led_to[places]) * known, known

    @property
    def base(self) -> float:
        """The mean probability of the pages, kept away from 0 and 1."""
        mean = self.relevance / self.pages if self.pages else FIRST_BASE
        return min(max(mean, MIN_BASE), MAX_BASE)

    @property
    def live(self) -> float:
        """Which share of the URLs led to a page."""
        return self.pages / (self.pages + self.misses) if self.pages else 1.0


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


class UrlWords:
    """The places of URLs' words, remembered for the URLs that were asked for last."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._known: dict[str, bytes] = {}

    def __reduce__(self) -> tuple[type[UrlWords], tuple[str]]:
        """A copy begins with nothing remembered: that saves time and says nothing of what was learned."""
        return UrlWords, (self.language,)

    def of(self, urls: Sequence[str]) -> list[bytes]:
        """For each URL `buckets_of` its terms, packed (`packed_words`): a page has many, and few are new."""
        known = self._known
        if new := [url for url in urls if url not in known]:
            if len(known) + len(new) > URLS:
                known.clear()
                new = list(urls)
            found = map(buckets_of, url_terms_of_each(new, self.language))
            known.update(zip(new, map(packed_words, found), strict=True))
        return [known[url] for url in urls]


def log_lift(good: Floats, seen: Floats, base: float, prior: float) -> Floats:
    """How much more often than the base rate, with a prior of `prior` observations at the base rate.

        log( (good + prior · base) / (seen + prior) / base )

    >>> log_lift(np.array([0.0, 2.0]), np.array([0.0, 2.0]), 0.25, 2.0).round(3).tolist()
    [0.0, 0.916]
    """
    lift: Floats = np.log((good + prior * base) / ((seen + prior) * base))
    return lift

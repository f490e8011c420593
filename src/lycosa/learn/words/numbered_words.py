"""Number the words of a language, so that what is known of them is in arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.words.background import FIRST_CJK, Background, background_of
from lycosa.learn.words.similarity import logs_of, unit
from lycosa.values import Floats, Terms

MAX_WORDS = 1 << 18
"""Words numbered in a process; with more, numbering starts again from the language's own."""

Places = NDArray[np.intp]

_has_cjk = re.compile(f"[{FIRST_CJK}-\U0010ffff]").search


class NumberedWords:
    """The words of a language and of the judge versions, each with a number that never changes.

    `rarities` has the weight of each by its number, and last the weight of any other word.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self._numbers = dict(background.places)
        self.rarities: Floats = np.array([*background.rarities.values(), background.rarity_elsewhere])

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, words: Iterable[str]) -> None:
        """Number the words that have no number."""
        first = len(self)
        for word in words:
            self._numbers.setdefault(word, len(self._numbers))
        more = [*self._numbers][first:]
        self.rarities = np.insert(self.rarities, first, [*map(self._background.rarity, more)])

    def find(self, words: Iterable[str], end: int) -> Places:
        """The number of each word; `end` for a word whose number is not below it."""
        return np.minimum(np.array([*map(self._numbers.get, words, repeat(end))], np.intp), end)


@lru_cache(maxsize=8)
def _newest(language: str) -> list[NumberedWords]:
    return [NumberedWords(background_of(language))]


def numbered_words(language: str, vectors: Sequence[Mapping[str, float]]) -> NumberedWords:
    """The numbered words of a language, with the words of these vectors."""
    newest = _newest(language)
    if len(newest[0]) + sum(map(len, vectors)) > MAX_WORDS:
        newest[0] = NumberedWords(background_of(language))
    newest[0].add(word for vector in vectors for word in vector)
    return newest[0]


class WordVectors:
    """Vectors over the words of a language as arrays. The last place is that of all other words."""

    def __init__(self, language: str, vectors: Sequence[Mapping[str, float]]) -> None:
        self._background = background_of(language)
        self._words = numbered_words(language, vectors)
        self._rarities = self._words.rarities
        self._end = len(self._words)  # later versions may number more
        self.vectors: list[Floats] = []
        for vector in vectors:
            found = np.zeros(self._end + 1)
            found[self.places_of(vector)] = list(vector.values())
            self.vectors.append(found)

    def places_of(self, terms: Iterable[str]) -> Places:
        """The place of each term in the arrays."""
        return self._words.find(terms, self._end)

    def unit_weights(self, terms: Terms) -> tuple[Places, Floats]:
        """The places of a page's terms, and the weight of each: as `similarity.unit_weights`."""
        places = self.places_of(terms.each())
        rarities = self._rarities[places]
        if _has_cjk(terms.lines):  # common character pairs are in no table of the language
            rarities = np.array([self._background.rarity(term) for term in terms.each()])
        return places, unit(logs_of(np.frombuffer(terms.counts, np.int32)) * rarities)

"""Number the words of a language, so that what is known of them is in arrays.

Words are looked up by their hashes, which a page brings along: a dictionary of strings would cost the crawl's loop more than
5 % of a page's CPU (research/array-tricks.md).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.words.background import FIRST_CJK, Background, background_of
from lycosa.learn.words.similarity import logs_of, unit
from lycosa.page.text.tokens import TokenTable
from lycosa.urls import hash_of, hashes_of
from lycosa.values import Floats, Terms

MAX_WORDS = 1 << 18
"""Words numbered in a process; with more, numbering starts again from the language's own."""

Places = NDArray[np.intp]

# Anybody can compute the hash of a word. Without this secret nobody can make up words whose hashes collide in the table.
_SECRET = np.uint64(secrets.randbits(64) | 1)
_has_cjk = re.compile(f"[{FIRST_CJK}-\U0010ffff]").search


class NumberedWords:
    """The words of a language and of the judge versions, each with a number that never changes.

    `rarities` has the weight of each by its number, and last the weight of any other word.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self._numbers = dict(background.places)
        self._table = TokenTable()
        self._table.add(_mixed(background.hashes), np.arange(len(self), dtype=np.int32))
        self.rarities: Floats = np.array([*background.rarities.values(), background.rarity_elsewhere])

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, words: Iterable[str]) -> None:
        """Number the words that have no number."""
        numbers, first = self._numbers, len(self)
        new = list(dict.fromkeys(word for word in words if word not in numbers))
        hashes = np.fromiter(map(hash_of, new), np.int64, len(new))
        self._table.add(_mixed(hashes), np.arange(first, first + len(new), dtype=np.int32))
        self.rarities = np.insert(self.rarities, first, [*map(self._background.rarity, new)])
        numbers.update(zip(new, range(first, first + len(new)), strict=True))

    def of(self, words: Iterable[str]) -> list[int]:
        """The numbers of words that have one."""
        return [*map(self._numbers.__getitem__, words)]

    def find(self, hashes: NDArray[np.int64], end: int) -> Places:
        """The number of each word with these hashes; `end` for a word whose number is not below it."""
        found = self._table.find(_mixed(hashes)).view(np.uint32)
        return np.minimum(found, np.uint32(end)).astype(np.intp)


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
            found[self._words.of(vector)] = list(vector.values())
            self.vectors.append(found)

    def places_of(self, terms: Iterable[str]) -> Places:
        """The place of each term in the arrays."""
        return self._words.find(np.array([hash_of(term) for term in terms], np.int64), self._end)

    def unit_weights(self, terms: Terms) -> tuple[Places, Floats]:
        """The places of a page's terms, and the weight of each: as `similarity.unit_weights`."""
        places = self._words.find(_hashes_of(terms), self._end)
        rarities = self._rarities[places]
        if _has_cjk(terms.lines):  # common character pairs are in no table of the language
            rarities = np.array([self._background.rarity(term) for term in terms.each()])
        return places, unit(logs_of(np.frombuffer(terms.counts, np.int32)) * rarities)


def _hashes_of(terms: Terms) -> NDArray[np.int64]:
    if terms.hashes or not terms.counts:
        return np.frombuffer(terms.hashes, np.int64)
    return np.frombuffer(hashes_of(terms.each()), np.int64)  # read back from the catalogue


def _mixed(hashes: NDArray[np.int64]) -> NDArray[np.uint64]:
    return hashes.view(np.uint64) * _SECRET

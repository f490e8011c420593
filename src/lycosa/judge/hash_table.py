"""Words by their hashes. In: the terms of a page, packed. Out: where arrays have what is known of each, and what it weighs.

A page is judged in the loop of the crawl; that its terms stay hashes there saves a string and a look-up for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lycosa.judge.background import FIRST_CJK, Background
from lycosa.judge.similarity import logs_of, unit
from lycosa.urls import hash_of
from lycosa.values import Floats, Terms

Places = NDArray[np.intp]

_has_cjk = re.compile(f"[{FIRST_CJK}-\U0010ffff]").search


class HashTable:
    """The words of a language and of some vectors; `vectors` are these as arrays. The last place is that of all other words."""

    def __init__(self, background: Background, vectors: Sequence[Mapping[str, float]]) -> None:
        self._background = background
        more = dict.fromkeys(word for vector in vectors for word in vector if word not in background.places)
        index = background.places | {word: at for at, word in enumerate(more, len(background.places))}
        hashes = np.concatenate([background.hashes, np.fromiter(map(hash_of, more), np.int64, len(more))])
        rarities = [*background.rarities.values(), *map(background.rarity, more)]
        order = np.argsort(hashes)
        place = np.empty(len(order), np.intp)
        place[order] = np.arange(len(order))
        self._hashes = hashes[order]
        self._rarities = np.append(np.array(rarities)[order], background.rarity_elsewhere)
        self.vectors: list[Floats] = []
        for vector in vectors:
            found = np.zeros(len(self._rarities))
            found[place[[index[word] for word in vector]]] = list(vector.values())
            self.vectors.append(found)

    def places(self, hashes: NDArray[np.int64]) -> Places:
        """Where arrays have what is known of terms with these hashes; quickest in their order."""
        at = self._hashes.searchsorted(hashes)
        at[at == len(self._hashes)] = 0
        at[self._hashes[at] != hashes] = len(self._hashes)
        return at

    def places_of(self, terms: Iterable[str]) -> Places:
        """The same of terms."""
        return self.places(np.array([hash_of(term) for term in terms], np.int64))

    def unit_weights(self, terms: Terms) -> tuple[Places, Floats]:
        """The places of a page's terms, and what each weighs: as `similarity.unit_weights`, in another order."""
        hashes = _hashes_of(terms)
        order = np.argsort(hashes)
        at = self.places(hashes[order])
        rarities = self._rarities[at]
        if not terms.lines.isascii() and _has_cjk(
            terms.lines
        ):  # some are common that are in no table of the language
            rarities = np.array([self._background.rarity(term) for term in terms.lines.split("\n")])[order]
        return at, unit(logs_of(np.frombuffer(terms.counts, np.int32)[order]) * rarities)


def _hashes_of(terms: Terms) -> NDArray[np.int64]:
    if terms.hashes or not terms.counts:
        return np.frombuffer(terms.hashes, np.int64)
    return np.array([*map(hash_of, terms.each())], np.int64)  # they were stored without

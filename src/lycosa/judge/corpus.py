"""Pages as rows of a sparse matrix. In: counts by term, page by page. Out: what a judge is fitted on.

Rows are only ever added, so that a crawl's judge is fitted again and again without reading a page twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from lycosa.judge.background import Background
from lycosa.judge.similarity import unit_weights
from lycosa.values import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Corpus:
    """The pages that are known, in the order in which they were added, and the terms that they have."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.terms: list[str] = []
        self._columns: dict[str, int] = {}
        self._shares = array("d")
        self._indices = array("i")
        self._weights = array("d")
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, terms: Mapping[str, int]) -> int:
        """Add a page; returns its row.

        >>> corpus = Corpus(Background({}))
        >>> corpus.add({"owl": 2, "night": 1}), corpus.add({"owl": 1}), corpus.terms
        (0, 1, ['owl', 'night'])
        """
        weights = unit_weights(terms, self.background)
        self._indices.extend(self.columns(weights))
        self._weights.extend(weights.values())
        self._ends.append(len(self._indices))
        return len(self) - 1

    def columns(self, terms: Iterable[str]) -> list[int]:
        """The columns of terms; those that no page has yet get one too."""
        found, columns = [], self._columns
        for term in terms:
            column = columns.get(term)
            if column is None:
                column = columns[term] = len(self.terms)
                self.terms.append(term)
                self._shares.append(self.background.share(term))
            found.append(column)
        return found

    def vector(self, weights: Mapping[str, float]) -> Floats:
        """A vector over all terms."""
        columns = self.columns(weights)
        vector = np.zeros(len(self.terms))
        vector[columns] = list(weights.values())
        return vector

    def rows(self) -> csr_matrix:
        """Unit vectors of all pages."""
        return self._matrix(np.array(self._weights))

    def has(self) -> csr_matrix:
        """The same with ones: which page has which term."""
        return self._matrix(np.ones(len(self._indices)))

    def language_shares(self) -> Floats:
        """For each term the share of pages of the language that have it."""
        return np.array(self._shares)

    def _matrix(self, data: Floats) -> csr_matrix:
        from scipy.sparse import csr_matrix

        indices, ends = np.array(self._indices, np.int32), np.array(self._ends, np.int64)
        return csr_matrix((data, indices, ends), shape=(len(self), len(self.terms)))

"""Pages as rows of a sparse matrix. In: counts by term, page by page. Out: what a judge is fitted on.

Rows are only ever added, so that a crawl's judge is fitted again and again without reading a page twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from lycosa.judge.background import Background
from lycosa.judge.similarity import unit_weights
from lycosa.values import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COMMON_SHARE = 0.05
"""Of the rows have a word that is common."""


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
        self._products: Floats = np.zeros((0, 0))

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
        terms = list(terms)
        columns = self._columns
        found = list(map(columns.get, terms))
        for at, column in enumerate(found):
            if column is None:
                term = terms[at]
                if term not in columns:
                    columns[term] = len(self.terms)
                    self.terms.append(term)
                    self._shares.append(self.background.share(term))
                found[at] = columns[term]
        return cast(list[int], found)

    def vector(self, weights: Mapping[str, float]) -> Floats:
        """A vector over all terms."""
        columns = self.columns(weights)
        vector = np.zeros(len(self.terms))
        vector[columns] = list(weights.values())
        return vector

    def matrices(self) -> tuple[csr_matrix, csr_matrix]:
        """Unit vectors of all pages; and the same with ones: which page has which term."""
        from scipy.sparse import csr_matrix

        indices, ends = np.array(self._indices, np.int32), np.array(self._ends, np.int64)
        shape = (len(self), len(self.terms))
        rows = csr_matrix((np.array(self._weights), indices, ends), shape=shape)
        return rows, csr_matrix((np.ones(len(indices)), rows.indices, rows.indptr), shape=shape)

    def products(self, rows: csr_matrix, chosen: NDArray[np.intp]) -> Floats:
        """The products of chosen rows (of all `rows`) with one another.

        While all rows are chosen, those of earlier ones are remembered: a corpus only grows. Each product is worked
        out in the later of its two rows, so that it does not matter when a row was added.
        """
        if len(chosen) < len(self):
            self._products = np.zeros((0, 0))
            return _products(rows[chosen])
        known = len(self._products)
        products = np.zeros((len(self), len(self)))
        products[:known, :known] = self._products
        products[known:] = (rows[known:] @ rows.T).toarray()
        later = np.tril(products[known:, known:])
        products[known:, known:] = later + np.tril(later, -1).T
        products[:known, known:] = products[known:, :known].T
        self._products = products
        return products

    def language_shares(self) -> Floats:
        """For each term the share of pages of the language that have it."""
        return np.array(self._shares)


def _products(rows: csr_matrix) -> Floats:
    """The products of rows with one another: words of many pages as a dense matrix, which is ten times as fast for them."""
    pages = np.bincount(rows.indices, minlength=rows.shape[1])
    often = pages > COMMON_SHARE * rows.shape[0]
    common, rare = rows[:, np.nonzero(often)[0]].toarray(), rows[:, np.nonzero(~often)[0]]
    return np.asarray(common @ common.T + (rare @ rare.T).toarray())

"""Pages as rows of a sparse matrix. In: counts by term, page by page. Out: what a judge is fitted on.

Rows are only ever added, so that a crawl's judge is fitted again and again without reading a page twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lycosa.judge.background import Background
from lycosa.judge.similarity import logs_of, unit
from lycosa.values import Floats, Terms

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COMMON_SHARE = 0.1
"""Of the rows have a word that is common: with less, or more, products take longer (pages of 1,500 terms)."""
BLOCK = 64
"""Rows whose products with all earlier ones are worked out at once."""


class _Columns(dict[str, int]):
    """The column of each term; one that no page has yet gets the next. What its language says of it is kept beside it."""

    def __init__(self, background: Background) -> None:
        super().__init__()
        self.background = background
        self.terms: list[str] = []
        self.shares = array("d")
        self.rarities = array("d")

    def __missing__(self, term: str) -> int:
        column = self[term] = len(self)
        self.terms.append(term)
        self.shares.append(self.background.share(term))
        self.rarities.append(self.background.rarity(term))
        return column


class Corpus:
    """The pages that are known, in the order in which they were added, and the terms that they have."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self._columns = _Columns(background)
        self._indices = array("i")
        self._weights = array("d")
        self._ends = array("q", [0])
        self._products: Floats = np.zeros((0, 0))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def terms(self) -> Sequence[str]:
        """The terms of all pages, each at its column."""
        return self._columns.terms

    def add(self, terms: Terms | Mapping[str, int]) -> int:
        """Add a page; returns its row.

        >>> corpus = Corpus(Background({}))
        >>> corpus.add({"owl": 2, "night": 1}), corpus.add({"owl": 1}), corpus.terms
        (0, 1, ['owl', 'night'])
        """
        if isinstance(terms, Terms):
            counts, each = np.frombuffer(terms.counts, np.int32), terms.each()
        else:
            counts, each = np.fromiter(terms.values(), np.int32, len(terms)), list(terms)
        columns = np.array([*map(self._columns.__getitem__, each)], np.int32)
        weights = unit(logs_of(counts) * np.frombuffer(self._columns.rarities)[columns])
        there = weights > 0
        self._indices.frombytes(columns[there].tobytes())
        self._weights.frombytes(weights[there].tobytes())
        self._ends.append(len(self._indices))
        return len(self) - 1

    def vector(self, weights: Mapping[str, float]) -> Floats:
        """A vector over all terms."""
        columns = [self._columns[term] for term in weights]
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

        While all rows are chosen, those of earlier ones are remembered: a corpus only grows.
        """
        if len(chosen) < len(self):
            self._products = np.zeros((0, 0))
            return _products(rows[chosen])
        self._products = _more_products(rows, self._products)
        return self._products

    def language_shares(self) -> Floats:
        """For each term the share of pages of the language that have it."""
        return np.array(self._columns.shares)


def _products(rows: csr_matrix) -> Floats:
    """The products of rows with one another."""
    common = _common(rows)
    dense, rare = rows[:, np.nonzero(common)[0]].toarray(), rows[:, np.nonzero(~common)[0]]
    return np.asarray(dense @ dense.T + (rare @ rare.T).toarray())


def _more_products(rows: csr_matrix, known: Floats) -> Floats:
    """As `_products`, where those of the first rows are known.

    It does not matter when a row was added, to the last bit: each product is worked out in the later of its two rows,
    in blocks of one shape, and which words are common is told from the first 64, 128, 256 … rows before it.
    """
    count = rows.shape[0]
    products = np.zeros((count, count))
    products[: len(known), : len(known)] = known
    first = len(known) // BLOCK * BLOCK
    while first < count:
        before = BLOCK << (first // BLOCK).bit_length() - 1 if first else 0
        end = min(2 * before or BLOCK, count)
        products[first:end, :end] = _products_of_later(rows[:end], first, _common(rows[:before]))
        first = end
    products = np.tril(products)
    return products + np.tril(products, -1).T


def _products_of_later(rows: csr_matrix, first: int, common: NDArray[np.bool_]) -> Floats:
    """The products of the rows from the first on with all."""
    count = rows.shape[0]
    rare = rows[first:]
    rare.data[common[rare.indices]] = 0.0
    rare.eliminate_zeros()
    products: Floats = (rare @ rows.T).toarray()
    dense = np.zeros((-(-count // BLOCK) * BLOCK, np.count_nonzero(common)))
    rows[:, np.nonzero(common)[0]].toarray(out=dense[:count])
    for start in range(first, count, BLOCK):
        end = min(start + BLOCK, count)
        block = dense[start : start + BLOCK] @ dense[: start + BLOCK].T
        products[start - first : end - first, :end] += block[: end - start, :end]
    return products


def _common(rows: csr_matrix) -> NDArray[np.bool_]:
    """The words that many of these rows have: as a dense matrix, their products are ten times as fast."""
    return np.bincount(rows.indices, minlength=rows.shape[1]) > COMMON_SHARE * rows.shape[0]

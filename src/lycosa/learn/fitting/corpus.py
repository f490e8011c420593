"""The pages of a crawl as rows of a sparse matrix: what a judge is fitted on. Rows are only ever added."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lycosa.learn.words.background import Background, rarity
from lycosa.learn.words.similarity import logs_of, unit
from lycosa.page.text.terms import packed
from lycosa.values import Floats, Terms

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COMMON_SHARE = 0.1
"""Terms in more than this share of the rows are multiplied as a dense matrix, which is ten times as fast."""

_rarity = lru_cache(maxsize=1024)(rarity)  # tables have tenths


class _Column:
    """An array that grows at its end; its parts are joined when it is read."""

    def __init__(self, *first: NDArray[Any]) -> None:
        self._parts = [*first]

    def extend(self, more: NDArray[Any]) -> None:
        self._parts.append(more)

    @property
    def all(self) -> NDArray[Any]:
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]


class _Columns:
    """The column of each term, and its rarity in the language."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.terms: list[str] = []
        self.rarities = _Column(np.zeros(0))
        self._columns: dict[str, int] = defaultdict(count().__next__)

    def of(self, pages: Sequence[Terms]) -> NDArray[np.int32]:
        """The columns of the terms of some pages, one page after the other."""
        columns = self._columns
        column = columns.__getitem__  # numbers a new term
        found = np.fromiter(chain.from_iterable(map(column, page.each()) for page in pages), np.int32)
        new = islice(reversed(columns), len(columns) - len(self.terms))
        self._note([*new][::-1])
        return found

    def _note(self, terms: Sequence[str]) -> None:
        """Keep the background of new terms."""
        self.terms += terms
        self.rarities.extend(np.array([_rarity(self.background.zipf(term)) for term in terms]))


class Corpus:
    """The pages in the order in which they were added, and their terms."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self._columns = _Columns(background)
        self._indices = _Column(np.zeros(0, np.int32))
        self._weights = _Column(np.zeros(0))
        self._ends = _Column(np.zeros(1, np.int64))

    def __len__(self) -> int:
        return len(self._ends.all) - 1

    @property
    def terms(self) -> Sequence[str]:
        """The terms of all pages, each at its column."""
        return self._columns.terms

    def add(self, terms: Terms | Mapping[str, int]) -> int:
        """Add a page; return its row.

        >>> corpus = Corpus(Background({}))
        >>> corpus.add({"owl": 2, "night": 1}), corpus.add({"owl": 1}), corpus.terms
        (0, 1, ['owl', 'night'])
        """
        return self.add_all([terms if isinstance(terms, Terms) else packed(terms)])[0]

    def add_all(self, pages: Sequence[Terms]) -> range:
        """Add pages; return their rows.

        >>> corpus = Corpus(Background({}))
        >>> corpus.add_all([packed({"owl": 2, "night": 1}), packed({"night": 3, "moth": 1})]), corpus.terms
        (range(0, 2), ['owl', 'night', 'moth'])
        """
        columns = self._columns.of(pages)
        ends = np.cumsum([len(page) for page in pages], dtype=np.int64)
        counts = np.frombuffer(b"".join([page.counts for page in pages]), np.int32)
        weights = logs_of(counts) * self._columns.rarities.all.take(columns)
        for page in np.split(weights, ends[:-1]):
            page[:] = unit(page)
        there = weights > 0
        if not there.all():
            columns, weights = columns[there], weights[there]
            ends = np.append(0, np.cumsum(there))[ends]
        self._indices.extend(columns)
        self._weights.extend(weights)
        before = len(self)
        self._ends.extend(self._ends.all[-1:] + ends)
        return range(before, len(self))

    def vector(self, weights: Mapping[str, float]) -> Floats:
        """A vector over all terms."""
        columns = self._columns.of([packed(dict.fromkeys(weights, 1))])
        vector = np.zeros(len(self.terms))
        vector[columns] = list(weights.values())
        return vector

    def rows(self) -> csr_matrix:
        """Unit vectors of all pages. All weights are above 0: what is there is a term of the page."""
        from scipy.sparse import csr_matrix

        parts = self._weights.all, self._indices.all, self._ends.all
        return csr_matrix(parts, shape=(len(self), len(self.terms)))


def products_of(rows: csr_matrix) -> Floats:
    """The products of rows with one another."""
    columns = rows.tocsc()
    is_common = np.diff(columns.indptr) > COMMON_SHARE * rows.shape[0]
    common = columns[:, is_common].toarray()
    rare = columns[:, ~is_common].tocsr()
    products: Floats = (rare @ rare.T).toarray()
    products += common @ common.T
    return products

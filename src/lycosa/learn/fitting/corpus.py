"""Pages as rows of a sparse matrix. In: counts by term, page by page. Out: what a judge is fitted on.

Rows are only ever added, so that a crawl's judge is fitted again and again without reading a page twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lycosa.learn.words.background import Background, rarity, share_of_pages
from lycosa.learn.words.similarity import logs_of, unit
from lycosa.page.text.terms import packed
from lycosa.values import Floats, Terms

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

COMMON_SHARE = 0.1
"""Of the rows have a word that is common: with less, or more, products take longer (pages of 1,500 terms)."""
BLOCK = 64
"""Rows whose products with all earlier ones are worked out at once."""
TILE = 256
"""Rows that are dense at a time, a multiple of BLOCK: all of them at once took as much memory as the whole corpus."""
STRIP = 512
"""Where no products are known, so many rows are multiplied with all before them: what is above the diagonal is left out."""
_SMALLEST = 1 << 12
_BRIEF = np.float32
"""Of weights while they are multiplied: half the time, and probabilities are the same within 10⁻⁷."""

Number = TypeVar("Number", bound=np.generic)

_rarity = lru_cache(maxsize=1024)(rarity)  # tables have tenths


class _Growing(Generic[Number]):
    """Numbers to which more are added. What was handed out stays as it is."""

    def __init__(self, kind: DTypeLike) -> None:
        self._room: NDArray[Any] = np.empty(_SMALLEST, kind)
        self._size = 0

    def extend(self, more: NDArray[Number]) -> None:
        size = self._size + len(more)
        if size > len(self._room):
            more_room = max(size, len(self._room) * 9 // 8)
            try:
                self._room.resize(more_room)  # by other addresses for the same memory: nothing is copied
            except ValueError:  # somebody has what was handed out
                room = np.empty(more_room, self._room.dtype)
                room[: self._size] = self.all
                self._room = room
        self._room[self._size : size] = more
        self._size = size

    @property
    def all(self) -> NDArray[Number]:
        return self._room[: self._size]


class _Columns:
    """The column of each term; one that no page has yet gets the next. What its language says of it is kept beside it."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self.terms: list[str] = []
        self.shares = _Growing[np.float64](np.float64)
        self.rarities = _Growing[np.float64](np.float64)
        self._columns: dict[str, int] = {}

    def of(self, pages: Sequence[Terms]) -> NDArray[np.int32]:
        """The columns of the terms of some pages, one page after the other."""
        known, columns = len(self.terms), self._columns
        found = [columns.setdefault(term, len(columns)) for page in pages for term in page.each()]
        self._note([*columns][known:] if len(columns) > known else [])
        return np.array(found, np.int32)

    def _note(self, terms: Sequence[str]) -> None:
        """Keep the background of new terms."""
        self.terms += terms
        common = [*map(self.background.zipf, terms)]
        self.shares.extend(np.array([*map(share_of_pages, common)]))
        self.rarities.extend(np.array([*map(_rarity, common)]))


class Corpus:
    """The pages that are known, in the order in which they were added, and the terms that they have."""

    def __init__(self, background: Background) -> None:
        self.background = background
        self._columns = _Columns(background)
        self._indices = _Growing[np.int32](np.int32)
        self._weights = _Growing[np.float64](np.float64)
        self._ends = _Growing[np.int64](np.int64)
        self._ends.extend(np.zeros(1, np.int64))
        self._products: list[Floats] = []  # of each block of rows with all up to its last one

    def __len__(self) -> int:
        return len(self._ends.all) - 1

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
        return self.add_all([terms if isinstance(terms, Terms) else packed(terms)])[0]

    def add_all(self, pages: Sequence[Terms]) -> range:
        """Add pages; returns their rows. All that is done on arrays is done once for all of them.

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

    def products(self, rows: csr_matrix, chosen: NDArray[np.intp]) -> Floats:
        """The products of chosen rows (of all `rows`) with one another, on the diagonal and below it; above is nothing of use.

        While all rows are chosen, those of earlier ones are remembered: a corpus only grows.
        """
        if len(chosen) < len(self):
            self._products = []
            return _products(rows[chosen])
        found = _more_products(rows, self._products)
        for first in range(len(self._products) * BLOCK, len(found) - BLOCK + 1, BLOCK):
            end = first + BLOCK
            self._products.append(found[first:end, :end].copy())
        return found

    def language_shares(self) -> Floats:
        """For each term the share of pages of the language that have it."""
        return self._columns.shares.all


def _products(rows: csr_matrix) -> Floats:
    """The products of rows with one another, on the diagonal and below it."""
    count = rows.shape[0]
    products, common = np.zeros((count, count)), _common(rows, count)
    for first in range(0, count, STRIP):
        end = min(first + STRIP, count)
        _fill(products[first:end, :end], rows, first, common)
    return products


def _more_products(rows: csr_matrix, known: Sequence[Floats]) -> Floats:
    """As `_products`, where those of the first blocks of rows are known.

    It does not matter when a row was added, to the last bit: each product is worked out in the later of its two rows,
    in blocks of one shape, and which words are common is told from the first 64, 128, 256 … rows before it.
    """
    count = rows.shape[0]
    products = np.zeros((count, count))
    for number, block in enumerate(known):
        products[number * BLOCK : (number + 1) * BLOCK, : block.shape[1]] = block
    first = len(known) * BLOCK
    while first < count:
        before = BLOCK << (first // BLOCK).bit_length() - 1 if first else 0
        end = min(2 * before or BLOCK, count)
        _fill(products[first:end, :end], rows, first, _common(rows, before))
        first = end
    return products


def _fill(products: Floats, rows: csr_matrix, first: int, common: NDArray[np.bool_]) -> None:
    """Work out the products of some rows, from the first on, with all up to the last of them."""
    end = products.shape[1]
    dense, sparse = _parted(rows, end, common)
    columns = sparse.T.tocsr()
    for above in range(
        first, end, BLOCK
    ):  # as many at a time: what comes out is nearly dense, and takes more as it is sparse
        below = min(above + BLOCK, end)
        products[above - first : below - first] = (sparse[above:below] @ columns).toarray()
    right, left = (np.zeros((size, dense.shape[1]), _BRIEF) for size in (TILE, BLOCK))
    for start in range(0, end, TILE):
        stop = min(start + TILE, end)
        _densely(dense, start, stop, right)
        for above in range(max(first, start), end, BLOCK):
            below = min(above + BLOCK, end)
            _densely(dense, above, below, left)
            products[above - first : below - first, start:stop] += (left @ right.T)[
                : below - above, : stop - start
            ]


def _densely(rows: csr_matrix, first: int, end: int, into: NDArray[np.float32]) -> None:
    """Write some rows into a dense matrix that has room for as many or more."""
    into[end - first :] = 0.0
    rows[first:end].toarray(out=into[: end - first])


def _parted(rows: csr_matrix, end: int, common: NDArray[np.bool_]) -> tuple[csr_matrix, csr_matrix]:
    """The first rows, up to an end: the common words apart from all others."""
    from scipy.sparse import csr_matrix

    ends = rows.indptr[: end + 1]
    indices, weights = rows.indices[: ends[-1]], rows.data[: ends[-1]].astype(_BRIEF)
    is_common = common[indices]
    some = np.flatnonzero(is_common)
    before = np.searchsorted(some, ends)
    places = np.cumsum(common, dtype=np.int32) - 1
    parts = weights.take(some), places.take(indices.take(some)), before
    dense = csr_matrix(parts, shape=(end, np.count_nonzero(common)))
    some = np.flatnonzero(~is_common)
    sparse = csr_matrix((weights.take(some), indices.take(some), ends - before), shape=(end, rows.shape[1]))
    return dense, sparse


def _common(rows: csr_matrix, count: int) -> NDArray[np.bool_]:
    """The words that many of the first rows have: as a dense matrix, their products are ten times as fast."""
    return np.bincount(rows.indices[: rows.indptr[count]], minlength=rows.shape[1]) > COMMON_SHARE * count

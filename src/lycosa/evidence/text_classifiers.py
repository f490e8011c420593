"""Fitted text classifiers, computed with NumPy.

Each is a frozen struct of arrays that checks its own shape, so that it can come from an untrusted file. The decision
value of a text does not depend on the other texts of its batch.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.evidence.model_file import Int32s
from lycosa.values import Floats

Integers = NDArray[np.intp]
Singles = NDArray[np.float32]


MAX_CELLS = 100_000_000
"""Features × support vectors of an RBF model: 400 MB in memory, far more than useful."""
SHORT = 4
"""Texts of at most this many known terms, as most anchors have, are short."""
LARGEST = 1e9
"""No fitted model has larger numbers; a stranger's could overflow."""


class Batch(NamedTuple):
    """Texts as (text, feature, number) triples, in the order of the texts."""

    size: int
    text: Integers
    feature: Integers
    value: Floats  # a count, or a weight


class Linear(msgspec.Struct, frozen=True, tag="linear"):
    """A linear SVM: d = w·x + b."""

    coefficients: Floats
    intercept: float

    def check(self, features: int) -> None:
        """Raise ValueError unless this fits a vocabulary of that many features."""
        _require(len(self.coefficients) == features, "coefficients and vocabulary differ in length")
        _require(_moderate(self.coefficients, self.intercept), "a coefficient that is too large")

    def decision(self, batch: Batch) -> Floats:
        """One decision value a text; positive means relevant."""
        products = batch.value * self.coefficients[batch.feature]
        decision: Floats = np.add(np.bincount(batch.text, products, batch.size), self.intercept)
        return decision


class NaiveBayes(Linear, frozen=True, tag="naive-bayes"):
    """Multinomial naive Bayes: d = log P(+)/P(−) + Σ count·log P(term|+)/P(term|−).

    With fields, each field is a multinomial of its own: its probabilities sum to one by field.
    The value of a batch is the bare count.
    """


class Rbf(msgspec.Struct, frozen=True, tag="rbf", dict=True):
    """An SVM with the kernel K(x, s) = exp(−γ·|x − s|²): d = Σ_s a_s·K(x, s) + b.

    The support vectors are kept by feature: those that contain feature i are
    `support[starts[i]:starts[i + 1]]`, with weights `values[…]`. Kernels are computed in single
    precision, which moves a decision value by about a millionth.
    """

    starts: Int32s
    support: Int32s
    values: Floats
    dual: Floats
    gamma: float
    intercept: float

    def check(self, features: int) -> None:
        """Raise ValueError unless this fits a vocabulary of that many features."""
        _require(len(self.starts) == features + 1, "support vectors and vocabulary differ in length")
        _require(features * len(self.dual) <= MAX_CELLS, "too many support vectors or terms")
        _require(self.starts[0] == 0 and self.starts[-1] == len(self.support), "broken support vectors")
        _require(bool((np.diff(self.starts) >= 0).all()), "broken support vectors")
        _require(len(self.support) == len(self.values), "broken support vectors")
        _require(_within(self.support, len(self.dual)), "a support vector that is not there")
        _require(0 < self.gamma <= LARGEST, "gamma is not usable")
        _require(_moderate(self.values), "support vectors that are too long")
        _require(_moderate(self.dual, self.intercept), "a coefficient that is too large")

    @cached_property
    def _table(self) -> Singles:
        """The support vectors as a dense matrix, a row for each feature."""
        table = np.zeros((len(self.starts) - 1, len(self.dual)), np.float32)
        row = np.repeat(np.arange(len(table)), np.diff(self.starts))
        table[row, self.support] = self.values
        return table

    @cached_property
    def _dual(self) -> Singles:
        return self.dual.astype(np.float32)

    @cached_property
    def _squares(self) -> Singles:
        """γ|s|² of each support vector."""
        squares = self.gamma * np.bincount(self.support, self.values * self.values, len(self.dual))
        return squares.astype(np.float32)

    def decision(self, batch: Batch) -> Floats:
        """One decision value a text; positive means relevant."""
        square = self.gamma * np.bincount(batch.text, batch.value * batch.value, batch.size)
        exponent = self._dots(batch, (2.0 * self.gamma * batch.value).astype(np.float32))
        exponent -= self._squares
        exponent -= square.astype(np.float32)[:, None]
        kernel = np.exp(np.minimum(exponent, 0.0, out=exponent), out=exponent)
        sums: Floats = np.einsum("nv,v->n", kernel, self._dual).astype(np.float64)
        return sums + self.intercept

    def _dots(self, batch: Batch, value: Singles) -> Singles:
        """The products of every text with every support vector.

        Not by BLAS, which may sum in another order with other threads: a rank would change.
        """
        ends = np.searchsorted(batch.text, np.arange(batch.size + 1))
        terms = np.diff(ends)
        dots = np.zeros((batch.size, len(self.dual)), np.float32)
        for k in range(SHORT):  # short texts together, term by term: a call for each would cost more
            rows = np.flatnonzero((terms > k) & (terms <= SHORT))
            at = ends[rows] + k
            dots[rows] += self._table.take(batch.feature[at], axis=0) * value[at, None]
        for i in np.flatnonzero(terms > SHORT).tolist():
            own = slice(ends[i], ends[i + 1])
            rows_of_text = self._table.take(batch.feature[own], axis=0)
            np.einsum("k,kv->v", value[own], rows_of_text, out=dots[i])
        return dots


class Tree(msgspec.Struct, frozen=True, tag="tree", dict=True):
    """A decision tree: d = share of positive training texts in the leaf − ½.

    Node 0 is the root; `feature` is −1 in a leaf. Children stand after their parent, so every walk
    ends. Weights are compared in single precision, as they were in training.
    """

    feature: Int32s
    threshold: Floats
    left: Int32s
    right: Int32s
    positive: Floats

    def check(self, features: int) -> None:
        """Raise ValueError unless this fits a vocabulary of that many features."""
        nodes = len(self.feature)
        _require(nodes > 0, "a tree without a node")
        _require(
            all(len(a) == nodes for a in (self.threshold, self.left, self.right, self.positive)),
            "a tree with broken nodes",
        )
        inner = np.flatnonzero(self.feature >= 0)
        _require(_within(self.feature[inner], features), "a tree with an unknown feature")
        for child in (self.left[inner], self.right[inner]):
            _require(_within(child, nodes) and bool((child > inner).all()), "a tree with a circle")
        _require(bool(((self.positive >= 0) & (self.positive <= 1)).all()), "a tree with a wrong share")

    @cached_property
    def _columns(self) -> tuple[Int32s, Integers]:
        """The features that the tree asks for, and which of them each node asks for."""
        used, column = np.unique(self.feature, return_inverse=True)
        return used, column.astype(np.intp)

    def decision(self, batch: Batch) -> Floats:
        """One decision value a text; positive means relevant."""
        used, column = self._columns
        place = np.minimum(np.searchsorted(used, batch.feature), len(used) - 1)
        known = np.flatnonzero(used[place] == batch.feature)
        dense = np.zeros((batch.size, len(used)), np.float32)
        dense[batch.text[known], place[known]] = batch.value[known]
        node = np.zeros(batch.size, np.intp)
        walking = np.flatnonzero(self.feature[node] >= 0)
        while len(walking):
            at = node[walking]
            low = dense[walking, column[at]] <= self.threshold[at]
            node[walking] = np.where(low, self.left[at], self.right[at])
            walking = walking[self.feature[node[walking]] >= 0]
        return self.positive[node] - 0.5


Form = Linear | NaiveBayes | Rbf | Tree


class Sigmoid(msgspec.Struct, frozen=True):
    """Platt's probability of a decision value: P = 1 / (1 + exp(slope·d + offset)), slope < 0."""

    slope: float
    offset: float

    def __post_init__(self) -> None:
        _require(_moderate(self.slope, self.offset), "a sigmoid that is too steep")
        _require(self.slope < 0, "the sigmoid falls")

    def __call__(self, decision: Floats) -> Floats:
        z = self.slope * decision + self.offset
        small = np.exp(-np.abs(z))  # never overflows
        return np.where(z > 0, small, 1.0) / (1.0 + small)


def _moderate(*numbers: Floats | float) -> bool:
    """Whether all are small enough that no sum or product of a text's overflows (NaN is not)."""
    return all(bool((np.abs(number) <= LARGEST).all()) for number in numbers)


def _within(indices: Int32s, count: int) -> bool:
    return not len(indices) or (int(indices.min()) >= 0 and int(indices.max()) < count)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)

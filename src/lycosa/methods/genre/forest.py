"""Evaluate a random forest for one page from flat arrays.

It equals the scikit-learn forest that `lycosa.methods.genre.training` fits, and is much faster for a single page.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.evidence.model_file import Int32s, load_model, save_model
from lycosa.methods.genre.signs import FEATURES
from lycosa.values import Floats

FORMAT = "lycosa genre model 1"
MAX_NODES = 500_000
MAX_DEPTH = 100
LEAF = -1

Singles = NDArray[np.float32]


class GenreModel(msgspec.Struct, frozen=True, dict=True, eq=False):
    """A fitted forest. Nodes of all trees lie in one row; children come after their parent.

    At node n a page goes `left` if its feature is at most `threshold`, else `right`; in a leaf the
    feature is -1 and `shares` (a row of len(genres) for each node) are its votes. `words` are the
    lists that the features were counted with; empty: the built-in ones.
    """

    genres: tuple[str, ...]
    features: tuple[str, ...]
    roots: Int32s
    feature: Int32s
    threshold: Floats
    left: Int32s
    right: Int32s
    shares: Singles
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    metadata: dict[str, Any] = {}

    def __post_init__(self) -> None:
        nodes, genres = len(self.feature), len(self.genres)
        if not 0 < nodes <= MAX_NODES or not 0 < genres <= 100 or len(set(self.genres)) != genres:
            raise ValueError("a forest needs nodes and genres, and not too many")
        if unknown := set(self.features) - set(FEATURES):
            raise ValueError(f"it needs features that this version does not have: {sorted(unknown)[:5]}")
        if {len(self.threshold), len(self.left), len(self.right)} != {nodes}:
            raise ValueError("the arrays of nodes differ in length")
        if len(self.shares) != nodes * genres:
            raise ValueError("shares and nodes do not match")
        if not len(self.roots) or self.roots.min() < 0 or self.roots.max() >= nodes:
            raise ValueError("a root is not a node")
        if self.feature.min() < LEAF or self.feature.max() >= len(self.features):
            raise ValueError("a node asks for a feature that is not there")
        self._check_children(nodes)
        if self.shares.min() < 0 or self.shares.max() > 1:
            raise ValueError("a share is not in [0, 1]")

    def _check_children(self, nodes: int) -> None:
        # Children after their parents: so no walk goes in circles, whoever made the file.
        inner = np.flatnonzero(self.feature != LEAF)
        for children in (self.left[inner], self.right[inner]):
            if (children <= inner).any() or (children >= nodes).any():
                raise ValueError("a child is not a later node")
        if self._depth > MAX_DEPTH:
            raise ValueError(f"a tree is deeper than {MAX_DEPTH}")

    def save(self, path: Path) -> None:
        """Write the model to a file; the same model gives the same bytes."""
        save_model(path, self, FORMAT)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a model, which may come from a stranger; ModelError if it cannot be used."""
        return load_model(path, cls, FORMAT)

    def votes(self, features: Mapping[str, float]) -> dict[str, float]:
        """The probability of each genre: the mean of the trees' shares."""
        return dict(zip(self.genres, self._voted(features), strict=True))

    def guess(self, features: Mapping[str, float]) -> tuple[str, float]:
        """The likeliest genre and its probability; the first in the alphabet of equals."""
        shares = self._voted(features)
        largest = max(shares)
        return self.genres[shares.index(largest)], largest

    def _voted(self, features: Mapping[str, float]) -> list[float]:
        # Adding up 30 rows, numpy spends its time on being called.
        leaves, shares, wide = self._leaves(features), self._shares, len(self.genres)
        rows = [shares[wide * leaf : wide * (leaf + 1)] for leaf in leaves]
        return [sum(votes) / len(leaves) for votes in zip(*rows, strict=True)]

    def _leaves(self, features: Mapping[str, float]) -> list[int]:
        # One page at a time, a plain loop touches a few hundred nodes and numpy all of them: it is quicker.
        x = array("f", map(features.__getitem__, self.features)).tolist()  # as it was fitted
        roots, feature, threshold, left, right = self._walked
        leaves = []
        for node in roots:
            while (asked := feature[node]) >= 0:
                node = left[node] if x[asked] <= threshold[node] else right[node]
            leaves.append(node)
        return leaves

    @cached_property
    def _shares(self) -> array[float]:
        return array("f", self.shares.astype(np.float32).tobytes())

    @cached_property
    def _walked(self) -> tuple[array[int], array[int], array[float], array[int], array[int]]:
        # Packed: between two pages the parser has the processor's caches, and objects all over the memory
        # would have to be fetched again one by one.
        numbers = (self.feature, self.left, self.right)
        feature, left, right = (array("i", of.astype(np.intc).tobytes()) for of in numbers)
        threshold = array("d", self.threshold.astype(np.float64).tobytes())
        return array("i", self.roots.astype(np.intc).tobytes()), feature, threshold, left, right

    @cached_property
    def _depth(self) -> int:
        """Steps from a root to the farthest leaf."""
        depth = [0] * len(self.feature)
        left, right = self.left.tolist(), self.right.tolist()
        for node, asked in enumerate(self.feature.tolist()):
            if asked != LEAF:
                for child in (left[node], right[node]):
                    depth[child] = max(depth[child], depth[node] + 1)
        return max(depth)

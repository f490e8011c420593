"""An image classifier in numpy: support vector machines over descriptors, and a rule to combine them.

The file is MessagePack with checked sizes, so loading a file from a stranger is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import ModelError
from lycosa.evidence.model_file import Int32s, load_model, save_model
from lycosa.evidence.text_classifiers import LARGEST, Sigmoid
from lycosa.methods.multimedia.images.descriptors import (
    Singles,
    edge_histogram,
    homogeneous_texture,
    scalable_color,
)
from lycosa.methods.multimedia.images.margins import views_of
from lycosa.methods.multimedia.images.painting import painting
from lycosa.page.images.pictures import Pixels, read_image
from lycosa.values import Floats, Refusal, Score

BUILT_IN = "heatmap"
"""Names the model that comes with Lycosa, for `lycosa judge`; a file of that name goes first."""
BLOCKS = {"sc": 256, "eh": 80, "ht": 62, "painting": 246}
"""Descriptors in the order of a feature vector, with their lengths."""
MACHINES: dict[str, tuple[str, ...]] = {
    "sc": ("sc",),
    "eh": ("eh",),
    "ht": ("ht",),
    "sc-eh-ht": ("sc", "eh", "ht"),
    "painting": ("painting",),
    "all": ("sc", "eh", "ht", "painting"),
}
"""The machines of a model and the descriptors that each one sees (early fusion)."""
RULES: dict[str, tuple[str, ...]] = {
    "mean": ("sc-eh-ht", "painting", "all"),
    "or": ("eh", "sc-eh-ht"),
    **{name: (name,) for name in MACHINES},
}
"""How machines decide together. `or` is the paper's rule; `mean`, of probabilities, is the default."""

REACH = 2.0
"""Standardised descriptors are cut at ± this many deviations and kept in 8 bits. The cut matters
more than any other setting: rare colours and edges otherwise make every new source an outlier."""
UNIT = REACH / 127
FORMAT = "lycosa image model 1"
_WIDTH = sum(BLOCKS.values())


def describe(pixels: Pixels) -> Singles:
    """The feature vector of an image: all descriptors of `BLOCKS` in a row."""
    parts = (scalable_color, edge_histogram, homogeneous_texture, painting)
    return np.concatenate([part(pixels) for part in parts])


def columns(descriptors: Sequence[str]) -> NDArray[np.intp]:
    """Where descriptors lie in a feature vector.

    >>> columns(["eh"])[[0, -1]].tolist()
    [256, 335]
    """
    ends = dict(zip(BLOCKS, np.cumsum(list(BLOCKS.values())).tolist(), strict=True))
    return np.concatenate([np.arange(ends[name] - BLOCKS[name], ends[name]) for name in descriptors])


class Machine(msgspec.Struct, frozen=True, eq=False):
    """An RBF support vector machine for one class against all others, with Platt's probability.

    f(x) = Σ coefᵢ·exp(−γ·|x − vᵢ|²) + bias, and it says yes where f(x) ≥ 0.
    """

    rows: Int32s  # which vectors of the model are its support vectors
    coefficients: Floats
    gamma: float
    bias: float
    probability: Sigmoid

    def decision(self, squares: Floats) -> Floats:
        """f(x) from the squared distances (n, vectors) of the model."""
        kernel = np.exp(-self.gamma * squares.take(self.rows, axis=1))
        # Summed row by row: a matrix product would depend, in the last digit, on the size of the batch.
        decision: Floats = (kernel * self.coefficients).sum(axis=1) + self.bias
        return decision

    def check(self, vectors: int) -> None:
        """Raise ValueError unless this fits a model of that many vectors."""
        _require(len(self.rows) == len(self.coefficients) > 0, "a machine without support vectors")
        _require(self.rows.min() >= 0 and self.rows.max() < vectors, "a support vector that is not there")
        _require(0 < self.gamma <= LARGEST and abs(self.bias) <= LARGEST, "a machine of odd numbers")
        _require(float(np.abs(self.coefficients).max()) <= LARGEST, "a coefficient that is too large")


class Class(msgspec.Struct, frozen=True, eq=False):
    """A class that is sought: its machines by name, and the probability from which `mean` says yes."""

    label: str
    machines: dict[str, Machine]
    threshold: float


class ImageModel(msgspec.Struct, frozen=True, dict=True, eq=False, kw_only=True):
    """Classifies images into the classes sought, or the rest. `rule` is one of `RULES`.

    `about` tells what the model was fitted on and how well it did on folds (plain data).
    """

    blocks: dict[str, int]  # `BLOCKS` when it was fitted
    classes: tuple[Class, ...]
    rest: str
    mean: Floats
    scale: Floats
    vectors: NDArray[np.int8]  # support vectors of all machines, one after the other
    about: dict[str, Any] = {}
    rule: str = "mean"

    def __post_init__(self) -> None:
        _require(self.blocks == BLOCKS, "its descriptors are those of another version")
        _require(self.rule in RULES, f"there is no rule {self.rule[:40]!r}, only {', '.join(RULES)}")
        _require(len(self.mean) == len(self.scale) == _WIDTH, "its scaling has another length")
        _require(bool((self.scale > 0).all()), "its scaling divides by nothing")
        _require(self.vectors.size % _WIDTH == 0, "its vectors have another length")
        labels = [c.label for c in self.classes]
        _require(
            bool(labels) and len({*labels, self.rest}) == len(labels) + 1, "its classes are not distinct"
        )
        for c in self.classes:
            _require(set(c.machines) == set(MACHINES), "it lacks machines")
            _require(0 <= c.threshold <= 1, "a threshold that is no probability")
            for machine in c.machines.values():
                machine.check(self.vectors.size // _WIDTH)

    @classmethod
    def load(cls, path: Path) -> ImageModel:
        """Read a model; ModelError if the file is not one, is damaged, or is of another version."""
        return load_model(path, cls, FORMAT)

    @classmethod
    def builtin(cls) -> ImageModel:
        """The heatmap model that comes with Lycosa: graded maps of environmental data."""
        return _builtin()

    def save(self, path: Path) -> None:
        """Write the model as data."""
        save_model(path, self, FORMAT)

    def with_rule(self, rule: str) -> ImageModel:
        """The same model deciding by another of `RULES`."""
        if rule not in RULES:
            raise ModelError(f"There is no rule {rule!r} for images. Use one of: {', '.join(RULES)}.")
        return msgspec.structs.replace(self, rule=rule)

    def judge(self, data: bytes) -> Score | Refusal:
        """The confidence that the image shows what is wanted (0.5 and above: it does), and its class."""
        return self.judge_all([data])[0]

    def judge_all(self, images: Sequence[bytes]) -> list[Score | Refusal]:
        """The same of many images, in one batch. An image shows what its best view does: with or without its margins."""
        read = [read_image(data) for data in images]
        views = [[] if isinstance(pixels, Refusal) else views_of(pixels) for pixels in read]
        features = [describe(view) for of_image in views for view in of_image]
        facts = iter(self.facts(np.array(features)) if features else [])
        return [
            pixels
            if isinstance(pixels, Refusal)
            else max((next(facts) for _ in of_image), key=lambda fact: fact.value)
            for pixels, of_image in zip(read, views, strict=True)
        ]

    def facts(self, features: Singles) -> list[Score]:
        """Of feature vectors (n, width): the best class and its score."""
        scores = self.scores(features)
        best = scores.argmax(axis=1)
        return [
            Score(value=float(row[k]), label=self.classes[k].label if row[k] >= 0.5 else self.rest)
            for row, k in zip(scores, best, strict=True)
        ]

    def scores(self, features: Singles) -> Floats:
        """(n, classes): the probability by the rule, moved so that 0.5 is where it says yes."""
        squares = self._squares(features)
        return np.stack([self._score(c, squares) for c in self.classes], axis=1)

    def decisions(self, features: Singles, machine: str) -> Floats:
        """f(x) of one machine, (n, classes)."""
        squares = self._squares(features)
        return np.stack([_decision(c, machine, squares) for c in self.classes], axis=1)

    def _score(self, class_: Class, squares: dict[str, Floats]) -> Floats:
        """`mean` says yes from the threshold; a machine where f(x) ≥ 0; `or` where any machine does."""
        chances, starts = [], []
        for name in RULES[self.rule]:
            probability = class_.machines[name].probability
            chances.append(probability(_decision(class_, name, squares)))
            starts.append(float(probability(np.zeros(1))[0]))
        if self.rule == "mean":
            return moved(np.mean(chances, axis=0), class_.threshold)
        said: Floats = np.max([moved(*pair) for pair in zip(chances, starts, strict=True)], axis=0)
        return said

    def _squares(self, features: Singles) -> dict[str, Floats]:
        """|x − v|² by descriptor: machines that share one add up the same numbers."""
        codes = encoded(features, self.mean, self.scale).astype(np.float32)
        squares = {}
        for name, (vectors, norms) in self._vectors_by_block.items():
            x = codes[:, columns([name])]
            # Whole numbers below 2²⁴: exact in float32, whatever the order of the sums.
            whole = (x**2).sum(axis=1)[:, None] + norms - 2 * (x @ vectors)
            squares[name] = whole.astype(np.float64) * UNIT**2
        return squares

    @cached_property
    def _vectors_by_block(self) -> dict[str, tuple[Singles, Singles]]:
        """Per descriptor: the support vectors as columns, and their squared lengths."""
        rows = self.vectors.reshape(-1, _WIDTH).astype(np.float32)
        parts = {name: np.ascontiguousarray(rows[:, columns([name])].T) for name in BLOCKS}
        return {name: (part, (part**2).sum(axis=0)) for name, part in parts.items()}


@cache
def _builtin() -> ImageModel:
    return ImageModel.load(Path(__file__).parent / "heatmap.model")


def _decision(class_: Class, machine: str, squares: dict[str, Floats]) -> Floats:
    return class_.machines[machine].decision(np.sum([squares[b] for b in MACHINES[machine]], axis=0))


def encoded(features: Singles, mean: Floats, scale: Floats) -> NDArray[np.int8]:
    """Standardised, cut at ± `REACH` and rounded to 8 bits.

    >>> encoded(np.array([[1.0, 9.0]]), np.array([1.0, 1.0]), np.array([1.0, 2.0])).tolist()
    [[0, 127]]
    """
    return np.rint(np.clip((features - mean) / scale, -REACH, REACH) / UNIT).astype(np.int8)


def moved(probability: Floats, threshold: float) -> Floats:
    """Stretched on both sides of the threshold so that it comes to lie at 0.5.

    >>> moved(np.array([0.0, 0.4, 1.0]), 0.4).tolist()
    [0.0, 0.5, 1.0]
    """
    threshold = min(max(threshold, 1e-6), 1 - 1e-6)
    below, above = 0.5 * probability / threshold, 0.5 + 0.5 * (probability - threshold) / (1 - threshold)
    return np.where(probability < threshold, below, above)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


def image_judge(path: Path) -> Callable[[bytes], Score | Refusal] | None:
    """What a model in a file says of images; None where it is no image model. `heatmap` is the built-in one."""
    if str(path) == BUILT_IN and not path.exists():
        return ImageModel.builtin().judge
    try:
        return ImageModel.load(path).judge
    except ModelError:
        return None

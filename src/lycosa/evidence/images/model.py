"""A fitted image classifier, run in numpy: support vector machines over descriptors, and a rule.

In: the bytes of images, or their descriptors. Out: Facts. On disk it is MessagePack, plain numbers
whose sizes are checked: loading a stranger's file is safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import ModelError
from lycosa.evidence.images.descriptors import (
    Floats,
    edge_histogram,
    homogeneous_texture,
    scalable_color,
)
from lycosa.evidence.images.painting import painting
from lycosa.evidence.images.reading import Pixels, read_image
from lycosa.values import Fact, Refusal

Numbers = NDArray[np.float64]

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
    "mean": ("painting", "all"),
    "or": ("eh", "sc-eh-ht"),
    **{name: (name,) for name in MACHINES},
}
"""How machines decide together. `or` is the paper's rule; `mean`, of probabilities, is the default."""

REACH = 2.0
"""Standardised descriptors are cut at ± this many deviations and kept in 8 bits. The cut matters
more than any other setting: rare colours and edges otherwise make every new source an outlier."""
_UNIT = REACH / 127
_WIDTH = sum(BLOCKS.values())
_MAX_FILE = 64 << 20
_KIND = "lycosa image model 1"


def describe(pixels: Pixels) -> Floats:
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


class Machine(msgspec.Struct, frozen=True, dict=True):
    """An RBF support vector machine for one class against all others, with Platt's probability.

    f(x) = Σ coefᵢ·exp(−γ·|x − vᵢ|²) + bias        P(class | x) = 1 / (1 + exp(a·f(x) + b))
    """

    rows: bytes  # uint32: which vectors of the model are its support vectors
    coefficients: bytes  # float32
    gamma: float
    bias: float
    platt: tuple[float, float]  # (a, b)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.intp], Numbers]:
        """Rows and coefficients as numbers."""
        rows = np.frombuffer(self.rows, "<u4").astype(np.intp)
        return rows, np.frombuffer(self.coefficients, "<f4").astype(np.float64)


class Class(msgspec.Struct, frozen=True):
    """A class that is sought: its machines by name, and the probability from which `mean` says yes."""

    label: str
    machines: dict[str, Machine]
    threshold: float


class _Saved(msgspec.Struct, frozen=True):
    kind: str
    blocks: dict[str, int]
    classes: tuple[Class, ...]
    rest: str
    mean: bytes
    scale: bytes
    vectors: bytes
    about: dict[str, Any]


class ImageModel:
    """Classifies images into the classes sought, or the rest. `rule` is one of `RULES`.

    `about` tells what the model was fitted on and how well it did on folds (plain data).
    """

    def __init__(
        self,
        classes: Sequence[Class],
        rest: str,
        *,
        mean: Floats,
        scale: Floats,
        vectors: NDArray[np.int8],
        about: dict[str, Any] | None = None,
        rule: str = "mean",
    ) -> None:
        self.classes = tuple(classes)
        self.rest = rest
        self.mean = mean
        self.scale = scale
        self.vectors = vectors
        self.about = about or {}
        self.rule = rule
        self._vectors = vectors.astype(np.float32)
        self._norms = {name: (self._vectors[:, columns([name])] ** 2).sum(axis=1) for name in BLOCKS}

    def judge(self, data: bytes) -> Fact | Refusal:
        """How surely the image shows what is sought (0.5 and above: it does), and its class."""
        return self.judge_all([data])[0]

    def judge_all(self, images: Sequence[bytes]) -> list[Fact | Refusal]:
        """The same of many images, in one batch."""
        read = [read_image(data) for data in images]
        features = [describe(pixels) for pixels in read if not isinstance(pixels, Refusal)]
        facts = iter(self.facts(np.array(features, np.float32)) if features else [])
        return [pixels if isinstance(pixels, Refusal) else next(facts) for pixels in read]

    def facts(self, features: Floats) -> list[Fact]:
        """Of feature vectors (n, width): the best class and its score."""
        scores = self.scores(features)
        best = scores.argmax(axis=1)
        labels = [c.label for c in self.classes]
        return [
            Fact(value=float(row[k]), label=labels[k] if row[k] >= 0.5 else self.rest)
            for row, k in zip(scores, best, strict=True)
        ]

    def scores(self, features: Floats) -> Numbers:
        """(n, classes): the probability by the rule, moved so that 0.5 is where it says yes."""
        if self.rule not in RULES:
            raise ModelError(f"There is no rule {self.rule!r} for images. Use one of: {', '.join(RULES)}.")
        squares = self._squares(encoded(features, self.mean, self.scale))
        return np.stack([self._score(c, squares) for c in self.classes], axis=1)

    def decisions(self, features: Floats, machine: str) -> Numbers:
        """f(x) of one machine, (n, classes): above 0 it says yes."""
        squares = self._squares(encoded(features, self.mean, self.scale))
        return np.stack([self._decision(c.machines[machine], machine, squares) for c in self.classes], axis=1)

    def _score(self, class_: Class, squares: dict[str, Numbers]) -> Numbers:
        """A machine alone says yes where f(x) ≥ 0; `or` where any does; `mean` from the threshold."""
        chances, centred = [], []
        for name in RULES[self.rule]:
            machine = class_.machines[name]
            a, b = machine.platt
            chances.append(platt_probability(self._decision(machine, name, squares), a, b))
            centred.append(moved(chances[-1], float(platt_probability(np.zeros(1), a, b)[0])))
        if self.rule == "mean":
            return moved(np.mean(chances, axis=0), class_.threshold)
        return np.max(centred, axis=0)

    def _squares(self, codes: NDArray[np.int8]) -> dict[str, Numbers]:
        """|x − v|² by descriptor, so that machines which share one do not compute it twice."""
        squares = {}
        for name in BLOCKS:
            own = columns([name])
            x = codes[:, own].astype(np.float32)
            # Whole numbers below 2²⁴: exact in float32, whatever the order of the sums.
            products = x @ self._vectors[:, own].T
            squares[name] = ((x**2).sum(axis=1)[:, None] + self._norms[name] - 2 * products) * _UNIT**2
        return squares

    @staticmethod
    def _decision(machine: Machine, name: str, squares: dict[str, Numbers]) -> Numbers:
        rows, coefficients = machine.arrays
        distance = sum(squares[block][:, rows] for block in MACHINES[name])
        decision: Numbers = np.exp(-machine.gamma * distance) @ coefficients + machine.bias
        return decision

    def save(self, path: Path) -> None:
        """Write the model as data."""
        saved = _Saved(
            kind=_KIND,
            blocks=BLOCKS,
            classes=self.classes,
            rest=self.rest,
            mean=self.mean.astype("<f4").tobytes(),
            scale=self.scale.astype("<f4").tobytes(),
            vectors=self.vectors.tobytes(),
            about=self.about,
        )
        path.write_bytes(msgspec.msgpack.encode(saved))

    @classmethod
    def load(cls, path: Path, *, rule: str = "mean") -> ImageModel:
        """Read a model; ModelError if the file is not one, is damaged, or is of another version."""
        try:
            if path.stat().st_size > _MAX_FILE:
                raise _unusable(path, "it is larger than any image model")
            saved = msgspec.msgpack.decode(path.read_bytes(), type=_Saved)
        except OSError as error:
            raise _unusable(path, str(error)) from error
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise _unusable(path, "it is not an image model") from error
        return _opened(saved, path, rule)

    @classmethod
    def builtin(cls, *, rule: str = "mean") -> ImageModel:
        """The heatmap model that comes with Lycosa: graded maps of environmental data."""
        return cls.load(Path(__file__).parent / "heatmap.model", rule=rule)


def encoded(features: Floats, mean: Floats, scale: Floats) -> NDArray[np.int8]:
    """Standardised, cut at ± `REACH` and rounded to 8 bits.

    >>> encoded(np.array([[1.0, 9.0]]), np.array([1.0, 1.0]), np.array([1.0, 2.0])).tolist()
    [[0, 127]]
    """
    return np.rint(np.clip((features - mean) / scale, -REACH, REACH) / _UNIT).astype(np.int8)


def platt_probability(decisions: Numbers, a: float, b: float) -> Numbers:
    """1 / (1 + exp(a·f + b)), Platt 1999.

    >>> platt_probability(np.array([0.0, 1.0]), -2.0, 0.0).round(2).tolist()
    [0.5, 0.88]
    """
    probability: Numbers = 0.5 - 0.5 * np.tanh(0.5 * (a * decisions + b))
    return probability


def moved(probability: Numbers, threshold: float) -> Numbers:
    """Stretched on both sides of the threshold so that it comes to lie at 0.5.

    >>> moved(np.array([0.0, 0.4, 1.0]), 0.4).tolist()
    [0.0, 0.5, 1.0]
    """
    threshold = min(max(threshold, 1e-6), 1 - 1e-6)
    below, above = 0.5 * probability / threshold, 0.5 + 0.5 * (probability - threshold) / (1 - threshold)
    return np.where(probability < threshold, below, above)


def _unusable(path: Path, why: str) -> ModelError:
    return ModelError(f"{path} cannot be used: {why}. Fit it anew: lycosa train images GOOD OTHER --out {path}")


def _opened(saved: _Saved, path: Path, rule: str) -> ImageModel:
    """Check every size and number before any is used."""
    if saved.kind != _KIND or saved.blocks != BLOCKS:
        raise _unusable(path, "it was made by another version")
    if len(saved.mean) != 4 * _WIDTH or len(saved.scale) != 4 * _WIDTH or len(saved.vectors) % _WIDTH:
        raise _unusable(path, "its sizes do not fit together")
    mean, scale = np.frombuffer(saved.mean, "<f4"), np.frombuffer(saved.scale, "<f4")
    vectors = np.frombuffer(saved.vectors, np.int8).reshape(-1, _WIDTH)
    if not (np.isfinite(mean).all() and np.isfinite(scale).all() and (scale > 0).all()):
        raise _unusable(path, "its scaling is not made of numbers")
    labels = [c.label for c in saved.classes]
    if not labels or len({*labels, saved.rest}) != len(labels) + 1:
        raise _unusable(path, "its classes are not distinct")
    if not all(_sound(c, len(vectors)) for c in saved.classes):
        raise _unusable(path, "a machine in it is damaged")
    return ImageModel(
        saved.classes, saved.rest, mean=mean, scale=scale, vectors=vectors, about=saved.about, rule=rule
    )


def _sound(class_: Class, vectors: int) -> bool:
    return (
        0 <= class_.threshold <= 1
        and set(class_.machines) == set(MACHINES)
        and all(_sound_machine(machine, vectors) for machine in class_.machines.values())
    )


def _sound_machine(machine: Machine, vectors: int) -> bool:
    if not machine.rows or len(machine.rows) % 4 or len(machine.rows) != len(machine.coefficients):
        return False
    rows, coefficients = machine.arrays
    numbers = np.array([machine.gamma, machine.bias, *machine.platt])
    return bool(
        (rows < vectors).all()
        and np.isfinite(coefficients).all()
        and np.isfinite(numbers).all()
        and machine.gamma > 0
    )

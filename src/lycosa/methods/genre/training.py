"""Fit the genre forest with scikit-learn.

Scores are held out by source: each page is classified by a forest trained without its site. Generated pages only train.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.methods.genre.forest import LEAF, GenreModel
from lycosa.methods.genre.signs import FEATURES, PAPER, Words

MIN_EXAMPLES = 5
"""Minimum examples of a genre, so that every fold has some."""


@dataclass(frozen=True, slots=True)
class GenreExample:
    """A page to learn from. With `tested` false (generated, or chosen and not drawn) it only trains."""

    features: Mapping[str, float]
    genre: str
    source: str
    tested: bool = True


class GenreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How to fit. `paper`: with the paper's nine features only. `left_out`: features not to use."""

    trees: int = 30
    min_leaf: int = 5
    paper: bool = False
    left_out: tuple[str, ...] = ()
    folds: int = 5
    random_seed: int = 0

    @property
    def features(self) -> tuple[str, ...]:
        """The features that trees may ask for."""
        return tuple(name for name in (PAPER if self.paper else FEATURES) if name not in self.left_out)


class GenreFigures(msgspec.Struct, frozen=True):
    """Held-out figures. `confusion[i][j]`: pages of genre i that were taken for genre j."""

    accuracy: float
    majority: float  # what guessing the most frequent genre would give
    tested: int
    folds: int
    genres: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]

    def recall(self, genre: str) -> float:
        """Share of the pages of a genre that were recognised; 0.0 where there was none."""
        if genre not in self.genres:
            return 0.0
        at = self.genres.index(genre)
        return self.confusion[at][at] / (sum(self.confusion[at]) or 1)

    def precision(self, genre: str) -> float:
        """Share of the pages taken for a genre that are of it; 0.0 where there was none."""
        if genre not in self.genres:
            return 0.0
        at = self.genres.index(genre)
        return self.confusion[at][at] / (sum(row[at] for row in self.confusion) or 1)


def train_genre(
    examples: Sequence[GenreExample],
    settings: GenreSettings | None = None,
    *,
    words: Words | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> GenreModel:
    """Fit a genre model; `words` are the lists that the features were counted with, if own ones."""
    settings = settings or GenreSettings()
    _check(examples)
    features = settings.features
    figures = cross_validate(examples, settings)
    table, genres = _table(examples, features), np.array([example.genre for example in examples])
    with_metadata = {
        "settings": msgspec.to_builtins(settings),
        "examples": dict(sorted(Counter(genres.tolist()).items())),
        "sources": len({example.source for example in examples}),
        "cross_validation": msgspec.to_builtins(figures),
        "provenance": dict(provenance or {}),
    }
    forest = _forest(settings).fit(table, genres)
    lists = {name: dict(of) for name, of in words.items()} if words else {}
    return GenreModel(features=features, words=lists, metadata=with_metadata, **_arrays(forest))


def cross_validate(examples: Sequence[GenreExample], settings: GenreSettings) -> GenreFigures:
    """Figures of forests that are asked only about pages of sources they have not seen."""
    from sklearn.model_selection import StratifiedGroupKFold

    features = settings.features
    table, genres = _table(examples, features), np.array([example.genre for example in examples])
    sources = np.array([example.source for example in examples])
    tested = np.array([example.tested for example in examples])
    if len(set(sources[tested])) < settings.folds:
        raise InputError(
            f"The examples are from {len(set(sources[tested]))} sites; {settings.folds} are needed to "
            "test the model on sites it has not seen. Add pages of other sites."
        )
    real = np.flatnonzero(tested)
    guessed = np.empty(len(examples), genres.dtype)
    splitter = StratifiedGroupKFold(settings.folds, shuffle=True, random_state=settings.random_seed)
    with warnings.catch_warnings():
        # That a rare genre is not in every fold is no fault: its line of the table shows how many were tested.
        warnings.filterwarnings("ignore", message="The least populated class")
        folds = [fold for _, fold in splitter.split(table[real], genres[real], sources[real])]
    for fold in folds:
        held = real[fold]
        rest = np.flatnonzero(~np.isin(sources, sources[held]))
        guessed[held] = _forest(settings).fit(table[rest], genres[rest]).predict(table[held])
    return figures_of(genres[real].tolist(), guessed[real].tolist(), settings.folds)


def _check(examples: Sequence[GenreExample]) -> None:
    counts = Counter(example.genre for example in examples)
    if len(counts) < 2:
        raise InputError("Only one genre has examples. Give pages of at least two.")
    if few := sorted(genre for genre, count in counts.items() if count < MIN_EXAMPLES):
        said = ", ".join(f"{genre} {counts[genre]}" for genre in few)
        raise InputError(
            f"Too few examples of a genre: {said}; at least {MIN_EXAMPLES} are needed. "
            "Label more pages of it, or call them other."
        )


def _table(examples: Sequence[GenreExample], features: Sequence[str]) -> NDArray[np.float32]:
    return np.array([[example.features[name] for name in features] for example in examples], np.float32)


def _forest(settings: GenreSettings) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    # Weighted by genre: most pages are news, and a forest would take the rare genres for it.
    return RandomForestClassifier(
        settings.trees,
        min_samples_leaf=settings.min_leaf,
        class_weight="balanced_subsample",
        random_state=settings.random_seed,
        n_jobs=1,
    )


def figures_of(genres: Sequence[str], guessed: Sequence[str], folds: int) -> GenreFigures:
    """The figures of pages whose genres are known and guessed."""
    names = tuple(sorted({*genres, *guessed}))
    pairs = Counter(zip(genres, guessed, strict=True))
    return GenreFigures(
        accuracy=sum(pairs[name, name] for name in names) / len(genres),
        majority=max(Counter(genres).values()) / len(genres),
        tested=len(genres),
        folds=folds,
        genres=names,
        confusion=tuple(tuple(pairs[true, said] for said in names) for true in names),
    )


def _arrays(forest: Any) -> dict[str, Any]:
    """The trees of a fitted forest in one row of nodes."""
    trees = [estimator.tree_ for estimator in forest.estimators_]
    starts = np.cumsum([0, *(tree.node_count for tree in trees)])
    children = [
        np.concatenate([getattr(tree, side) + start for tree, start in zip(trees, starts, strict=False)])
        for side in ("children_left", "children_right")
    ]
    feature = np.concatenate([np.maximum(tree.feature, LEAF) for tree in trees])
    values = np.concatenate([tree.value[:, 0, :] for tree in trees])
    shares = values / values.sum(axis=1, keepdims=True)
    inner = feature != LEAF
    return {
        "genres": tuple(str(genre) for genre in forest.classes_),
        "roots": starts[:-1].astype(np.int32),
        "feature": feature.astype(np.int32),
        "threshold": np.concatenate([tree.threshold for tree in trees]),
        "left": np.where(inner, children[0], LEAF).astype(np.int32),
        "right": np.where(inner, children[1], LEAF).astype(np.int32),
        "shares": np.clip(shares, 0, 1).astype(np.float32).ravel(),
    }

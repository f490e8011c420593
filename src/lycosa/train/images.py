"""Fit an image model from folders of examples.

In: a folder of images for each class, and maybe where they come from. Out: an `ImageModel`. Settings
and thresholds are found on folds by source: a map looks like its neighbours of the same site, so
folds over single images would promise too much.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.evidence.images.descriptors import Floats
from lycosa.evidence.images.model import (
    MACHINES,
    REACH,
    RULES,
    Class,
    ImageModel,
    Machine,
    Numbers,
    columns,
    describe,
    encoded,
    platt_probability,
)
from lycosa.evidence.images.reading import read_image
from lycosa.values import Refusal

Truth = NDArray[np.bool_]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

MIN_EXAMPLES = 10
"""Fewer readable images of a class are refused: five folds of two are the least that tells anything."""
MAX_BYTES = 50_000_000
"""A larger file in a folder of examples is skipped and listed."""
FOLDS = 5


class Setting(NamedTuple):
    """One choice of the search: C, γ as a multiple of 1 / features, and the weight of the class sought."""

    c: float
    gamma: float
    balanced: bool


SETTINGS = tuple(
    Setting(c, gamma, balanced) for c in (2.0, 10.0, 50.0) for gamma in (0.5, 1.0) for balanced in (False, True)
)
"""What is searched by default; one setting alone is taken without a search."""


class Examples(NamedTuple):
    """Described images with their classes and sources, and the files that could not be read."""

    features: Floats
    labels: tuple[str, ...]
    sources: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]  # (file, why)


def train_images(
    folders: Mapping[str, Path],
    *,
    rest: str = "",
    sources: Mapping[str, str] | None = None,
    settings: Sequence[Setting] = SETTINGS,
    provenance: str = "",
) -> ImageModel:
    """Fit a model that tells the classes sought from the rest.

    `folders` names a folder for each class; `rest` says which of them is not sought (default: the
    one called "other", else the last). `sources` tells the source of a file by its name (see
    `read_sources`); without it, `SOURCE__anything.png` names its source itself. Files that are no
    readable images are skipped and listed in `model.about["skipped"]`.
    """
    if len(folders) < 2:
        raise InputError(
            "An image model needs examples of at least two classes. "
            "Give one folder of what you seek and one of other images."
        )
    rest = rest or ("other" if "other" in folders else list(folders)[-1])
    if rest not in folders:
        raise InputError(f"There is no folder for the class {rest!r}. Name one of: {', '.join(folders)}.")
    examples = read_examples(folders, sources)
    return fit_images(examples, rest=rest, settings=settings, provenance=provenance)


def read_examples(folders: Mapping[str, Path], sources: Mapping[str, str] | None = None) -> Examples:
    """Read and describe every file of the folders (and of folders in them), in the order of names."""
    features, labels, origins, skipped = [], [], [], []
    for label, folder in folders.items():
        for file in _files(folder):
            data = file.read_bytes() if file.stat().st_size <= MAX_BYTES else None
            pixels = read_image(data) if data is not None else "larger than 50 MB"
            if isinstance(pixels, (Refusal, str)):
                skipped.append((str(file), str(pixels)))
                continue
            features.append(describe(pixels))
            labels.append(label)
            origins.append((sources or {}).get(file.name) or source_of(file.name))
        if labels.count(label) < MIN_EXAMPLES:
            raise InputError(
                f"{folder} has {labels.count(label)} readable images of the class {label!r}"
                f"{_some(skipped)}. Put at least {MIN_EXAMPLES} PNG, JPEG, GIF, WebP or AVIF files there."
            )
    return Examples(np.array(features), tuple(labels), tuple(origins), tuple(skipped))


def source_of(name: str) -> str:
    """The source that a file name tells, or the name itself: then every file is its own source.

    >>> source_of("ecmwf__magics__0001.png"), source_of("map.png")
    ('ecmwf', 'map.png')
    """
    return name.partition("__")[0] if "__" in name else name


def read_sources(path: Path) -> dict[str, str]:
    """Sources by file name from a CSV with the columns `file` and `source`."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}. Give a CSV file in UTF-8.") from error
    if not rows or not {"file", "source"} <= rows[0].keys():
        raise InputError(f"{path} has no columns file and source. Begin it with the line: file,source")
    return {Path(row["file"] or "").name: row["source"] or "" for row in rows}


def fit_images(
    examples: Examples, *, rest: str, settings: Sequence[Setting] = SETTINGS, provenance: str = "", seed: int = 0
) -> ImageModel:
    """Fit all machines of all classes sought. `seed` draws the folds."""
    mean = examples.features.mean(axis=0)
    # A descriptor value that never varies says nothing, and must not divide by nothing.
    scale = np.where((deviation := examples.features.std(axis=0)) > 1e-6, deviation, 1).astype(np.float32)
    codes = encoded(examples.features, mean, scale)
    labels = np.array(examples.labels)
    classes, figures, by_source = [], {}, True
    for label in dict.fromkeys(examples.labels):
        if label == rest:
            continue
        truth = labels == label
        folds, by_source = folds_of(truth, examples.sources, seed)
        class_, figures[label] = _fit_class(label, codes, truth, folds, settings)
        classes.append(class_)
    classes, used = _shared(classes)
    about = {
        "provenance": provenance,
        "examples": {label: int((labels == label).sum()) for label in dict.fromkeys(examples.labels)},
        "sources": len(set(examples.sources)),
        "folds": "by source" if by_source else "by image (too few sources to hold any out)",
        "figures": figures,
        "skipped": [list(pair) for pair in examples.skipped],
    }
    return ImageModel(classes, rest, mean=mean, scale=scale, vectors=codes[used], about=about)


def folds_of(truth: Truth, sources: Sequence[str], seed: int) -> tuple[list[Fold], bool]:
    """Folds that hold out whole sources, or single images where a class has too few sources."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    groups = np.array(sources)
    count = min(FOLDS, len(set(groups[truth])), len(set(groups[~truth])))
    if count >= 3:
        splitter = StratifiedGroupKFold(count, shuffle=True, random_state=seed)
        folds = list(splitter.split(truth, truth, groups))
        if all(0 < truth[part].sum() < part.size for part, _ in folds):
            return folds, True
    plain = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return list(plain.split(truth, truth)), False


def _fit_class(
    label: str, codes: NDArray[np.int8], truth: Truth, folds: Sequence[Fold], settings: Sequence[Setting]
) -> tuple[Class, dict[str, Any]]:
    """Choose, calibrate and fit every machine, then set the threshold of the mean; figures by rule."""
    machines, held_out, figures = {}, {}, {}
    for name, blocks in MACHINES.items():
        x = codes[:, columns(blocks)] * (REACH / 127)
        tried = {setting: _held_out(x, truth, folds, setting) for setting in settings}
        best = max(tried, key=lambda setting: average_precision(tried[setting], truth))
        held_out[name] = tried[best]
        machines[name] = _machine(x, truth, best, platt(tried[best], truth))
        figures[name] = {**measured(tried[best] >= 0, truth), "setting": best._asdict()}
    chances = [platt_probability(held_out[name], *machines[name].platt) for name in RULES["mean"]]
    chance = np.mean(chances, axis=0)
    threshold = best_threshold(chance, truth)
    figures["or"] = measured(np.any([held_out[name] >= 0 for name in RULES["or"]], axis=0), truth)
    figures["mean"] = {**measured(chance >= threshold, truth), "threshold": threshold}
    return Class(label, machines, threshold), figures


def _held_out(x: Numbers, truth: Truth, folds: Sequence[Fold], setting: Setting) -> Numbers:
    """The decision on every image by a machine that has not seen its fold."""
    decisions = np.zeros(truth.size)
    for train, test in folds:
        decisions[test] = _svc(x[train], truth[train], setting).decision_function(x[test])
    return decisions


def _svc(x: Numbers, truth: Truth, setting: Setting) -> Any:
    from sklearn.svm import SVC

    weight = "balanced" if setting.balanced else None
    return SVC(C=setting.c, gamma=setting.gamma / x.shape[1], class_weight=weight).fit(x, truth)


def _machine(x: Numbers, truth: Truth, setting: Setting, calibration: tuple[float, float]) -> Machine:
    """Fit on everything and keep what numpy needs."""
    svc = _svc(x, truth, setting)
    return Machine(
        rows=svc.support_.astype("<u4").tobytes(),
        coefficients=svc.dual_coef_[0].astype("<f4").tobytes(),
        gamma=setting.gamma / x.shape[1],
        bias=float(svc.intercept_[0]),
        platt=calibration,
    )


def _shared(classes: Sequence[Class]) -> tuple[list[Class], NDArray[np.intp]]:
    """Number the support vectors of all machines anew, over those that any of them uses."""
    rows = [machine.arrays[0] for c in classes for machine in c.machines.values()]
    used = np.unique(np.concatenate(rows))
    renumbered = []
    for c in classes:
        machines = {
            name: Machine(
                rows=np.searchsorted(used, machine.arrays[0]).astype("<u4").tobytes(),
                coefficients=machine.coefficients,
                gamma=machine.gamma,
                bias=machine.bias,
                platt=machine.platt,
            )
            for name, machine in c.machines.items()
        }
        renumbered.append(Class(c.label, machines, c.threshold))
    return renumbered, used


def platt(decisions: Numbers, truth: Truth) -> tuple[float, float]:
    """(a, b) of P = 1 / (1 + exp(a·f + b)) that make the truth likeliest, by Newton's method.

        targets t₊ = (n₊ + 1) / (n₊ + 2), t₋ = 1 / (n₋ + 2)      [Platt 1999; Lin, Lin, Weng 2007]

    >>> a, b = platt(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> a < 0, abs(b) < 1e-6
    (True, True)
    """
    positives, negatives = int(truth.sum()), int((~truth).sum())
    target = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    terms = np.stack([decisions, np.ones_like(decisions)])
    ab = np.array([0.0, np.log((negatives + 1) / (positives + 1))])

    def loss(at: Numbers) -> float:
        z = at @ terms
        return float((target * z + np.logaddexp(0, -z)).sum())

    for _ in range(100):
        chance = platt_probability(decisions, *ab.tolist())
        gradient = terms @ (target - chance)
        curvature = (terms * (chance * (1 - chance))) @ terms.T + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while size > 1e-9 and loss(ab - size * step) > loss(ab):
            size /= 2
        ab = ab - size * step
        if np.abs(size * step).max() < 1e-9:
            break
    return float(ab[0]), float(ab[1])


def average_precision(scores: Numbers, truth: Truth) -> float:
    """Mean precision at the rank of every positive.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])).__round__(3)
    0.833
    """
    ranked = truth[np.argsort(-scores, kind="stable")]
    return float((ranked.cumsum() / np.arange(1, ranked.size + 1))[ranked].mean())


def best_threshold(chance: Numbers, truth: Truth) -> float:
    """The threshold of the best F1: the middle of all that reach it within a hundredth.

    One best value follows single images; the middle of a plateau does not.

    >>> best_threshold(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, False, True, True]))
    0.5
    """
    steps = np.arange(1, 100) / 100
    f1 = np.array([measured(chance >= step, truth)["f1"] for step in steps])
    return round(float(np.median(steps[f1 >= f1.max() - 0.01])), 3)


def measured(said: Truth, truth: Truth) -> dict[str, float]:
    """Accuracy, precision, recall and F1.

    >>> measured(np.array([True, True, False]), np.array([True, False, False]))["precision"]
    0.5
    """
    hits = int((said & truth).sum())
    return {
        "accuracy": float((said == truth).mean()),
        "precision": hits / max(int(said.sum()), 1),
        "recall": hits / max(int(truth.sum()), 1),
        "f1": 2 * hits / max(int(said.sum()) + int(truth.sum()), 1),
    }


def _files(folder: Path) -> Iterator[Path]:
    """The visible files of a folder."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Name a folder with example images.")
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith("."))


def _some(skipped: Sequence[tuple[str, str]]) -> str:
    """The first skipped files, in brackets."""
    if not skipped:
        return ""
    named = "; ".join(f"{Path(file).name}: {why}" for file, why in skipped[:3])
    return f" ({len(skipped)} skipped, such as {named})"

"""Fit an image model from a folder of examples for each class.

Settings and thresholds are chosen on folds by source: images of one site look alike, so folds over single images
would be optimistic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import to_builtins
from msgspec.structs import replace
from numpy.typing import NDArray

from lycosa.errors import InputError
from lycosa.evidence.text_classifiers import Sigmoid
from lycosa.learn.training.tables import read_rows
from lycosa.learn.training.validation import figures_of, fit_sigmoid, folds_by_group
from lycosa.methods.multimedia.images.descriptors import Singles
from lycosa.methods.multimedia.images.model import (
    BLOCKS,
    MACHINES,
    RULES,
    UNIT,
    Class,
    ImageModel,
    Machine,
    columns,
    describe,
    encoded,
)
from lycosa.page.images.pictures import Pixels, read_image
from lycosa.values import Floats, Reason, Refusal, Say

Truth = NDArray[np.bool_]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

MIN_EXAMPLES = 10
"""Minimum readable images of a class: five folds of two."""
MAX_EXAMPLES = 6_000
"""Their pairwise distances are held in memory."""
MAX_BYTES = 50_000_000
"""A larger file in a folder of examples is skipped and listed."""
FOLDS = 5
SAY_EVERY = 200
"""Images read between two lines of progress."""


def _silent(_message: str) -> None:
    """Report no progress."""


class Setting(NamedTuple):
    """One choice of the search: C, γ as a multiple of 1 / features, and the weight of the class sought."""

    c: float
    gamma: float
    balanced: bool


SETTINGS = tuple(
    Setting(c, gamma, balanced)
    for c in (1.0, 3.0, 10.0)
    for gamma in (0.5, 1.0)
    for balanced in (False, True)
)
"""What is searched by default; one setting alone is taken without a search."""


class Examples(NamedTuple):
    """Described images with their classes and sources, and the files that could not be read."""

    features: Singles
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
    say: Say = _silent,
) -> ImageModel:
    """Fit a model that separates the wanted classes from the rest.

    `folders` names a folder for each class; `rest` says which of them is not sought (default: the
    one called "other", else the last). `sources` tells the source of a file by its name (see
    `read_sources`); without it, `SOURCE__anything.png` names its source itself. Files that are no
    readable images are skipped and listed in `model.about["skipped"]`. `say` hears how far it is.
    """
    if len(folders) < 2:
        raise InputError(
            "An image model needs examples of at least two classes. "
            "Give one folder of what you seek and one of other images."
        )
    rest = rest or ("other" if "other" in folders else list(folders)[-1])
    if rest not in folders:
        raise InputError(f"There is no folder for the class {rest!r}. Name one of: {', '.join(folders)}.")
    examples = read_examples(folders, sources, say)
    return fit_images(examples, rest=rest, settings=settings, provenance=provenance, say=say)


def read_examples(
    folders: Mapping[str, Path], sources: Mapping[str, str] | None = None, say: Say = _silent
) -> Examples:
    """Read and describe every file of the folders (and of folders in them), in the order of names."""
    features, labels, origins = [], [], []
    skipped: list[tuple[str, str]] = []
    for label, folder in folders.items():
        before = len(skipped)
        for file in _files(folder):
            pixels = _read(file)
            if isinstance(pixels, Refusal):
                skipped.append((str(file), str(pixels)))
                continue
            features.append(describe(pixels))
            labels.append(label)
            origins.append((sources or {}).get(file.name) or source_of(file.name))
            if len(labels) % SAY_EVERY == 0:
                say(f"{len(labels):,} images read")
        if (readable := labels.count(label)) < MIN_EXAMPLES:
            raise InputError(
                f"{folder} has {readable or 'no'} readable image{'' if readable == 1 else 's'}{_some(skipped[before:])}. "
                f"Put at least {MIN_EXAMPLES} PNG, JPEG, GIF, WebP or AVIF files there."
            )
    return Examples(np.array(features), tuple(labels), tuple(origins), tuple(skipped))


def source_of(name: str) -> str:
    """The source in a file name, or the name itself.

    >>> source_of("ecmwf__magics__0001.png"), source_of("map.png")
    ('ecmwf', 'map.png')
    """
    return name.partition("__")[0] if "__" in name else name


def read_sources(path: Path) -> dict[str, str]:
    """Sources by file name from a CSV with the columns `file` and `source`."""
    rows = read_rows(path, ("file", "source"), "file,source")
    return {Path(row["file"] or "").name: row["source"] or "" for row in rows}


def fit_images(
    examples: Examples,
    *,
    rest: str,
    settings: Sequence[Setting] = SETTINGS,
    provenance: str = "",
    seed: int = 0,
    say: Say = _silent,
) -> ImageModel:
    """Fit all machines of all classes sought. `seed` draws the folds."""
    if len(examples.labels) > MAX_EXAMPLES:
        raise InputError(
            f"{len(examples.labels):,} images are more than a model is fitted on. Give at most {MAX_EXAMPLES:,} of them."
        )
    features = examples.features.astype(np.float64)
    mean = features.mean(axis=0)
    # A descriptor value that never varies says nothing, and must not divide by nothing.
    scale = np.where((deviation := features.std(axis=0)) > 1e-6, deviation, 1.0)
    codes = encoded(examples.features, mean, scale)
    labels = np.array(examples.labels)
    sought = [label for label in dict.fromkeys(examples.labels) if label != rest]
    classes, figures, ways = [], {}, []
    for label in sought:
        folds, way = folds_of(labels == label, examples.sources, seed)
        say(f"{label}: {len(MACHINES)} classifiers are fitted on {labels.size:,} images")
        class_, figures[label] = _fit_class(label, codes, labels == label, folds, settings)
        classes.append(class_)
        ways.append(way)
    classes, used = _shared(classes)
    about = {
        "provenance": provenance,
        "examples": {label: int((labels == label).sum()) for label in (*sought, rest)},
        "sources": len(set(examples.sources)),
        "folds": dict(zip(sought, ways, strict=True)),
        "figures": figures,
        "skipped": [list(pair) for pair in examples.skipped],
    }
    return ImageModel(
        blocks=BLOCKS,
        classes=tuple(classes),
        rest=rest,
        mean=mean,
        scale=scale,
        vectors=codes[used].ravel(),
        about=about,
    )


def folds_of(truth: Truth, sources: Sequence[str], seed: int) -> tuple[list[Fold], str]:
    """Folds that hold out whole sources, or single images where a class has under three sources."""
    held_out = folds_by_group(truth, sources, FOLDS, seed)
    way = "by source"
    if len(held_out) < 3:
        held_out, way = folds_by_group(truth, [""] * truth.size, FOLDS, seed), "by image"
    everything = np.arange(truth.size)
    return [(np.setdiff1d(everything, fold), fold) for fold in held_out], way


def _fit_class(
    label: str, codes: NDArray[np.int8], truth: Truth, folds: Sequence[Fold], settings: Sequence[Setting]
) -> tuple[Class, dict[str, Any]]:
    """Choose, calibrate and fit every machine, then set the threshold of the mean; figures by rule."""
    machines, held_out, figures = {}, {}, {}
    squares = {name: _squares(codes[:, columns([name])]) for name in BLOCKS}
    for name, blocks in MACHINES.items():
        apart, width = np.sum([squares[block] for block in blocks], axis=0), columns(blocks).size
        tried = {setting: _held_out(apart, width, truth, folds, setting) for setting in settings}
        best = max(tried, key=lambda setting: average_precision(tried[setting], truth))
        held_out[name] = tried[best]
        # None: the machine has learnt nothing, and its sign is all there is.
        probability = fit_sigmoid(truth, held_out[name]) or Sigmoid(-1.0, 0.0)
        machines[name] = _machine(apart, width, truth, best, probability)
        figures[name] = {**_figures(truth, held_out[name], len(folds)), "setting": best._asdict()}
    chance = np.mean([machines[name].probability(held_out[name]) for name in RULES["mean"]], axis=0)
    either = np.max([held_out[name] for name in RULES["or"]], axis=0)
    threshold = best_threshold(truth, chance)
    figures["or"] = _figures(truth, either, len(folds))
    figures["mean"] = {**_figures(truth, chance - threshold, len(folds)), "threshold": threshold}
    return Class(label, machines, threshold), figures


def _squares(codes: NDArray[np.int8]) -> Floats:
    """The squared distances of all images from one another: from whole numbers, exact in float32."""
    x = codes.astype(np.float32)
    norms = (x**2).sum(axis=1)
    whole = norms[:, None] + norms - 2 * (x @ x.T)
    squares: Floats = whole.astype(np.float64) * UNIT**2
    return squares


def _held_out(apart: Floats, width: int, truth: Truth, folds: Sequence[Fold], setting: Setting) -> Floats:
    """The decision on every image by a machine that has not seen its fold."""
    decisions = np.zeros(truth.size)
    kernel = _kernel(apart, width, setting)
    for train, test in folds:
        svc = _svc(kernel[np.ix_(train, train)], truth[train], setting)
        decisions[test] = svc.decision_function(kernel[np.ix_(test, train)])
    return decisions


def _kernel(apart: Floats, width: int, setting: Setting) -> Floats:
    """exp(-γ·|x − y|²): computed once for all folds, where a machine by itself would do it for each."""
    kernel: Floats = np.exp(-setting.gamma / width * apart)
    return kernel


def _svc(kernel: Floats, truth: Truth, setting: Setting) -> Any:
    from sklearn.svm import SVC

    weight = "balanced" if setting.balanced else None
    return SVC(C=setting.c, kernel="precomputed", class_weight=weight).fit(kernel, truth)


def _machine(apart: Floats, width: int, truth: Truth, setting: Setting, probability: Sigmoid) -> Machine:
    """Fit on everything and keep what numpy needs."""
    svc = _svc(_kernel(apart, width, setting), truth, setting)
    return Machine(
        rows=svc.support_.astype(np.int32),
        coefficients=svc.dual_coef_[0].astype(np.float64),
        gamma=setting.gamma / width,
        bias=float(svc.intercept_[0]),
        probability=probability,
    )


def _shared(classes: Sequence[Class]) -> tuple[list[Class], NDArray[np.intp]]:
    """Number the support vectors of all machines anew, over those that any of them uses."""
    used = np.unique(np.concatenate([machine.rows for c in classes for machine in c.machines.values()]))

    def renumbered(machine: Machine) -> Machine:
        return replace(machine, rows=np.searchsorted(used, machine.rows).astype(np.int32))

    return [
        replace(c, machines={name: renumbered(machine) for name, machine in c.machines.items()})
        for c in classes
    ], used


def _figures(truth: Truth, decision: Floats, folds: int) -> dict[str, Any]:
    plain: dict[str, Any] = to_builtins(figures_of(truth, decision, folds=folds))
    return plain


def average_precision(scores: Floats, truth: Truth) -> float:
    """Mean precision at the rank of every positive.

    >>> average_precision(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])).__round__(3)
    0.833
    """
    ranked = truth[np.argsort(-scores, kind="stable")]
    return float((ranked.cumsum() / np.arange(1, ranked.size + 1))[ranked].mean())


def best_threshold(truth: Truth, chance: Floats) -> float:
    """The threshold of the best F1: the middle of all that reach it within a hundredth.

    One best value follows single images; the middle of a plateau does not.

    >>> best_threshold(np.array([False, False, True, True]), np.array([0.1, 0.205, 0.8, 0.9]))
    0.505
    """
    steps = np.arange(1, 100) / 100
    f1 = np.array([figures_of(truth, chance, folds=0, boundary=step).f1 for step in steps])
    return round(float(np.median(steps[f1 >= f1.max() - 0.01])), 3)


def _files(folder: Path) -> Iterator[Path]:
    """The visible files of a folder."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder. Name a folder with example images.")
    return (file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith("."))


def _read(file: Path) -> Pixels | Refusal:
    """The pixels of a file, or why it has none."""
    try:
        if file.stat().st_size > MAX_BYTES:
            return Refusal(Reason.TOO_LARGE, f"over {MAX_BYTES // 1_000_000} MB")
        return read_image(file.read_bytes())
    except OSError as error:
        return Refusal(Reason.NOT_AN_IMAGE, error.strerror or "it cannot be opened")


def _some(skipped: Sequence[tuple[str, str]]) -> str:
    """The first skipped files, in brackets."""
    if not skipped:
        return ""
    named = "; ".join(f"{Path(file).name}: {why}" for file, why in skipped[:3])
    return f" ({len(skipped)} skipped, such as {named})"

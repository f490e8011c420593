"""Measure image classification on owners that were held out, with ../shared/data/heatmaps-dev.

Everything that is fitted, settings and thresholds too, is fitted without the held-out owners.

Command line: python -m research.images.measure [shipped] [forms]
    shipped: the table by descriptors, of the figures that the shipped model keeps (`research.images.heatmap_model` measured them)
    forms: the table of images in other forms
Expected time: a second; seven minutes of CPU.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from lycosa.learn.training.validation import figures_of
from lycosa.methods.multimedia.image_training import (
    SETTINGS,
    Examples,
    Fold,
    Setting,
    Truth,
    fit_images,
    read_examples,
    source_of,
)
from lycosa.methods.multimedia.images.descriptors import Singles
from lycosa.methods.multimedia.images.margins import views_of
from lycosa.methods.multimedia.images.model import RULES, ImageModel, describe
from lycosa.page.images.pictures import LONGEST
from research.measured import NOTEBOOKS, ROOT, commit_of, number, table, write_part

PAGE = NOTEBOOKS / "multimedia.md"
DESCRIPTORS = {
    "eh": "Edge Histogram (EH)",
    "sc": "Scalable Color (SC)",
    "ht": "Homogeneous Texture (HT)",
    "sc-eh-ht": "SC-EH-HT",
    "or": "EH or SC-EH-HT (the paper's rule)",
    "mean": "mean of three machines, with our own painting features (default)",
}
SHARED_HEATMAPS = Path("../shared/data/heatmaps-dev")


class RuleScore(NamedTuple):
    """Means over the draws of folds, the standard error of F1, and its 5 % and 95 % quantiles for other sets of owners."""

    rule: str
    accuracy: float
    precision: float
    recall: float
    f1: float
    f1_se: float
    f1_low: float
    f1_high: float


def read_heatmaps(folder: Path = SHARED_HEATMAPS) -> Examples:
    """Descriptors of the labelled images; file names tell the owners."""
    return read_examples({"heatmap": folder / "heatmap", "other": folder / "other"})


def measure(
    examples: Examples, *, seeds: Sequence[int] = (0, 1, 2), settings: Sequence[Setting] = SETTINGS
) -> list[RuleScore]:
    """Figures of every rule on held-out owners, once for each draw of the folds."""
    truth = np.array(examples.labels) == "heatmap"
    drawn: dict[str, list[tuple[float, ...]]] = {rule: [] for rule in RULES}
    for seed in seeds:
        for rule, score in held_out_scores(examples, seed=seed, settings=settings).items():
            figures = figures_of(truth, score, folds=0, boundary=0.5)
            others = resampled_f1(truth, score >= 0.5, examples.sources)
            drawn[rule].append((figures.accuracy, figures.precision, figures.recall, figures.f1, *others))
    return [_summary(rule, np.array(rows)) for rule, rows in drawn.items()]


def held_out_scores(
    examples: Examples, *, seed: int = 0, settings: Sequence[Setting] = SETTINGS
) -> dict[str, NDArray[np.float64]]:
    """Score of each image by each rule of a model fitted without its owner."""
    truth = np.array(examples.labels) == "heatmap"
    scores = {rule: np.zeros(truth.size) for rule in RULES}
    for train, test in _drawn_folds(examples, truth, seed):
        model = fit_images(_part(examples, train.tolist()), rest="other", settings=settings, seed=seed)
        for rule in RULES:
            scores[rule][test] = model.with_rule(rule).scores(examples.features[test])[:, 0]
    return scores


def resampled_f1(
    truth: Truth, shown: Truth, sources: Sequence[str], times: int = 1000
) -> tuple[float, float]:
    """The 5 % and 95 % quantiles of F1 over as many owners drawn with replacement: what another set may show.

    >>> resampled_f1(np.array([True, False]), np.array([True, False]), ["a", "a"], times=9)
    (1.0, 1.0)
    """
    _, owner = np.unique(np.array(sources), return_inverse=True)
    right, sought, found = (
        np.bincount(owner, weights=part.astype(float)) for part in (truth & shown, truth, shown)
    )
    drawn = np.random.default_rng(0).integers(right.size, size=(times, right.size))
    f1 = 2 * right[drawn].sum(axis=1) / np.maximum(sought[drawn].sum(axis=1) + found[drawn].sum(axis=1), 1)
    low, high = np.quantile(f1, (0.05, 0.95)).tolist()
    return low, high


class Steadiness(NamedTuple):
    """Decisions on the same pictures in another form."""

    form: str
    f1: float
    flipped: float  # share of the images whose class changes


FORMS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "as they are": lambda image: image,
    "JPEG of quality 50": lambda image: saved(image, "JPEG", quality=50),
    "JPEG of quality 20": lambda image: saved(image, "JPEG", quality=20),
    "PNG of 64 colours": lambda image: saved(image.quantize(64), "PNG"),
    "half as large": lambda image: scaled(image, 0.5),
    "a third as large": lambda image: scaled(image, 1 / 3),
    "twice as large": lambda image: scaled(image, 2),
    "margins cut off": lambda image: image.crop(
        (image.width // 10, image.height // 10, image.width * 9 // 10, image.height * 9 // 10)
    ),
    "in the midst of white": lambda image: framed(image),
}
"""Forms in which other sites, browsers and services deliver the same picture."""


def saved(image: Image.Image, form: str, **options: int) -> Image.Image:
    """Encode and decode an image."""
    file = io.BytesIO()
    image.save(file, form, **options)
    with Image.open(file) as read:
        return read.convert("RGB")


def scaled(image: Image.Image, factor: float) -> Image.Image:
    """Scale an image."""
    size = max(1, round(image.width * factor)), max(1, round(image.height * factor))
    return image.resize(size, Image.Resampling.LANCZOS)


def framed(image: Image.Image) -> Image.Image:
    """Add white margins: half the size again on each axis."""
    paper = Image.new("RGB", (image.width * 3 // 2, image.height * 3 // 2), "white")
    paper.paste(image, (image.width // 4, image.height // 4))
    return paper


def steadiness(
    folder: Path = SHARED_HEATMAPS,
    *,
    forms: Sequence[str] = tuple(FORMS),
    settings: Sequence[Setting] = (Setting(3.0, 1.0, True),),
    seed: int = 0,
) -> list[Steadiness]:
    """F1 of the default rule on held-out owners for other forms of the test images. The first form is the reference."""
    files = [file for name in ("heatmap", "other") for file in sorted((folder / name).iterdir())]
    labels = tuple(file.parent.name for file in files)
    plain = _described(files, FORMS[forms[0]])
    examples = Examples(plain, labels, tuple(source_of(file.name) for file in files), ())
    truth = np.array(labels) == "heatmap"
    fitted = [
        (fit_images(_part(examples, train.tolist()), rest="other", settings=settings), test)
        for train, test in _drawn_folds(examples, truth, seed)
    ]

    def shown(form: str) -> Truth:
        views = _views(files, FORMS[form])
        features, image = np.array([view for _, view in views]), np.array([number for number, _ in views])
        answer = np.zeros(truth.size, bool)
        for model, test in fitted:
            asked = np.isin(image, test)
            hits = model.scores(features[asked])[:, 0] >= 0.5
            answer[image[asked][hits]] = True
        return answer

    rows, first = [], shown(forms[0])
    for form in forms:
        now = first if form == forms[0] else shown(form)
        f1 = figures_of(truth, now.astype(float), folds=0, boundary=0.5).f1
        rows.append(Steadiness(form, f1, float((now != first).mean())))
    return rows


def _described(files: Sequence[Path], form: Callable[[Image.Image], Image.Image]) -> Singles:
    """Feature vectors for training, of files in another form."""
    return np.array([describe(pixels) for pixels in _changed(files, form)])


def _views(
    files: Sequence[Path], form: Callable[[Image.Image], Image.Image]
) -> list[tuple[int, NDArray[np.float32]]]:
    """Feature vectors for judging: each view of a file, with the file's number."""
    changed = enumerate(_changed(files, form))
    return [(number, describe(view)) for number, pixels in changed for view in views_of(pixels)]


def _changed(
    files: Sequence[Path], form: Callable[[Image.Image], Image.Image]
) -> Iterator[NDArray[np.uint8]]:
    for file in files:
        with Image.open(file) as image:
            changed = form(image.convert("RGB"))
        changed.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)
        yield np.array(changed)


def _drawn_folds(examples: Examples, truth: Truth, seed: int) -> list[Fold]:
    """Five random folds of whole owners. The training's own folds, largest owners first, hardly vary."""
    from sklearn.model_selection import StratifiedGroupKFold

    folds = StratifiedGroupKFold(5, shuffle=True, random_state=seed)
    return list(folds.split(truth, truth, np.array(examples.sources)))


def _part(examples: Examples, rows: Sequence[int]) -> Examples:
    return Examples(
        examples.features[list(rows)],
        tuple(examples.labels[i] for i in rows),
        tuple(examples.sources[i] for i in rows),
        (),
    )


def _summary(rule: str, rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> RuleScore:
    error = float(rows[:, 3].std(ddof=1)) / len(rows) ** 0.5 if len(rows) > 1 else 0.0
    accuracy, precision, recall, f1, low, high = rows.mean(axis=0).tolist()
    return RuleScore(rule, accuracy, precision, recall, f1, error, low, high)


def told_rules(figures: Mapping[str, Mapping[str, float]]) -> str:
    """The table by descriptors, from the figures in a model."""
    names = ("accuracy", "precision", "recall", "f1")
    rows = [[words, *(number(figures[rule][name]) for name in names)] for rule, words in DESCRIPTORS.items()]
    low, high = (number(figures["mean"][name]) for name in ("f1_low", "f1_high"))
    return (
        table(["descriptors", "accuracy", "precision", "recall", "F1"], rows)
        + "\n\nWhich owners are asked matters: drawn anew with repetition, the default's F1 is between "
        f"{low} and {high} in 9 of 10 draws."
    )


def told_forms(rows: Sequence[Steadiness], commit: str) -> str:
    """The table of images in other forms.

    >>> print(told_forms([Steadiness("as they are", 0.9, 0.0), Steadiness("small", 0.8, 0.1)], "abc").splitlines()[3])
    | small | .800 | 10.0 % |
    """
    cells = [
        [row.form, number(row.f1), f"{100 * row.flipped:.1f} %" if at else ""] for at, row in enumerate(rows)
    ]
    return f"{table(['the test images', 'F1', 'decisions that differ'], cells)}\n\nMeasured at {commit}."


def main(parts: Sequence[str]) -> None:
    """Run the named parts, or all."""
    if not parts or "shipped" in parts:
        write_part(PAGE, "descriptors", told_rules(ImageModel.builtin().about["measured"]["heatmap"]))
    if not parts or "forms" in parts:
        commit = commit_of(ROOT)
        write_part(PAGE, "forms", told_forms(steadiness(), commit))


if __name__ == "__main__":
    main(sys.argv[1:])

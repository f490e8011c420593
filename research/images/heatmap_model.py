"""Train the shipped heatmap model from ../shared/data/heatmaps-dev.

The model records where it comes from and its accuracy on unseen owners. The same images give the same file.

Command line: python -m research.images.heatmap_model [FOLDER [MODEL]]
Expected time: over seven minutes on one busy core.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa.methods.multimedia import images
from lycosa.methods.multimedia.image_training import SETTINGS, Examples, Setting, fit_images
from lycosa.methods.multimedia.images import ImageModel
from lycosa.values import Say
from research.images.measure import SHARED_HEATMAPS, RuleScore, measure, read_heatmaps

SHIPPED = Path(images.__file__).parent / "heatmap.model"
DRAWS = (0, 1, 2)


def make_model(
    examples: Examples,
    *,
    draws: Sequence[int] = DRAWS,
    settings: Sequence[Setting] = SETTINGS,
    say: Say = print,
) -> ImageModel:
    """Fit on all images, measure on held-out owners, and store both in the model."""
    say(f"Fitting on {len(examples.labels):,} images …")
    model = fit_images(examples, rest="other", settings=settings, provenance=_provenance(examples))
    say(f"Measuring on held-out owners, {len(draws)} times five folds …")
    rows = measure(examples, seeds=draws, settings=settings)
    measured = {
        "how": "whole repository owners held out, settings and thresholds fitted without them, "
        f"{len(draws)} draws of 5 folds (research.images.measure)",
        "heatmap": {row.rule: _figures(row) for row in rows},
    }
    return msgspec.structs.replace(model, about={**model.about, "measured": measured})


def _provenance(examples: Examples) -> str:
    counts = Counter(examples.labels)
    return (
        f"Fitted by research.images.heatmap_model on the developers' set heatmaps-dev: {len(examples.labels):,} images "
        f"({counts['heatmap']:,} graded maps, {counts['other']:,} others) of {len(set(examples.sources))} owners of "
        "public GitHub repositories, longer side at most 400 pixels, one labeller. Only the fitted model is shipped, "
        "no image."
    )


def _figures(row: RuleScore) -> dict[str, Any]:
    return {name: round(value, 3) for name, value in row._asdict().items() if name != "rule"}


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED_HEATMAPS
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else SHIPPED
    make_model(read_heatmaps(folder)).save(target)
    print(f"Wrote {target}")

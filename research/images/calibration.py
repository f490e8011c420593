"""Whether the scores of the heatmap model are chances. In: ../shared/data/heatmaps-dev. Out: a table of docs/strategies/multimedia.md.

Each image is scored by a model that was fitted, calibrated and given its threshold without the image's owner.

Command line: python -m research.images.calibration [FOLDER]
Expected time: two minutes of CPU, most of them for describing the images.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lycosa.lab import metrics
from lycosa.methods.multimedia.image_training import Setting
from research.images.measure import SHARED_HEATMAPS, held_out_scores, read_heatmaps
from research.measured import ROOT, commit_of, number, table, write_part

PAGE = ROOT / "docs" / "strategies" / "multimedia.md"
QUICK = (Setting(3.0, 1.0, True),)
"""The setting that is shipped: choosing it anew in every fold takes ten times as long."""


def told(scores: Sequence[float], shown: Sequence[bool]) -> str:
    """Brier score, calibration error and a line for each tenth of the scores.

    >>> print(told([0.1, 0.9, 0.9], [False, True, True]).splitlines()[0])
    Brier score .010, calibration error .100, 3 images.
    """
    tenths = metrics.reliability(scores, shown)
    rows = [
        [
            f".{tenth} to {'1' if tenth == 9 else f'.{tenth + 1}'}",
            str(one.pages),
            number(one.score),
            number(one.relevant),
        ]
        for tenth, one in enumerate(tenths)
        if one
    ]
    brier, error = metrics.brier_score(scores, shown), metrics.calibration_error(scores, shown)
    head = f"Brier score {number(brier)}, calibration error {number(error)}, {len(shown)} images."
    return f"{head}\n\n{table(['scores', 'images', 'mean score', 'heatmaps among them'], rows)}"


def main(folder: Path) -> None:
    """Measure, and write the table."""
    examples = read_heatmaps(folder)
    scores = held_out_scores(examples, settings=QUICK)["mean"].tolist()
    found = (
        f"{told(scores, [label == 'heatmap' for label in examples.labels])}\n\nMeasured at {commit_of(ROOT)}."
    )
    write_part(PAGE, "calibration", found)
    print(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED_HEATMAPS)

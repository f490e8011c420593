"""Settings sweeps: how the area under the coverage curve depends on a value.

For each number with three or more values, report the mean area at each and the best value, with a plot.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa_lab.grids.grid import by_variant
from lycosa_lab.metrics import Mean, mean_and_error
from lycosa_lab.plots import COLOURS, figure_library, save
from lycosa_lab.runs.run import Run

MIN_VALUES = 3


class Sweep(NamedTuple):
    """One setting over its values, all else alike; `others` are further settings of that grid."""

    setting: str
    others: str
    areas: dict[float, Mean]

    @property
    def best(self) -> float:
        """The value with the largest mean area; of equals the largest."""
        return max(self.areas, key=lambda value: (self.areas[value].mean, value))

    def told(self) -> str:
        """What was found, in a line."""
        name, area = f"{self.setting} {self.others}".strip(), self.areas[self.best]
        return f"{name}: largest AUC {area.mean:.4f} ± {area.se:.4f} at {self.best:g}"


def sweeps(runs: Sequence[Run]) -> list[Sweep]:
    """Every setting with numbers of which at least three were run."""
    found: dict[tuple[str, str], dict[float, Mean]] = {}
    for name, group in by_variant(runs).items():
        settings = group[0].settings
        for key, value in settings.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                others = " ".join(f"{other}={of}" for other, of in settings.items() if other != key)
                place = (f"{name.partition(' ')[0]}.{key}", others)
                found.setdefault(place, {})[value] = mean_and_error([run.auc for run in group])
    return [
        Sweep(setting, others, dict(sorted(areas.items())))
        for (setting, others), areas in found.items()
        if len(areas) >= MIN_VALUES
    ]


def plot_sweeps(found: Sequence[Sweep], path: Path) -> list[Path]:
    """The areas against the values, a picture for each setting: PATH-STRATEGY-KEY.png and .svg."""
    written = []
    for setting in dict.fromkeys(sweep.setting for sweep in found):
        plt = figure_library()
        figure, axes = plt.subplots(figsize=(6.5, 4.2))
        for number, sweep in enumerate(one for one in found if one.setting == setting):
            colour, at = COLOURS[number % len(COLOURS)], list(sweep.areas)
            means = [area.mean for area in sweep.areas.values()]
            errors = [area.se for area in sweep.areas.values()]
            axes.errorbar(
                at, means, errors, marker="o", markersize=4, capsize=2, color=colour, label=sweep.others
            )
            axes.plot([sweep.best], [sweep.areas[sweep.best].mean], "o", color=colour, markersize=9)
        axes.set(xlabel=setting, ylabel="area under the coverage curve")
        if sum(one.setting == setting for one in found) > 1:
            axes.legend(frameon=False, fontsize=8)
        written += save(figure, path.with_name(f"{path.stem}-{file_name(setting)}.png"))
    return written


def file_name(setting: str) -> str:
    """A setting as a part of a file's name, on any system; a strategy of one's own goes without its folders.

    >>> file_name("genre.w_r"), file_name("ideas/short_paths.py:ShortPaths.fading")
    ('genre-w_r', 'short_paths-py-ShortPaths-fading')
    """
    return re.sub(r"[^\w-]", "-", setting.rpartition("/")[2])

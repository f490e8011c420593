"""Figures 10-17 of Zhang and Nasraoui: a panel for each topic of a sharing site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lycosa_lab.papers.output import panels
from lycosa_lab.papers.profile.crawls import ProfileRun
from lycosa_lab.plots import COLOURS

Measure = Callable[[ProfileRun, Sequence[int]], list[float]]
"""Of a run, after each of these numbers of pages."""


def _harvest(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return [run.harvest(pages) for pages in at]


def _capture(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return [run.capture(pages) for pages in at]


def _blocks(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return run.blocks(at[0])[: len(at)] if at else []


class Row(NamedTuple):
    """What a row of panels shows, of which runs."""

    axis: str
    measure: Measure
    shown: tuple[str, ...]


HARVEST, CAPTURE = "Harvest over detail pages", "Capture ratio"
STRANGERS = ("profile", "profile, strangers = 1", "profile, strangers = 0")
FEW = ("profile", "profile, strangers = 0", "opic", "breadth-first")
PARTS = ("profile", "profile, inner only", "profile, inter only", "profile, as in the paper")
FIGURES = {
    "figures-10-11-harvest-breadth-first": (
        Row(HARVEST, _harvest, ("profile", "profile, as in the paper", "breadth-first")),
    ),
    "figures-12-13-harvest-opic": (Row(HARVEST, _harvest, (*STRANGERS, "opic")),),
    "figures-14-15-capture": (Row(CAPTURE, _capture, (*STRANGERS, "opic", "breadth-first")),),
    "figures-16-17-robustness": (
        Row("Harvest of each block", _blocks, ("profile", "opic", "breadth-first")),
    ),
    "ablation": (Row(HARVEST, _harvest, PARTS),),
    "profile": (Row(HARVEST, _harvest, FEW), Row(CAPTURE, _capture, FEW)),
}


def draw_figures(runs: Sequence[ProfileRun], step: int, out: Path) -> None:
    """All figures; `profile` has harvest and capture together."""
    topics = list(dict.fromkeys(run.topic for run in runs))
    for name, rows in FIGURES.items():
        with panels(out / name, len(rows), len(topics), (3.6, 3.2), sharex=True, sharey="row") as grid:
            for axes_of_row, row in zip(grid, rows, strict=True):
                for axes, topic in zip(axes_of_row, topics, strict=True):
                    _draw(axes, [run for run in runs if run.topic == topic], step, row)
                axes_of_row[0].set_ylabel(row.axis)
            for axes, topic in zip(grid[0], topics, strict=True):
                axes.set_title(topic)
            for axes in grid[-1]:
                axes.set_xlabel("Pages fetched")
            grid[0][-1].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1))


def _draw(axes: Any, runs: Sequence[ProfileRun], step: int, row: Row) -> None:
    for number, run in enumerate(runs):
        if run.name in row.shown:
            at = list(range(step, len(run.types) + 1, step))
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(at, row.measure(run, at), label=run.name, color=colour, marker="o", ms=3)
    axes.set_ylim(0, 1.02)

"""Figures 10-17 of Zhang and Nasraoui. In: crawls of a sharing site. Out: PNG and SVG, a panel for each topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lycosa_lab.papers.profile.crawls import ProfileRun
from lycosa_lab.plots import COLOURS, figure_library, save

Measure = Callable[[ProfileRun, Sequence[int]], list[float]]
"""Of a run, after each of these numbers of pages."""


def _harvest(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return [run.harvest(pages) for pages in at]


def _capture(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return [run.capture(pages) for pages in at]


def _blocks(run: ProfileRun, at: Sequence[int]) -> list[float]:
    return run.blocks(at[0])[: len(at)] if at else []


_FIGURES: tuple[tuple[str, str, str, Measure, tuple[str, ...]], ...] = (
    (
        "figures-10-11-harvest-breadth-first",
        "Harvest over detail pages",
        "The profile crawler and breadth-first",
        _harvest,
        ("profile", "profile, as in the paper", "breadth-first"),
    ),
    (
        "figures-12-13-harvest-opic",
        "Harvest over detail pages",
        "The profile crawler and OPIC",
        _harvest,
        ("profile", "profile, strangers = 1", "profile, strangers = 0", "opic"),
    ),
    (
        "figures-14-15-capture",
        "Capture ratio",
        "Detail pages / pages fetched",
        _capture,
        ("profile", "profile, strangers = 1", "profile, strangers = 0", "opic", "breadth-first"),
    ),
    (
        "figures-16-17-robustness",
        "Harvest of each block",
        "Blocks of pages, one after the other",
        _blocks,
        ("profile", "opic", "breadth-first"),
    ),
    (
        "ablation",
        "Harvest over detail pages",
        "What each part of the rank is worth",
        _harvest,
        ("profile", "profile, inner only", "profile, inter only", "profile, as in the paper"),
    ),
)


def draw_figures(runs: Sequence[ProfileRun], step: int, out: Path) -> list[Path]:
    """All figures, and one with harvest and capture of all topics together."""
    written = []
    for name, axis, title, measure, shown in _FIGURES:
        figure, panels = _panels(runs, 1)
        for panel, topic in zip(panels[0], _topics(runs), strict=True):
            _draw(panel, runs, topic, step, measure, shown)
            panel.set_title(topic)
        panels[0][0].set_ylabel(axis)
        _finish(figure, panels, title)
        written += save(figure, out / name)
    return written + _overview(runs, step, out)


def _overview(runs: Sequence[ProfileRun], step: int, out: Path) -> list[Path]:
    figure, panels = _panels(runs, 2)
    shown = ("profile", "profile, strangers = 0", "opic", "breadth-first")
    axes = ("Harvest over detail pages", "Capture ratio")
    for row, measure, axis in zip(panels, (_harvest, _capture), axes, strict=True):
        for panel, topic in zip(row, _topics(runs), strict=True):
            _draw(panel, runs, topic, step, measure, shown)
        row[0].set_ylabel(axis)
    for panel, topic in zip(panels[0], _topics(runs), strict=True):
        panel.set_title(topic)
    _finish(figure, panels, "")
    return save(figure, out / "profile")


def _topics(runs: Sequence[ProfileRun]) -> list[str]:
    return list(dict.fromkeys(run.topic for run in runs))


def _panels(runs: Sequence[ProfileRun], rows: int) -> Any:
    topics = len(_topics(runs))
    figure, panels = figure_library().subplots(
        rows, topics, figsize=(1 + 3.4 * topics, 0.8 + 2.9 * rows), sharex=True, sharey="row", squeeze=False
    )
    return figure, panels


def _draw(
    panel: Any, runs: Sequence[ProfileRun], topic: str, step: int, measure: Measure, shown: Sequence[str]
) -> None:
    names = list(dict.fromkeys(run.name for run in runs))
    for run in runs:
        if run.topic == topic and run.name in shown:
            at = list(range(step, len(run.types) + 1, step))
            colour = COLOURS[names.index(run.name) % len(COLOURS)]
            panel.plot(at, measure(run, at), label=run.name, color=colour, marker="o", ms=3)
    panel.set_ylim(0, 1.02)


def _finish(figure: Any, panels: Any, title: str) -> None:
    for panel in panels[-1]:
        panel.set_xlabel("Pages fetched")
    lines, names = panels[0][0].get_legend_handles_labels()
    figure.legend(lines, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncol=len(names), frameon=False)
    if title:
        figure.suptitle(title)
    figure.tight_layout()

"""Curves with standard errors over topics, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.errors import InputError
from lycosa.report.design import LIGHT
from lycosa.values import Floats
from lycosa_lab import metrics
from lycosa_lab.grids.grid import by_variant
from lycosa_lab.runs.run import Run

COLOURS = (
    LIGHT["accent"], LIGHT["warm"], "#5b4b9a", "#8a8f00", "#a0325c", "#2f6fb0", "#6b6b6b", "#c29000", "#3d8f4e", "#1d1d1f",
    "#e07b91", "#7fb2d9",
)  # fmt: skip
NEUTRAL, PALE = "#8a8a8a", "#c9c9c9"
"""Colours of comparisons: lines that are no series, and areas."""
"""Of lines and areas, for whoever draws with this module."""
ORACLES = {"oracle": "--", "look-ahead": ":"}
"""How the lines of the lab's upper bounds are drawn."""


def figure_library() -> Any:
    """matplotlib's pyplot, without a display."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise InputError("Plots need matplotlib. Install it with: pip install 'lycosa[lab]'") from None
    mpl.use("Agg")
    mpl.rcParams.update(
        {
            "font.size": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "svg.hashsalt": "lycosa",
        }
    )
    import matplotlib.pyplot as plt

    return plt


def save(figure: Any, path: Path) -> list[Path]:
    """Write a figure as PNG and SVG beside each other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for ending in (".png", ".svg"):
        target = path.with_suffix(ending)
        figure.savefig(
            target, dpi=130, bbox_inches="tight", metadata={"Date": None} if ending == ".svg" else None
        )
        written.append(target)
    figure_library().close(figure)
    return written


def harvest_over_pages(run: Run, pages: int) -> Floats:
    """Harvest ratio after each page; a run that ended early brings nothing more, so that its ratio falls."""
    return _padded(run, pages) / np.arange(1, pages + 1)


def recall_over_pages(run: Run, pages: int) -> Floats:
    """Target recall after each page."""
    return _padded(run, pages) / max(1, run.targets)


def _padded(run: Run, pages: int) -> Floats:
    curve = np.array(run.curve[:pages] or [0], dtype=float)
    return np.concatenate([curve, np.full(pages - len(curve), curve[-1])])


def plot_curves(runs: Sequence[Run], pages: int, path: Path) -> list[Path]:
    """Harvest ratio and target recall against pages fetched, with bands of ± one standard error over topics."""
    plt = figure_library()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    draw_curves(left, runs, pages, harvest_over_pages, "harvest ratio")
    draw_curves(right, runs, pages, recall_over_pages, "target recall")
    right.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return save(figure, path)


def plot_webs(found: Mapping[str, tuple[Sequence[Run], int]], path: Path) -> list[Path]:
    """Target recall against pages fetched on several webs beside each other, a strategy in one colour everywhere."""
    plt = figure_library()
    names = list(dict.fromkeys(run.strategy for runs, _ in found.values() for run in runs))
    names = [name for name in names if name not in ORACLES]
    colours = dict(zip(names, line_colours(len(names)), strict=True))
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.6 * rows), squeeze=False)
    panels = list(grid.flat)
    for axes, (title, (runs, pages)) in zip(panels, found.items(), strict=False):
        draw_curves(axes, runs, pages, recall_over_pages, "target recall", colours)
        axes.set_title(title, loc="left", fontsize=10)
    lines = {
        text: line for axes in panels for line, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    for axes in panels[len(found) :]:
        axes.axis("off")
    beside = panels[len(found)] if len(found) < len(panels) else figure
    beside.legend(lines.values(), lines.keys(), frameon=False, fontsize=9, loc="center", ncols=2)
    figure.tight_layout()
    return save(figure, path)


MAX_DRAWN = 6


MUCH_TALLER = 10
"""A column is cut and labelled if it is this many times as tall as the next: the others would be invisible."""


def plot_scores(runs: Sequence[Run], path: Path) -> list[Path]:
    """What became of the scores of pages: a reliability diagram and a histogram for each strategy (the first six).

    Points of calibrated scores lie on the diagonal; their areas are as the pages that they stand for.
    """
    plt = figure_library()
    grouped = dict(list(by_variant(runs).items())[:MAX_DRAWN])
    figure, rows = plt.subplots(len(grouped), 2, figsize=(10, 4.0 * len(grouped)), squeeze=False)
    for (name, group), (left, right) in zip(grouped.items(), rows, strict=True):
        scores = np.array([score for run in group for score in run.scores])
        relevant = np.array([found for run in group for found in run.relevant], dtype=bool)
        draw_reliability(left, metrics.reliability(scores.tolist(), relevant.tolist()))
        draw_histogram(right, scores, relevant, [run.threshold for run in group if run.threshold is not None])
        left.set_title(name, loc="left", fontsize=10)
    rows[0][1].legend(frameon=False, fontsize=8, loc="upper right")
    figure.tight_layout()
    return save(figure, path)


def draw_reliability(axes: Any, bins: Sequence[metrics.Bin | None]) -> None:
    """The share of relevant pages against the mean score, bin by bin."""
    filled = [bin_ for bin_ in bins if bin_]
    pages = np.array([bin_.pages for bin_ in filled])
    at, share = [bin_.score for bin_ in filled], [bin_.relevant for bin_ in filled]
    axes.plot([0, 1], [0, 1], "--", color=NEUTRAL, linewidth=1)
    axes.plot(at, share, "-", color=COLOURS[0], linewidth=1.2)
    axes.scatter(at, share, s=12 + 300 * pages / max(1, pages.sum()), color=COLOURS[0], zorder=3)
    axes.set(xlabel="score of a page", ylabel="share that is relevant", xlim=(0, 1), ylim=(0, 1.02))
    axes.set_aspect("equal", adjustable="box")


def draw_histogram(axes: Any, scores: Floats, relevant: Any, thresholds: Sequence[float]) -> None:
    """Relevant and other pages by their score, and from which score on they are kept (a band over several runs)."""
    edges = np.linspace(0, 1, 26)
    clipped = np.clip(scores, 0, 1)
    parts, labels = [clipped[relevant], clipped[~relevant]], ["relevant", "not relevant"]
    axes.hist(parts, edges, stacked=True, color=[COLOURS[0], PALE], label=labels)
    if thresholds:
        axes.axvspan(min(thresholds), max(thresholds), color=COLOURS[1], alpha=0.15, linewidth=0)
        middle = float(np.median(thresholds))
        axes.axvline(middle, color=COLOURS[1], linewidth=1.4, label=f"threshold {middle:.2f}")
    axes.set(xlabel="score of a page", ylabel="pages", xlim=(0, 1))
    counts = np.histogram(clipped, edges)[0]
    second, tallest = np.sort(counts)[-2:]
    if second and tallest > MUCH_TALLER * second:
        axes.set_ylim(0, 1.3 * second)
        at = edges[int(counts.argmax())] + 0.06
        axes.annotate(f"← {tallest:,} pages (cut)", (at, 0.97), xycoords=("data", "axes fraction"), va="top")


def line_colours(lines: int) -> list[Any]:
    """A colour for each line: ours, or for the many lines of a sweep a scale from dark to light."""
    if lines <= len(COLOURS):
        return list(COLOURS[:lines])
    return list(figure_library().get_cmap("viridis")(np.linspace(0, 0.92, lines)))


def going_on(lengths: Sequence[int], pages: int) -> tuple[int, int]:
    """Up to which page all runs go on, and up to which some do: nothing is drawn where none does.

    >>> going_on([300, 120, 80], 200)
    (80, 200)
    >>> going_on([0, 0], 200)
    (1, 1)
    """
    return max(1, min(pages, *lengths)), max(1, min(pages, max(lengths)))


def draw_curves(
    axes: Any,
    runs: Sequence[Run],
    pages: int,
    measure: Callable[[Run, int], Floats],
    title: str,
    colours: Mapping[str, Any] | None = None,
) -> None:
    """One line a strategy, in the colour that is given for it or in one of ours; oracles are dashed and grey.

    It is dotted where some of its runs have run dry, and ends where all have.
    """
    at = np.arange(1, pages + 1)
    grouped = by_variant(runs)
    colours = colours or dict(zip(grouped, line_colours(len(grouped)), strict=True))
    for name, group in grouped.items():
        topics = dict.fromkeys(run.topic for run in group)
        values = np.array(
            [
                np.mean([measure(run, pages) for run in group if run.topic == topic], axis=0)
                for topic in topics
            ]
        )
        mean = values.mean(axis=0)
        error = values.std(axis=0, ddof=1) / np.sqrt(len(topics)) if len(topics) > 1 else np.zeros(pages)
        colour, style = (NEUTRAL, ORACLES[name]) if name in ORACLES else (colours[name], "-")
        lengths = [len(run.curve) if run.ran_dry else pages for run in group]
        all_go_on, some_do = going_on(lengths, pages)
        axes.plot(at[:all_go_on], mean[:all_go_on], style, color=colour, linewidth=1.6, label=name)
        axes.fill_between(
            at[:some_do], (mean - error)[:some_do], (mean + error)[:some_do], color=colour, alpha=0.12, linewidth=0
        )  # fmt: skip
        if all_go_on < pages:
            from_there = slice(max(0, all_go_on - 1), some_do)
            axes.plot(at[from_there], mean[from_there], ":", color=colour, linewidth=1.2)
            axes.plot(at[some_do - 1], mean[some_do - 1], "|", color=colour, markersize=9)
    axes.set_xlabel("pages fetched")
    axes.set_ylabel(title)
    axes.set_xlim(0, pages)
    axes.set_ylim(bottom=0)

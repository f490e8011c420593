"""Figures 5-9 of Tsikrika et al., drawn from what the crawls of demo webs collected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lycosa_lab.papers.multimedia.crawls import RELEVANCE, CrawlsBySetting, Value, f1, mean_pages, precision
from lycosa_lab.papers.multimedia.trials import tenths
from lycosa_lab.papers.output import legend, panels
from lycosa_lab.plots import COLOURS

EXPLORATIONS = {"text": "f'_E", "visual": "f''_E", "both": "f'''_E"}
SIZE = (4.2, 3.4)


class Panel(NamedTuple):
    """A figure of settings over t1. `lines`: the setting's name, with {} for t1, by label; `level`: a dashed line."""

    title: str
    value: Value
    lines: Mapping[str, str]
    level: float | None = None


def draw_figures(found: CrawlsBySetting, out: Path) -> None:
    """All of them, as PNG and SVG."""
    by_relevance = {name: precision(found, least) for name, least in RELEVANCE.items()}
    rules = {"f'": "f' {}", "f_S, t2 = 0": "fS {} 0.0", "f'''": "f''' {}"}
    pages = [Panel(f"pages, {title}", mean_pages(found), _depths(name)) for title, name in rules.items()]
    _draw(found, out / "figure-5-pages", [pages])
    by_depth = [
        [
            Panel(f"{title}, {name}", value_of(found, least), _depths("f' {}"))
            for name, least in RELEVANCE.items()
        ]
        for title, value_of in {"precision": precision, "F1": f1}.items()
    ]
    _draw(found, out / "figure-6-text-only-by-depth", by_depth)
    _exclusive(found, out / "figure-7-exclusive-pages")
    explored = [
        [
            Panel(
                f"{title}, {name} precision",
                value,
                _explored(rule),
                max(value(f"f' {t1}") for t1 in tenths()),
            )
            for rule, title in EXPLORATIONS.items()
        ]
        for name, value in by_relevance.items()
    ]
    _draw(found, out / "figure-8-exploration", explored)
    either = [
        [
            Panel(
                f"{title}, {name} precision",
                value,
                {f"t2 = {t2}": f"fS {{}} {t2}{rule}" for t2 in tenths(3, 8)},
            )
            for rule, title in {
                "": "f_S alone",
                **{f" {key} 0.2": of for key, of in EXPLORATIONS.items()},
            }.items()
        ]
        for name, value in by_relevance.items()
    ]
    _draw(found, out / "figure-9-either-with-exploration", either)
    beyond = {
        "f'": "f' {}",
        "f_S, t2 = 0": "fS {} 0.0",
        "f_S, t2 = 0.3": "fS {} 0.3",
        "f_S, t2 = 0, fade = 5": "fS {} 0.0 fade 5.0",
        "f_S, t2 = 0, target = 0.7": "fS {} 0.0 target 0.7",
        "f_S, t2 = 0, parent = 0.5": "fS {} 0.0 parent 0.5",
        "f', parent = 0.5": "f' {} parent 0.5",
    }
    _draw(
        found,
        out / "beyond",
        [[Panel(f"{name} precision", value, beyond) for name, value in by_relevance.items()]],
    )


def exclusive(found: CrawlsBySetting, number: int, depth: int, least: int) -> float:
    """Relevant pages crawled by f' at t1 = number / 10 and at no higher one, of a depth: mean of the webs."""
    counts = []
    for web, here in enumerate(found[f"f' {number / 10}"]):
        above = [found[f"f' {other / 10}"][web].pages for other in range(number + 1, 10)]
        counts.append(
            sum(
                grade >= least and at == depth and not any(url in pages for pages in above)
                for url, (grade, at) in here.pages.items()
            )
        )
    return float(np.mean(counts))


def _depths(name: str) -> dict[str, str]:
    return {f"depth {depth}": name if depth == 3 else f"{name} depth {depth}" for depth in (1, 2, 3)}


def _explored(rule: str) -> dict[str, str]:
    """f' with an exploration rule at several t3; f''_E has none."""
    with_it = {f"t3 = {t3}": f"f' {{}} {rule} {t3}" for t3 in (0.1, 0.2, 0.3, 0.5, 0.7)}
    return {"no exploration": "f' {}", **({"with it": "f' {} visual 0.1"} if rule == "visual" else with_it)}


def _draw(found: CrawlsBySetting, path: Path, rows: Sequence[Sequence[Panel]]) -> None:
    """Rows of panels over t1; settings that were not crawled leave gaps."""
    with panels(path, len(rows), len(rows[0]), SIZE, sharex=True, sharey="row") as grid:
        for axes_of_row, row in zip(grid, rows, strict=True):
            for axes, panel in zip(axes_of_row, row, strict=True):
                for colour, (label, name) in zip(COLOURS, panel.lines.items(), strict=False):
                    points = [
                        (t1, panel.value(name.format(t1))) for t1 in tenths() if name.format(t1) in found
                    ]
                    if points:
                        axes.plot(
                            *zip(*points, strict=True), marker="o", markersize=3, color=colour, label=label
                        )
                if panel.level is not None:
                    axes.axhline(panel.level, color="#6b6b6b", linestyle="--", linewidth=1, label="best f'")
                axes.set_title(panel.title, fontsize=10)
            legend(axes_of_row[-1], beside=True)
        for axes in grid[-1]:
            axes.set_xlabel("t1")


def _exclusive(found: CrawlsBySetting, path: Path) -> None:
    with panels(path, 1, 2, SIZE, sharey="row") as (row,):
        for axes, (relevance, least) in zip(row, RELEVANCE.items(), strict=True):
            bottom = np.zeros(9)
            for depth in (1, 2, 3):
                counts = np.array([exclusive(found, number, depth, least) for number in range(1, 10)])
                axes.bar(
                    range(1, 10), counts, bottom=bottom, color=COLOURS[depth - 1], label=f"depth {depth}"
                )
                bottom += counts
            axes.set_xticks(range(1, 10), [str(t1) for t1 in tenths()])
            axes.set_xlabel("t1")
            axes.set_title(f"relevant pages only at this t1, {relevance}", fontsize=10)
        legend(row[-1], beside=True)

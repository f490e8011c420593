"""Figures 5-9 of Tsikrika et al., drawn from what the crawls of demo webs collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lycosa_lab.papers.multimedia.crawls import RELEVANCE, CrawlsBySetting, Value, f1, mean_pages, precision
from lycosa_lab.papers.multimedia.trials import tenths
from lycosa_lab.plots import COLOURS, figure_library, save

EXPLORATIONS = {"text": "f'_E", "visual": "f''_E", "both": "f'''_E"}


def draw_figures(found: CrawlsBySetting, out: Path) -> None:
    """All of them, as PNG and SVG."""
    _pages(found, out / "figure-5-pages")
    _by_depth(found, out / "figure-6-text-only-by-depth")
    _exclusive(found, out / "figure-7-exclusive-pages")
    _explored(found, out / "figure-8-exploration")
    _both(found, out / "figure-9-either-with-exploration")
    _beyond(found, out / "beyond")


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


def _panels(rows: int, columns: int) -> tuple[Any, Any]:
    plt = figure_library()
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.2 * columns, 3.4 * rows), squeeze=False, sharex=True, sharey="row"
    )
    figure.subplots_adjust(wspace=0.08, hspace=0.12)
    return figure, axes


def _lines(axes: Any, lines: Mapping[str, Callable[[float], float | None]], over: Iterable[float]) -> None:
    over = list(over)
    for colour, (label, value) in zip(COLOURS, lines.items(), strict=False):
        points = [(x, y) for x in over if (y := value(x)) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=label)


def _if_there(found: CrawlsBySetting, value: Value, name: str) -> Callable[[float], float | None]:
    return lambda t1: value(name.format(t1)) if name.format(t1) in found else None


def _legend(axes: Any) -> None:
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))


def _pages(found: CrawlsBySetting, path: Path) -> None:
    figure, axes = _panels(1, 3)
    rules = {"f'": "f' {}", "f_S, t2 = 0": "fS {} 0.0", "f'''": "f''' {}"}
    for panel, (title, name) in zip(axes[0], rules.items(), strict=True):
        lines = {
            f"depth {depth}": _if_there(
                found, mean_pages(found), name if depth == 3 else f"{name} depth {depth}"
            )
            for depth in (1, 2, 3)
        }
        _lines(panel, lines, tenths())
        panel.set_title(title)
        panel.set_xlabel("t1")
    axes[0][0].set_ylabel("pages collected")
    _legend(axes[0][-1])
    save(figure, path)


def _by_depth(found: CrawlsBySetting, path: Path) -> None:
    figure, axes = _panels(2, 2)
    for row, (title, value_of) in zip(axes, {"precision": precision, "F1": f1}.items(), strict=True):
        for panel, (relevance, least) in zip(row, RELEVANCE.items(), strict=True):
            value = value_of(found, least)
            lines = {
                f"depth {depth}": _if_there(found, value, "f' {}" if depth == 3 else f"f' {{}} depth {depth}")
                for depth in (1, 2, 3)
            }
            _lines(panel, lines, tenths())
            panel.set_title(f"{title}, {relevance}", fontsize=10)
    for panel in axes[-1]:
        panel.set_xlabel("t1")
    _legend(axes[0][-1])
    save(figure, path)


def _exclusive(found: CrawlsBySetting, path: Path) -> None:
    figure, axes = _panels(1, 2)
    for panel, (relevance, least) in zip(axes[0], RELEVANCE.items(), strict=True):
        bottom = np.zeros(9)
        for depth in (1, 2, 3):
            counts = np.array([exclusive(found, number, depth, least) for number in range(1, 10)])
            panel.bar(range(1, 10), counts, bottom=bottom, color=COLOURS[depth - 1], label=f"depth {depth}")
            bottom += counts
        panel.set_xticks(range(1, 10), [str(t1) for t1 in tenths()])
        panel.set_xlabel("t1")
        panel.set_title(f"relevant pages only at this t1, {relevance}", fontsize=10)
    _legend(axes[0][-1])
    save(figure, path)


def _explored(found: CrawlsBySetting, path: Path) -> None:
    """f' with each exploration rule; the dashed line is the best f' without."""
    figure, axes = _panels(2, 3)
    for row, (relevance, least) in zip(axes, RELEVANCE.items(), strict=True):
        value = precision(found, least)
        best = max(value(f"f' {t1}") for t1 in tenths())
        for panel, (rule, title) in zip(row, EXPLORATIONS.items(), strict=True):
            lines = {"no exploration": _if_there(found, value, "f' {}")}
            for t3 in [0.1] if rule == "visual" else [0.1, 0.2, 0.3, 0.5, 0.7]:
                label = "with it" if rule == "visual" else f"t3 = {t3}"
                lines[label] = _if_there(found, value, f"f' {{}} {rule} {t3}")
            _lines(panel, lines, tenths())
            panel.axhline(best, color="#6b6b6b", linestyle="--", linewidth=1, label="its best")
            panel.set_title(f"{title}, {relevance} precision", fontsize=10)
        _legend(row[-1])
    for panel in axes[-1]:
        panel.set_xlabel("t1")
    save(figure, path)


def _both(found: CrawlsBySetting, path: Path) -> None:
    """f_S with each exploration rule, t3 = 0.2, and without, by t2."""
    figure, axes = _panels(2, 4)
    names = {"": "f_S alone", **EXPLORATIONS}
    for row, (relevance, least) in zip(axes, RELEVANCE.items(), strict=True):
        value = precision(found, least)
        for panel, (rule, title) in zip(row, names.items(), strict=True):
            ending = f" {rule} 0.2" if rule else ""
            lines = {f"t2 = {t2}": _if_there(found, value, f"fS {{}} {t2}{ending}") for t2 in tenths(3, 8)}
            _lines(panel, lines, tenths(4))
            panel.set_title(f"{title}, {relevance} precision", fontsize=10)
        _legend(row[-1])
    for panel in axes[-1]:
        panel.set_xlabel("t1")
    save(figure, path)


def _beyond(found: CrawlsBySetting, path: Path) -> None:
    """The settings beyond the paper beside f' and f_S, by t1."""
    figure, axes = _panels(1, 2)
    names = {
        "f'": "f' {}",
        "f_S, t2 = 0": "fS {} 0.0",
        "f_S, t2 = 0.3": "fS {} 0.3",
        "f_S, t2 = 0, fade = 5": "fS {} 0.0 fade 5.0",
        "f_S, t2 = 0, target = 0.7": "fS {} 0.0 target 0.7",
        "f_S, t2 = 0, parent = 0.5": "fS {} 0.0 parent 0.5",
        "f', parent = 0.5": "f' {} parent 0.5",
    }
    for panel, (relevance, least) in zip(axes[0], RELEVANCE.items(), strict=True):
        value = precision(found, least)
        _lines(panel, {label: _if_there(found, value, name) for label, name in names.items()}, tenths())
        panel.set_title(f"{relevance} precision", fontsize=10)
        panel.set_xlabel("t1")
    _legend(axes[0][-1])
    save(figure, path)

"""Write the tables and figures of a paper."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lycosa_lab.plots import figure_library, save


def write_table(path: Path, head: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


@contextmanager
def panels(
    path: Path, rows: int = 1, columns: int = 1, size: tuple[float, float] = (6.5, 4.5), **more: Any
) -> Iterator[Any]:
    """An array of panels to draw in, each of this size, saved as PNG and SVG when the block ends."""
    width, height = size
    figure, grid = figure_library().subplots(
        rows, columns, figsize=(width * columns, height * rows), squeeze=False, **more
    )
    yield grid
    figure.tight_layout()
    save(figure, path)


@contextmanager
def panel(path: Path, size: tuple[float, float] = (6.5, 4.5)) -> Iterator[Any]:
    """One panel, with a legend, saved when the block ends."""
    with panels(path, size=size) as grid:
        yield grid[0][0]
        legend(grid[0][0])


def legend(axes: Any, *, beside: bool = False) -> None:
    """A small legend without a frame, inside or next to the panel."""
    place = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5)} if beside else {}
    axes.legend(frameon=False, fontsize=8, **place)

"""Line charts as SVG text. In: points. Out: a drawing that takes its colours from the page, light or dark.

Drawn by hand: matplotlib is an extra, takes a second to load, and writes its colours into the drawing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 14, 54

Points = Sequence[tuple[float, float]]


def ticks(end: float, *, whole: bool = True) -> list[float]:
    """Four to six even steps from 0 on, by 1, 2 or 5 times a power of ten, the last not below `end`.

    `whole`: what is counted has no halves.

    >>> ticks(650), ticks(7), ticks(1)
    ([0.0, 200.0, 400.0, 600.0, 800.0], [0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0])
    >>> ticks(0.7, whole=False)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    end = max(end, 1.0 if whole else 1e-9)
    power = 10.0 ** math.floor(math.log10(end / 4)) if end > 0 else 1.0
    step = next(power * times for times in (1, 2, 5, 10) if end / (power * times) <= 5)
    if whole:
        step = max(1.0, step)
    steps = math.ceil(round(end / step, 9))
    return [float(f"{step * number:.12g}") for number in range(steps + 1)]


def line_chart(lines: dict[str, Points], x_title: str, y_title: str, *, y_max: float | None = None) -> Markup:
    """Lines over a common x axis, the first drawn strongest; a legend where there are several."""
    points = [point for line in lines.values() for point in line]
    if not points:
        return Markup("")
    x_end = max(x for x, _ in points) or 1.0
    top = y_max or max(y for _, y in points) or 1.0
    up = ticks(top, whole=y_max is None and top > 1 and all(y == int(y) for _, y in points))
    y_end = y_max or up[-1]

    def place(x: float, y: float) -> str:
        across = LEFT + x / x_end * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - min(y, y_end) / y_end * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    parts = [_grid(x_end, up, x_title, y_title)]
    for number, (name, line) in enumerate(lines.items()):
        path = " ".join(place(x, y) for x, y in line)
        parts.append(
            Markup('<polyline class="line line{}" points="{}"><title>{}</title></polyline>').format(
                number % 6, path, name
            )
        )
        if len(lines) > 1:
            parts.append(
                Markup('<text class="legend legend{}" x="{}" y="{}">{}</text>').format(
                    number % 6, LEFT + 12, TOP + 14 + 16 * number, name
                )
            )
    label = escape(f"{y_title} over {x_title}")
    body = Markup("").join(parts)
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        WIDTH, HEIGHT, label, body
    )


def _grid(x_end: float, up: Sequence[float], x_title: str, y_title: str) -> Markup:
    parts = []
    for value in up:
        y = HEIGHT - BOTTOM - value / up[-1] * (HEIGHT - TOP - BOTTOM)
        parts.append(
            Markup(
                '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
                '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:,g}</text>'
            ).format(LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, value)
        )
    for value in (value for value in ticks(x_end) if value <= x_end):
        x = LEFT + value / x_end * (WIDTH - LEFT - RIGHT)
        anchor = "middle" if x < WIDTH - RIGHT - 20 else "end"
        parts.append(
            Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{:,g}</text>').format(
                x, HEIGHT - BOTTOM + 20, anchor, value
            )
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        Markup('<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            middle, HEIGHT - 7, x_title
        )
    )
    parts.append(
        Markup(
            '<text class="axis" transform="translate(15 {}) rotate(-90)" text-anchor="middle">{}</text>'
        ).format((HEIGHT - BOTTOM + TOP) / 2, y_title)
    )
    return Markup("").join(parts)

"""Line charts as SVG text. In: points. Out: a drawing that takes its colours from the page, light or dark.

Drawn by hand: matplotlib is an extra, takes a second to load, and writes its colours into the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 14, 50

Points = Sequence[tuple[float, float]]


def nice_ceiling(value: float) -> float:
    """The smallest of 1, 2, 2.5 or 5 times a power of ten that is not below the value.

    >>> [nice_ceiling(v) for v in (0.7, 3, 21, 260)]
    [1.0, 5.0, 25.0, 500.0]
    """
    power = 1.0
    while power < value:
        power *= 10
    while power / 10 >= value > 0:
        power /= 10
    # Not ten tenths of the power: rounding can leave them below a value that the power reaches.
    return next((power / 10 * step for step in (1, 2, 2.5, 5) if power / 10 * step >= value), power)


def line_chart(lines: dict[str, Points], x_title: str, y_title: str, *, y_max: float | None = None) -> Markup:
    """Lines over a common x axis, the first drawn strongest; a legend where there are several."""
    points = [point for line in lines.values() for point in line]
    if not points:
        return Markup("")
    x_end = max(x for x, _ in points) or 1.0
    y_end = y_max or nice_ceiling(max(y for _, y in points) or 1.0)

    def place(x: float, y: float) -> str:
        across = LEFT + x / x_end * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - min(y, y_end) / y_end * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    parts = [_grid(x_end, y_end, x_title, y_title)]
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


def _grid(x_end: float, y_end: float, x_title: str, y_title: str) -> Markup:
    parts = []
    for quarter in range(5):
        y = HEIGHT - BOTTOM - quarter / 4 * (HEIGHT - TOP - BOTTOM)
        x = LEFT + quarter / 4 * (WIDTH - LEFT - RIGHT)
        parts.append(
            Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, y, y
            )
        )
        parts.append(
            Markup('<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:g}</text>').format(
                LEFT - 8, y + 4, y_end * quarter / 4
            )
        )
        anchor = ("start", "middle", "middle", "middle", "end")[quarter]
        parts.append(
            Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{:,.0f}</text>').format(
                x, HEIGHT - BOTTOM + 20, anchor, x_end * quarter / 4
            )
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        Markup('<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>').format(
            middle, HEIGHT - 4, x_title
        )
    )
    parts.append(
        Markup(
            '<text class="axis" transform="translate(15 {}) rotate(-90)" text-anchor="middle">{}</text>'
        ).format((HEIGHT - BOTTOM + TOP) / 2, y_title)
    )
    return Markup("").join(parts)

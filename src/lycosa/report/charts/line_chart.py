"""Draw lines over a common x axis."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from lycosa.report.charts.svg import NOTHING, drawing, grid, text, ticks, turned_text

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 14, 54

Points = Sequence[tuple[float, float]]


def line_chart(lines: dict[str, Points], x_title: str, y_title: str, *, y_max: float | None = None) -> Markup:
    """Draw lines, the first strongest, with a legend if there are several."""
    points = [point for line in lines.values() for point in line]
    if not points:
        return NOTHING
    x_end = max(x for x, _ in points) or 1.0
    top = y_max or max(y for _, y in points) or 1.0
    up = ticks(top, whole=y_max is None and top > 1 and all(y == int(y) for _, y in points))
    y_end = y_max or up[-1]
    right, floor = WIDTH - RIGHT, HEIGHT - BOTTOM

    def place(x: float, y: float) -> str:
        down = floor - min(y, y_end) / y_end * (floor - TOP)
        return f"{LEFT + x / x_end * (right - LEFT):.1f},{down:.1f}"

    parts = [grid(up, (LEFT, right), (TOP, floor))]
    for value in (value for value in ticks(x_end) if value <= x_end):
        x = LEFT + value / x_end * (right - LEFT)
        parts.append(text(x, floor + 20, f"{value:,g}", "middle" if x < right - 20 else "end"))
    parts.append(text((LEFT + right) / 2, HEIGHT - 7, x_title, kind="axis"))
    parts.append(turned_text(15, (floor + TOP) / 2, -90, y_title))
    for number, (name, line) in enumerate(lines.items()):
        path = " ".join(place(x, y) for x, y in line)
        polyline = Markup('<polyline class="line line{}" points="{}"><title>{}</title></polyline>')
        parts.append(polyline.format(number % 6, path, name))
        if len(lines) > 1:
            parts.append(text(LEFT + 12, TOP + 14 + 16 * number, name, "start", f"legend legend{number % 6}"))
    return drawing("chart", (WIDTH, HEIGHT), f"{y_title} over {x_title}", parts)

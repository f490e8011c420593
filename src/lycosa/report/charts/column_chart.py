"""Draw counts as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from lycosa.report.charts.svg import NOTHING, drawing, grid, linked, text, ticks, turned_text

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 12, 26
TURNED = 94
"""Room for turned names below the columns."""


def column_chart(
    periods: Sequence[tuple[str, int]],
    title: str,
    link: Callable[[str], str] | None = None,
    *,
    height: int = 220,
    turned: bool = False,
) -> Markup:
    """Draw one column a period. `link` returns the address of a column; `turned` names up to 40 columns, not ten."""
    if not periods:
        return NOTHING
    scale = ticks(max(count for _, count in periods))
    step, floor = (WIDTH - LEFT - RIGHT) / len(periods), height - (TURNED if turned else BOTTOM)
    wide = min(40.0, max(0.8, step * 0.82))
    columns = []
    for at, (name, count) in enumerate(periods):
        tall = count / scale[-1] * (floor - TOP)
        column = Markup(
            '<rect class="column" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}: {:,}</title></rect>'
        ).format(LEFT + (at + 0.5) * step - wide / 2, floor - tall, wide, tall, name, count)
        columns.append(linked(column, link(name), f"{name}: {count:,} pages") if link and count else column)
    every = max(1, -(-len(periods) * (17 if turned else 76) // (WIDTH - LEFT - RIGHT)))
    middles = [(LEFT + (at + 0.5) * step, name) for at, (name, _) in enumerate(periods)][::every]
    if turned:
        names = [turned_text(x + 3, floor + 12, -60, name[:24], "end", "tick") for x, name in middles]
    else:
        names = [text(x, height - 8, name) for x, name in middles if x < WIDTH - 30]
    parts = [grid(scale, (LEFT, WIDTH - RIGHT), (TOP, floor)), *columns, *names]
    return drawing("chart columns", (WIDTH, height), title, parts, links=link is not None)

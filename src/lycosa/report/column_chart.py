"""Counts over time as columns. In: periods with counts. Out: SVG text that follows the page's colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from lycosa.report.line_chart import ticks

WIDTH = 720
LEFT, RIGHT, TOP, BOTTOM = 40, 8, 12, 26


def column_chart(
    periods: Sequence[tuple[str, int]],
    title: str,
    link: Callable[[str], str] | None = None,
    *,
    height: int = 220,
) -> Markup:
    """One column a period; `link` gives the address behind one that is not empty."""
    if not periods:
        return Markup("")
    scale = ticks(max(count for _, count in periods))
    top = scale[-1]
    step = (WIDTH - LEFT - RIGHT) / len(periods)
    floor = height - BOTTOM
    wide = min(40.0, max(0.8, step * 0.82))
    columns = []
    for at, (name, count) in enumerate(periods):
        tall = count / top * (floor - TOP)
        column = Markup(
            '<rect class="column" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}: {:,}</title></rect>'
        ).format(LEFT + (at + 0.5) * step - wide / 2, floor - tall, wide, tall, name, count)
        if link and count:
            column = Markup('<a href="{}" aria-label="{}: {:,} pages">{}</a>').format(
                link(name), name, count, column
            )
        columns.append(column)
    return Markup(
        '<svg class="chart columns" viewBox="0 0 {} {}" role="{}" aria-label="{}">{}{}{}</svg>'
    ).format(
        WIDTH,
        height,
        "group" if link else "img",  # links inside of an image are hidden from who cannot see it
        title,
        _scale(scale, floor),
        Markup("").join(columns),
        _names(periods, step, height),
    )


def _scale(scale: Sequence[float], floor: int) -> Markup:
    parts = []
    for value in scale:
        y = floor - value / scale[-1] * (floor - TOP)
        parts.append(
            Markup(
                '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
                '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:,g}</text>'
            ).format(LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, value)
        )
    return Markup("").join(parts)


def _names(periods: Sequence[tuple[str, int]], step: float, height: int) -> Markup:
    """Names of periods under the middle of their columns, as many as have room."""
    every = max(1, -(-len(periods) * 76 // (WIDTH - LEFT - RIGHT)))
    middles = [LEFT + (at + 0.5) * step for at in range(len(periods))]
    return Markup("").join(
        Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            x, height - 8, name
        )
        for at, (x, (name, _)) in enumerate(zip(middles, periods, strict=True))
        if at % every == 0 and x < WIDTH - 30
    )

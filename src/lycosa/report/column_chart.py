"""Counts over time as columns. In: periods with counts. Out: SVG text that follows the page's colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from lycosa.report.line_chart import nice_ceiling

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
    top = max(2.0, nice_ceiling(max(count for _, count in periods)))  # half of it is a count too
    step = (WIDTH - LEFT - RIGHT) / len(periods)
    floor = height - BOTTOM
    columns = []
    for at, (name, count) in enumerate(periods):
        tall = count / top * (floor - TOP)
        column = Markup(
            '<rect class="column" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"><title>{}: {:,}</title></rect>'
        ).format(LEFT + at * step, floor - tall, min(40.0, max(0.8, step * 0.82)), tall, name, count)
        if link and count:
            column = Markup('<a href="{}" aria-label="{}: {:,} pages">{}</a>').format(
                link(name), name, count, column
            )
        columns.append(column)
    return Markup(
        '<svg class="chart columns" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>'
    ).format(
        WIDTH, height, title, _scale(top, floor), Markup("").join(columns), _names(periods, step, height)
    )


def _scale(top: float, floor: int) -> Markup:
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = floor - share * (floor - TOP)
        parts.append(
            Markup(
                '<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
                '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:g}</text>'
            ).format(LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, top * share)
        )
    return Markup("").join(parts)


def _names(periods: Sequence[tuple[str, int]], step: float, height: int) -> Markup:
    """Names of periods under the axis, as many as have room."""
    every = max(1, -(-len(periods) * 76 // (WIDTH - LEFT - RIGHT)))
    return Markup("").join(
        Markup('<text class="tick" x="{:.1f}" y="{}">{}</text>').format(LEFT + at * step, height - 8, name)
        for at, (name, _) in enumerate(periods)
        if at % every == 0 and LEFT + at * step < WIDTH - 60
    )

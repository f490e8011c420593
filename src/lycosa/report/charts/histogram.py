"""Draw the distribution of scores, with the threshold from which pages are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from lycosa.report.charts.svg import NOTHING, drawing, linked, text

WIDTH, HEIGHT = 360, 110
BOTTOM, TOP = 18, 10


def score_histogram(
    bins: Sequence[tuple[int, int]], threshold: float, link: Callable[[float, float], str] | None = None
) -> Markup:
    """Draw kept and other pages in bins of scores from 0 to 1. `link` returns the address of a bin."""
    highest = max((kept + other for kept, other in bins), default=0)
    if not highest:
        return NOTHING
    step, floor = WIDTH / len(bins), HEIGHT - BOTTOM
    parts = []
    for at, (kept, other) in enumerate(bins):
        low, high = at / len(bins), (at + 1) / len(bins)
        up = (kept + other) / highest * (floor - TOP)
        grey = other / highest * (floor - TOP)
        words = f"score {low:.2f} to {high:.2f}: {kept:,} kept, {other:,} not"
        bar = Markup(
            '<rect class="column other" x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{3:.1f}"/>'
            '<rect class="column" x="{0:.1f}" y="{4:.1f}" width="{2:.1f}" height="{5:.1f}"/>'
            '<rect class="touch" x="{0:.1f}" y="0" width="{2:.1f}" height="{6}"><title>{7}</title></rect>'
        ).format(at * step + 1, floor - grey, step - 2, grey, floor - up, up - grey, floor, words)
        parts.append(linked(bar, link(low, high), words) if link and kept + other else bar)
    x = min(1.0, max(0.0, threshold)) * WIDTH
    parts.append(
        Markup(
            '<line class="threshold" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"><title>kept from {2:.2f} on</title></line>'
        ).format(x, floor, threshold)
    )
    side, anchor = (4, "start") if x < WIDTH / 2 else (-4, "end")
    parts.append(text(x + side, 9, f"kept from {threshold:.2f}", anchor))
    ends = ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
    parts += [text(value * WIDTH, HEIGHT - 4, f"{value:g}", anchor) for value, anchor in ends]
    return drawing("chart histogram", (WIDTH, HEIGHT), "Scores of pages", parts, links=link is not None)

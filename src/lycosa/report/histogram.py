"""How scores are spread, and from which one on pages are kept. In: counts by bin. Out: SVG text that follows the page's colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

WIDTH, HEIGHT = 360, 110
BOTTOM, TOP = 18, 10


def score_histogram(
    bins: Sequence[tuple[int, int]], threshold: float, link: Callable[[float, float], str] | None = None
) -> Markup:
    """Kept pages and others, bin by bin over scores from 0 to 1, and the threshold as a line; `link` leads to a bin's pages."""
    highest = max((kept + other for kept, other in bins), default=0)
    if not highest:
        return Markup("")
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
        if link and kept + other:
            bar = Markup('<a href="{}" aria-label="{}">{}</a>').format(link(low, high), words, bar)
        parts.append(bar)
    x = min(1.0, max(0.0, threshold)) * WIDTH
    parts.append(
        Markup(
            '<line class="threshold" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"><title>kept from {2:.2f} on</title></line>'
            '<text class="tick" x="{3:.1f}" y="9" text-anchor="{4}">kept from {2:.2f}</text>'
        ).format(x, floor, threshold, x + (4 if x < WIDTH / 2 else -4), "start" if x < WIDTH / 2 else "end")
    )
    names = Markup("").join(
        Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="{}">{:g}</text>').format(
            value * WIDTH, HEIGHT - 4, anchor, value
        )
        for value, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
    )
    return Markup(
        '<svg class="chart histogram" viewBox="0 0 {} {}" role="{}" aria-label="Scores of pages">{}{}</svg>'
    ).format(WIDTH, HEIGHT, "group" if link else "img", Markup("").join(parts), names)

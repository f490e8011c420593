"""The parts that all charts share: the drawing, texts, ticks and the grid. Colours come from the page's style."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

NOTHING = Markup("")


def drawing(
    kind: str, size: tuple[int, int], label: str, parts: Iterable[Markup], *, links: bool = False
) -> Markup:
    """Return an SVG of these parts. With `links` it is a group, because readers of an image cannot reach its links."""
    return Markup('<svg class="{}" viewBox="0 0 {} {}" role="{}" aria-label="{}">{}</svg>').format(
        kind, *size, "group" if links else "img", label, NOTHING.join(parts)
    )


def text(x: float, y: float, words: str, anchor: str = "middle", kind: str = "tick") -> Markup:
    """Return a line of text."""
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        kind, x, y, anchor, words
    )


def turned_text(
    x: float, y: float, angle: int, words: str, anchor: str = "middle", kind: str = "axis"
) -> Markup:
    """Return a line of text that is rotated around its anchor."""
    return Markup(
        '<text class="{}" transform="translate({:.1f} {:.1f}) rotate({})" text-anchor="{}">{}</text>'
    ).format(kind, x, y, angle, anchor, words)


def linked(part: Markup, address: str, label: str) -> Markup:
    """Return a part that leads to an address."""
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(address, label, part)


def grid(scale: Sequence[float], across: tuple[float, float], down: tuple[float, float]) -> Markup:
    """Return a horizontal line with its number for each value of a scale, from the bottom to the top of `down`."""
    parts = []
    for value in scale:
        y = down[1] - value / scale[-1] * (down[1] - down[0])
        line = Markup('<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>').format(*across, y)
        parts += [line, text(across[0] - 6, y + 4, f"{value:,g}", "end")]
    return NOTHING.join(parts)


def ticks(end: float, *, whole: bool = True) -> list[float]:
    """Return four to six even steps from 0 on, by 1, 2 or 5 times a power of ten, the last not below `end`.

    `whole`: steps of at least 1, for counts.

    >>> ticks(650), ticks(7), ticks(1)
    ([0.0, 200.0, 400.0, 600.0, 800.0], [0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0])
    >>> ticks(0.7, whole=False)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    end = max(end, 1.0 if whole else 1e-9)
    power = 10.0 ** math.floor(math.log10(end / 4))
    step = next(power * times for times in (1, 2, 5, 10) if end / (power * times) <= 5)
    if whole:
        step = max(1.0, step)
    steps = math.ceil(round(end / step, 9))
    return [float(f"{step * number:.12g}") for number in range(steps + 1)]

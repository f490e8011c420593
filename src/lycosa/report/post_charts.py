"""Bar charts as SVG files of their own: no library, nothing to load, light and dark by the viewer's wish."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from lycosa.engine.start.post_seeds import Finding
from lycosa.errors import InputError
from lycosa.report.design import variables
from lycosa.report.line_chart import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, ticks

HEAD = 26  # room for the title
LABELS = 40
"""With more bars than this, only some of them are labelled."""

_STYLE = variables() + (
    "text { font: 11px var(--sans); fill: var(--ink) } .title { font-size: 14px; font-weight: 600 } "
    ".grid { stroke: var(--line) } .bar { fill: var(--accent) } .back { fill: var(--card) }"
)


def bar_chart(bars: Sequence[tuple[str, float]], title: str, y_title: str) -> str:
    """Named bars, from left to right, as a whole SVG document; each tells its value when pointed at."""
    scale = ticks(max((value for _, value in bars), default=1.0) or 1.0, whole=False)
    end = scale[-1]
    step = (WIDTH - LEFT - RIGHT) / max(1, len(bars))
    every = -(-len(bars) // LABELS) or 1
    low, high = HEIGHT - BOTTOM - 20, TOP + HEAD
    parts = [Markup('<text class="title" x="{}" y="20">{}</text>').format(LEFT, title)]
    for tick in scale:
        y = low - tick / end * (low - high)
        parts.append(
            Markup('<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>').format(
                LEFT, WIDTH - RIGHT, y
            )
        )
        parts.append(
            Markup('<text x="{}" y="{:.1f}" text-anchor="end">{:,g}</text>').format(LEFT - 6, y + 4, tick)
        )
    for at, (name, value) in enumerate(bars):
        x, tall = LEFT + at * step, value / end * (low - high)
        parts.append(
            Markup(
                '<rect class="bar" x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{:.1f}"><title>{}: {:,g}</title></rect>'
            ).format(x + step * 0.1, low - tall, step * 0.8, tall, name, value)
        )
        if at % every == 0:
            parts.append(
                Markup(
                    '<text transform="translate({:.1f} {:.1f}) rotate(-60)" text-anchor="end">{}</text>'
                ).format(x + step / 2 + 3, low + 12, name[:24])
            )
    parts.append(
        Markup('<text transform="translate(12 {}) rotate(-90)" text-anchor="middle">{}</text>').format(
            (low + high) / 2, y_title
        )
    )
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img"><style>{}</style>'
            '<rect class="back" width="100%" height="100%"/>{}</svg>\n'
        ).format(WIDTH, HEIGHT + 60, _STYLE, Markup("").join(parts))
    )


def write_plots(folder: Path, finding: Finding) -> list[Path]:
    """Figures 29 to 32 of the event paper: languages, posts by day (all, with URLs), URLs by source."""
    posts = finding.posts
    languages = [(code or "unknown", float(n)) for code, n in posts.by_language.most_common(50)]
    charts = {
        "languages.svg": bar_chart(languages, "Languages of the posts", "posts"),
        "days.svg": bar_chart(_by_day(posts.by_day), "Posts by day", "posts"),
        "days-with-urls.svg": bar_chart(_by_day(posts.by_day_with_urls), "Posts with URLs by day", "posts"),
        "sources.svg": bar_chart(
            [(source.source, float(source.urls)) for source in finding.sources], "URLs by source", "URLs"
        ),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, chart in charts.items():
            (folder / name).write_text(chart, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written ({error.strerror}). Choose another folder: --plots."
        ) from None
    return [folder / name for name in charts]


def _by_day(counts: Counter[datetime.date]) -> list[tuple[str, float]]:
    """At most the 366 busiest days, in order: one stray date must not stretch the axis over decades."""
    busiest = sorted(str(day) for day, _ in counts.most_common(366))
    by_name = {str(day): float(number) for day, number in counts.items()}
    return [(day, by_name[day]) for day in busiest]

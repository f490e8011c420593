"""Draw the figures of collected posts as SVG files: languages, posts by day, URLs by source."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from lycosa.engine.start.post_seeds import Finding
from lycosa.errors import InputError
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.svg import text
from lycosa.report.design import drawings, variables

_HEAD = Markup('<svg xmlns="http://www.w3.org/2000/svg"><style>{}svg {{ background: var(--card) }}</style>{}')


def chart_file(bars: Sequence[tuple[str, int]], title: str) -> str:
    """Return a column chart as a whole SVG document, with a visible title and its own colours."""
    chart = column_chart(bars or [("none", 0)], title, height=320, turned=True)
    style = Markup(variables() + drawings())  # noqa: S704 our own
    tag, _, rest = chart.partition(">")
    return str(_HEAD.format(style, text(40, 9, title, "start", "axis"))).replace("<svg", tag, 1) + rest + "\n"


def write_plots(folder: Path, finding: Finding) -> list[Path]:
    """Write figures 29 to 32 of the event paper: languages, posts by day (all, with URLs), URLs by source."""
    posts = finding.posts
    languages = [(code or "unknown", n) for code, n in posts.by_language.most_common(50)]
    charts = {
        "languages.svg": chart_file(languages, "Posts by language"),
        "days.svg": chart_file(_by_day(posts.by_day), "Posts by day"),
        "days-with-urls.svg": chart_file(_by_day(posts.by_day_with_urls), "Posts with URLs by day"),
        "sources.svg": chart_file([(one.source, one.urls) for one in finding.sources], "URLs by source"),
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


def _by_day(counts: Counter[datetime.date]) -> list[tuple[str, int]]:
    """Return at most the 366 busiest days, in order: one stray date must not stretch the axis over decades."""
    return sorted((str(day), count) for day, count in counts.most_common(366))

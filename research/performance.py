"""Measure what a crawl costs beside its peers, on a generated site and on archived webs.

With --urls the frontier is measured too, up to this many URLs. What is not asked for keeps its last figures.

Command line: python -m research.performance --pages 3000 --repeat 5 --peers PEERS/bin/python --web ../shared/webs/wikischools …
Expected time: an hour of CPU for all of it; with --pages 500 --repeat 1 a few minutes
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lycosa_lab.bench.crawled import archived_web
from lycosa_lab.bench.frontier import measure as measure_frontier
from lycosa_lab.bench.run import BASELINE, PEERS, measure
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, table, write_part

PAGE = NOTEBOOKS / "performance.md"
LABELS = {
    "deferred": "`best-first`, text index and near duplicates later",
    "everything": "`best-first`, everything on",
    "fused": "`fused`, everything on",
    "scrapy": "Scrapy",
    "crawlee": "Crawlee",
    "crawl4ai": "crawl4ai, without a browser",
}
STRATEGIES = ("fused",)


def crawls(figures: Mapping[str, Any]) -> str:
    """All crawls of one run: medians, and every round in brackets."""
    runs = figures["runs"]
    peers = [name for name in PEERS if name in runs]
    rows = []
    for name, run in runs.items():
        each = ", ".join(f"{cost:.1f}" for cost in run["cpu_ms_all"])
        ratios = [_ratio(run.get("ratios", {}).get(peer)) for peer in peers]
        above = f"{run['above_best_first_ms']:+.1f} ms" if "above_best_first_ms" in run else ""
        cost = f"{run['cpu_ms_per_page']:.1f} ({each})"
        rows.append([LABELS.get(name, name), cost, f"{run['peak_mb']:.0f}", *ratios, above])
    heads = [
        "crawl",
        "CPU ms a page",
        "peak MB",
        *(f"{LABELS[peer]} needs" for peer in peers),
        "above best-first",
    ]
    return table(heads, rows)


def _ratio(found: Sequence[float] | None) -> str:
    """The median of ratios, and each of them.

    >>> _ratio([2.0, 3.0, 2.5]), _ratio(None)
    ('2.50 × as much (2.00, 3.00, 2.50)', '')
    """
    if not found:
        return ""
    return f"{statistics.median(found):.2f} × as much ({', '.join(f'{ratio:.2f}' for ratio in found)})"


def stages(figures: Mapping[str, Any]) -> str:
    """CPU by stage, in one process."""
    columns: Mapping[str, Mapping[str, float]] = figures["stages_ms"]
    names = sorted(columns[BASELINE], key=lambda name: -columns[BASELINE][name])
    return table(
        ["stage, CPU ms a page", *(f"`{strategy}`" for strategy in columns)],
        [[name, *(f"{costs.get(name, 0.0):.2f}" for costs in columns.values())] for name in names],
    )


def about(pages: int, repeat: int) -> str:
    """How the figures were obtained."""
    day = time.strftime("%Y-%m-%d")
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    return f"Measured on {day} at {commit_of(ROOT)} ({machine}; {pages:,} pages, {repeat} rounds, in their order in brackets)."


def frontier(urls: int) -> str:
    """The frontier alone, by size."""
    rows = []
    for name, with_records in (("best-first", False), ("fused", True)):
        found: Any = measure_frontier(
            urls, max(1, urls // 100), at=(min(urls, 100_000),), with_records=with_records
        )
        rows += [
            [
                f"`{name}`",
                f"{size['urls']:,}",
                str(size["add_us_per_link"]),
                str(size["take_done_us_per_url"]),
                str(size["commit_us_per_page"]),
                str(found["disk_bytes_per_url"]),
                str(found["max_rss_mb"]),
            ]
            for size in found["sizes"]
        ]
    heads = ["strategy", "URLs", "adding a link, µs", "taking and ending one, µs", "commits, µs a page"]
    return table([*heads, "bytes a URL on disk", "peak MB so far"], rows)


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Measure what is asked for, and write it."""
    parser = arguments(__doc__)
    parser.add_argument("--pages", type=int, default=0, help="of the made site; 0: not measured")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--peers", default=sys.executable, help="a Python that has Scrapy, Crawlee or crawl4ai"
    )
    parser.add_argument(
        "--web", type=Path, action="append", default=[], help="an archived web; may be repeated"
    )
    parser.add_argument("--web-pages", type=int, default=1000)
    parser.add_argument("--urls", type=int, default=0, help="of the frontier; 0: not measured")
    asked = parser.parse_args()
    if asked.web:
        parts = [about(asked.web_pages, asked.repeat)]
        for folder in asked.web:
            crawled = archived_web(folder)
            figures = measure(
                asked.web_pages,
                asked.repeat,
                say,
                STRATEGIES,
                crawled,
                peers=asked.peers,
                with_stages=False,
            )
            parts += [f"**{folder.name}** ({crawled.name}):", crawls(figures)]
        write_part(PAGE, "webs", "\n\n".join(parts))
    if asked.pages:
        figures = measure(asked.pages, asked.repeat, say, STRATEGIES, peers=asked.peers)
        told = [about(asked.pages, asked.repeat), crawls(figures), "Where the time goes:", stages(figures)]
        write_part(PAGE, "crawls", "\n\n".join(told))
    if asked.urls:
        write_part(PAGE, "frontier", f"{about(0, 1).partition(';')[0]}).\n\n{frontier(asked.urls)}")


if __name__ == "__main__":
    main()

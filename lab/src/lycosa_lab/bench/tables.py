"""The figures of `lycosa bench` as tables and sentences."""

from __future__ import annotations

import statistics
from typing import Any


def print_table(figures: dict[str, Any]) -> None:
    """Print what each crawl needs, and the CPU time of each stage, in the order of the first strategy."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(
        title=f"{figures['pages']} pages of {figures['site']}, {figures['concurrency']} at once, median of the rounds"
    )
    for heading in ("crawl", "CPU ms/page", "pages/s", "peak MB", "ratio"):
        table.add_column(heading, justify="left" if heading == "crawl" else "right")
    for name, run in figures["runs"].items():
        ratio = ", ".join(
            f"{peer} needs {statistics.median(ratios):.2f} × as much"
            for peer, ratios in run.get("ratios", {}).items()
        )
        if "above_best_first_ms" in run:
            ratio = f"{run['above_best_first_ms']:+.2f} ms to best-first"
        label = {"deferred": "lycosa, index later", "everything": "lycosa, everything on"}.get(name, name)
        cost, speed = f"{run['cpu_ms_per_page']:.2f}", f"{run['pages_per_s']:.0f}"
        table.add_row(label, cost, speed, f"{run['peak_mb']:.0f}", ratio)
    console.print(table)
    stages = Table(title="Where the time goes (one process, everything on), CPU ms/page")
    stages.add_column("stage")
    columns: dict[str, dict[str, float]] = figures["stages_ms"]
    for strategy in columns:
        stages.add_column(strategy, justify="right")
    for name, _ in sorted(next(iter(columns.values())).items(), key=lambda item: -item[1]):
        stages.add_row(name, *(f"{costs[name]:.2f}" for costs in columns.values()))
    console.print(stages)


def frontier_text(figures: dict[str, Any]) -> str:
    """The figures of the frontier in lines.

    >>> size = {"urls": 10, "add_us_per_link": 1.5, "take_done_us_per_url": 9.0, "commit_us_per_page": 3.0}
    >>> print(frontier_text({"sizes": [size], "hosts": 2, "disk_bytes_per_url": 300, "max_rss_mb": 50, "cpu_s": 1.0}))
    At 10 URLs: adding a link 1.5 µs, taking and ending one 9.0 µs, commits 3.0 µs a page.
    2 hosts, 300 bytes a URL on disk, at most 50 MB in memory, 1.0 s of CPU in all.
    """
    lines = [
        f"At {size['urls']:,} URLs: adding a link {size['add_us_per_link']} µs, taking and ending one "
        f"{size['take_done_us_per_url']} µs, commits {size['commit_us_per_page']} µs a page."
        for size in figures["sizes"]
    ]
    lines.append(
        f"{figures['hosts']:,} hosts, {figures['disk_bytes_per_url']} bytes a URL on disk, "
        f"at most {figures['max_rss_mb']} MB in memory, {figures['cpu_s']} s of CPU in all."
    )
    return "\n".join(lines)

"""Live progress of a crawl by shards: a small table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import IO

from rich.console import Console
from rich.live import Live
from rich.table import Table

from lycosa.cluster.on_ray import State
from lycosa.engine.watch.progress import EVERY_S


async def show_shards(
    state: Callable[[], State | None], *, quiet: bool = False, stream: IO[str] | None = None
) -> None:
    """Show until cancelled; nothing when `quiet`."""
    if quiet:
        return
    console = Console(file=stream or sys.stderr)
    if not console.is_terminal:
        while True:
            await asyncio.sleep(EVERY_S[False])
            console.print(line_of(state()), highlight=False, markup=False, soft_wrap=True)
    with Live(table_of(state()), console=console, auto_refresh=False, transient=True) as live:
        while True:
            await asyncio.sleep(EVERY_S[True])
            live.update(table_of(state()), refresh=True)


def line_of(state: State | None) -> str:
    """All of it in one line."""
    if state is None:
        return "the shards begin"
    limit = f" of {state.limit:,}" if state.limit else ""
    speed = state.pages / max(1e-6, state.seconds)
    waiting = sum(report.waiting for report in state.reports)
    parts = [
        f"pages {state.pages:,}{limit}",
        f"kept {state.relevant:,}",
        f"speed {speed:.1f} pages/s",
        f"waiting {waiting:,}",
        f"received {state.bytes / 1e6:,.1f} MB",
        "shards " + " ".join(f"{report.shard}:{report.pages:,}" for report in state.reports),
    ]
    return " · ".join(["paused", *parts] if state.is_paused else parts)


def table_of(state: State | None) -> Table:
    """A row for each shard, and one for all."""
    table = Table("shard", "pages", "kept", "waiting", "hosts", "under way", "to send", box=None)
    for report in state.reports if state else ():
        figures = (report.pages, report.relevant, report.waiting, report.hosts, report.flying, report.unsent)
        table.add_row(str(report.shard), *(f"{figure:,}" for figure in figures))
    table.caption = line_of(state)
    return table

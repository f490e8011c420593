"""Live progress of a crawl: a small table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import IO

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lycosa.engine.loop import Crawl

LATELY = 200
"""Number of last pages in the progress line, unless limits.until sets it."""
LONG_IDLE_S = 10.0
"""A crawl that sends nothing for longer than this says why."""
TITLES = 3
"""Maximum number of recently kept pages shown."""
_BARS = "▁▂▃▄▅▆▇█"
EVERY_S = {True: 0.25, False: 5.0}  # on a terminal, elsewhere


class Progress:
    """Shows a running crawl until cancelled. Says nothing when `quiet`."""

    def __init__(self, crawl: Crawl, *, quiet: bool = False, stream: IO[str] | None = None) -> None:
        self.crawl = crawl
        self.quiet = quiet
        self.console = Console(file=stream or sys.stderr)
        self._before = crawl.tally.pages, crawl.tally.seconds

    async def run(self) -> None:
        """Show until cancelled."""
        if self.quiet:
            return
        if not self.console.is_terminal:
            while True:
                await asyncio.sleep(EVERY_S[False])
                self.console.print(self.line(), highlight=False, markup=False, soft_wrap=True)
        with Live(self.panel(), console=self.console, auto_refresh=False, transient=True) as live:
            while True:
                await asyncio.sleep(EVERY_S[True])
                live.update(self.panel(), refresh=True)

    def line(self) -> str:
        """All of it in one line."""
        parts = [f"{name} {value}" for name, value in self._figures()]
        return " · ".join(["paused", *parts] if self.crawl.paused else parts)

    def panel(self) -> Group:
        """All of it as a small table with a bar."""
        table = Table.grid(padding=(0, 2))
        for name, value in self._figures():
            table.add_row(Text(name, style="dim"), Text(value))
        if course := sparkline(list(self.crawl.tally.latest.values())):
            table.add_row(Text("course", style="dim"), Text(course, style="green"))
        for at, found in enumerate(self.crawl.tally.kept_titles(TITLES)):
            table.add_row(
                Text("" if at else "latest", style="dim"), Text(found, no_wrap=True, overflow="ellipsis")
            )
        title, width = Text("paused" if self.crawl.paused else "crawling", style="bold"), self.console.width
        limit = self.crawl.limits.pages
        if not limit:
            return Group(title, table)
        bar = Table.grid()  # a bar alone would not end its line
        bar.add_row(
            ProgressBar(
                total=limit,
                completed=self.crawl.tally.pages,
                width=min(48, width),
                complete_style="green",  # the default is a red that looks like an error
                finished_style="green",
            )
        )
        return Group(title, bar, table)

    def _figures(self) -> list[tuple[str, str]]:
        tally, counts = self.crawl.tally, self.crawl.frontier.counts()
        speed = (tally.pages - self._before[0]) / max(1e-6, tally.seconds - self._before[1])
        worst = ", ".join(f"{n} × {reason.value}" for reason, n in tally.refused.most_common(3))
        figures = [
            (
                "pages",
                f"{tally.pages:,}" + (f" of {self.crawl.limits.pages:,}" if self.crawl.limits.pages else ""),
            ),
            ("kept", f"{tally.relevant:,}{self._figures_told()}"),
            ("lately", self._lately()),
            ("speed", f"{speed:.1f} pages/s"),
            ("hosts", f"{counts.active_authorities:,} with work, {counts.authorities:,} seen"),
            ("waiting", f"{counts.waiting:,}"),
            ("received", f"{tally.bytes / 1e6:,.1f} MB"),
        ]
        if (idle_s := (self.crawl.idle_until or 0.0) - self.crawl.clock.now()) > LONG_IDLE_S:
            told = f"nothing for {_duration(idle_s)}: the hosts that are left asked for it"
            figures.append(("resting", f"{told} (Ctrl-C ends; the same command goes on)"))
        if not self.crawl.paused and (left := self._time_left(speed, counts.waiting)) is not None:
            figures.append(("time left", f"about {_duration(left)}"))
        return [*figures, ("not taken", worst)] if worst else figures

    def _lately(self) -> str:
        """The yield of the last pages: whether going on is worthwhile."""
        until, tally = self.crawl.limits.until, self.crawl.tally
        pages = min(until.pages if until else LATELY, len(tally.latest))
        return f"{tally.brought(pages):,} of the last {pages:,}"

    def _figures_told(self) -> str:
        version = self.crawl.refits.version if self.crawl.refits else None
        figures = f"{self.crawl.figures}; " if version and str(self.crawl.figures) else ""
        return f" ({figures}judge version {version.number})" if version else ""

    def _time_left(self, speed: float, waiting: int) -> float | None:
        limits, tally = self.crawl.limits, self.crawl.tally
        left = []
        if limits.pages and speed > 0:
            left.append(min(limits.pages - tally.pages, waiting) / speed)
        if limits.hours:
            left.append(limits.hours * 3600 - tally.seconds)
        return max(0.0, min(left)) if left else None


def sparkline(kept: Sequence[bool], bars: int = 30) -> str:
    """The share of pages that were kept along the last ones, oldest first, as a line of bars; '' of few pages.

    >>> sparkline([False] * 30 + [True] * 30, 6), sparkline([True] * 5)
    ('▁▁▁███', '')
    """
    each = max(10, -(-len(kept) // bars))
    shares = [sum(kept[at : at + each]) / each for at in range(len(kept) % each, len(kept), each)]
    return "".join(_BARS[round(share * (len(_BARS) - 1))] for share in shares) if len(shares) > 1 else ""


def _duration(seconds: float) -> str:
    """A span of time for people.

    >>> _duration(42), _duration(150), _duration(9000)
    ('42 s', '2 min', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

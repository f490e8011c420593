"""A progress bar for grids of runs: live on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY_S = 10.0


class Bar:
    """Shows how many of all are done."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.console = Console(stderr=True)
        self._progress: Progress | None = None
        self._said = 0.0

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._progress = Progress(*columns, console=self.console, transient=True)
            self._task = self._progress.add_task(self.what, total=None)
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()

    def update(self, done: int, total: int) -> None:
        """How many are done, of how many."""
        self.show(self.what, done, total)

    def show(self, what: str, done: int, total: int) -> None:
        """How many are done of something that comes before."""
        if self._progress:
            self._progress.update(self._task, description=what, completed=done, total=total)
        elif time.monotonic() - self._said > LINE_EVERY_S or done == total:
            self._said = time.monotonic()
            print(f"{what}: {done} of {total}", file=sys.stderr)

"""Runs a crawl until it ends; a signal lets it finish first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from lycosa.engine.loop import Crawl
from lycosa.errors import StoppedEarly
from lycosa.values import Link, Say

Watch = Callable[[Crawl], "asyncio.Future[None] | asyncio.Task[None] | None"]
"""Shows a running crawl: what it returns, if anything, is cancelled when the crawl has ended."""


async def run_until_stopped(crawl: Crawl, seeds: Sequence[Link], watch: Watch | None, say: Say) -> None:
    """Run a crawl, watched; SIGINT, SIGTERM and SIGHUP stop it."""
    watcher = watch(crawl) if watch else None
    try:
        with _stopped_by_signals(crawl, say):
            await crawl.run(seeds)
    except asyncio.CancelledError:
        if not crawl.ended:
            raise
        raise StoppedEarly("Stopped at once; run the same command again and it goes on.") from None
    finally:
        if watcher:
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)


@contextmanager
def _stopped_by_signals(crawl: Crawl, say: Say) -> Iterator[None]:
    """The first Ctrl-C lets requests under way finish; the second ends at once."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def on_signal() -> None:
        if crawl.ended:
            task.cancel()
        crawl.stop("interrupted")
        with suppress(OSError):  # the terminal may be gone
            say("Stopping: what is under way is finished first (Ctrl-C again to stop at once).")

    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
        numbers.append(signal.SIGHUP)
    try:
        for number in numbers:
            loop.add_signal_handler(number, on_signal)
    except (NotImplementedError, RuntimeError, ValueError):  # not the main thread, or Windows
        yield
        return
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)

"""A crawl from the command line: with live progress, in an event loop of its own."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from lycosa.engine.loop import Crawl
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest, request_of_file
from lycosa.engine.watch.signals import Watch
from lycosa.engine.watch.summary import Summary
from lycosa.errors import StoppedEarly
from lycosa.values import Say


def crawl_file(
    path: Path, out: Path | None, changes: tuple[str, ...] = (), *, say: Say, quiet: bool = False
) -> Summary:
    """Crawl as a spec file (or the one in a folder) says."""
    return crawl_request(request_of_file(path, out, changes), say=say, quiet=quiet)


def crawl_request(request: CrawlRequest, *, say: Say, quiet: bool = False, ask: int = 0) -> Summary:
    """Crawl as somebody asked, with live progress; `ask` this many questions meanwhile."""
    for note in request.notes:
        say(f"Note: {note}")
    work = run_crawl(request, say=say, watch=None if quiet and not ask else _watch(request, say, quiet, ask))
    try:
        if sys.platform == "win32":
            return asyncio.run(work)
        import uvloop

        return uvloop.run(work)
    except KeyboardInterrupt:  # before the loop has begun, which lets requests in flight finish
        raise StoppedEarly("Stopped while preparing; run the same command again and it goes on.") from None


def _watch(request: CrawlRequest, say: Say, quiet: bool, ask: int) -> Watch:
    """Shows a crawl, and asks questions meanwhile."""
    from lycosa.engine.watch.ask_meanwhile import Asking
    from lycosa.engine.watch.progress import Progress

    asking = Asking(request.directory, ask, say)

    def watch(crawl: Crawl) -> asyncio.Task[None]:
        return asyncio.ensure_future(asking.watch(crawl, lambda: Progress(crawl, quiet=quiet).run()))

    return watch

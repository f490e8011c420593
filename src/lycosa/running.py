"""What the commands `crawl` and `demo` do between the command line and the session."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from lycosa.config import Spec
from lycosa.crawl import Crawl
from lycosa.progress import Progress
from lycosa.session import Summary, crawl_spec
from lycosa.specfile import load_spec
from lycosa.strategies import all_settings
from lycosa.template import as_run

Say = Callable[[str], None]


def crawl_file(
    path: Path, out: Path | None, changes: tuple[str, ...] = (), *, say: Say, quiet: bool = False
) -> Summary:
    """Crawl as a spec file says, with live progress."""
    spec, text = load_spec(path, all_settings(), changes)
    text = as_run(spec) if changes else text
    return run_spec(spec, text, path.parent, out or path.parent / spec.name, say=say, quiet=quiet)


def run_spec(spec: Spec, text: str, folder: Path, directory: Path, *, say: Say, quiet: bool) -> Summary:
    """Crawl in an event loop of its own."""

    def watch(crawl: Crawl) -> asyncio.Task[None]:
        return asyncio.ensure_future(Progress(crawl, quiet=quiet).run())

    work = crawl_spec(spec, text, folder, directory, say=say, watch=watch)
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop

    return uvloop.run(work)

"""What the commands `crawl`, `import` and `demo` do between the command line and the session."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.engine.loop import Crawl
from lycosa.engine.session import crawl_spec
from lycosa.engine.start.checking import looked_over, refuse_collection
from lycosa.engine.watch.ask_meanwhile import Asking
from lycosa.engine.watch.progress import Progress
from lycosa.engine.watch.summary import Summary
from lycosa.errors import StoppedEarly
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec, parse_spec, spec_path
from lycosa.spec.sections import Spec
from lycosa.spec.strategy_files import in_file
from lycosa.spec.writing import as_run, toml
from lycosa.values import Say


def crawl_file(
    path: Path,
    out: Path | None,
    changes: tuple[str, ...] = (),
    *,
    say: Say,
    quiet: bool = False,
    ask: int = 0,
) -> Summary:
    """Crawl as a spec file (or the one in a folder) says, with live progress; `ask` this many questions meanwhile."""
    return run_spec(*asked_crawl(path, out, changes, say), say=say, quiet=quiet, ask=ask)


class AskedCrawl(NamedTuple):
    """A crawl that a user has asked for: how, where relative paths begin, and into which collection."""

    spec: Spec
    text: str
    folder: Path
    directory: Path


def asked_crawl(path: Path, out: Path | None, changes: tuple[str, ...], say: Say) -> AskedCrawl:
    """Read what is to be crawled from a spec file, or the one in a folder, and say what is noteworthy of it."""
    path = spec_path(path)
    if out is None:
        refuse_collection(path)
    spec, text = load_spec(path, all_settings(), changes)
    for note in looked_over(spec, path):
        say(f"Note: {note}")
    text = as_run(spec) if changes or in_file(spec.strategy) else text
    return AskedCrawl(spec, text, path.parent, out or path.parent / spec.name)


def import_archives(
    archives: Sequence[Path],
    out: Path,
    path: Path | None,
    changes: tuple[str, ...] = (),
    *,
    say: Say,
    quiet: bool = False,
) -> Summary:
    """Make a collection of every page of archives, judged as a spec says; without one all of them are kept."""
    path = spec_path(path) if path else None
    names = toml([str(archive) for archive in archives])
    all_of_it = (f"fetch.web={names}", "seeds.archive=true", "scope.depth=0", 'limits.pages="none"')
    known = all_settings()
    if path:
        spec, _ = load_spec(path, known, (*all_of_it, *changes))
    else:
        plain = f'name = {toml(out.resolve().name)}\nstrategy = "breadth-first"\n[judge]\nkind = "all"\n'
        spec = parse_spec(plain, known, (*all_of_it, *changes))
    folder = path.parent if path else Path()
    return run_spec(spec, as_run(spec), folder, out, say=say, quiet=quiet)


def run_spec(
    spec: Spec, text: str, folder: Path, directory: Path, *, say: Say, quiet: bool, ask: int = 0
) -> Summary:
    """Crawl in an event loop of its own."""
    asking = Asking(directory, ask, say)

    def watch(crawl: Crawl) -> asyncio.Task[None]:
        return asyncio.ensure_future(asking.watch(crawl, lambda: Progress(crawl, quiet=quiet).run()))

    work = crawl_spec(spec, text, folder, directory, say=say, watch=watch)
    try:
        if sys.platform == "win32":
            return asyncio.run(work)
        import uvloop

        return uvloop.run(work)
    except KeyboardInterrupt:  # before the loop has begun, which lets requests under way finish
        raise StoppedEarly("Stopped while preparing; run the same command again and it goes on.") from None

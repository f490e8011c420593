"""What the commands `crawl` and `demo` do between the command line and the session."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from lycosa.engine.loop import Crawl
from lycosa.engine.progress import Progress
from lycosa.engine.session import Summary, crawl_spec
from lycosa.errors import SpecError, StoppedEarly
from lycosa.methods import all_settings
from lycosa.methods.third_party import in_file
from lycosa.spec.reading import load_spec, spec_path
from lycosa.spec.sections import Spec
from lycosa.spec.writing import PLACEHOLDER, as_run
from lycosa.values import Say


def crawl_file(
    path: Path, out: Path | None, changes: tuple[str, ...] = (), *, say: Say, quiet: bool = False
) -> Summary:
    """Crawl as a spec file (or the one in a folder) says, with live progress."""
    path = spec_path(path)
    if out is None:
        refuse_collection(path)
    spec, text = load_spec(path, all_settings(), changes)
    for note in looked_over(spec, path):
        say(f"Note: {note}")
    text = as_run(spec) if changes or in_file(spec.strategy) else text
    return run_spec(spec, text, path.parent, out or path.parent / spec.name, say=say, quiet=quiet)


def refuse_collection(path: Path) -> None:
    """Refuse the crawl.toml in a collection as a spec: beside it there is no place for another collection."""
    if (path.parent / "catalogue.db").exists():
        raise SpecError(
            f"{path.parent} is a collection, and {path.name} in it only says how it was made. Name the spec "
            "that you wrote, or say where to write with --out."
        )


def looked_over(spec: Spec, path: Path | str) -> list[str]:
    """What to think about before the live Web is crawled; what is still the template's is refused."""
    if spec.fetch.connect_to:  # a web of one's own
        return []
    _refuse_placeholder(spec, path)
    if spec.fetch.contact or spec.fetch.user_agent:
        return []
    return [f"nobody whose site is asked can tell who asks, or reach you. Set [fetch] contact in {path}."]


def _refuse_placeholder(spec: Spec, path: Path | str) -> None:
    given = {"[seeds] urls": spec.seeds.urls, "[event] pages": spec.event.pages}
    left = [key for key, urls in given.items() if any(url.startswith(PLACEHOLDER) for url in urls)]
    if "example.org" in spec.scope.domains:
        left.append("[scope] domains")
    if left:
        raise SpecError(
            f"{path}: {' and '.join(left)} still {'has' if len(left) == 1 else 'have'} the template's example.org, "
            "which only shows where your own go. Replace it."
        )


def run_spec(spec: Spec, text: str, folder: Path, directory: Path, *, say: Say, quiet: bool) -> Summary:
    """Crawl in an event loop of its own."""

    def watch(crawl: Crawl) -> asyncio.Task[None]:
        return asyncio.ensure_future(Progress(crawl, quiet=quiet).run())

    work = crawl_spec(spec, text, folder, directory, say=say, watch=watch)
    try:
        if sys.platform == "win32":
            return asyncio.run(work)
        import uvloop

        return uvloop.run(work)
    except KeyboardInterrupt:  # before the loop has begun, which lets requests under way finish
        raise StoppedEarly("Stopped while preparing; run the same command again and it goes on.") from None

"""A crawl called from Python. In: a spec, as a file, a Spec or keywords. Out: a collection, and how the crawl went."""

from __future__ import annotations

import asyncio
import sys
import tomllib
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from lycosa.engine.loop import Crawl
from lycosa.engine.session import crawl_spec
from lycosa.engine.start.checking import looked_over, refuse_collection
from lycosa.engine.watch.signals import Watch
from lycosa.engine.watch.summary import Summary
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec, spec_from, spec_path
from lycosa.spec.sections import Spec
from lycosa.spec.writing import as_run
from lycosa.values import Say

Given = Spec | str | PathLike[str]


def to_standard_error(message: str) -> None:
    """Where notes go unless the caller wants them elsewhere."""
    print(message, file=sys.stderr, flush=True)


def crawl(
    spec: Given | None = None,
    *,
    out: str | PathLike[str] | None = None,
    say: Say = to_standard_error,
    **sections: Any,
) -> Summary:
    """Crawl, and say how it went. Called again with the same `out`, it goes on where it was left.

    `spec` is a crawl.toml (or the folder that it is in), a Spec, or nothing; `sections` are its sections and
    keys as keywords, and win over it: `crawl(topic={"keywords": ["owl"]}, seeds={"urls": [URL]})`. `out` is
    the collection's folder; by default it has the crawl's name and is beside the file, or in the current folder. Ctrl-C
    lets requests under way finish; the summary then says `stopped_early`.

    Works in a notebook too, whose event loop it leaves waiting; `await crawl_async(…)` does not.
    """
    asked = _asked(spec, out, sections)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asked.crawl(say))
    return _in_a_thread(asked, say)


async def crawl_async(
    spec: Given | None = None,
    *,
    out: str | PathLike[str] | None = None,
    say: Say = to_standard_error,
    **sections: Any,
) -> Summary:
    """As `crawl`, in the event loop that is running."""
    return await _asked(spec, out, sections).crawl(say)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a caller asked for: the spec with its text, where its relative paths begin, and where to write."""

    spec: Spec
    text: str
    folder: Path
    directory: Path
    notes: tuple[str, ...]

    def crawl(self, say: Say, watch: Watch | None = None) -> Coroutine[Any, Any, Summary]:
        for note in self.notes:
            say(f"Note: {note}")
        return crawl_spec(self.spec, self.text, self.folder, self.directory, say=say, watch=watch)


def _asked(given: Given | None, out: str | PathLike[str] | None, sections: Mapping[str, Any]) -> _Asked:
    folder, where = Path(), "crawl()"
    if given is None or isinstance(given, Spec):
        spec = given or Spec()
        text = as_run(spec)
    else:
        path = spec_path(Path(given))
        folder, where = path.parent, str(path)
        if out is None:
            refuse_collection(path)
        spec, text = load_spec(path, all_settings())
    if sections:
        tables = _joined(tomllib.loads(text), sections)
        spec = spec_from(tables, all_settings(), where="crawl()", folder=folder)
        text = as_run(spec)
    directory = folder / spec.name if out is None else Path(out)
    return _Asked(spec, text, folder, directory, tuple(looked_over(spec, where)))


def _joined(tables: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a spec with those of the caller, key by key."""
    found = dict(tables)
    strategies = sections.get("options", {})  # where a Spec keeps the settings of strategies
    for name, value in (*sections.items(), *strategies.items()):
        if name == "options":
            continue
        before = found.get(name)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            found[name] = {**before, **value}
        else:
            found[name] = value
    return found


def _in_a_thread(asked: _Asked, say: Say) -> Summary:
    """Crawl in a loop of its own beside the one that is running; Ctrl-C reaches only this thread, not that."""
    running: list[tuple[asyncio.AbstractEventLoop, Crawl]] = []

    def watch(crawl: Crawl) -> None:
        running.append((asyncio.get_running_loop(), crawl))

    with ThreadPoolExecutor(1, "lycosa-crawl") as pool:
        future = pool.submit(lambda: asyncio.run(asked.crawl(say, watch)))
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                for loop, crawl in running:
                    loop.call_soon_threadsafe(crawl.stop, "interrupted")

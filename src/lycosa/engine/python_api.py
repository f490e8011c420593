"""A crawl from Python: `lycosa.crawl` and `lycosa.crawl_async`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any

from lycosa.engine.loop import Crawl
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest, Given, request_from_python
from lycosa.engine.watch.callbacks import OnPage
from lycosa.engine.watch.signals import Watch
from lycosa.engine.watch.summary import Summary
from lycosa.learn.judges.custom import kind_of
from lycosa.values import Say


def to_standard_error(message: str) -> None:
    """The default destination of notes."""
    print(message, file=sys.stderr, flush=True)


def crawl(
    spec: Given | None = None,
    *,
    out: str | PathLike[str] | None = None,
    say: Say = to_standard_error,
    on_page: OnPage = lambda _, __: None,
    **sections: Any,
) -> Summary:
    """Crawl, and say how it went. Called again with the same `out`, it goes on where it was left.

    `spec` is a crawl.toml (or the folder that it is in), a Spec, or nothing; `sections` are its sections and
    keys as keywords, and win over it: `crawl(topic={"keywords": ["owl"]}, seeds={"urls": [URL]})`. `judge` may also be a
    judge: a function of a page, a class or an instance with `judge`. `on_page(page, judgement)` is called for each
    concluded page. `out` is the collection's folder; by default it has the crawl's name, in the folder of the file or in
    the current folder. Ctrl-C lets requests in flight finish; the summary then says `stopped_early`.

    Works in a notebook too, whose event loop it leaves waiting; `await crawl_async(…)` does not.
    """
    request = request_from_python(spec, out, _with_judge(sections))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_crawl(request, say, on_page))
    return _in_a_thread(request, say, on_page)


async def crawl_async(
    spec: Given | None = None,
    *,
    out: str | PathLike[str] | None = None,
    say: Say = to_standard_error,
    on_page: OnPage = lambda _, __: None,
    **sections: Any,
) -> Summary:
    """As `crawl`, in the event loop that is running."""
    return await _crawl(request_from_python(spec, out, _with_judge(sections)), say, on_page)


def _with_judge(sections: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sections, with the name of a judge in its place."""
    judge = sections.get("judge")
    if judge is None or isinstance(judge, Mapping):
        return sections
    return {**sections, "judge": {"kind": kind_of(judge)}}


def _crawl(
    request: CrawlRequest, say: Say, on_page: OnPage, watch: Watch | None = None
) -> Coroutine[Any, Any, Summary]:
    for note in request.notes:
        say(f"Note: {note}")
    return run_crawl(request, say=say, on_page=on_page, watch=watch)


def _in_a_thread(request: CrawlRequest, say: Say, on_page: OnPage) -> Summary:
    """Crawl in a second event loop; Ctrl-C reaches only this thread."""
    running: list[tuple[asyncio.AbstractEventLoop, Crawl]] = []

    def watch(crawl: Crawl) -> None:
        running.append((asyncio.get_running_loop(), crawl))

    with ThreadPoolExecutor(1, "lycosa-crawl") as pool:
        future = pool.submit(lambda: asyncio.run(_crawl(request, say, on_page, watch)))
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                for loop, crawl in running:
                    loop.call_soon_threadsafe(crawl.stop, "interrupted")

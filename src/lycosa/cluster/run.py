"""Run `lycosa crawl --shards`: prepare once, start the shards, show progress and merge the results.

This process keeps no state: after a kill, the same command resumes from the shards' folders.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table

from lycosa.cluster.division import division_in, merge_collection, refuse_lost
from lycosa.cluster.on_ray import State, answer_of, ray_library, start_actors, start_ray
from lycosa.cluster.plan import Plan, hand_out_labels
from lycosa.cluster.running import plan_of, summary_of
from lycosa.collection.writer import lock_directory
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.control import Reply, controlled
from lycosa.engine.watch.progress import EVERY_S
from lycosa.engine.watch.summary import Summary
from lycosa.errors import InputError, LycosaError, StoppedEarly
from lycosa.learn.figures import Figures
from lycosa.spec.writing import as_run
from lycosa.values import Say


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


ASK_S = 0.5
"""Interval between requests for the crawl's state."""
DEAD_S = 60.0
"""Seconds after which a coordinator that Ray calls dead is given up."""
GIVEN_UP = (
    "Ray has ended the crawl and does not start it again, as where this command shows a token (~/.ray/auth_token) to a cluster "
    "that was started without one. See that all of the cluster was started with the same token, or set RAY_AUTH_MODE=disabled "
    "for this command, and run it again: it goes on."
)


def crawl_in_shards(
    asked: CrawlRequest, *, shards: int, address: str = "", say: Say, quiet: bool = False
) -> Summary:
    """Crawl by several shards; `address` is that of a Ray cluster, '' for this machine."""
    ray_library(is_started_here=not address)  # what is missing is said before anything is fetched
    spec, directory = asked.spec, asked.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    with lock_directory(directory):
        refuse_other_number(directory, shards)
        refuse_lost(directory)
        try:
            plan = asyncio.run(plan_of(replace(asked, text=as_run(spec), directory=directory), shards, say))
        except KeyboardInterrupt:
            raise StoppedEarly(
                "Stopped while preparing; run the same command again and it goes on."
            ) from None
        summary = asyncio.run(_run(plan, directory, address, say, quiet))
        say("Bringing together what the shards have found.")
        merge_collection(directory)
        return summary


def shards_of(directory: Path) -> int:
    """Number of shards of a collection; 0 if it is crawled in one process."""
    division = division_in(directory)
    return division.shards if division else 0


def refuse_other_number(directory: Path, shards: int) -> None:
    """Refuse to continue a crawl with another number of shards than it was begun with."""
    begun = shards_of(directory)
    if begun not in (0, shards):
        raise InputError(
            f"{directory} has {begun} shards, not {shards}. Run the command again with --shards {begun}."
        )
    if not begun and (directory / "catalogue.db").exists():
        raise InputError(
            f"{directory} was crawled in one process. Continue it without --shards, or name another folder with --out."
        )


async def _run(plan: Plan, directory: Path, address: str, say: Say, quiet: bool) -> Summary:
    say(f"Starting {plan.shards} shards{f' on the Ray cluster {address}' if address else ''}.")
    ray = start_ray(plan.shards, address)
    try:
        crawl = f"{plan.name} in {directory}"
        coordinator, actors = start_actors(plan, crawl)
        watched = _Watched(coordinator, ray, plan)
        with _stopped_by_signals(watched, say):
            async with controlled(watched.answer, directory):
                showing = asyncio.ensure_future(show_shards(watched.state, quiet=quiet))
                try:
                    last = await watched.until_over()
                finally:
                    showing.cancel()
                    await asyncio.gather(showing, return_exceptions=True)
        del actors
    finally:
        ray.shutdown()
    if errors := [f"Shard {one.shard}: {one.error}" for one in last.reports if one.error]:
        raise LycosaError(errors[0])
    parts = [one.summary for one in last.reports if one.summary]
    return summary_of(directory, parts, last.ended)


class _Watched:
    """A crawl that runs elsewhere: its last state, and orders to it. A coordinator that does not answer is asked again.

    One that Ray has given up for good, though it was to be started again whenever it died, is an error.
    """

    def __init__(self, coordinator: Any, ray: Any, plan: Plan) -> None:
        self._coordinator = coordinator
        self._plan = plan
        self._dead = ray.exceptions.ActorDiedError
        self._faults = (ray.exceptions.RayError, TimeoutError)
        self._last: State | None = None
        self._orders: list[str] = []

    def state(self) -> State | None:
        """As it was last heard of; None before."""
        return self._last

    async def until_over(self) -> State:
        """Ask until all shards have ended."""
        dead_since = None
        while self._last is None or not self._last.is_over:
            await asyncio.sleep(ASK_S)
            try:
                for do in list(self._orders):
                    await self._get(self._coordinator.order.remote(do))
                    self._orders.remove(do)
                answer = await self._get(self._coordinator.state.remote())
                self._last = msgspec.msgpack.decode(answer, type=State)
            except self._dead:
                dead_since = dead_since or time.monotonic()
                if time.monotonic() >= dead_since + DEAD_S:
                    raise LycosaError(GIVEN_UP) from None
                continue
            except self._faults:
                pass
            dead_since = None
        return self._last

    def order(self, do: str) -> None:
        """pause, resume or stop, as soon as the coordinator hears it."""
        self._orders.append(do)

    def answer(self, do: str) -> Reply | None:
        """The answer of the control socket; None for an unknown command."""
        if do in ("pause", "resume", "stop"):
            self.order(do)
        elif do == "labels-changed":
            for shard in range(self._plan.shards):
                hand_out_labels(self._plan, shard)  # each shard reads them whenever it judges anew
        elif do != "status":
            return None
        return status_of_shards(self._last, do)

    async def _get(self, reference: Any) -> Any:
        return await answer_of(reference, 10.0)


def status_of_shards(state: State | None, do: str = "status") -> Reply:
    """The state of a running sharded crawl, in the form of a crawl in one process, and of each shard."""
    reports = state.reports if state else ()
    refused: dict[str, int] = {}
    for report in reports:
        for reason, count in report.refused.items():
            refused[reason] = refused.get(reason, 0) + count
    paused = do == "pause" or (do != "resume" and state is not None and state.is_paused)
    return {
        "running": True,
        "paused": paused,
        "ended": "interrupted" if do == "stop" else state.ended if state else "",
        "pages": state.pages if state else 0,
        "relevant": state.relevant if state else 0,
        **Figures().as_json(),
        "bytes": state.bytes if state else 0,
        "seconds": round(state.seconds, 1) if state else 0.0,
        "waiting": sum(report.waiting for report in reports),
        "hosts": sum(report.hosts for report in reports),
        "limit": state.limit if state else None,
        "refused": refused,
        "shards": [
            {
                "shard": one.shard,
                "pages": one.pages,
                "relevant": one.relevant,
                "waiting": one.waiting,
                "under way": one.flying,
                "paused": one.is_paused,
                "to send": one.unsent,
            }
            for one in reports
        ],
    }


@contextmanager
def _stopped_by_signals(watched: _Watched, say: Say) -> Iterator[None]:
    """The first Ctrl-C lets requests under way finish; the second ends at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    asked = False

    def on_signal() -> None:
        nonlocal asked
        if asked:
            task.cancel()
        asked = True
        watched.order("stop")
        say("Stopping: what is under way is finished first (Ctrl-C again to stop at once).")

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    except asyncio.CancelledError:
        raise StoppedEarly("Stopped at once; run the same command again and it goes on.") from None
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

"""Run `lycosa crawl --shards`: prepare once, start the shards, show progress and merge the results.

This process keeps no state: after a kill, the same command resumes from the shards' folders.
"""

from __future__ import annotations

import asyncio
import math
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from lycosa.cluster.division import division_in, merge_collection, refuse_lost
from lycosa.cluster.driver import Asked, Begin, Told
from lycosa.cluster.on_ray import State, no_cluster, refuse_silent, require_ray
from lycosa.cluster.plan import Plan, hand_out_labels, save_plan
from lycosa.cluster.progress import show_shards
from lycosa.cluster.running import plan_of, summary_of
from lycosa.collection.writer import lock_directory
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.control import Reply, controlled
from lycosa.engine.watch.summary import Summary
from lycosa.errors import InputError, LycosaError, StoppedEarly
from lycosa.learn.figures import Figures
from lycosa.processes import Child, start_child
from lycosa.spec.writing import as_run
from lycosa.values import Say

_encode = msgspec.msgpack.Encoder().encode

ASK_S = 0.5
"""Interval between requests for the crawl's state."""
DEAD_S = 60.0
"""Seconds after which a coordinator that Ray calls dead is given up."""
BEGIN_S = 12.0
"""Timeout for a cluster that runs already: to connect, and to hand over the shards."""
START_S = 60.0
"""Timeout for the start of Ray on this machine: seconds, on one that is busy."""
SILENT_S = 12.0
"""Seconds without an answer of Ray after which it is lost. Must be longer than two calls of `driver.ANSWER_S`."""
HUSH_S = 2.0
"""Seconds without an answer after which a stop does not wait for the shards."""
END_S = 60.0
"""Seconds that the shards have to judge and to close after their last request."""
GIVEN_UP = (
    "Ray has ended the crawl and does not start it again, as where this command shows a token (~/.ray/auth_token) to a cluster "
    "that was started without one. See that all of the cluster was started with the same token, or set RAY_AUTH_MODE=disabled "
    "for this command, and run it again: it goes on."
)


def crawl_in_shards(
    asked: CrawlRequest, *, shards: int, address: str = "", say: Say, quiet: bool = False
) -> Summary:
    """Crawl by several shards; `address` is that of a Ray cluster, '' for this machine."""
    require_ray()  # what is missing is said before anything is fetched
    if address:
        refuse_silent(address)
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
        patience_s = spec.fetch.stop_patience_s
        summary = asyncio.run(_run(plan, directory, address, say, quiet, patience_s))
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


async def _run(
    plan: Plan, directory: Path, address: str, say: Say, quiet: bool, patience_s: float
) -> Summary:
    say(f"Starting {plan.shards} shards{f' on the Ray cluster {address}' if address else ''}.")
    with _private_folder() as folder:
        child = await start_child("lycosa.cluster.driver")
        watched = Watched(child, plan, address, patience_s)
        begin = Begin(str(save_plan(plan)), f"{plan.name} in {directory}", address, str(folder))
        try:
            with _stopped_by_signals(watched, say):
                await watched.begin(begin)
                async with controlled(watched.answer, directory):
                    showing = asyncio.ensure_future(show_shards(watched.state, quiet=quiet))
                    try:
                        last = await watched.until_over()
                    finally:
                        showing.cancel()
                        await asyncio.gather(showing, return_exceptions=True)
            await _leave(child)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.process.pid, signal.SIGKILL)  # with what Ray has started there
            child.kill()
    if errors := [f"Shard {one.shard}: {one.error}" for one in last.reports if one.error]:
        raise LycosaError(errors[0])
    parts = [one.summary for one in last.reports if one.summary]
    return summary_of(directory, parts, last.ended)


async def _leave(child: Child) -> None:
    """Let Ray end its processes; one that takes too long is killed."""
    child.writer.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(SILENT_S):
            await child.reader.read()


@contextmanager
def _private_folder() -> Iterator[Path]:
    """Yield a new folder that only this user can enter, with a path that is short enough for Ray's sockets."""
    short = "/tmp" if len(tempfile.gettempdir()) > 20 and os.name == "posix" else None  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="lycosa-ray-", dir=short))
    try:
        yield folder
    finally:
        for _ in range(20):  # the processes that write there are just ending
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


class Watched:
    """A crawl that runs elsewhere: its last state, and orders to it. A coordinator that does not answer is asked again.

    One that Ray has given up for good is an error, and a Ray that does not answer ends the crawl.
    """

    def __init__(self, child: Child, plan: Plan, address: str, patience_s: float) -> None:
        self._child = child
        self._plan = plan
        self._address = address
        self._patience_s = patience_s
        self._last: State | None = None
        self._orders: list[str] = []
        self._answered_at: float | None = None
        self._stop_at = math.inf

    @property
    def is_silent(self) -> bool:
        """Whether Ray has not begun to answer, or has stopped to."""
        return self._answered_at is None or time.monotonic() > self._answered_at + HUSH_S

    async def begin(self, begin: Begin) -> None:
        """Start Ray, or connect to it, and start the shards."""
        await self._ask(begin, BEGIN_S if begin.address else START_S)

    def state(self) -> State | None:
        """As it was last heard of; None before."""
        return self._last

    async def until_over(self) -> State:
        """Ask until all shards have ended."""
        dead_since = None
        while self._last is None or not self._last.is_over:
            await asyncio.sleep(ASK_S)
            told = await self._ask(Asked(self._orders[0] if self._orders else ""), SILENT_S)
            if told.is_obeyed:
                self._orders.pop(0)
            self._last = told.state or self._last
            if time.monotonic() > self._stop_at:
                raise StoppedEarly(
                    "Stopped at once, because the shards did not end; run the same command again and it goes on."
                )
            if not told.is_dead:
                dead_since = None
                continue
            dead_since = dead_since or time.monotonic()
            if time.monotonic() >= dead_since + DEAD_S:
                raise LycosaError(GIVEN_UP)
        return self._last

    async def _ask(self, message: Begin | Asked, timeout_s: float) -> Told:
        try:
            async with asyncio.timeout(timeout_s):
                answer = await self._child.ask(_encode(message))
        except TimeoutError:
            raise self._lost(f"no answer for {timeout_s:.0f} s", message) from None
        except (OSError, asyncio.IncompleteReadError):
            raise self._lost("its process has ended", message) from None
        told = msgspec.msgpack.decode(answer, type=Told)
        if told.is_lost:
            raise self._lost(told.error.partition("\n")[0][:200], message)
        if told.error:
            raise next(kind for kind in (InputError, LycosaError) if kind.exit_code == told.exit_code)(
                told.error
            )
        self._answered_at = time.monotonic()
        return told

    def _lost(self, reason: str, message: Begin | Asked) -> LycosaError:
        if self._address and isinstance(message, Begin):
            return no_cluster(self._address, reason)
        if self._address:
            return StoppedEarly(
                f"The Ray cluster {self._address} is lost ({reason}). See that it runs with: ray status --address "
                f"{self._address}; then run the same command: it goes on."
            )
        return StoppedEarly(f"Ray is lost ({reason}). Run the same command: it goes on.")

    def order(self, do: str) -> None:
        """pause, resume or stop, as soon as the coordinator hears it."""
        self._orders.append(do)
        if do == "stop":
            self._stop_at = min(self._stop_at, time.monotonic() + self._patience_s + END_S)

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
def _stopped_by_signals(watched: Watched, say: Say) -> Iterator[None]:
    """The first Ctrl-C lets requests under way finish; the second ends at once."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    asked = False

    def on_signal() -> None:
        nonlocal asked
        if asked or watched.is_silent:
            task.cancel()
            return
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

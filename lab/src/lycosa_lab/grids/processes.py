"""Run tasks in several processes. Results keep the order of the tasks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import active_children, get_context, parent_process
from typing import TypeVar

from lycosa.processes import ONE_THREAD, die_with_parent, uninterrupted

Done = Callable[[int, int], None]
"""Told again and again: how many are done, and how many there are."""

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], tasks: Sequence[T], processes: int, progress: Done) -> list[R]:
    """What a function of a module makes of each task; all in this process where one is enough."""
    progress(0, len(tasks))
    results: dict[int, R] = {}
    if min(processes, len(tasks)) <= 1:
        for number, task in enumerate(tasks):
            results[number] = work(task)
            progress(number + 1, len(tasks))
        return list(results.values())
    count = min(processes, len(tasks))
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin_work) as pool:
        try:
            with uninterrupted():
                futures = {pool.submit(work, task): number for number, task in enumerate(tasks)}
            for done, future in enumerate(as_completed(futures), start=1):
                results[futures[future]] = future.result()
                progress(done, len(tasks))
        except BaseException:
            for child in active_children():
                child.terminate()  # what they have finished is stored
            raise
    return [results[number] for number in range(len(tasks))]


def _begin_work() -> None:
    """What a process of the pool does first."""
    die_with_parent()  # a parent that is killed closes nothing: they would wait in its pipe for ever
    parent = parent_process()
    if parent is not None and os.getppid() != parent.pid:  # it was killed before we could ask
        os._exit(1)
    os.environ.update(ONE_THREAD)

"""Work in several processes."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import active_children

import pytest

from lycosa_lab.grids.processes import in_processes


def test_ctrl_c_while_processes_begin_is_not_lost(monkeypatch):
    """It ends them all; lost, the user would wait for all that there is to do."""
    submit = ProcessPoolExecutor.submit

    def interrupted(pool: ProcessPoolExecutor, work: Callable[[float], None], task: float) -> Future[None]:
        future = submit(pool, work, task)
        signal.raise_signal(signal.SIGINT)
        return future

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        in_processes(time.sleep, [3600.0, 3600.0], 2, lambda *_: None)
    assert active_children() == []

"""Processes that work for a crawl: they end when they should, and are waited for."""

from __future__ import annotations

import os
import signal
import time

import pytest

from lycosa.engine.children import Copy


@pytest.mark.parametrize("is_ended", [False, True])
def test_a_copy_ends_where_nobody_can_wait_for_it(is_ended: bool):
    """In a script that ignores the ends of its processes, the system has forgotten a copy as soon as it ends."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        pid = os.fork()
        if not pid:
            time.sleep(0 if is_ended else 600)
            os._exit(0)
        copy = Copy(pid)
        if is_ended:
            assert copy.wait() == 0
            copy.returncode = None
        copy.kill()
        assert copy.wait() == 0
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    finally:
        signal.signal(signal.SIGCHLD, before)

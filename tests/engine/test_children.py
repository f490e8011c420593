"""Processes that work for a crawl: they end when they should, and are waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lycosa.processes import Copy


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


STARTS = """
import asyncio, os
from lycosa.processes import start_copy

async def start():
    copy = await start_copy("broken")
    copy.process.wait()

try:
    asyncio.run(start())
finally:
    os.write(1, b"ended ")
"""


def test_a_copy_that_fails_never_goes_on_as_the_crawl(tmp_path: Path):
    """Not even where it cannot say why, because nobody reads the error stream any more: `lycosa crawl 2>&1 | head`."""
    (tmp_path / "broken.py").write_text("def work(channel):\n    raise ValueError('a fault of ours')\n")
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [sys.executable, "-c", STARTS],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=writes,
        timeout=600,
        check=False,
    )
    os.close(writes)
    assert (done.returncode, done.stdout) == (0, b"ended ")

"""Processes that work for a crawl. In: a module of ours that knows how. Out: the process, and a line to it.

Started as programs of their own: forking the crawl would copy its event loop and connections, and multiprocessing would
run the user's script again. Messages go both ways as frames: their length, then their bytes.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lycosa.engine.threads import ONE_THREAD

FRAME = struct.Struct("<I")
MAX_FRAME = 1 << 30
SMALL_PAGES = {"NUMPY_MADVISE_HUGEPAGE": "0"}
"""Numpy asks Linux for pages of 2 MB for its larger arrays. Ours live for a moment: clearing these took a quarter of a fit."""


async def start_child(
    module: str,
) -> tuple[subprocess.Popen[bytes], asyncio.StreamReader, asyncio.StreamWriter]:
    """Run `work` of a module, which gets its end of the line."""
    ours, theirs = socket.socketpair()
    # Not in a thread: Linux would end the process with the thread that started it.
    process = subprocess.Popen(
        [sys.executable, "-m", "lycosa.engine.child", module, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        # The same path: what it is told to run may be in a file of the user's.
        env=os.environ | ONE_THREAD | SMALL_PAGES | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        process_group=0,  # out of the terminal's reach from the first moment
    )
    theirs.close()
    reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 22)
    return process, reader, writer


def live_with_parent() -> None:
    """Called by a child first: it ends with its parent, and at no signal of the terminal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # to stop is the parent's business, which then closes us
    die_with_parent()


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent is gone, however it went."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """To start processes in: they never hear of Ctrl-C, which is their parent's business; it counts here when all are known."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

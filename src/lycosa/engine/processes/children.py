"""Processes that work for a crawl. In: a module of ours that knows how. Out: the process, and a line to it.

Started as programs of their own, because multiprocessing would run the user's script again. While the crawl has one thread,
workers are copies of it instead, which need not load what it has loaded: a copy closes all files but its line, never goes
back to the crawl's event loop, and works. Messages go both ways as frames: their length, then their bytes.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import importlib
import os
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Protocol

from lycosa.engine.processes.threads import ONE_THREAD, SMALL_PAGES

FRAME = struct.Struct("<I")
MAX_FRAME = 1 << 30


class Process(Protocol):
    """What is asked of a child: what `subprocess.Popen` has too."""

    pid: int
    returncode: int | None

    def kill(self) -> None:
        """End it at once."""
        ...

    def wait(self) -> int:
        """Wait until it has ended. Returns its exit code; minus the signal that ended it."""
        ...


class Copy:
    """A process that was forked from this one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def kill(self) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self.returncode is None:
            try:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except (
                ChildProcessError
            ):  # a script that crawls ignores SIGCHLD: nobody knows, and subprocess says this
                self.returncode = 0
        return self.returncode


async def start_copy(module: str) -> tuple[Process, asyncio.StreamReader, asyncio.StreamWriter]:
    """As `start_child`; by a copy of this process where that may be made."""
    if not may_be_copied():
        return await start_child(module)
    work: Callable[[socket.socket], None] = importlib.import_module(module).work
    ours, theirs = socket.socketpair()
    if pid := os.fork():
        theirs.close()
        reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 22)
        return Copy(pid), reader, writer
    code = 1
    try:
        live_with_parent()
        _name_this(f"lycosa-{module.rpartition('.')[2]}")
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        os.closerange(3, theirs.fileno())
        os.closerange(theirs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        gc.freeze()
        work(theirs)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)  # not what the crawl does at its end; also where nobody reads what went wrong


def may_be_copied() -> bool:
    """Whether no other thread, of a notebook or a server, may hold a lock just now."""
    return _threads() == 1


def _threads() -> float:
    """How many threads this process has; where that cannot be known, too many."""
    try:
        return len([*Path("/proc/self/task").iterdir()])
    except OSError:
        return inf


async def start_child(
    module: str,
) -> tuple[subprocess.Popen[bytes], asyncio.StreamReader, asyncio.StreamWriter]:
    """Run `work` of a module, which gets its end of the line."""
    ours, theirs = socket.socketpair()
    # Not in a thread: Linux would end the process with the thread that started it.
    process = subprocess.Popen(
        [sys.executable, "-m", "lycosa.engine.processes.child", module, str(theirs.fileno())],
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


def _name_this(name: str) -> None:
    """Let `top` and /proc tell this process from the one that it is a copy of."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(15, name.encode())


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

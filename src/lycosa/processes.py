"""Child processes of a crawl, and the framed messages that they exchange with it.

A crawl with one thread forks them, so that they need not load what it has loaded. Otherwise they start as programs of
their own: `python -m lycosa.processes MODULE FD` calls `work` of a module with its end of a socket pair. `multiprocessing`
would run the user's script again.
"""

from __future__ import annotations

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
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the command line reads the constants, and has to start fast
    import asyncio
    from io import BufferedRWPair

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Environment for numpy: our matrices are small, so more threads mostly spin, and they can change the last bits."""
SMALL_PAGES = {"NUMPY_MADVISE_HUGEPAGE": "0"}
"""Environment for numpy: no pages of 2 MB for short-lived arrays, because clearing them is slow."""
YOUNG = 20_000
"""Threshold of the garbage collector's first generation; the default of 700 slows down imports."""
FRAME = struct.Struct("<I")
MAX_FRAME = 1 << 30


class Process(Protocol):
    """The part of `subprocess.Popen` that a crawl uses."""

    pid: int
    returncode: int | None

    def kill(self) -> None:
        """End it at once."""
        ...

    def wait(self) -> int:
        """Wait for its end. Return its exit code, or minus the signal that ended it."""
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
            except ChildProcessError:  # a script that ignores SIGCHLD; subprocess reports 0 then, too
                self.returncode = 0
        return self.returncode


@dataclass(slots=True, eq=False)
class Child:
    """A child process with the stream to it."""

    process: Process
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def tell(self, message: bytes) -> None:
        """Send a message; `ask` waits until it has gone out."""
        self.writer.write(FRAME.pack(len(message)) + message)

    async def ask(self, message: bytes) -> bytes:
        """Send a message, and return the answer."""
        self.tell(message)
        await self.writer.drain()
        (size,) = FRAME.unpack(await self.reader.readexactly(FRAME.size))
        if size > MAX_FRAME:
            raise ConnectionError("a child process sent no valid frame")
        return await self.reader.readexactly(size)

    def kill(self) -> None:
        """End the process, if it still runs."""
        self.writer.close()
        self.process.kill()
        self.process.wait()


def read_frame(stream: BufferedRWPair) -> bytes | None:
    """The next message to a child; None when the crawl has closed the stream."""
    header = stream.read(FRAME.size)
    return stream.read(FRAME.unpack(header)[0]) if header else None


def answer_all(stream: BufferedRWPair, answer: Callable[[bytes], bytes]) -> None:
    """Answer the messages to a child until the crawl closes the stream."""
    while (message := read_frame(stream)) is not None:
        reply = answer(message)
        stream.write(FRAME.pack(len(reply)) + reply)
        stream.flush()


async def start_copy(module: str) -> Child:
    """Run `work` of a module in a fork of this process, where that is safe; else as `start_child`."""
    if not may_be_copied():
        return await start_child(module)
    work: Callable[[socket.socket], None] = importlib.import_module(module).work
    ours, theirs = socket.socketpair()
    if pid := os.fork():
        return await _child(Copy(pid), ours, theirs)
    code = 1
    try:
        live_with_parent()
        _name_this(f"lycosa-{module.rpartition('.')[2].partition('_')[0]}")
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
        os._exit(code)  # never back into the crawl's event loop


def may_be_copied() -> bool:
    """Whether a fork is safe: no other thread, of a notebook or a server, may hold a lock."""
    return _threads() == 1


def _threads() -> float:
    """The number of threads of this process; infinite where the system does not tell."""
    try:
        return len([*Path("/proc/self/task").iterdir()])
    except OSError:
        return inf


async def start_child(module: str) -> Child:
    """Run `work` of a module in a new process."""
    ours, theirs = socket.socketpair()
    # Not in a thread: Linux would end the process with the thread that started it.
    process = subprocess.Popen(
        [sys.executable, "-m", "lycosa.processes", module, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        # The same path: what it runs may be in a file of the user's.
        env=os.environ | ONE_THREAD | SMALL_PAGES | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        process_group=0,  # out of the terminal's reach from the first moment
    )
    return await _child(process, ours, theirs)


async def _child(process: Process, ours: socket.socket, theirs: socket.socket) -> Child:
    import asyncio

    theirs.close()
    return Child(process, *await asyncio.open_connection(sock=ours, limit=1 << 22))


def live_with_parent() -> None:
    """Called first by a child: it ends with its parent, and ignores the signals of the terminal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the parent stops, and closes us
    die_with_parent()


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _name_this(name: str) -> None:
    """Name this process for `top` and /proc."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(15, name.encode())


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Block Ctrl-C while processes start: they inherit that, and this process hears of it afterwards."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


if __name__ == "__main__":
    gc.set_threshold(YOUNG)
    importlib.import_module(sys.argv[1]).work(socket.socket(fileno=int(sys.argv[2])))

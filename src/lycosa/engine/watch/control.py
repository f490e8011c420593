"""The control socket: how another process asks a running crawl for its state, or to pause, go on or stop.

A Unix domain socket in the collection's directory, readable by its owner only. One JSON object a line
goes in (`{"do": "status"}`), one comes out (`{"ok": true, …}`).
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from lycosa.engine.loop import Crawl

NAME = "control.sock"
LINE_BYTES = 65_536
_PATH_BYTES = 100  # a socket's path is limited to 108 bytes on Linux, 104 on macOS

RELEARN = "labels have changed"
"""Why a crawl ends that is to go on at once with what the labels teach."""

Reply = dict[str, Any]


Answer = Callable[[str], Reply | None]
"""Does what a command says (`status`, `pause` …) and tells how the crawl is then; None for a command that it does not know."""


@asynccontextmanager
async def control_of(crawl: Crawl, directory: Path) -> AsyncIterator[None]:
    """Serve the control socket of a crawl while the context lasts."""
    async with controlled(partial(_obeyed, crawl), directory):
        yield


@asynccontextmanager
async def controlled(answer: Answer, directory: Path) -> AsyncIterator[None]:
    """Serve the control socket of whatever answers commands, while the context lasts."""
    commands = _Commands(answer)
    path = directory / NAME
    with suppress(OSError):
        path.unlink()  # the directory is locked by this process, so whoever made it is gone
    with tempfile.TemporaryDirectory(prefix="lycosa-") as elsewhere:
        place = path if len(os.fsencode(path.absolute())) < _PATH_BYTES else Path(elsewhere) / NAME
        try:
            server = await asyncio.start_unix_server(commands.serve, path=str(place), limit=LINE_BYTES)
        except (OSError, AttributeError, NotImplementedError):
            yield  # a file system without sockets: the crawl runs, only not controlled
            return
        with suppress(OSError):
            place.chmod(0o600)
            if place != path:
                path.symlink_to(place)
        try:
            yield
        finally:
            server.close()
            with suppress(OSError):
                path.unlink()


def ask(directory: Path, do: str, timeout_s: float = 3.0) -> Reply | None:
    """Send one command to the crawl of a collection; None if none is running.

    A crawl that is too busy to answer in time is running: the answer then says so, and is not `ok`.
    """
    path = directory / NAME
    if not path.exists():
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(timeout_s)
            line.connect(os.path.realpath(path))
            line.sendall(json.dumps({"do": do}).encode() + b"\n")
            with line.makefile("rb") as answers:
                answer = json.loads(answers.readline(1_000_000) or b"null")
    except TimeoutError:
        return {"ok": False, "error": "It is busy and has not answered yet. Ask again in a moment."}
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None


def status_of(crawl: Crawl) -> Reply:
    """The status of a running crawl."""
    tally, counts = crawl.tally, crawl.frontier.counts()
    return {
        "running": True,
        "paused": crawl.paused,
        "ended": crawl.ended,
        "pages": tally.pages,
        "relevant": tally.relevant,
        **crawl.figures.as_json(),
        "bytes": tally.bytes,
        "seconds": round(tally.seconds, 1),
        "waiting": counts.waiting,
        "hosts": counts.active_authorities,
        "limit": crawl.limits.pages,
        "refused": {reason.value: count for reason, count in tally.refused.most_common(20)},
    }


def _obeyed(crawl: Crawl, do: str) -> Reply | None:
    if do == "pause":
        crawl.pause()
    elif do == "resume":
        crawl.resume()
    elif do == "stop":
        crawl.stop("interrupted")
    elif do == "labels-changed":
        crawl.stop(RELEARN)
    elif do != "status":
        return None
    return status_of(crawl)


class _Commands:
    def __init__(self, answer: Answer) -> None:
        self._answer_to = answer

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the lines of one connection; what is not understood is answered too."""
        with suppress(ConnectionError, ValueError, asyncio.LimitOverrunError):
            while line := await reader.readline():
                writer.write(json.dumps(self._answer(line)).encode() + b"\n")
                await writer.drain()
        writer.close()

    def _answer(self, line: bytes) -> Reply:
        try:
            asked = json.loads(line)
            do = asked["do"]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {"ok": False, "error": 'Send one JSON object a line, such as {"do": "status"}.'}
        state = self._answer_to(do)
        if state is None:
            return {"ok": False, "error": "Known are: status, pause, resume, stop, labels-changed."}
        return {"ok": True, **state}

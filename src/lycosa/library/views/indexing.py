"""Looking through pages for dates, places, names and texts that their crawl left out, at a reader's wish.

In: a collection. Out: `lycosa index` as a process of its own, and how far it is. The library itself
never writes to the catalogue.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO

import msgspec

from lycosa.collection.collection import Collection
from lycosa.engine.watch.control import NAME as CONTROL


class IndexStatus(msgspec.Struct, frozen=True):
    """How far a collection is indexed: pages left to look through, whether `lycosa index` runs, its last line."""

    left: int = 0
    running: bool = False
    crawling: bool = False  # a crawl writes to the collection: nobody else may
    said: str = ""


class IndexProcesses:
    """The processes that this library has started, one a collection at most."""

    def __init__(self) -> None:
        self._running: dict[Path, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
        self._lock = threading.Lock()

    def start(self, directory: Path) -> None:
        """Begin to look through a collection, unless somebody does already."""
        with self._lock:
            if self._is_running(directory):
                return
            log = tempfile.TemporaryFile()  # noqa: SIM115 - read while the process writes, closed with the library
            command = [sys.executable, "-m", "lycosa", "index", str(directory), "--workers", "1"]
            self._running[directory] = subprocess.Popen(command, stdout=log, stderr=log), log

    def status_of(self, collection: Collection) -> IndexStatus:
        """How far a collection is indexed."""
        running, said = self._is_running(collection.directory), ""
        if collection.directory in self._running:
            process, log = self._running[collection.directory]
            if running or process.returncode:
                said = _last_line(log)
        crawling = (collection.directory / CONTROL).exists()
        return IndexStatus(0 if running else collection.reader.not_indexed(), running, crawling, said)

    def stop(self) -> None:
        """End all; what was committed stays, and the next run goes on from there."""
        with self._lock:
            for process, log in self._running.values():
                process.terminate()
                process.wait()
                log.close()
            self._running.clear()

    def _is_running(self, directory: Path) -> bool:
        known = self._running.get(directory)
        return known is not None and known[0].poll() is None


def _last_line(log: IO[bytes]) -> str:
    size = log.seek(0, 2)
    log.seek(max(0, size - 2000))
    lines = log.read().decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "")

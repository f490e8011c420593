"""Run `lycosa index` from the library, and show its progress.

It extracts dates, places, names and texts that the crawl has not extracted. The library itself
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
    """Progress of indexing: pages left, whether `lycosa index` runs, and its last line."""

    left: int = 0
    running: bool = False
    crawling: bool = False  # a crawl writes to the collection
    said: str = ""


class IndexProcesses:
    """The processes started by this library, at most one a collection."""

    def __init__(self) -> None:
        self._running: dict[Path, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
        self._lock = threading.Lock()

    def start(self, directory: Path) -> None:
        """Start indexing a collection, unless it runs already."""
        with self._lock:
            if self._is_running(directory):
                return
            log = tempfile.TemporaryFile()  # noqa: SIM115 - open while the process writes
            command = [sys.executable, "-m", "lycosa", "index", str(directory), "--workers", "1"]
            self._running[directory] = subprocess.Popen(command, stdout=log, stderr=log), log

    def status_of(self, collection: Collection) -> IndexStatus:
        """Return the progress of a collection."""
        running, said = self._is_running(collection.directory), ""
        if collection.directory in self._running:
            process, log = self._running[collection.directory]
            if running or process.returncode:
                said = _last_line(log)
        crawling = (collection.directory / CONTROL).exists()
        return IndexStatus(0 if running else collection.reader.not_indexed(), running, crawling, said)

    def stop(self) -> None:
        """Stop all processes; the next run continues after their last commit."""
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

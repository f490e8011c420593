"""The crawl's log: one JSON object a line, with time, level, event and the event's own fields."""

from __future__ import annotations

import json
import logging
import os
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path


def open_log(path: Path) -> logging.Logger:
    """Return a logger that appends to the file. Two crawls in one process have two loggers."""
    handler = _Lines(path, encoding="ascii", errors="backslashreplace", delay=True)
    handler.setFormatter(_Json())
    logger = logging.Logger("lycosa", logging.INFO)
    logger.addHandler(handler)
    return logger


def close_log(logger: logging.Logger) -> None:
    """Close the file behind a logger of `open_log`."""
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def tell(logger: logging.Logger, message: str, /, *, level: int = logging.INFO, **fields: object) -> None:
    """Log a message with its fields: `tell(log, "page", url=url, score=0.4)`."""
    logger.log(level, "%s", message, extra={"fields": fields})


class _Json(logging.Formatter):
    """A record as one line of JSON. Reserved names override fields of the same name."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": at, "level": record.levelname.lower(), "event": record.getMessage()}
        line = head | getattr(record, "fields", {}) | head
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class _Lines(logging.FileHandler):
    """A file of lines that survives a torn last line, and ignores a full disk."""

    def _open(self) -> TextIOWrapper:
        stream = super()._open()
        with Path(self.baseFilename).open("rb") as written:
            size = written.seek(0, os.SEEK_END)
            written.seek(max(0, size - 1))
            if written.read() not in (b"", b"\n"):
                stream.write("\n")
        return stream

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the line: the crawl itself reports a full disk."""

"""Every error that a user can cause or fix. Each message ends with what to do next.

LycosaError            exit 1
├── SpecError          exit 2   the crawl.toml or the command line is wrong
├── InputError         exit 2   a file or URL that the user named cannot be used
├── ModelError         exit 2   a saved model cannot be used
├── CollectionError    exit 1   the collection on disk cannot be used or written
│   ├── NoCollection   exit 2   the path is not a collection
│   ├── CollectionBusy exit 1   another process is using it
│   └── TooLong        exit 1   a query used more time than a public library gives it
├── ArchiveError       exit 1   a WARC file cannot be read
├── MachineError       exit 1   no room on the disk, no more open files, no memory
├── StrategyError      exit 1   a strategy of the user's own failed
├── CodeError          exit 1   a judge or callback of the user's own failed
└── StoppedEarly       exit 3   stopped, and the same command goes on from here
"""

from __future__ import annotations

import errno
import sys
import traceback

MACHINE_FAULTS = frozenset(
    (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EROFS,
        errno.EIO,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
    )
)
"""An error of the machine, which no page and no server can cause."""


class LycosaError(Exception):
    """The root: the command line prints it as one line and exits with `exit_code`."""

    exit_code = 1


class SpecError(LycosaError):
    """The spec or the command line says something that cannot be done."""

    exit_code = 2


class InputError(LycosaError):
    """A file or URL that the user named is missing or unusable."""

    exit_code = 2


class ModelError(LycosaError):
    """A saved model is missing, damaged, or of another kind than asked for."""

    exit_code = 2


class CollectionError(LycosaError):
    """The collection cannot be opened, read or written."""


class NoCollection(CollectionError):
    """The path that the user named is not a collection."""

    exit_code = 2


class CollectionBusy(CollectionError):
    """Another process has the collection open."""


class TooLong(CollectionError):
    """A query used more time than it may."""


class ArchiveError(LycosaError):
    """A WARC file cannot be read."""


class MachineError(LycosaError):
    """The machine has reached its limits: whatever is tried would fail."""

    @classmethod
    def of(cls, error: OSError) -> MachineError:
        """The advice for one of MACHINE_FAULTS."""
        if error.errno in (errno.EMFILE, errno.ENFILE):
            advice = "Allow more (ulimit -n 4096) or lower fetch.concurrency"
        elif error.errno == errno.EROFS:
            advice = "Choose a place that can be written to"
        elif error.errno == errno.EIO:
            advice = "Check the disk: it did not do what it was told"
        else:
            advice = "Make room on the disk, also for temporary files"
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return cls(f"{where}{error.strerror}. {advice}, then run the same command: it goes on.")


class StrategyError(LycosaError):
    """A strategy that somebody else wrote raised an error, or answered with nonsense."""


class CodeError(LycosaError):
    """A judge or a callback of the user's own raised an error, or returned what is not allowed."""


def fault_in(what: str, module: str, error: Exception, when: str) -> str:
    """The message for an error in the user's own code: what failed and when, with file and line."""
    file = getattr(sys.modules.get(module), "__file__", None) or module
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"{file}, line {lines[-1]}" if lines else file
    return (
        f"{what} ({place}) failed {when}: {type(error).__name__}: {error}. What was collected is safe: correct it and "
        "run the same command (lycosa --debug … shows the traceback)."
    )


class StoppedEarly(LycosaError):
    """The work was stopped before its end; nothing is lost."""

    exit_code = 3

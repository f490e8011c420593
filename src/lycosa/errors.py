"""Every error that a user can cause or mend. Each message ends with what to do next.

LycosaError            exit 1
├── SpecError          exit 2   the crawl.toml or the command line is wrong
├── InputError         exit 2   a file or URL that the user named cannot be used
├── ModelError         exit 2   a saved model cannot be used
├── CollectionError    exit 1   the collection on disk cannot be used or written
│   ├── NoCollection   exit 2   what was named is none
│   └── CollectionBusy exit 1   another process is using it
├── ArchiveError       exit 1   a WARC file cannot be read
├── StrategyError      exit 1   a strategy of the user's own failed
└── StoppedEarly       exit 3   stopped, and the same command goes on from here
"""

from __future__ import annotations


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
    """What the user named is not a collection."""

    exit_code = 2


class CollectionBusy(CollectionError):
    """Another process has the collection open."""


class ArchiveError(LycosaError):
    """A WARC file cannot be read."""


class StrategyError(LycosaError):
    """A strategy that somebody else wrote raised an error, or answered with nonsense."""


class StoppedEarly(LycosaError):
    """The work was stopped before its end; nothing is lost."""

    exit_code = 3

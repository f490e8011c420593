"""What a PDF or an office file says, as the process that reads it hands it over. Nothing heavy is imported: the process starts for every file."""

from __future__ import annotations

import ctypes
import re
import resource
import signal
import sys
from contextlib import suppress
from datetime import date

import msgspec

from lycosa.page.files.as_html import Section, html_of

OFFICE_TYPES = frozenset(
    f"application/vnd.{kind}"
    for kind in (
        "openxmlformats-officedocument.wordprocessingml.document",
        "openxmlformats-officedocument.spreadsheetml.sheet",
        "openxmlformats-officedocument.presentationml.presentation",
        "oasis.opendocument.text",
        "oasis.opendocument.spreadsheet",
        "oasis.opendocument.presentation",
    )
)
"""The content types of office files that can be read."""
UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What no text can hold that is stored."""
_DAY = re.compile(r"(?:D:)?(\d{4})-?(\d\d)-?(\d\d)")
MEMORY_BYTES = 1_500_000_000
CPU_S = 12


def limit_process() -> None:
    """Let the system end this process where a file wants too much, and with its parent."""
    for what, limit in ((resource.RLIMIT_AS, MEMORY_BYTES), (resource.RLIMIT_CPU, CPU_S)):
        with suppress(ValueError, OSError):  # not every system has every limit
            resource.setrlimit(what, (limit, limit))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def day_of(said: str) -> str:
    """The day that a date of such a file means, as ISO; '' for none.

    >>> day_of("D:20240503120000+02'00'"), day_of("2024-05-03T12:00:00Z"), day_of("2024-15-03"), day_of("yesterday")
    ('2024-05-03', '2024-05-03', '', '')
    """
    found = _DAY.match(said)
    try:
        return date(*map(int, found.groups())).isoformat() if found else ""
    except ValueError:
        return ""


class Paper(msgspec.Struct, frozen=True):
    """What such a file says. `page_count` is 0 where it has no pages."""

    title: str
    date: str  # ISO, or ''
    page_count: int
    pages: tuple[Section, ...]

    def as_html(self) -> str:
        """The paper as a page."""
        return html_of(self.title, self.pages, self.date)


class Unread(msgspec.Struct, frozen=True):
    """Why a file has no text for us."""

    why: str

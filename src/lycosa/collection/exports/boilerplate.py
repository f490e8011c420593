"""Remove lines that repeat at the beginning or end of a site's texts, such as "Share this page".

A single page does not show which lines repeat, so all pages of the site are counted first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

ENDS = 6
"""Number of lines checked at the beginning and at the end of a text."""
MIN_PAGES, MIN_SHARE = 10, 0.5
"""Minimum number and share of a site's pages that have a line of boilerplate."""
LINE_CHARS = 300

_URL = re.compile(r"https?://\S+")
_DIGITS = re.compile(r"\d+")
_NOT_WORDS = re.compile(r"\W+")


class Boilerplate:
    """Repeated lines of each site. Call `add` for all pages before `without`."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._lines: dict[str, Counter[str]] = {}

    def add(self, source: str, text: str) -> None:
        """Count the first and last lines of a page."""
        lines = text.split("\n")
        self._pages[source] += 1
        self._lines.setdefault(source, Counter()).update({form(line) for line in _ends(lines)} - {""})

    def without(self, source: str, text: str) -> str:
        """Return the text without repeated lines; all of it if nothing else would remain."""
        lines, pages = text.split("\n"), self._pages[source]
        least = max(MIN_PAGES, MIN_SHARE * pages)
        counts = self._lines.get(source, Counter())
        if pages < MIN_PAGES:
            return text
        repeats = [counts[form(line)] >= least for line in lines]
        start = next((at for at in range(min(ENDS, len(lines))) if not repeats[at] and lines[at].strip()), 0)
        end = len(lines)
        while end > max(start, len(lines) - ENDS) and (repeats[end - 1] or not lines[end - 1].strip()):
            end -= 1
        return "\n".join(lines[start:end]).strip("\n") or text


def form(line: str) -> str:
    """Return a line without numbers, addresses and punctuation, for comparison; '' of a long line.

    >>> form("* Retrieved from http://a.test/?id=7, 3 May 2024") == form("Retrieved from http://a.test/?id=12, 14 May 2023")
    True
    """
    if len(line) > LINE_CHARS:
        return ""
    return _NOT_WORDS.sub(" ", _DIGITS.sub("0", _URL.sub("", line))).strip().lower()


def _ends(lines: list[str]) -> Iterable[str]:
    return lines if len(lines) <= 2 * ENDS else (*lines[:ENDS], *lines[-ENDS:])

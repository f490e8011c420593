"""Lines that repeat over a site. In: the texts of its pages. Out: the texts without what all of them begin or end with.

"Retrieved from …" and "Share this page" say nothing of a page; one page alone does not tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

ENDS = 6
"""Lines at the beginning and at the end of a text that are looked at."""
MIN_PAGES, MIN_SHARE = 10, 0.5
"""A line is boilerplate if this many pages of its site have it, and this share of them."""
LINE_CHARS = 300

_URL = re.compile(r"https?://\S+")
_DIGITS = re.compile(r"\d+")
_NOT_WORDS = re.compile(r"\W+")


class Boilerplate:
    """What repeats over each site. Fill it with `add`, page by page, before `without` is asked."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._lines: dict[str, Counter[str]] = {}

    def add(self, source: str, text: str) -> None:
        """Count what a page of a site begins and ends with."""
        lines = text.split("\n")
        self._pages[source] += 1
        self._lines.setdefault(source, Counter()).update({form(line) for line in _ends(lines)} - {""})

    def without(self, source: str, text: str) -> str:
        """The text without lines that repeat over its site; all of it where nothing else would be left."""
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
    """What two lines have in common that differ only in numbers, addresses and marks; '' of a long line.

    >>> form("* Retrieved from http://a.test/?id=7, 3 May 2024") == form("Retrieved from http://a.test/?id=12, 14 May 2023")
    True
    """
    if len(line) > LINE_CHARS:
        return ""
    return _NOT_WORDS.sub(" ", _DIGITS.sub("0", _URL.sub("", line))).strip().lower()


def _ends(lines: list[str]) -> Iterable[str]:
    return lines if len(lines) <= 2 * ENDS else (*lines[:ENDS], *lines[-ENDS:])

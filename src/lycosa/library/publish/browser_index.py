"""Make a search index of files that a browser reads.

A word is in the file of its first two letters, so a search reads one small file for each word.
The files are scripts, because a browser does not read data files from a disk.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator

import msgspec

from lycosa.collection.search.phrases import JOINT, as_indexed, folded

LONGEST = 40
"""Maximum number of characters of a word."""
IN_TITLE = 8
"""Weight of a word in the title."""
COMMON = 0.6
"""Words on a larger share of pages are left out."""
MIN_PAGES = 20
"""Minimum number of pages for common words."""

_WORD = re.compile(r"[^\W_]+")
_to_json = msgspec.json.Encoder().encode


def words_in(text: str) -> list[str]:
    """Return the words of a text as the index compares them; site.js does the same.

    >>> words_in("Zürich, 東京 2nd")
    ['zurich', '東', '京', '2nd']
    """
    return [word[:LONGEST] for word in _WORD.findall(folded(as_indexed(text).replace(JOINT, " ")))]


def part_of(word: str) -> str:
    """Return the name of the file of a word.

    >>> part_of("owl"), part_of("東")
    ('6f-77', '6771')
    """
    return "-".join(f"{ord(letter):x}" for letter in word[:2])


class BrowserIndex:
    """The pages of each word. Pages are numbered from 0 in the order they are added."""

    def __init__(self) -> None:
        self.pages = 0
        self._found: dict[str, array[int]] = {}  # page and count, alternating

    def add(self, title: str, text: str) -> None:
        """Add the next page."""
        counts = Counter(words_in(text))
        for word in words_in(title):
            counts[word] += IN_TITLE
        for word, often in counts.items():
            self._found.setdefault(word, array("L")).extend((self.pages, min(often, 255)))
        self.pages += 1

    def common(self) -> list[str]:
        """Return the words on most pages, which are left out."""
        if self.pages < MIN_PAGES:
            return []
        return sorted(word for word, found in self._found.items() if len(found) / 2 > COMMON * self.pages)

    def parts(self) -> Iterator[tuple[str, bytes]]:
        """Return the files, name and script. Pages are stored as differences, which takes fewer digits."""
        left_out, parts = set(self.common()), dict[str, list[str]]()
        for word in self._found:
            if word not in left_out:
                parts.setdefault(part_of(word), []).append(word)
        for part, words in sorted(parts.items()):
            held = {word: _steps(self._found[word]) for word in sorted(words)}
            yield part, b'lycosa("' + part.encode() + b'",' + _to_json(held) + b")"


def _steps(found: array[int]) -> list[int]:
    """
    >>> _steps(array("L", [3, 1, 10, 2]))
    [3, 1, 7, 2]
    """
    steps, before = list(found), 0
    for at in range(0, len(steps), 2):
        steps[at], before = steps[at] - before, steps[at]
    return steps

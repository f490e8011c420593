"""Match keywords and phrases in URLs and texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import unquote

SHORT = 4
"""A keyword with fewer letters must be a whole word of the URL: "ny" is not meant to find "any"."""

_WORD = re.compile(r"[^\W_]+")


class Keywords:
    """Words and phrases. A URL contains a phrase if its words follow each other, however they are parted.

    >>> words = Keywords(["Attack", "Lac Mégantic", "#ny"])
    >>> [words.found_in(url) for url in ("http://a.example/brussels-attacks", "http://a.example/lac_megantic",
    ...     "http://a.example/any", "http://ny.example/")]
    [True, True, False, True]
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(word for word in words if _WORD.search(word))
        patterns = [_pattern(word) for word in self.words]
        self._pattern = re.compile("|".join(patterns)) if patterns else None

    def __bool__(self) -> bool:
        return bool(self.words)

    def found_in(self, url: str) -> bool:
        """Whether the URL contains at least one keyword, after its scheme; always, if there are none."""
        return (
            self._pattern is None or self._pattern.search(_plain(url.partition("://")[2] or url)) is not None
        )

    def count_in(self, text: str) -> int:
        """How often keywords occur in a text."""
        return sum(1 for _ in self._pattern.finditer(_plain(text))) if self._pattern else 0


def _pattern(keyword: str) -> str:
    words = _WORD.findall(_plain(keyword))
    body = r"[\W_]*+".join(map(re.escape, words))
    # Scripts without spaces have words of one or two letters; only ours need the whole word.
    whole = len("".join(words)) < SHORT and body.isascii()
    return rf"(?<![^\W_]){body}(?![^\W_])" if whole else body


def _plain(text: str) -> str:
    """Lower case, without escapes and accents."""
    if "%" in text:
        text = unquote(text)
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))

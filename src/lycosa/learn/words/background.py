"""How common words are in a language.

The tables (`data/`, made by `research/background.py` from wordfreq) hold the 20,000 most frequent stems of a language.
Chinese and Japanese have one table of character pairs, as pages are split into, whatever the crawl's language is.
"""

from __future__ import annotations

import lzma
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lycosa.page.text.terms import is_cjk
from lycosa.urls import hash_of

DATA = Path(__file__).parent / "data"
CJK = "cjk"
FIRST_CJK = "\u3041"
PAGE_WORDS = 400.0
"""Of a typical page: turns how often a word is used into the share of pages that have it."""
MIN_RARITY, MAX_RARITY, MAX_ZIPF = 0.2, 6.5, 7.5
UNKNOWN = 0.5
"""A stem that is not in the table is taken to be this many Zipf units rarer than the rarest in it."""
WITHOUT_TABLE = 3.0
"""The Zipf frequency of all words where nothing is known of the language; of unknown character pairs too: a pair
across the border of two words is in no table, however common."""


def rarity(zipf: float) -> float:
    """What a word weighs by its Zipf frequency (log10 of its occurrences in a billion words).

        rarity = 7.5 − Zipf, between 0.2 and 6.5

    >>> rarity(7.4), rarity(4.0), rarity(-1.0)
    (0.2, 3.5, 6.5)
    """
    return min(MAX_RARITY, max(MIN_RARITY, MAX_ZIPF - zipf))


@lru_cache(maxsize=1024)  # tables have tenths
def share_of_pages(zipf: float) -> float:
    """The share of pages of the language that have a word of this Zipf frequency at least once.

        1 − exp(−f · words of a page),  f = 10^(Zipf − 9)

    >>> round(share_of_pages(6.0), 3), share_of_pages(1.0)
    (0.33, 1e-05)
    """
    expected = 10.0 ** (zipf - 9.0) * PAGE_WORDS
    return min(0.95, max(1e-5, 1.0 - math.exp(-expected)))


@dataclass(frozen=True)
class Background:
    """The words of one language, with their Zipf frequencies."""

    table: Mapping[str, float]
    unknown: float = WITHOUT_TABLE
    language: str = ""

    @cached_property
    def rarities(self) -> Mapping[str, float]:
        """The weight of each term of the table."""
        return {term: rarity(zipf) for term, zipf in self.table.items()}

    @cached_property
    def hashes(self) -> NDArray[np.int64]:
        """The hash of each term of the table, in its order."""
        return np.fromiter(map(hash_of, self.table), np.int64, len(self.table))

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of each term of the table, in its order."""
        return {term: place for place, term in enumerate(self.table)}

    @cached_property
    def rarity_elsewhere(self) -> float:
        """The weight of a word that is missing from the table."""
        return rarity(self.unknown)

    def zipf(self, term: str) -> float:
        """The Zipf frequency of a term.

        >>> Background({"owl": 3.9}, 2.0).zipf("owl"), Background({}).zipf("owl")
        (3.9, 3.0)
        """
        found = self.table.get(term)
        if found is not None:
            return found
        if term >= FIRST_CJK and is_cjk(term):  # most words are told by their first letter
            return _cjk_table().get(term, WITHOUT_TABLE)
        return self.unknown

    def rarity(self, term: str) -> float:
        """The weight of a term."""
        found = self.rarities.get(term)
        if found is None:
            return self.rarity_elsewhere if term < FIRST_CJK else rarity(self.zipf(term))
        return found

    def share(self, term: str) -> float:
        """The share of pages of the language that have a term."""
        return share_of_pages(self.zipf(term))


def languages() -> list[str]:
    """The languages that have a table of their own."""
    return sorted(
        path.name.partition(".")[0] for path in DATA.glob("*.txt.xz") if not path.name.startswith(CJK)
    )


@lru_cache(maxsize=8)
def background_of(language: str) -> Background:
    """The background of a Snowball language; one that knows no words where there is no table.

    >>> background_of("english").zipf("owl") < background_of("english").zipf("hous")
    True
    """
    path = DATA / f"{language}.txt.xz"
    table = read_table(path) if path.exists() else {}
    return Background(table, min(table.values()) - UNKNOWN if table else WITHOUT_TABLE, language)


@lru_cache(maxsize=1)
def _cjk_table() -> Mapping[str, float]:
    return read_table(DATA / f"{CJK}.txt.xz")


def read_table(path: Path) -> dict[str, float]:
    """Zipf frequencies by stem."""
    return table_in(lzma.decompress(path.read_bytes()).decode())


def table_in(text: str) -> dict[str, float]:
    """The table that a text holds: a line for each tenth of a Zipf unit, with its stems.

    >>> table_in("63 year time\\n39 owl")
    {'year': 6.3, 'time': 6.3, 'owl': 3.9}
    """
    table: dict[str, float] = {}
    for line in text.splitlines():
        tenths, *stems = line.split(" ")
        table.update(dict.fromkeys(stems, int(tenths) / 10))
    return table


def text_of(table: Iterable[tuple[str, float]]) -> str:
    """A table as `table_in` reads it: rounded, the most frequent first, alphabetical within a line.

    >>> text_of({"owl": 3.93, "year": 6.32, "time": 6.28}.items())
    '63 time year\\n39 owl'
    """
    lines: dict[int, list[str]] = {}
    for stem, zipf in table:
        lines.setdefault(round(zipf * 10), []).append(stem)
    return "\n".join(f"{tenths} {' '.join(sorted(lines[tenths]))}" for tenths in sorted(lines, reverse=True))

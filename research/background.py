"""Make the judge's tables of word frequencies, `src/lycosa/judge/data/*.txt.xz`, from wordfreq.

They hold the 20,000 most frequent stems of each language that both wordfreq and Snowball know. Chinese and Japanese
words are split into pairs of characters, as pages are, and share one table.

Command line: python -m research.background [LANGUAGE …]      (needs: pip install wordfreq==3.1.1)
Expected time: 3 minutes
"""

from __future__ import annotations

import lzma
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping

from lycosa.learn.words.background import CJK, DATA, text_of
from lycosa.page.text.terms import is_cjk, words_of

MAX_STEMS = 20_000
LANGUAGES = dict(
    pair.split()
    for pair in (
        "arabic ar, catalan ca, czech cs, danish da, dutch nl, english en, finnish fi, french fr, "
        "german de, greek el, hindi hi, hungarian hu, indonesian id, italian it, lithuanian lt, "
        "norwegian nb, persian fa, polish pl, portuguese pt, romanian ro, russian ru, serbian sh, "
        "spanish es, swedish sv, tamil ta, turkish tr"
    ).split(", ")
)
"""wordfreq's codes by Snowball's names."""
BIGRAMS_OF = ("zh", "ja")


def stems_of(words: Mapping[str, float], language: str) -> dict[str, float]:
    """Zipf frequencies of stems, from the frequencies (shares of all words) of their words.

    >>> {stem: round(zipf, 1) for stem, zipf in stems_of({"cat": 1e-5, "cats": 1e-5, "the": 0.1}, "english").items()}
    {'cat': 4.3}
    """
    total: Counter[str] = Counter()
    split = words_of(language)
    for word, frequency in words.items():
        for term in split.terms(word):
            total[term] += frequency  # type: ignore[assignment]  # shares, not counts
    return {stem: math.log10(share * 1e9) for stem, share in total.items()}


def most_frequent(table: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the stems for the shipped table."""
    return sorted(table.items(), key=lambda item: (-item[1], item[0]))[:MAX_STEMS]


def cjk_table(tables: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """One table of character pairs: each as frequent as in the language that uses it most.

    >>> cjk_table([{"東京": 4.0, "cat": 4.0}, {"東京": 5.0}])
    {'東京': 5.0}
    """
    found: dict[str, float] = {}
    for table in tables:
        for term, zipf in table.items():
            if is_cjk(term):
                found[term] = max(zipf, found.get(term, zipf))
    return found


def save(name: str, table: Mapping[str, float]) -> int:
    """Write a table and return its size. The same words give the same bytes."""
    packed = lzma.compress(text_of(most_frequent(table)).encode(), preset=9 | lzma.PRESET_EXTREME)
    (DATA / f"{name}.txt.xz").write_bytes(packed)
    return len(packed)


def main() -> None:
    """Make the tables of the named languages, or all."""
    from wordfreq import get_frequency_dict  # type: ignore[import-not-found]  # needed here alone

    named = sys.argv[1:] or [*LANGUAGES, CJK]
    for name in named:
        if name == CJK:
            table = cjk_table(
                stems_of(get_frequency_dict(code, wordlist="best"), "english") for code in BIGRAMS_OF
            )
        else:
            table = stems_of(get_frequency_dict(LANGUAGES[name], wordlist="best"), name)
        print(f"{name}: {len(table):,} stems, {save(name, table) / 1000:.0f} kB kept", flush=True)


if __name__ == "__main__":
    main()

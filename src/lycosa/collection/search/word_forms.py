"""Find other forms of a word among the indexed words, and suggest spellings.

The index has words as written (without accents), so a search has to ask for the other forms too.
They are found by their stem in each of the collection's languages, at query time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import Stemmer

from lycosa.collection.search.phrases import Phrase, TypedQuery, folded, has_own_words
from lycosa.page.text.languages import STEMMED

FORMS = 24
"""Maximum number of forms of a word; those on most pages."""
LOOKED_AT = 20_000
"""Maximum number of indexed words compared with one word."""
ALIKE = 0.74
"""Minimum similarity (difflib's ratio) of a suggestion."""
_PREFIX = 3
_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "þ": "th", "ð": "d"}
)
_OPENINGS = {"ae": "æ", "oe": "œ", "o": "ø", "l": "ł", "d": "đ", "th": "þ"}
_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))


class WordForms:
    """The indexed words, by their forms."""

    def __init__(self, connection: sqlite3.Connection, languages: Iterable[str]) -> None:
        """`languages`: codes such as `en`."""
        self._connection = connection
        names = (STEMMED.get(code, "") for code in languages)
        self._languages = tuple(dict.fromkeys(name for name in names if name))
        connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'texts', 'row')"
        )

    def widened(self, query: TypedQuery) -> TypedQuery:
        """Return the query with all indexed forms of its words; phrases stay."""
        return TypedQuery(
            tuple(
                tuple(form for phrase in either for form in self._forms(phrase)) for either in query.wanted
            ),
            tuple(form for phrase in query.unwanted for form in self._forms(phrase)),
            query.conditions,
        )

    def _forms(self, phrase: Phrase) -> Sequence[Phrase]:
        if phrase.is_exact or phrase.open_ended or len(phrase.words) > 1 or has_own_words(phrase.words[0]):
            return [phrase]
        found = self.forms(phrase.words[0])
        return [phrase, *(Phrase((word,), in_title=phrase.in_title) for word in found)]

    def forms(self, word: str) -> list[str]:
        """Return the other indexed forms of a word, those on most pages first."""
        word = folded(word)
        stems = self._stems(word)
        pages = {
            other: count
            for other, count in self._near(word)
            if other != word and not stems.isdisjoint(self._stems(other))
        }
        if "german" in self._languages:
            pages |= {other: count for other in _without_e(word) if (count := self._pages(other))}
        return sorted(pages, key=lambda other: -pages[other])[:FORMS]

    def correction(self, query: TypedQuery) -> str:
        """Return the query with unknown words replaced by the most similar indexed ones; '' if there is none."""
        changed, parts = False, []
        for either in query.wanted:
            told = []
            for phrase in either:
                words = [self._corrected(word) for word in phrase.words]
                changed |= tuple(words) != phrase.words
                text = " ".join(words)
                told.append(
                    ("title:" if phrase.in_title else "") + (f'"{text}"' if phrase.is_exact else text)
                )
            parts.append(" OR ".join(told))
        return " ".join(parts) if changed else ""

    def _corrected(self, word: str) -> str:
        plain = folded(word)
        if len(plain) < 4 or has_own_words(word) or self._pages(plain) or self.forms(word):
            return word
        rows = self._connection.execute(
            "SELECT term, doc FROM temp.words WHERE term >= ? AND term < ? LIMIT ?",
            (plain[0], plain[0] + "\U0010ffff", 10 * LOOKED_AT),
        )
        compare = SequenceMatcher(b=plain, autojunk=False)
        best, best_like = word, (ALIKE, 0)
        for other, pages in rows:
            if abs(len(other) - len(plain)) > 2:
                continue
            compare.set_seq1(other)
            if compare.real_quick_ratio() < best_like[0] or compare.quick_ratio() < best_like[0]:
                continue
            like = (compare.ratio(), pages)
            if like > best_like:
                best, best_like = other, like
        return best

    def _stems(self, word: str) -> set[str]:
        plain = word.translate(_SPELLED)
        return {plain, *(_stem(plain, language) for language in self._languages)}

    def _near(self, word: str) -> Iterable[tuple[str, int]]:
        """Return indexed words with the same beginning."""
        openings = {word[:_PREFIX]} | {
            other + word[len(plain) : _PREFIX - len(plain) + len(other)]
            for plain, other in _OPENINGS.items()
            if word.startswith(plain)
        }
        for opening in openings:
            yield from self._connection.execute(
                "SELECT term, doc FROM temp.words WHERE term >= ? AND term < ? LIMIT ?",
                (opening, opening + "\U0010ffff", LOOKED_AT),
            )

    def _pages(self, word: str) -> int:
        row = self._connection.execute("SELECT doc FROM temp.words WHERE term = ?", (word,)).fetchone()
        return row[0] if row else 0


def _without_e(word: str) -> set[str]:
    """Return spellings of German without umlauts, as indexed: `munchen` for `muenchen`."""
    found = {word}
    for two, one in _UMLAUTS:
        found |= {other.replace(two, one) for other in found}
    return found - {word}


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    return str(_stemmer(language).stemWord(word))


@lru_cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language)

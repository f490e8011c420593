"""Text to terms. In: text and the name of its language. Out: stemmed words without stop words.

A page's words are looked up as bytes in a bounded cache, so that stemming, stop words and anything
that is not ASCII cost something only when a word is new.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property, lru_cache

import numpy as np
import Stemmer

from lycosa.errors import SpecError
from lycosa.page.languages import UNSTEMMED
from lycosa.page.stop_words import STOP_WORDS

__all__ = [
    "STOP_WORDS",
    "TermStream",
    "Words",
    "count_terms",
    "is_cjk",
    "known_languages",
    "terms_of",
    "terms_of_each",
    "url_terms_of_each",
    "words_of",
]

CACHE_WORDS = 100_000
CACHED_BYTES = 40
"""Longer tokens are not cached. Longer ASCII tokens are no words at all: they are dropped."""
NOT_TELLING = frozenset("http https www com html htm php asp aspx jsp".split())
"""Words of URLs that say nothing: those that `urls.tokens` leaves out."""
NUMBER_DIGITS = 8
TOKEN_CHARS = 100_000
"""How many characters of a text without spaces are read."""

_CJK = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_])+")
_IS_CJK = re.compile(rf"[{_CJK}]")
# One pass over the bytes: letters to lower case, digits kept, other ASCII to spaces, the rest kept.
_PLAIN = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() else 32 for byte in range(256)
)
_SEPARATED = b"\0" + _PLAIN[1:]  # keeps NUL, which separates texts


class Words(dict[bytes, "str | tuple[str, ...]"]):
    """Terms of a language: a bounded cache from a token to its term, its terms, or '' for none."""

    def __init__(self, language: str = "english", not_telling: Iterable[str] = ()) -> None:
        super().__init__()
        if language in Stemmer.algorithms():
            self._stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
        elif language in UNSTEMMED.values():
            self._stem = str
        else:
            raise SpecError(
                f"The language {language!r} is not known. Choose one of: {', '.join(known_languages())}."
            )
        self._stop = STOP_WORDS.get(language, frozenset()) | frozenset(not_telling)

    def __missing__(self, token: bytes) -> str | tuple[str, ...]:
        terms = self._terms(token)
        found = terms[0] if len(terms) == 1 else terms or ""
        if len(token) <= CACHED_BYTES:
            if len(self) >= CACHE_WORDS:
                self.clear()
            self[token] = found
        return found

    def _terms(self, token: bytes) -> tuple[str, ...]:
        if token.isascii():
            words = [token.decode()] if len(token) <= CACHED_BYTES else []
        else:
            text = unicodedata.normalize("NFKC", token.decode("utf-8", "replace")[:TOKEN_CHARS]).lower()
            words = [part for word in _WORD.findall(text) for part in _bigrams(word)]
        return tuple(term for word in words if (term := self._term(word)))

    def _term(self, word: str) -> str:
        if word in self._stop:
            return ""
        if word.isdigit():
            return word if 1 < len(word) <= NUMBER_DIGITS else ""
        if len(word) == 1:
            return word if _IS_CJK.match(word) else ""
        return str(self._stem(word)) if len(word) <= CACHED_BYTES else ""

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in their order."""
        return self._flat(map(self.__getitem__, text.encode("utf-8", "replace").translate(_PLAIN).split()))

    def count(self, text: str) -> tuple[dict[str, int], int]:
        """How often each term occurs in a text; and how many words it has, stop words included."""
        return self.read(text).counted

    def read(self, text: str) -> TermStream:
        """The text in tokens, to be counted as a whole and in parts."""
        plain = text.encode("utf-8", "replace").translate(_PLAIN)
        return TermStream(plain, list(map(self.__getitem__, plain.split())), text.isascii())

    def each(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each of many short texts, in one pass."""
        if not texts:
            return []
        joined = " \0 ".join(texts)
        if joined.count("\0") != len(texts) - 1:
            joined = " \0 ".join([text.replace("\0", " ") for text in texts])
        current: list[str] = []
        lists = [current]
        for token in joined.encode("utf-8", "replace").translate(_SEPARATED).split():
            if token == b"\0":
                current = []
                lists.append(current)
            elif found := self[token]:
                if type(found) is tuple:
                    current += found
                else:
                    current.append(found)  # type: ignore[arg-type]
        return lists

    @staticmethod
    def _flat(found: Iterable[str | tuple[str, ...]]) -> list[str]:
        terms: list[str] = []
        for term in found:
            if type(term) is tuple:
                terms += term
            elif term:
                terms.append(term)  # type: ignore[arg-type]
        return terms


class TermStream:
    """A text as the terms of its tokens in their order, which is made once and counted for any part of the text."""

    def __init__(self, plain: bytes, found: list[str | tuple[str, ...]], is_ascii: bool) -> None:
        self._plain = plain
        self._found = found  # of each token its term, its terms, or '' for none
        self._is_ascii = is_ascii

    @cached_property
    def _counts(self) -> dict[str | tuple[str, ...], int]:
        return dict(Counter(filter(None, self._found)))

    @cached_property
    def _several(self) -> list[tuple[str, ...]]:
        """The distinct tokens of several terms: there are none in ASCII."""
        return [] if self._is_ascii else [found for found in self._counts if type(found) is tuple]

    @cached_property
    def counted(self) -> tuple[dict[str, int], int]:
        """How often each term occurs in the text; and how many words it has, stop words included."""
        words = len(self._found)
        several, counts = self._several, self._counts
        terms: dict[str, int] = counts  # type: ignore[assignment]  # once the tuples are out
        for found in several:
            often = counts.pop(found)
            words += often * (len(found) - 1)
            for term in found:
                terms[term] = terms.get(term, 0) + often
        return terms, words

    def counts_in(self, ranges: Iterable[tuple[int, int]], naming: Set[str] | None = None) -> dict[str, int]:
        """How often each term occurs in some ranges of tokens, (first, end) each; of the same tokens twice once.

        With `naming` nothing is counted unless one of these terms occurs.

        >>> stream = Words().read("a big cat, the big cat, dogs")
        >>> stream.counts_in([(1, 3), (4, 6), (6, 7)]), stream.counts_in([(1, 3)], naming={"owl"})
        ({'big': 1, 'cat': 1, 'dog': 1}, {})
        """
        parts = [self._found[first:end] for first, end in ranges]
        found = parts[0] if len(parts) == 1 else _distinct(parts)
        if self._several:
            found = [term for token in found for term in (token if type(token) is tuple else (token,))]
        counts: dict[str, int] = {}
        if naming is None or not naming.isdisjoint(found):
            get = counts.get  # a Counter is quicker only for long texts
            for term in found:
                if term:
                    counts[term] = get(term, 0) + 1  # type: ignore[index, arg-type]  # no tuples any more
        return counts

    def tokens_before(self, places: Sequence[int]) -> list[int]:
        """How many tokens begin before each of these places in the text; -1 for a place within a token.

        >>> Words().read("owls, and cats").tokens_before([0, 5, 6, 8, 14])
        [0, 1, 1, -1, 3]
        """
        plain = np.frombuffer(
            b" " + self._plain + b" ", np.uint8
        )  # a place is before the byte of the same number
        at = np.array(places, np.intp)
        if not self._is_ascii:
            more = np.flatnonzero((plain[1:] & 0xC0) == 0x80)  # bytes that continue a character
            at = at + np.searchsorted(more - np.arange(len(more)), at, side="right")
        is_word = plain != 32
        starts = np.flatnonzero(is_word[1:] > is_word[:-1])
        before = np.searchsorted(starts, at)
        before[is_word[at] & is_word[at + 1]] = -1
        tokens: list[int] = before.tolist()
        return tokens


def _distinct(parts: Sequence[list[str | tuple[str, ...]]]) -> list[str | tuple[str, ...]]:
    """The tokens of several parts in one list; of equal parts the first."""
    return [token for at, part in enumerate(parts) if part not in parts[:at] for token in part]


def known_languages() -> list[str]:
    """The names of languages whose words can be compared: those with a stemmer, and those that do without."""
    return sorted({*Stemmer.algorithms(), *UNSTEMMED.values()})


def _bigrams(word: str) -> list[str]:
    # Chinese and Japanese put no spaces between words; pairs of characters find most of them.
    if len(word) <= 2 or not _IS_CJK.match(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def is_cjk(term: str) -> bool:
    """Whether a term is of Chinese or Japanese characters: a pair of them, or one.

    >>> is_cjk("東京"), is_cjk("tokyo")
    (True, False)
    """
    return _IS_CJK.match(term) is not None


@lru_cache(maxsize=32)
def words_of(language: str) -> Words:
    """The one cache of a language in this process."""
    return Words(language)


@lru_cache(maxsize=32)
def _url_words_of(language: str) -> Words:
    return Words(language, NOT_TELLING)


def terms_of(text: str, language: str = "english") -> list[str]:
    """The stemmed words of a text in their order, without stop words and single letters.

    >>> terms_of("The cats of 2016 don't chase Zoë")
    ['cat', '2016', 'chase', 'zoë']
    >>> terms_of("東京都の猫 cats")
    ['東京', '京都', '都の', 'の猫', 'cat']
    """
    return words_of(language).terms(text)


def count_terms(text: str, language: str = "english") -> dict[str, int]:
    """How often each term occurs in a text.

    >>> count_terms("Cats and a cat's dog")
    {'cat': 2, 'dog': 1}
    """
    return words_of(language).count(text)[0]


def terms_of_each(texts: Sequence[str], language: str = "english") -> list[list[str]]:
    """The terms of each of many short texts, such as anchors.

    >>> terms_of_each(["Big cats", "", "dogs"])
    [['big', 'cat'], [], ['dog']]
    """
    return words_of(language).each(texts)


def url_terms_of_each(found: Sequence[str], language: str = "english") -> list[list[str]]:
    """The terms of each of many URLs: of the words that `urls.tokens` finds.

    >>> url_terms_of_each(["http://www.bbc.com/news/2016/nice-attacks_live.html"])
    [['bbc', 'news', '2016', 'nice', 'attack', 'live']]
    """
    return _url_words_of(language).each(found)

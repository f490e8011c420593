"""Text to terms. In: text and the name of its language. Out: stemmed words without stop words.

A page's words are looked up as bytes in a bounded cache, so that stemming, stop words and anything
that is not ASCII cost something only when a word is new.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import Stemmer

from lycosa.errors import SpecError
from lycosa.page.languages import UNSTEMMED
from lycosa.page.stop_words import STOP_WORDS

__all__ = [
    "STOP_WORDS",
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
        tokens = text.encode("utf-8", "replace").translate(_PLAIN).split()
        words = len(tokens)
        counts: dict[str | tuple[str, ...], int]
        counts = dict(Counter(filter(None, map(self.__getitem__, tokens))))
        terms: dict[str, int] = counts  # type: ignore[assignment]  # once the tuples are out
        if not text.isascii():
            for several in [found for found in counts if type(found) is tuple]:
                often = counts.pop(several)
                words += often * (len(several) - 1)
                for term in several:
                    terms[term] = terms.get(term, 0) + often
        return terms, words

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

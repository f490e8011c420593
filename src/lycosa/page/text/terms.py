"""Split text into terms: stemmed words without stop words.

A bounded cache holds the terms of known words, so stemming and Unicode normalisation happen once per word. Terms are
numbers, so that counting works on arrays; long texts are looked up on arrays too.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import Stemmer
from numpy.typing import NDArray

from lycosa.errors import SpecError
from lycosa.page.text.languages import STOP_WORDS, UNSTEMMED
from lycosa.page.text.tokens import LONGEST, PLAIN, UNKNOWN, Tokens, TokenTable, plain_of
from lycosa.urls import hashes_of
from lycosa.values import Terms

CACHE_WORDS = 100_000
SHORT_BYTES = 4_000
"""Shorter texts are looked up word by word."""
CACHED_BYTES = LONGEST
"""Longer tokens are not cached. Longer ASCII tokens are not words: they are dropped."""
NOT_TELLING = frozenset("http https www com html htm php asp aspx jsp".split())
"""Words of URLs that say nothing about a page; `urls.tokens` drops them too."""
NUMBER_DIGITS = 8
TOKEN_CHARS = 100_000
"""Characters read of a token; a text without spaces is one token."""

_CJK = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_])+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_SEPARATED = b"\0" + PLAIN[1:]  # keeps NUL, which separates texts


class Vocabulary:
    """Numbers of terms, from 1; 0 means no term. Tokens of several terms, as in Chinese, have negative numbers."""

    def __init__(self) -> None:
        self.terms = [""]
        self.numbers: dict[str, int] = {}
        self._several: list[list[int]] = []
        self._hashes = array("q", [0])

    def number_of_token(self, terms: Sequence[str]) -> int:
        """The number of a token with these terms."""
        if len(terms) > 1:
            self._several.append([self.number_of(term) for term in terms])
            return -len(self._several)
        return self.number_of(terms[0]) if terms else 0

    def number_of(self, term: str) -> int:
        """The number of a term."""
        number = self.numbers.get(term)
        if number is None:
            number = self.numbers[term] = len(self.terms)
            self.terms.append(term)
        return number

    def several(self, number: int) -> list[int]:
        """The numbers of the terms of a token with several terms."""
        return self._several[-number - 1]

    def terms_of(self, number: int) -> list[str]:
        """The terms of a token."""
        numbers = self.several(number) if number < 0 else [number] if number else []
        return [self.terms[each] for each in numbers]

    def hashes(self, numbers: NDArray[np.intp]) -> NDArray[np.int64]:
        """The hash of each of these terms."""
        known = self._hashes
        known.extend(hashes_of(self.terms[len(known) :]))
        return np.frombuffer(known, np.int64).take(numbers)

    def distinct(self, numbers: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The different terms in the order of their first occurrence, and the count of each; negative numbers are ignored.

        Touches only the entries of the terms given, so its time does not depend on the size of the vocabulary.
        """
        at = np.maximum(numbers, 0).astype(np.intp)
        places = np.arange(len(at))
        of_term = np.empty(len(self.terms), np.intp)
        of_term[at[::-1]] = places[::-1]  # the first occurrence is written last
        terms = at[of_term.take(at) == places]
        of_term[terms] = places[: len(terms)]
        often = np.bincount(of_term.take(at), minlength=len(terms))
        is_term = terms > 0
        return terms[is_term], often[is_term]

    def __len__(self) -> int:
        return len(self.terms) + len(self._several)


class Words(dict[bytes, int]):
    """The terms of a language: a bounded cache from a token to the number of its term or terms."""

    def __init__(self, language: str = "english", not_telling: Iterable[str] = ()) -> None:
        super().__init__()
        if language in Stemmer.algorithms():
            # Without the stemmer's cache: this class asks for each word once.
            self._stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
        elif language in UNSTEMMED.values():
            self._stem = str
        else:
            raise SpecError(
                f"The language {language!r} is not known. Choose one of: {', '.join(known_languages())}."
            )
        self._stop = STOP_WORDS.get(language, frozenset()) | frozenset(not_telling)
        self.vocabulary = Vocabulary()
        self._table = TokenTable()

    def __missing__(self, token: bytes) -> int:
        if len(token) > CACHED_BYTES:
            return 0 if token.isascii() else self.vocabulary.number_of_token(self._terms(token))
        if token.isascii():
            term = self._term(token.decode())
            number = self.vocabulary.number_of(term) if term else 0
        else:
            number = self.vocabulary.number_of_token(self._terms(token))
        if len(self) < CACHE_WORDS:
            self[token] = number
        return number

    def _terms(self, token: bytes) -> list[str]:
        """The terms of a token that is not ASCII; it may hold several words."""
        text = unicodedata.normalize("NFKC", token.decode("utf-8", "replace")[:TOKEN_CHARS]).lower()
        words = [part for word in _WORD.findall(text) for part in _bigrams(word)]
        return [term for word in words if (term := self._term(word))]

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
        terms: list[str] = []
        for number in self.read(text).numbers.tolist():
            terms += self.vocabulary.terms_of(number)
        return terms

    def count(self, text: str) -> tuple[dict[str, int], int]:
        """The count of each term in a text, and the number of its words, stop words included."""
        return self.read(text).counted

    def read(self, text: str) -> TermStream:
        """Read a text once, so that it can be counted as a whole and in parts."""
        self._make_room()
        tokens = Tokens(plain_of(text))
        if len(tokens.plain) > SHORT_BYTES:
            numbers = self._looked_up(tokens)
        else:
            split = tokens.plain.split()
            numbers = np.fromiter(map(self.__getitem__, split), np.int32, len(split))
        return TermStream(tokens, numbers, self.vocabulary, text.isascii())

    def _looked_up(self, tokens: Tokens) -> NDArray[np.int32]:
        """The number of each token: all known ones at once, new ones one by one."""
        hashes = tokens.hashes()
        numbers = self._table.find(hashes)
        numbers[tokens.sizes > LONGEST] = UNKNOWN  # their hash covers only their first bytes
        unknown = np.flatnonzero(numbers == UNKNOWN)
        if len(unknown):
            numbers[unknown] = [*map(self.__getitem__, tokens.some(unknown))]
            is_new = np.flatnonzero(tokens.sizes[unknown] <= LONGEST)
            new, first = np.unique(hashes[unknown[is_new]], return_index=True)
            if len(self._table) + len(new) <= CACHE_WORDS:
                self._table.add(new, numbers[unknown[is_new[first]]])
        return numbers

    def each(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each of many short texts, in one pass."""
        if not texts:
            return []
        self._make_room()
        joined = " \0 ".join(texts)
        if joined.count("\0") != len(texts) - 1:
            joined = " \0 ".join([text.replace("\0", " ") for text in texts])
        terms, vocabulary = self.vocabulary.terms, self.vocabulary
        current: list[str] = []
        lists = [current]
        for token in joined.encode("utf-8", "replace").translate(_SEPARATED).split():
            if token == b"\0":
                current = []
                lists.append(current)
            elif (number := self[token]) > 0:
                current.append(terms[number])
            elif number:
                current += vocabulary.terms_of(number)
        return lists

    def _make_room(self) -> None:
        """Empty a full cache. Never called within a text, whose numbers must agree."""
        if len(self) >= CACHE_WORDS or len(self.vocabulary) >= CACHE_WORDS:
            self.clear()
            self.vocabulary = Vocabulary()
            self._table = TokenTable()


class TermStream:
    """A text as the terms of its tokens, in order; any part of it can be counted."""

    def __init__(
        self, tokens: Tokens, numbers: NDArray[np.int32], vocabulary: Vocabulary, is_ascii: bool
    ) -> None:
        self.tokens = tokens
        self.numbers = numbers  # of each token, that of its terms
        self.vocabulary = vocabulary
        self._is_ascii = is_ascii

    @cached_property
    def several(self) -> list[int]:
        """The numbers of tokens with several terms, in their order."""
        few: list[int] = self.numbers[self.numbers < 0].tolist()
        return few

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The numbers and counts of the terms: those of one-term tokens first, in the order of their occurrence."""
        more = [each for number in self.several for each in self.vocabulary.several(number)]
        numbers = np.append(self.numbers, np.array(more, np.int32)) if more else self.numbers
        return self.vocabulary.distinct(numbers)

    @cached_property
    def counted(self) -> tuple[dict[str, int], int]:
        """The count of each term in the text, and the number of words, stop words included."""
        numbers, often = self._distinct
        counts = dict(
            zip(map(self.vocabulary.terms.__getitem__, numbers.tolist()), often.tolist(), strict=True)
        )
        return counts, self.words

    @cached_property
    def words(self) -> int:
        """The number of words, stop words included."""
        return len(self.numbers) + sum(len(self.vocabulary.several(number)) - 1 for number in self.several)

    @cached_property
    def packed(self) -> Terms:
        """The count of each term, packed."""
        numbers, often = self._distinct
        lines = "\n".join(map(self.vocabulary.terms.__getitem__, numbers.tolist()))
        hashes = self.vocabulary.hashes(numbers).tobytes()
        return Terms(lines, often.astype(np.int32).tobytes(), hashes)

    @cached_property
    def hashed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The hash and the count of each term."""
        numbers, often = self._distinct
        return self.vocabulary.hashes(numbers), often

    def counts_in(self, ranges: Iterable[tuple[int, int]]) -> dict[str, int]:
        """The count of each term in some ranges of tokens, (first, end) each; ranges with the same tokens count once.

        >>> stream = Words().read("a big cat, the big cat, dogs")
        >>> stream.counts_in([(1, 3), (4, 6), (6, 7)])
        {'big': 1, 'cat': 1, 'dog': 1}
        """
        parts = [self.numbers[first:end].tolist() for first, end in ranges]
        found = parts[0] if len(parts) == 1 else _distinct(parts)
        terms = self.vocabulary.terms
        counts: dict[str, int] = {}
        get = counts.get  # a Counter is quicker only for long texts
        for number in found:
            if number > 0:
                term = terms[number]
                counts[term] = get(term, 0) + 1
            elif number:
                for term in self.vocabulary.terms_of(number):
                    counts[term] = get(term, 0) + 1
        return counts

    def tokens_before(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """The number of tokens that begin before each place in the text; -1 for a place inside a token.

        >>> Words().read("owls, and cats").tokens_before(np.array([0, 5, 6, 8, 14])).tolist()
        [0, 1, 1, -1, 3]
        """
        at = places
        if not self._is_ascii:
            signed = np.frombuffer(self.tokens.plain, np.int8)
            more = np.flatnonzero(signed < -64)  # 0x80 to 0xBF: bytes that continue a character
            at = at + np.searchsorted(more - np.arange(len(more)), at, side="right")
        starts, ends = self.tokens.starts, self.tokens.ends
        before = np.searchsorted(starts, at)
        if len(ends):
            before[(ends.take(before - 1) > at) & (before > 0)] = -1
        return before


def _distinct(parts: Sequence[list[int]]) -> list[int]:
    """The tokens of the different parts in one list."""
    return [token for part in dict.fromkeys(map(tuple, parts)) for token in part]


def packed(counts: Mapping[str, int]) -> Terms:
    """Counts by term, packed.

    >>> packed({"owl": 2, "night": 1}).counted()
    {'owl': 2, 'night': 1}
    """
    numbers = np.fromiter(counts.values(), np.int32, len(counts))
    return Terms("\n".join(counts), numbers.tobytes(), hashes_of(counts).tobytes())


def known_languages() -> list[str]:
    """The names of supported languages, with and without a stemmer."""
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
    """The shared cache of a language in this process."""
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

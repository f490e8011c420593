"""Read a user's request: what its sentences are about, what they exclude, and what is too vague to judge.

The words by which people ask and exclude are in data/request.toml. A text in a language that is not there counts as it is.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain, zip_longest

import msgspec

from lycosa.learn.words.background import background_of
from lycosa.page.text.languages import STOP_WORDS
from lycosa.page.text.terms import terms_of

FUNCTION_ZIPF = 6.2
"""In a language without a list of function words, a lower-case word at least this common counts as one (Zipf)."""
KEYWORD_WORDS = 3
"""A keyword with at most this many words is a phrase, unless it begins with an exclusion."""
LONGEST = 5
"""Maximum number of words of an entry in the tables."""
LONGEST_ENDING = 4
"""Letters that * may stand for: more make another word."""
CAPITALISED = frozenset({"german"})
"""Languages that write every noun with a capital: it is no sign of a name."""
_KINDS = "request does of or turn ask end verb keep after except not".split()
_SAME = {"porter": "english", "dutch_porter": "dutch"}
_QUOTES = '"“”„«»'
_SIGNS = rf"\s¿¡.,;:!?()\[\]{{}}{_QUOTES}…—–/|’'`،؛؟।"
_PIECE = re.compile(
    rf"[{_QUOTES}]([^{_QUOTES}]{{2,}})[{_QUOTES}]|[^{_SIGNS}\-][^{_SIGNS}]*|\n\s*\n|(?<=\s)-(?=\s)|[.,;:!?()…—–،؛؟।]"
)
_COMMAS = ",،"
_ENDS_SENTENCE = re.compile(r"[.!?…؟।\n]")
_INITIAL = re.compile(r"\b\w$")


class Request(msgspec.Struct, frozen=True):
    """How a request was read: phrases as they were written, and the terms by which pages are judged."""

    about: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    vague: tuple[str, ...] = ()
    """Sentences without a word that says what they are about."""
    both: tuple[str, ...] = ()
    """Exclusions whose words are all wanted elsewhere: they exclude nothing."""
    terms: tuple[str, ...] = ()
    excluded_terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = {"about": self.about, "not": self.excluded}
        return "; ".join(f"{name}: {', '.join(said)}" for name, said in parts.items() if said) or "nothing"


class _Table(msgspec.Struct, frozen=True):
    """The words by which a language asks: kinds of words and phrases, and of prefixes."""

    kinds: dict[str, str]
    prefixes: dict[str, str]

    def kind(self, words: str) -> str:
        """The kind of a word or phrase, '' if it has none."""
        if found := self.kinds.get(words):
            return found
        if " " in words:
            return ""
        fits = (
            kind
            for prefix, kind in self.prefixes.items()
            if words.startswith(prefix) and len(words) <= len(prefix) + LONGEST_ENDING
        )
        return next(fits, "")


class _Piece(msgspec.Struct, frozen=True):
    """A word, a quotation, a sign, or a phrase of the table."""

    start: int
    end: int
    kind: str  # one of _KINDS, or: content, function, letter, comma, sign, sentence


def read_request(text: str, language: str = "english") -> Request:
    """Read sentences. A word that is both wanted and excluded is wanted.

    >>> print(read_request("pages that explain how volcanoes work, not lists of them, charity appeals or orphans"))
    about: volcanoes; not: charity appeals, orphans
    >>> print(read_request("Not only owls but also eagles, except for drawings of owls"))
    about: owls, eagles; not: drawings of owls
    >>> read_request("interesting pages").vague
    ('interesting pages',)
    """
    return read_topic(text, (), (), language)


def read_topic(
    description: str, keywords: Iterable[str], exclude: Iterable[str], language: str = "english"
) -> Request:
    """Read all words of a topic. A keyword is taken as it is, unless it is written like a sentence."""
    words, sentences = _divided(keywords, language)
    about, excluded = ({phrase: terms_of(phrase, language) for phrase in taken} for taken in (words, exclude))
    vague = list[str]()
    for text in filter(str.strip, (description, *sentences)):
        wanted, unwanted = _read(text, language)
        about |= {phrase: _terms(phrase, language) for phrase in wanted}
        excluded |= {phrase: _terms(phrase, language) for phrase in unwanted}
        vague += [] if wanted or unwanted else [text]
    terms = dict.fromkeys(chain.from_iterable(about.values()))
    left = {
        phrase: found for phrase, all_ in excluded.items() if (found := [t for t in all_ if t not in terms])
    }
    unwanted_terms = dict.fromkeys(chain.from_iterable(left.values()))
    both = [phrase for phrase, all_ in excluded.items() if all_ and phrase not in left]
    return Request(tuple(about), tuple(left), tuple(vague), tuple(both), tuple(terms), tuple(unwanted_terms))


def is_sentence(keyword: str, language: str = "english") -> bool:
    """Whether a keyword is written like a sentence: it begins with an exclusion, or is long and asks or excludes.

    >>> [is_sentence(word) for word in ("owls", "not eagles", "No Country for Old Men", "how owls hunt at night")]
    [False, True, False, True]
    """
    pieces = _pieces(keyword, language)
    if _is_title(keyword, pieces, language):
        return False
    words = [piece for piece in pieces if piece.kind not in ("comma", "sign", "sentence")]
    excludes = {"not", "except", "after", "verb"}
    if words and words[0].kind in excludes:
        return True
    kinds = {piece.kind for piece in words}
    return len(keyword.split()) > KEYWORD_WORDS and bool(kinds & (excludes | {"request", "ask"}))


def _divided(keywords: Iterable[str], language: str) -> tuple[list[str], list[str]]:
    words, sentences = list[str](), list[str]()
    for keyword in keywords:
        (sentences if is_sentence(keyword, language) else words).append(keyword)
    return words, sentences


def _read(text: str, language: str) -> tuple[list[str], list[str]]:
    """The phrases that a text is about, and those that it excludes."""
    reading = _Reading(text, language)
    pieces = _pieces(text, language)
    if not _table(language).kinds or _is_title(text, pieces, language):
        return [text.strip()], []
    for piece, following in zip_longest(pieces, pieces[1:]):
        reading.read(piece, following)
    reading.finish()
    return reading.about, reading.excluded


def _is_title(text: str, pieces: Sequence[_Piece], language: str) -> bool:
    """Whether all words of a text have capitals and it begins like an exclusion: the title of a film or a book."""
    capitals = [text[piece.start].isupper() for piece in pieces if piece.kind == "content"]
    begins = pieces and pieces[0].kind in ("not", "except") and language not in CAPITALISED
    return bool(begins and len(capitals) > 1 and all(capitals) and not text.isupper())


class _Reading:
    """Reads piece by piece. `out` is the kind of the exclusion that holds, if any."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.about: list[str] = []
        self.excluded: list[str] = []
        self.out = ""
        self.asks = self.joins = self.after_comma = False
        self.first = self.first_of_sentence = 0  # in `about`: where the clause and the sentence begin
        self.before = 0  # in `excluded`: where the exclusion begins
        self.from_, self.upto = -1, -1  # the phrase that is being read

    def read(self, piece: _Piece, following: _Piece | None) -> None:
        """Read the next piece."""
        kind, begins_clause = piece.kind, self.after_comma
        self.after_comma = kind == "comma"
        if kind == "letter":
            return
        if kind == "verb":
            kind = "function" if following and following.kind == "content" else "not"
        if kind == "does":
            kind = "function" if self.asks else "content"
        if kind == "content":
            if not self.joins:
                self._end_phrase(unless_at=piece.start)
            self.from_ = piece.start if self.from_ < 0 else self.from_
            self.upto, self.joins = piece.end, False
        elif kind == "of" or (kind == "function" and self.joins):
            self.joins = self.from_ >= 0
        else:
            self._end_phrase()
            self._turn(kind, begins_clause=begins_clause)

    def finish(self) -> None:
        """End what is being read."""
        self._end_phrase()

    def _turn(self, kind: str, *, begins_clause: bool) -> None:
        """Begin or end an exclusion."""
        if kind in ("not", "except"):
            self.out, self.before = kind, len(self.excluded)
        elif kind == "after":
            self.excluded += self.about[self.first :]
            del self.about[self.first :]
        elif kind == "end" or (begins_clause and kind in ("turn", "ask")):
            self.out, self.first = "", len(self.about)
        elif kind == "comma":
            self.first = len(self.about)
            if self.out == "except" and self.first == self.first_of_sentence:
                self.out = ""  # "Except for owls, birds": the exclusion comes first
        elif kind == "sign":
            self.first = len(self.about)
            self.out = "" if len(self.excluded) > self.before else self.out
        elif kind == "sentence":
            self.out, self.asks = "", False
            self.first = self.first_of_sentence = len(self.about)
        self.asks |= kind == "ask"

    def _end_phrase(self, unless_at: int = -1) -> None:
        """Add the phrase that is being read, unless it goes on."""
        if self.from_ < 0 or (unless_at >= 0 and not self.text[self.upto : unless_at].strip("'’ \t\n-")):
            return
        phrase = " ".join(self.text[self.from_ : self.upto].split())
        if _terms(phrase, self.language):
            (self.excluded if self.out else self.about).append(phrase)
        self.from_, self.joins = -1, False


def _pieces(text: str, language: str) -> list[_Piece]:
    """The words, phrases of the table and signs of a text."""
    table, matches = _table(language), [*_PIECE.finditer(text)]
    low = [match[0].lower() for match in matches]
    is_word = [match[0][0] not in f"-{_QUOTES}{_COMMAS}.;:!?()…—–؛؟।\n" for match in matches]
    found, at, begins = list[_Piece](), 0, True
    while at < len(matches):
        match, used, kind = matches[at], 1, ""
        named = text[match.start()].isupper() and not begins and not text.isupper()
        if not is_word[at]:
            kind = "content" if match[1] else _sign(text, match)
        else:
            longest = next(
                (n for n in range(LONGEST) if at + n >= len(matches) or not is_word[at + n]), LONGEST
            )
            for count in range(longest, 0, -1):
                kind = table.kind(" ".join(low[at : at + count]))
                if named and not (kind == "request" and language in CAPITALISED):
                    kind = ""
                if kind:
                    used = count
                    break
            kind = kind or ("content" if named else _kind(low[at], language))
        group = 1 if match[1] else 0  # without the quotation marks
        found.append(_Piece(match.start(group), matches[at + used - 1].end(group), kind))
        begins = kind in ("sentence", "sign")
        at += used
    return found


def _sign(text: str, match: re.Match[str]) -> str:
    if match[0] in _COMMAS:
        return "comma"
    if match[0] == "." and (
        text[match.end() : match.end() + 1].strip()
        or _INITIAL.search(text[max(0, match.start() - 2) : match.start()])
    ):
        return "letter"  # of an abbreviation or a number
    return "sentence" if _ENDS_SENTENCE.match(match[0]) else "sign"


def _kind(word: str, language: str) -> str:
    """The kind of a word that is in no table."""
    if word in STOP_WORDS.get(language, ()):
        return "function"
    terms = terms_of(word, language)
    if not terms:
        return "letter" if len(word) == 1 else "function"
    common = language not in STOP_WORDS and background_of(language).zipf(terms[0]) >= FUNCTION_ZIPF
    return "function" if common else "content"


def _terms(phrase: str, language: str) -> list[str]:
    """The terms of a phrase, without those of function words inside it."""
    if not _table(language).kinds:
        return terms_of(phrase, language)
    words = [word for word in re.split(rf"[{_SIGNS}]+", phrase) if word]
    telling = [
        word
        for word in words
        if len(words) == 1 or word[0].isupper() or _kind(word.lower(), language) == "content"
    ]
    return terms_of(" ".join(telling), language)


@lru_cache(maxsize=8)
def _table(language: str) -> _Table:
    tables = _tables().get(_SAME.get(language, language), {})
    kinds: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    for kind in _KINDS:  # the last one wins
        for words in tables.get(kind, "").split():
            (prefixes if words.endswith("*") else kinds)[words.rstrip("*").replace("_", " ")] = kind
    return _Table(kinds, prefixes)


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(files(__package__).joinpath("data", "request.toml").read_text("utf-8"))

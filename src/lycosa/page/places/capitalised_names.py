"""Split a text into tokens, sentences and capitalised names.

The longest name in the gazetteer wins; other capitalised words that stand together are one unknown name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lycosa.page.places.gazetteer import Gazetteer, GazetteerEntry

_NAME_TOKENS = 9
_TOKEN = re.compile(
    r"(?:[^\W\d_]\.\s?){2,}(?<!\s)|(?<=\()[DRI](?=-[A-Z])|[^\W\d_]\w*(?:[-'’][^\W\d_]\w*)*|"
    r"\d+(?:st|nd|rd|th|ers)\b|\d[\d.,]*(?<![.,])|([^\w\s])\1*|\S"
)
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])|\n\s*")
_BEFORE_DOT = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|St|Mt|Gov|Sen|Rep|Sgt|Lt|Col|Gen|Capt|Cpl|Det|Const|Prof|Rev|"
    r"Jr|Sr|vs|No|Inc|Ltd|Co|Ave|Blvd|Rd|Dist|Atty|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|a\.m|p\.m)$"
)


def sentence_starts(text: str) -> list[int]:
    """Where the sentences of a text begin.

    >>> sentence_starts("Mr. Smith left Mt. Cook. He flew to the U.S. in May.")
    [0, 25]
    """
    starts = [0]
    for match in _SENTENCE_END.finditer(text):
        at = match.start()
        if text[at] != "." or not _BEFORE_DOT.search(text[max(0, at - 8) : at]):
            starts.append(match.end())
    return starts


class Token(NamedTuple):
    """A word (without a possessive 's), number or sign."""

    start: int
    end: int
    word: str
    capital: bool
    sentence: int


class Candidate(NamedTuple):
    """Tokens first..last-1, their name, and the places of that name."""

    first: int
    last: int
    name: str
    entries: Sequence[GazetteerEntry]


class TokenisedText:
    """A text cut into tokens, with what all its candidates share."""

    def __init__(self, text: str, common: frozenset[str], people: frozenset[str]) -> None:
        self.text = text
        self.common = common  # words that are mostly written small
        self.people = people  # first names and titles, in small letters
        self.tokens = list(_tokens(text))
        self.small = {token.word for token in self.tokens if not token.capital}
        self.persons: set[str] = set()  # last names that the text gives with a first name or title
        self.teams: set[str] = set()  # places that the text names with a team: "Indianapolis Colts"

    def sentence_of(self, at: int) -> int:
        return self.tokens[at].sentence

    def joined(self, left: int, right: int) -> bool:
        """Whether two neighbouring tokens stand together, in one sentence."""
        if left < 0 or right >= len(self.tokens):
            return False
        one, two = self.tokens[left], self.tokens[right]
        return two.start - one.end < 2 and one.sentence == two.sentence and self.text[one.end] not in "'’\n"

    def word(self, at: int, sentence: int) -> str:
        """A word of a sentence in small letters, numbers as 0; '' outside the sentence."""
        if not 0 <= at < len(self.tokens):
            return ""
        token = self.tokens[at]
        if token.sentence != sentence:
            return ""
        return "0" if token.word[0].isdigit() else token.word.lower()


def _tokens(text: str) -> Iterator[Token]:
    starts = [*sentence_starts(text), len(text) + 1]
    sentence = 0
    for match in _TOKEN.finditer(text):
        word, end = match[0], match.end()
        if len(word) > 2 and word[-2:] in ("'s", "’s", "'S", "’S"):
            word, end = word[:-2], end - 2
        while starts[sentence + 1] <= match.start():
            sentence += 1
        yield Token(match.start(), end, word, word[0].isupper(), sentence)


def candidates(text: TokenisedText, gazetteer: Gazetteer) -> Iterator[Candidate]:
    """Every name of the text, in order. When all are taken, `text.persons` and `text.teams` are full."""
    _note_persons(text, gazetteer)
    tokens = text.tokens
    at = 0
    while at < len(tokens):
        if not tokens[at].capital and not tokens[at].word[0].isdigit():
            at += 1
            continue
        found = _longest_name(text, at, gazetteer) or _run(text, at, gazetteer)
        if found is None:
            at += 1
            continue
        if not _is_mere_word(text, found, gazetteer):
            if found.entries and _is_team(text, found.last):
                text.teams.add(found.name)
            yield found
        at = found.last


def _longest_name(text: TokenisedText, at: int, gazetteer: Gazetteer) -> Candidate | None:
    tokens = text.tokens
    token = tokens[at]
    if not token.capital:
        return None
    words = gazetteer.longest.get(token.word) or gazetteer.longest.get(token.word + ".") or 1
    end = at + (min(words + 3, _NAME_TOKENS) if words > 1 else 1)
    if token.word.isupper() and len(token.word) > 3:
        end = at + 3
    for last in range(min(end, len(tokens)), at, -1):
        name = text.text[token.start : tokens[last - 1].end].replace("’", "'")
        if entries := gazetteer.named(name):
            return Candidate(at, last, name, entries)
        dotted = (
            last < len(tokens) and tokens[last].word == "." and tokens[last].start == tokens[last - 1].end
        )
        if dotted and (entries := gazetteer.named(name + ".")):
            return Candidate(at, last + 1, name + ".", entries)
    return _special_name(text, at, gazetteer)


def _special_name(text: TokenisedText, at: int, gazetteer: Gazetteer) -> Candidate | None:
    """`N. Y.` with a space, and the postal code in `Fountain Valley, CA`."""
    word = text.tokens[at].word
    closed = word.replace(" ", "")
    if closed != word and (entries := gazetteer.named(closed)):
        return Candidate(at, at + 1, closed, entries)
    if at and text.tokens[at - 1].word == "," and (entries := gazetteer.named(", " + word)):
        return Candidate(at, at + 1, word, entries)
    return None


_INSIDE = frozenset("of de del la le du da di al el the d".split())
_ABBREVIATED = frozenset("Mt St Ft Ave Blvd Rd E W N S Pt".split())


def _run(text: TokenisedText, at: int, gazetteer: Gazetteer) -> Candidate | None:
    """Capitalised words up to the next name of the gazetteer, or an ordinal before a word like Street."""
    tokens = text.tokens
    if not tokens[at].capital:
        ordinal = tokens[at].word[-1].isalpha() and text.joined(at, at + 1)
        if not ordinal or tokens[at + 1].word not in gazetteer.heads:
            return None
    last = at + 1
    while last < len(tokens) and last - at < _NAME_TOKENS and _goes_on(text, last, gazetteer):
        last += 1
    while tokens[last - 1].word in _INSIDE:
        last -= 1
    return Candidate(at, last, text.text[tokens[at].start : tokens[last - 1].end], ())


def _goes_on(text: TokenisedText, at: int, gazetteer: Gazetteer) -> bool:
    """Whether this token belongs to the unknown name before it."""
    tokens = text.tokens
    token, before = tokens[at], tokens[at - 1]
    if token.word == ".":
        return before.word in _ABBREVIATED and before.end == token.start
    if not text.joined(at - 1, at) or token.word in gazetteer.never:
        return False
    if token.word in _INSIDE:
        return text.joined(at, at + 1) and tokens[at + 1].capital
    if before.word in _ABBREVIATED or before.word == ".":
        return token.capital or token.word[0].isdigit()
    part_of_it = token.word in gazetteer.heads or before.word in gazetteer.starts
    return token.capital and (part_of_it or not _longest_name(text, at, gazetteer))


def _is_mere_word(text: TokenisedText, found: Candidate, gazetteer: Gazetteer) -> bool:
    name = found.name
    if name in gazetteer.never or name in gazetteer.organisations:
        return True
    if found.last - found.first > 1 or found.entries:
        return False
    return len(name) == 1 or name in gazetteer.heads or name.lower() in text.common


def _is_team(text: TokenisedText, at: int) -> bool:
    """Whether a plural with a capital stands here, or 76ers."""
    if not text.joined(at - 1, at):
        return False
    token = text.tokens[at]
    return token.word.endswith("s") and (
        token.word[0].isdigit() or (token.capital and not token.word.endswith(("ss", "us")))
    )


def _note_persons(text: TokenisedText, gazetteer: Gazetteer) -> None:
    """Learn the last names of the people in the text."""
    tokens = text.tokens
    for at, token in enumerate(tokens):
        if not token.capital or token.word.lower() not in text.people:
            continue
        last = at + 1
        while (
            last - at < 5
            and text.joined(last - 1, last)
            and (tokens[last].capital or tokens[last].word == ".")
        ):
            last += 1
        name = tokens[last - 1].word
        if last - at < 2 or name in gazetteer.heads or name in gazetteer.organisations:
            continue
        entries = gazetteer.named(name)
        if not entries or entries[0].kind == "city":
            text.persons.add(name)

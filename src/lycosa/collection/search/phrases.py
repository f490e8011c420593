"""Parse typed searches, make full-text queries, and cut snippets.

Chinese, Japanese and Korean are indexed by character, because their words are not separated.
SQLite's own snippets take quadratic time on texts that repeat a word; ours read the
beginning of a text once.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from lycosa.methods.registry import facets

MARK, END_MARK = "\x02", "\x03"
"""They enclose found words in a snippet: characters that cannot be in a page's text."""

JOINT = "\x1f"
"""Separator between characters that are indexed as words. In a page's text it becomes a blank."""

READ_CHARS = 50_000
"""Characters of a text that are searched for a snippet."""
SNIPPET_CHARS = 240
MATCHES = 500
PHRASES = 40

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_LINE = re.compile(r"^[^\n]{20,}[.!?。！？…][\"'”’»)]*[ \t]*$", re.MULTILINE)
_OWN = (  # kana, ideographs and syllables
    r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    r"\U00020000-\U0003ffff"
)
_OWN_WORD = re.compile(f"[{_OWN}]")
_BETWEEN = re.compile(rf"(?<=[{_OWN}])(?=[^\W_])|(?<=[^\W_])(?=[{_OWN}])")
_NO_WORD_BEFORE, _NO_WORD_AFTER = rf"(?<!(?![{_OWN}])[^\W_])", rf"(?!(?![{_OWN}])[^\W_])"


FIELDS = {
    "title": "title",
    "source": "source", "site": "source",
    "language": "language", "lang": "language",
    "kind": "kind",
    "place": "place",
    "name": "entity", "person": "entity",
    "since": "since", "after": "since",
    "until": "until", "before": "until",
}  # fmt: skip
"""Prefixes of typed conditions, and the condition they set; `title` is one on words. Methods add categories."""


def condition_named(field: str) -> str:
    """The condition that a word before a colon names; '' if it names none."""
    return FIELDS.get(field) or next((facet.name for facet in facets() if facet.name == field), "")


class Phrase(msgspec.Struct, frozen=True):
    """Consecutive words; the last one is a prefix if `open_ended`.

    `is_exact`: quoted, so that other forms of the words do not match.
    """

    words: tuple[str, ...]
    open_ended: bool = False
    in_title: bool = False
    is_exact: bool = False

    @property
    def match(self) -> str:
        """The phrase as a term of the full-text query, without operators."""
        words = as_indexed(" ".join(self.words)).replace(JOINT, " ")
        return ("title : " if self.in_title else "") + f'"{words}"' + ("*" if self.open_ended else "")

    @property
    def pattern(self) -> str:
        """The phrase as a regular expression over a folded text."""
        words = r"[\W_]{1,20}".join(re.escape(folded(word)) for word in self.words)
        before = "" if _OWN_WORD.match(self.words[0][0]) else _NO_WORD_BEFORE
        after = "" if self.open_ended or _OWN_WORD.match(self.words[-1][-1]) else _NO_WORD_AFTER
        return before + words + after


Alternatives = tuple[Phrase, ...]
"""Phrases; a page must have one of them."""


class TypedQuery(msgspec.Struct, frozen=True):
    """A parsed search: a page must have one phrase of each of the `wanted` alternatives, and none of the `unwanted`."""

    wanted: tuple[Alternatives, ...] = ()
    unwanted: Alternatives = ()
    conditions: tuple[tuple[str, str], ...] = ()  # of FIELDS but for `title`


def as_indexed(text: str) -> str:
    """Return a text for the index, with a JOINT between words that no blank separates.

    >>> as_indexed("東京 Tower 2号").replace(JOINT, "|"), as_indexed("owls")
    ('東|京 Tower 2|号', 'owls')
    """
    text = text.replace(JOINT, " ")
    return text if text.isascii() or not _OWN_WORD.search(text) else _BETWEEN.sub(JOINT, text)


def has_own_words(word: str) -> bool:
    """Return whether a word has characters that are indexed as words, as in Chinese, Japanese and Korean."""
    return bool(_OWN_WORD.search(word))


def as_written(text: str) -> str:
    """Return an indexed text as the page has it."""
    return text.replace(JOINT, "")


_TYPED = re.compile(r'(-|NOT\s+)?(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))')


def query_in(typed: str) -> TypedQuery:
    """Parse words, quoted phrases, OR, NOT or a minus, fields, and prefixes that end in `*`.

    >>> query = query_in('owls OR "by night" -near* NOT title:soup source:a.example')
    >>> [[phrase.match for phrase in either] for either in query.wanted]
    [['"owls"', '"by night"']]
    >>> [phrase.match for phrase in query.unwanted], query.conditions
    (['"near"*', 'title : "soup"'], (('source', 'a.example'),))
    >>> query_in('"')
    TypedQuery(wanted=(), unwanted=(), conditions=())
    """
    wanted: list[Alternatives] = []
    unwanted: list[Phrase] = []
    conditions: list[tuple[str, str]] = []
    is_another = False
    for minus, field, quoted, word in _TYPED.findall(typed)[:PHRASES]:
        if word == "OR" and not minus and not field:
            is_another = bool(wanted)
            continue
        known = condition_named(field) if field else ""
        if known and known != "title":
            if value := quoted or word:
                conditions.append((known, value))
            continue
        text = quoted or word if known or not field else f"{field} {quoted or word}"
        if words := tuple(_WORD.findall(text)):
            phrase = Phrase(words, word.endswith("*"), known == "title", bool(quoted))
            if minus:
                unwanted.append(phrase)
            elif is_another:
                wanted[-1] = (*wanted[-1], phrase)
            else:
                wanted.append((phrase,))
        is_another = False
    return TypedQuery(tuple(wanted), tuple(unwanted), tuple(conditions))


def match_of(query: TypedQuery) -> str:
    """Return the full-text query; lone surrogates are replaced.

    >>> match_of(query_in("owls OR mice night -soup"))
    '("owls" OR "mice") AND ("night") NOT ("soup")'
    """
    wanted = " AND ".join(f"({_any_of(either)})" for either in query.wanted)
    return (
        (wanted + (f" NOT ({_any_of(query.unwanted)})" if query.unwanted else ""))
        .encode("utf-8", "replace")
        .decode()
    )


def _any_of(phrases: Sequence[Phrase]) -> str:
    return " OR ".join(phrase.match for phrase in phrases)


def marked_text(text: str, wanted: Sequence[Alternatives]) -> str:
    """Mark the words of a query in a text, in its first READ_CHARS characters.

    >>> marked_text("An owl.", query_in("owl").wanted).replace(MARK, "[").replace(END_MARK, "]")
    'An [owl].'
    """
    text = text.replace(MARK, " ").replace(END_MARK, " ")
    parts, at = [], 0
    for first, last, _ in _spans(text[:READ_CHARS], wanted):
        parts += [text[at:first], MARK, text[first:last], END_MARK]
        at = last
    return "".join([*parts, text[at:]])


def snippet_of(text: str, wanted: Sequence[Alternatives], title: str = "") -> str:
    """Return the part of a text with most of the wanted phrases, marked; without any, its beginning after title and tables.

    >>> snippet_of("In the wood an Öwl calls.", query_in("owl").wanted).replace(MARK, "[").replace(END_MARK, "]")
    'In the wood an [Öwl] calls.'
    >>> snippet_of("The owl At dusk it hunts.", (), "The owl | Bird Notes")
    'At dusk it hunts.'
    """
    text = text[:READ_CHARS].replace(MARK, " ").replace(END_MARK, " ")
    text = " ".join((text if wanted else text[_prose_start(text) :]).split())
    if not wanted:
        text = text[_heading_chars(text, title) :]
    spans = _spans(text, wanted)
    start, end = _window(text, spans)
    parts, at = ["…" if start else ""], start
    for first, last, _ in spans:
        if at <= first and last <= end:
            parts += [text[at:first], MARK, text[first:last], END_MARK]
            at = last
    return "".join([*parts, text[at:end], "…" if end < len(text) else ""])


def _prose_start(text: str) -> int:
    """Return where the first sentence line begins: headings, dates and table rows come before it.

    >>> _prose_start("Hurricane Vince\\nFormed\\nOctober 8, 2005\\nIt formed in the east of the ocean.\\nThen it went.")
    39
    >>> _prose_start("no full stop at all"), _prose_start("So it is.")
    (0, 0)
    """
    found = _SENTENCE_LINE.search(text)
    return found.start() if found else 0


def _heading_chars(text: str, title: str) -> int:
    """Return the length of a repeated title, or of a part of it, at the beginning of a text."""
    parts = (title, *re.split(r"\s+[|–—·-]\s+|:\s+", title))
    repeated = max((len(part) for part in parts if part and text.startswith(part + " ")), default=0)
    return repeated + 1 if repeated else 0


def _spans(text: str, wanted: Sequence[Alternatives]) -> list[tuple[int, int, int]]:
    """Return start, end and number of the alternatives of each match, in the order of the text."""
    if not wanted:
        return []
    either = ("|".join(phrase.pattern for phrase in phrases) for phrases in wanted)
    pattern = re.compile("|".join(f"({one})" for one in either))
    found = []
    for match in pattern.finditer(folded(text)):
        found.append((*match.span(), match.lastindex or 0))
        if len(found) == MATCHES:
            break
    return found


def _window(text: str, spans: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return start and end of the snippet: whole words, with as many different phrases as fit, as early as possible."""
    starts = [start for start, _, _ in spans]
    best = max(
        range(len(spans)),
        key=lambda at: len(
            {which for *_, which in spans[at : bisect_left(starts, starts[at] + SNIPPET_CHARS // 2)]}
        ),
        default=None,
    )
    start = 0 if best is None else max(0, starts[best] - SNIPPET_CHARS // 4)
    if start:
        start = text.find(" ", start, starts[best or 0]) + 1 or start
    end = start + SNIPPET_CHARS
    if end >= len(text):
        return start, len(text)
    return start, max(text.rfind(" ", start + SNIPPET_CHARS // 2, end), start + SNIPPET_CHARS // 2)


class _Folding(dict[int, str]):
    """Each character in lower case without accents, as one character, computed on first use."""

    def __missing__(self, code: int) -> str:
        plain = unicodedata.normalize("NFD", chr(code).lower())
        self[code] = plain[0] if plain else chr(code)
        return self[code]


_FOLDING = _Folding()


def folded(text: str) -> str:
    """Return a text as the index compares it, character by character.

    >>> folded("Éclair ZÜRICH")
    'eclair zurich'
    """
    return text.lower() if text.isascii() else text.translate(_FOLDING)

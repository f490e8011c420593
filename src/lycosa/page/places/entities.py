"""Who a text is about. In: plain text and its places. Out: people and organisations by name, with counts.

Rules, no model: a capitalised name is a person by a first name, a title, an age or a verb of speech
beside it, and an organisation by a word such as Police or University. Any other name is left out:
browsing wants names that are right more than all of them. The cues are English.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from lycosa.page.places.candidates import sentence_starts
from lycosa.page.places.entity_words import EntityWords, entity_words
from lycosa.values import PageEntity

TEXT_CHARS = 200_000
"""Of longer texts the rest is not read."""
ENTITIES = 100
"""Of a page; the least mentioned beyond are dropped."""
PERSON_WORDS = 4
BESIDE = 40
"""How many characters before and after a name are looked at."""

_WORD = (
    r"(?:(?:[A-Z]\.)+|(?:St|Ft|Mt)\.|[A-Z]{2,6}|"
    r"(?:Mc|Mac|De|Di|Da|La|Le|O'|D'|al-|el-)?[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:-[A-Z][a-z]+)*)(?:'s?(?= [A-Z]))?"
)
_JOIN = r" (?:& |(?:of(?: the)?|for(?: the)?|and|de|del|la|van|von|der|den|bin|al) )?"
_NAME = re.compile(rf"\b{_WORD}(?:{_JOIN}{_WORD}){{0,9}}(?![\w@])")
_SPEECH = r"(?:said|says|told|added|testified|tweeted|wrote|recalled|explained|argued|pleaded|died|asked)"
_PERSON_BEFORE = re.compile(rf"\b(?:{_SPEECH}|year-old) $")
_PERSON_AFTER = re.compile(rf", (?:aged? )?\d{{1,2}}(?:[,.;]| ?-year-old|$)|, who(?:se)?\b| {_SPEECH}\b")
_LETTERS = re.compile(r"[^\W\d_]{4,}")


class _Run(NamedTuple):
    """Words of a name that stand together. `titled`, `told`: what stands beside them says that it is a person."""

    words: tuple[str, ...]
    titled: bool
    told: bool

    @property
    def name(self) -> str:
        return " ".join(self.words)


def find_entities(text: str, places: Iterable[str] = ()) -> tuple[PageEntity, ...]:
    """The people and organisations that a text names, the most mentioned first; `places` are neither.

    A last name alone counts for the one person of the text who bears it.

    >>> found = find_entities("Police said Ann Lee of Ohio State University died. Lee, 40, was a nurse.")
    >>> [(one.name, one.kind, one.count) for one in found]
    [('Ann Lee', 'person', 2), ('Ohio State University', 'organisation', 1)]
    """
    known = entity_words()
    where = {place.lower() for place in places}
    plain = text[:TEXT_CHARS].replace("’", "'")
    runs = [run for run in _runs(plain, known) if run.name.lower() not in where]
    people = _people(runs, known)
    counts: Counter[tuple[str, str]] = Counter()
    for run in runs:
        if known.is_organisation(run.words):
            counts[run.name, "organisation"] += 1
        elif run.name in people:
            counts[people[run.name], "person"] += 1
    return tuple(PageEntity(name, kind, count) for (name, kind), count in counts.most_common(ENTITIES))


def _runs(text: str, known: EntityWords) -> Iterator[_Run]:
    starts = [*sentence_starts(text), len(text)]
    for at, end in pairwise(starts):
        sentence = text[at:end]
        if not _is_headline(sentence):
            for match in _NAME.finditer(sentence):
                yield from _split(match, sentence, known)


def _is_headline(sentence: str) -> bool:
    """Whether most words have capitals and no stop ends them: then capitals say nothing."""
    if sentence.rstrip(" \"')”").endswith((".", "!", "?")):
        return False
    words = _LETTERS.findall(sentence[:600])
    return len(words) > 3 and sum(word[0].isupper() for word in words) > 0.7 * len(words)


def _split(match: re.Match[str], sentence: str, known: EntityWords) -> Iterator[_Run]:
    """The names in capitalised words next to each other, each without titles such as Mr."""
    start, end = match.span()
    before, after = sentence[max(0, start - BESIDE) : start], sentence[end : end + BESIDE]
    parts = list(_parts(match[0].split(), known))
    for number, part in enumerate(parts):
        words = _without_opening(part, known)
        title = before.split(" ")[-2:-1] if number == 0 and known.is_title(before.split(" ")[-2:-1]) else [""]
        titled, told = title[0][:1].isupper(), bool(title[0])  # a general rule is no General Rule
        told |= number == 0 and bool(_PERSON_BEFORE.search(before))
        told |= number == len(parts) - 1 and bool(_PERSON_AFTER.match(after))
        if not known.is_organisation(words):
            while (at := known.title_in(words)) is not None:
                words, titled = words[at + 1 :], titled or known.is_title(words[at : at + 1])
            while words and words[-1] in known.never:
                words = words[:-1]
        if words:
            yield _Run(tuple(words), titled or known.is_royal(words), told)


def _without_opening(words: list[str], known: EntityWords) -> list[str]:
    """Without words that have capitals because a sentence begins, and days and nations that begin no organisation."""
    while words and (known.opens(words[0]) or (words[0] in known.never and not known.is_organisation(words))):
        words = words[1:]
    return words


def _parts(words: Sequence[str], known: EntityWords) -> Iterator[list[str]]:
    """`Ann Lee and Bob Roe of the Storm Trust` is three names, `Fish and Wildlife Service` one."""
    part: list[str] = []
    if words[1:2] == ["of"] and words[0].endswith("s") and words[0] not in known.organisations:
        words = words[2:]  # Members of the Storm Trust
    for at, word in enumerate(words):
        is_person = known.is_title(part[:1]) or (len(part) > 1 and part[0].lower() in known.first_names)
        ends = word in ("and", "&", "for") and not known.is_organisation([*part, *words[at:]])
        if part and (ends or (is_person and word in known.small and word in ("of", "and", "for"))):
            yield part
            part = []
        elif part or word not in known.small:
            part.append(word)
    if part:
        yield part


def _people(runs: Sequence[_Run], known: EntityWords) -> dict[str, str]:
    """What names of people in the text stand for: themselves, or a last name for the full one."""
    told = {run.words[-1] for run in runs if run.told or run.titled}
    found: dict[str, str] = {}
    by_last: dict[str, set[str]] = {}
    for run in runs:
        words = known.without_suffix(run.words)
        if not 2 <= len(words) <= PERSON_WORDS or not known.may_be_a_person(run.words):
            continue
        if run.told or run.titled or words[0].lower() in known.first_names or words[-1] in told:
            found[run.name] = run.name
            by_last.setdefault(words[-1], set()).add(run.name)
    for run in runs:
        if run.titled and len(run.words) == 1 and known.may_be_a_person(run.words):
            found.setdefault(run.name, run.name)
    for last, names in by_last.items():
        if len(names) == 1:
            found[last] = next(iter(names))
    return found

"""Find the people and organisations that a text names.

Rules, no model: a capitalised name is a person if a first name, a title, an age or a verb of speech says so, and an
organisation if it has a word such as Police or University. Other names are left out: precision matters more than
recall. The rules are for English.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from lycosa.page.places.capitalised_names import sentence_starts
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.text.languages import STOP_WORDS
from lycosa.values import PageEntity

TEXT_CHARS = 200_000
"""Longer texts are cut."""
ENTITIES = 100
"""Entities of a page; the least mentioned are dropped."""
NAME_WORDS = 500
"""Words of names of a text; the least frequent are dropped."""
PERSON_WORDS = 4
ORGANISATION_WORDS = 8
BESIDE = 40
"""Characters before and after a name that are read."""

_NUMERAL = re.compile(r"[IVX]{1,5}")
_NO_ORGANISATIONS = frozenset(
    ("Soviet Union", "Act of Parliament", "Head of Government", "Heads of Government")
)
_NAME_IN_SENTENCE = re.compile(
    r"(?<=[a-z,;:’'\"] )(?:Mc|Mac|O['’])?[A-Z][a-zà-ÿ]+(?:[ -](?:Mc|O['’])?[A-Z][a-zà-ÿ]+)*"
)
_NAME_WORD = re.compile(r"[^\W\d_]{3,30}")
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


def find_names(text: str, places: Iterable[str] = ()) -> dict[str, int]:
    """How often each word of a name occurs, the most frequent first; names of `places` are left out.

    >>> find_names("On Friday officer John Smith of Bath spoke. Later Smith, or Mr Smith, left.", ["Bath"])
    {'smith': 3, 'john': 1}
    """
    of_places = {word.lower() for name in places for word in _NAME_WORD.findall(name)}
    found = Counter(
        word.lower() for name in _NAME_IN_SENTENCE.findall(text) for word in _NAME_WORD.findall(name)
    )
    kept = (
        (word, count)
        for word, count in found.most_common()
        if word not in entity_words().words["not_name_words"] | of_places
    )
    return dict([*kept][:NAME_WORDS])


class EntityWords:
    """First names, titles, words of organisations, and words that have capitals for other reasons."""

    small = frozenset("of for and the de del la van von der den bin al &".split())

    def __init__(self) -> None:
        table = tomllib.loads(files(__package__).joinpath("data", "name_words.toml").read_text("utf-8"))
        self.words = {kind: frozenset(words.split()) for kind, words in table.items()}
        text = files(__package__).joinpath("data", "person_names.txt").read_text("utf-8")
        names, _, titles = text.partition("# titles")
        lines = (line for line in names.splitlines() if not line.startswith("#"))
        self.first_names = frozenset(word for line in lines for word in line.split())
        self.titles = frozenset(titles.split()) - {"saint"}
        self.never = gazetteer().never
        self.organisations = (gazetteer().organisations | self.words["organisations"]) - self.words[
            "not_organisations"
        ]
        self._heads = frozenset(gazetteer().heads)
        self._openers = (STOP_WORDS["english"] | self.words["openers"]) - self.first_names

    def opens(self, word: str) -> bool:
        """Whether a word has a capital only because a sentence, or a name like The Times, begins with it."""
        return word.lower() in self._openers

    def is_title(self, words: Sequence[str]) -> bool:
        """Whether one of the words is a title, such as Sgt. or President."""
        return any(word.rstrip(".").lower() in self.titles for word in words if word)

    def title_in(self, words: Sequence[str]) -> int | None:
        """Where the last title, rank or role stands before a name; what is before it, as in Acme CEO Ann Lee, is none."""
        if self.is_royal(words):
            return None
        before = [at for at, word in enumerate(words[:-1]) if self._may_stand_before(word)]
        return before[-1] if before else None

    def _may_stand_before(self, word: str) -> bool:
        return self.is_title([word]) or word.rstrip(".").lower() in self.words["roles"]

    def is_royal(self, words: Sequence[str]) -> bool:
        """Whether these are a title and one name: Queen Victoria is known by both."""
        if len(words) == 3 and _NUMERAL.fullmatch(words[2]):
            words = words[:2]
        return (
            len(words) == 2
            and words[0].lower() in self.words["royal"]
            and words[1].lower() in self.first_names
        )

    def is_organisation(self, words: Sequence[str]) -> bool:
        """Whether a name has the word of an organisation, and more than it; or is a known acronym."""
        if len(words) < 2:
            return bool(words) and words[0] in self.words["acronyms"]
        own = [word for word in words if word not in self.organisations and word not in self.small]
        has_one = any(word in self.organisations for word in words)
        if not has_one or not own or len(words) > ORGANISATION_WORDS or words[-1] in self.small:
            return False
        if all(word in self.words["generic"] or self.is_title([word]) for word in own):
            return False
        telling = words[-1] in self.organisations or (words[0] in self.organisations and "of" in words)
        return (telling or "for" in words or "Medical" in words) and " ".join(words) not in _NO_ORGANISATIONS

    def may_be_a_person(self, words: Sequence[str]) -> bool:
        """Whether nothing in a name speaks against a person."""
        plain = words[:-1] if len(words) > 1 and _NUMERAL.fullmatch(words[-1]) else words
        return plain[-1].rstrip(".")[-1:].islower() and not (
            self.is_organisation(words) or any(map(self._is_of_no_person, plain))
        )

    def _is_of_no_person(self, word: str) -> bool:
        plain = word.rstrip(".").lower()
        return (
            (word.isupper() and len(word) > 3 and "." not in word)
            or word in self.never
            or word in self._heads
            or word in self.organisations
            or word in self.words["not_in_names"]
            or word in ("of", "for", "and", "&", "St.", "Mt.", "Ft.")
            or (plain in self.titles and plain not in self.words["royal"])
            or plain in self._openers
        )

    def without_suffix(self, words: Sequence[str]) -> Sequence[str]:
        """A name without endings such as Jr."""
        return words[:-1] if words[-1].rstrip(".").lower() in self.words["suffixes"] else words


@lru_cache(maxsize=1)
def entity_words() -> EntityWords:
    """All words, read once."""
    return EntityWords()

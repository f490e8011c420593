"""Recognise the names of places in a text.

A small logistic model decides on each capitalised name by its words, its neighbours and its entries in the gazetteer.
The model ships as data; `research.places.model` trains it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.resources import files
from typing import NamedTuple, Protocol

import msgspec

from lycosa.errors import SpecError
from lycosa.page.places.capitalised_names import Candidate, TokenisedText, candidates
from lycosa.page.places.gazetteer import Gazetteer, GazetteerEntry

FINDERS = "lycosa.place_finders"
"""The entry point group for place finders of installed packages."""
TEXT_CHARS = 400_000
"""Of longer texts the rest is not read."""


class PlaceMention(NamedTuple):
    """A name in a text that is a place; `sentence` counts from 0. Above 0, a higher score is surer."""

    start: int
    end: int
    name: str
    sentence: int
    score: float = 1.0


class PlaceFinder(Protocol):
    """Finds the places that a text mentions: our model, or a named-entity recogniser of the user's."""

    def find(self, text: str) -> list[PlaceMention]: ...


@lru_cache
def installed_finder(name: str) -> PlaceFinder | None:
    """The finder that an installed package offers by this name (none for ""); SpecError if there is none.

    A package offers one by an entry point of the group `lycosa.place_finders`: a class or function
    that is called without arguments, once per process, and gives a PlaceFinder.
    """
    if not name:
        return None
    offered = {point.name: point for point in entry_points(group=FINDERS)}
    if name not in offered:
        known = f"Known are: {', '.join(sorted(offered))}" if offered else "None is installed"
        raise SpecError(
            f"[index] place_finder: no installed package offers {name!r}. {known}; see docs/places.md."
        )
    try:
        finder: PlaceFinder = offered[name].load()()
    except Exception as error:
        package = point.dist.name if (point := offered[name]).dist else point.value
        raise SpecError(
            f"[index] place_finder: {name!r} of the installed package {package} cannot be loaded "
            f"({type(error).__name__}: {error}). Fix the package or choose another finder."
        ) from error
    return finder


class PlaceModel(msgspec.Struct, frozen=True):
    """Weights of `features`; a sum above 0 means a place. `provenance` says what it learned from."""

    weights: dict[str, float]
    common: list[str]  # words that are mostly written small
    provenance: str


class NamedPlaces:
    """The finder that ships with Lycosa: gazetteer and model."""

    def __init__(self, gazetteer: Gazetteer, model: PlaceModel | None = None) -> None:
        self.gazetteer = gazetteer
        self.model = model or shipped_model()
        self._common = frozenset(self.model.common)
        self._people = person_words()
        self._weights = dict(self.model.weights)
        for feature, weight in PRIOR.items():
            self._weights[feature] = self._weights.get(feature, 0.0) + weight

    def find(self, text: str) -> list[PlaceMention]:
        """Mentions in the order of the text; never raises."""
        read = TokenisedText(text[:TEXT_CHARS], self._common, self._people)
        found = list(candidates(read, self.gazetteer))
        scored = [(candidate, self._score(read, candidate)) for candidate in found]
        return [_mention(read, candidate, score) for candidate, score in _agreed(scored) if score > 0.0]

    def is_also_a_word(self, name: str) -> bool:
        """Whether a name is also a common word, a first name, or never a place."""
        lowest = name.lower()
        return lowest in self._common or lowest in self._people or name in self.gazetteer.never

    def _score(self, text: TokenisedText, candidate: Candidate) -> float:
        weight = self._weights.get
        return sum(weight(feature, 0.0) for feature in features(text, candidate, self.gazetteer))


PRIOR = {
    "bias": -0.15,
    "head street": 1.5,
    "head mountain": 1.2,
    "head river": 1.2,
    "head sea": 1.0,
    "head island": 1.0,
    "head park": 1.0,
    "head square": 1.0,
    "head county": 1.0,
    "head state": 1.0,
    "start mountain": 3.0,
    "start street": 2.5,
    "start region": 1.0,
    "of some age, of": 3.0,
    "someone, of": 1.5,
    "place after": 0.8,
    "organisation": -2.0,
    "organisation after": -1.0,
    "plural after": -1.0,
    "person before": -1.5,
    "person of text": -1.0,
    "team of text": -2.0,
}
"""Added to the learned weights, for what tweets and encyclopedias hardly show but news is full of."""
SHARED = 0.5
"""How much of the surest mention's score the other mentions of that name in the text get."""


def _agreed(scored: list[tuple[Candidate, float]]) -> Iterator[tuple[Candidate, float]]:
    """Where one mention of a name is surely a place, the others of the text are likely one too."""
    surest: dict[str, float] = {}
    for candidate, score in scored:
        surest[candidate.name] = max(surest.get(candidate.name, 0.0), min(score, 4.0))
    for candidate, score in scored:
        yield candidate, score + SHARED * max(0.0, surest[candidate.name] - max(score, 0.0))


def _mention(text: TokenisedText, candidate: Candidate, score: float) -> PlaceMention:
    start = text.tokens[candidate.first].start
    end = text.tokens[candidate.last - 1].end
    return PlaceMention(start, end, text.text[start:end], text.sentence_of(candidate.first), round(score, 3))


_LOCATIVE = frozenset("in near from around outside across of".split())


def features(text: TokenisedText, candidate: Candidate, gazetteer: Gazetteer) -> list[str]:
    """What the model looks at, as names of weights."""
    first, last, name = candidate.first, candidate.last, candidate.name
    sentence = text.sentence_of(first)
    before = text.word(first - 1, sentence)
    before2 = text.word(first - 2, sentence)
    after = text.word(last, sentence)
    known = _known(candidate.entries)
    found = [
        "bias",
        "known " + known,
        "before " + before,
        "after " + after,
        f"before2 {before2} {before}",
        f"after2 {after} {text.word(last + 1, sentence)}",
        f"{known} before {before}",
        f"{known} after {after}",
    ]
    lowest = name.lower()
    if lowest in text.common or lowest in text.small:
        found.append("also a word " + known)
    if name in text.persons:
        found.append("person of text")
    if name in text.teams and before not in _LOCATIVE:
        found.append("team of text")
    if before == "":
        found.append("first " + known)
    elif before == "of":
        if before2 in gazetteer.place_of:
            found.append("place of")
        elif before2 == ",":
            found.append("of some age, of" if text.word(first - 3, sentence) == "0" else "someone, of")
    if after in gazetteer.place_after:
        found.append("place after")
    if candidate.entries:
        found.append(f"words {min(last - first, 3)} {known}")
        if name.isupper():
            found.append(f"capitals {len(name) > 3}")
    else:
        found.extend(_form_features(text, candidate, gazetteer))
    found.extend(_neighbour_features(text, candidate, gazetteer, known, before, after))
    return found


def _known(entries: Sequence[GazetteerEntry]) -> str:
    """What the gazetteer has of a name: a kind, of a city the power of ten of its people."""
    if not entries:
        return "no"
    entry = entries[0]
    return f"city{len(str(entry.people))}" if entry.kind == "city" else entry.kind


def _form_features(text: TokenisedText, candidate: Candidate, gazetteer: Gazetteer) -> Iterator[str]:
    """Of a name that the gazetteer lacks: its words, and how it begins and ends."""
    words = [token.word for token in text.tokens[candidate.first : candidate.last] if token.word != "."]
    tail = words[-1]
    yield f"words {min(len(words), 4)}"
    yield "ends " + tail[-3:].lower()
    yield "begins " + tail[:3].lower()
    for word in words[:4]:
        yield "word " + word.lower()
    if len(words) > 1 and tail in gazetteer.heads:
        yield "head " + gazetteer.heads[tail]
    elif tail.capitalize() in gazetteer.organisations:
        yield "organisation"
    if len(words) > 1 and words[0] in gazetteer.starts:
        yield "start " + gazetteer.starts[words[0]]


def _neighbour_features(
    text: TokenisedText, candidate: Candidate, gazetteer: Gazetteer, known: str, before: str, after: str
) -> Iterator[str]:
    tokens, first, last = text.tokens, candidate.first, candidate.last
    if text.joined(first - 1, first) and tokens[first - 1].capital:
        yield "name before " + known
        if before in text.people:
            yield "person before"
    elif before == "." and first > 1 and tokens[first - 2].word.lower() in text.people:
        yield "person before"
    if tokens[first].word.lower() in text.people:
        yield "person " + known
    if text.joined(last - 1, last) and tokens[last].capital:
        yield from _run_after(text, last, known, gazetteer)
    elif after == "," and last + 1 < len(tokens):
        name = tokens[last + 1].word
        if gazetteer.named(name) or gazetteer.named(name + ".") or gazetteer.named(", " + name):
            yield "place, place"
    if before == "," and first > 1 and tokens[first - 2].capital:
        yield "name, " + known


def _run_after(text: TokenisedText, last: int, known: str, gazetteer: Gazetteer) -> Iterator[str]:
    """Of capitalised words right behind: what the longer name is."""
    tokens = text.tokens
    word = tokens[last].word
    yield "name after " + known
    yield "word after " + word.lower()
    if word.endswith("s") and not word.endswith("ss"):
        yield "plural after"
    end = last
    while end - last < 4 and text.joined(end, end + 1) and tokens[end + 1].capital:
        end += 1
    if end > last:
        yield "names after"
    if any(token.word.capitalize() in gazetteer.organisations for token in tokens[last : end + 1]):
        yield "organisation after"


@lru_cache(maxsize=1)
def person_words() -> frozenset[str]:
    """First names and titles, in small letters."""
    lines = files(__package__).joinpath("data", "person_names.txt").read_text("utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=1)
def shipped_model() -> PlaceModel:
    """The model that ships with Lycosa."""
    data = files(__package__).joinpath("data", "place_model.msgpack").read_bytes()
    return msgspec.msgpack.decode(data, type=PlaceModel)

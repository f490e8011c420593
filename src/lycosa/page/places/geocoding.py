"""Find the places that a text is about, with coordinates and mentions.

A `PlaceFinder` recognises the names of places. This module looks each up in the gazetteer; if several places share a
name, the other names of the text decide.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from lycosa.page.places.gazetteer import Gazetteer, GazetteerEntry
from lycosa.page.places.place_recognition import NamedPlaces, PlaceFinder, PlaceMention
from lycosa.values import PagePlace

_MENTIONS = 5000  # of a text; the rest is dropped
_LARGE = 100_000  # people of a city whose bare name, as a whole anchor, is taken to be meant
_SURE_RATIO = 10  # a city this many times larger than its namesakes is taken to be meant
_NAMED = 1.0
_IMPLIED = 0.6  # a state or country of which only a city is named
_FIRST_BONUS = 1.0
_STATE_BONUS = 2.0
_COUNTRY_BONUS = 2.0
_VILLAGE = 100_000  # people; a smaller town in a country that the text does not speak of is left off the map


Regions = frozenset[tuple[str, str]]
"""Countries, and states of them, as (country, state or "")."""


class Place(msgspec.Struct, frozen=True):
    """A place of a text. Aliases meet: `canonical` is the same for Calif. and California.

    Names that the gazetteer lacks have no coordinates, and are their own canonical name.
    """

    name: str  # as first written in the text
    canonical: str
    kind: str
    lat: float | None
    lon: float | None
    country: str  # ISO code, "" where not known or several
    state: str  # of the US, "" elsewhere
    count: int  # mentions, over all sentences
    sentences: int  # with a mention
    mentions: tuple[tuple[int, int], ...]  # their offsets

    def of_page(self, count: int | None = None) -> PagePlace:
        """The same place as a page keeps it."""
        return PagePlace(
            self.name,
            self.canonical,
            self.kind,
            self.lat,
            self.lon,
            self.country,
            self.state,
            count or self.count,
        )


def find_places(
    text: str, names: Gazetteer, finder: PlaceFinder | None = None, about: Regions = frozenset()
) -> list[Place]:
    """The places of a text, the most mentioned first; never raises.

    `about`: the regions that the text is known to be about, as if it named them.
    """
    return _put_on_the_map(text, (finder or _shipped_finder(names)).find(text)[:_MENTIONS], names, about)


def regions_of(places: Iterable[Place]) -> Regions:
    """The countries and states that places lie in.

    >>> from lycosa.page.places.gazetteer import gazetteer
    >>> sorted(regions_of(find_places("It was in Alexandria, Louisiana.", gazetteer())))
    [('US', ''), ('US', 'LA')]
    """
    found = [(place.country, place.state) for place in places if place.country]
    return frozenset([*found, *((country, "") for country, _ in found)])


def _put_on_the_map(
    text: str, mentions: Sequence[PlaceMention], names: Gazetteer, about: Regions = frozenset()
) -> list[Place]:
    options = [_entries(text, mention, names) for mention in mentions]
    _keep_what_follows(text, mentions, options)
    told = _told(mentions, options, about)
    grouped: dict[object, list[PlaceMention]] = {}
    for mention, entries in zip(mentions, options, strict=True):
        key: object = _best(entries, told.without(mention.name)) or mention.name
        grouped.setdefault(key, []).append(mention)
    places = [_place(key, group, names) for key, group in grouped.items()]
    return sorted(places, key=lambda place: (-place.count, place.mentions[0]))


def places_of_each(
    texts: Sequence[str],
    names: Gazetteer,
    finder: PlaceFinder | None = None,
    page: Iterable[PagePlace] = (),
    about: Regions = frozenset(),
) -> list[tuple[PagePlace, ...]]:
    """The places of each of many short texts, such as the anchors of a page, read in one pass.

    Texts of one page help each other where several places share a name. A text that is nothing but the
    name of a place has no sentence to tell by: it is one if the page itself names that place (`page`),
    or if a large place is called so and nothing else is.
    """
    starts, lines, at = [], [], 0
    for text in texts:
        starts.append(at)
        lines.append(" ".join(text.split()))
        at += len(lines[-1]) + 1
    joined = "\n".join(lines)
    mentions = (finder or _shipped_finder(names)).find(joined)[:_MENTIONS]
    told = {bisect_right(starts, mention.start) - 1 for mention in mentions}
    of_page = {place.name: place for place in page}
    bare, found = [], [list[PagePlace]() for _ in texts]
    for number, line in enumerate(lines):
        if number in told or not line:
            continue
        if line in of_page:
            found[number].append(msgspec.structs.replace(of_page[line], count=1))
        elif _is_large_place(line, names):
            bare.append(PlaceMention(starts[number], starts[number] + len(line), line, number))
    for place in _put_on_the_map(joined, sorted([*mentions, *bare])[:_MENTIONS], names, about):
        for number, count in Counter(bisect_right(starts, start) - 1 for start, _ in place.mentions).items():
            found[number].append(place.of_page(count))
    return [tuple(places) for places in found]


def _is_large_place(name: str, names: Gazetteer) -> bool:
    """Whether a name that stands alone can be taken for a place: no word, no first name, no village."""
    entries = names.named(name)
    if not entries or (entries[0].kind == "city" and entries[0].people < _LARGE):
        return False
    return not _shipped_finder(names).is_also_a_word(name)


@lru_cache(maxsize=1)
def _shipped_finder(names: Gazetteer) -> NamedPlaces:
    return NamedPlaces(names)


def _entries(text: str, mention: PlaceMention, names: Gazetteer) -> Sequence[GazetteerEntry]:
    """The places that a mention may mean, most likely first."""
    name = mention.name.replace("’", "'")
    spellings = [name, name + ".", name.replace(" ", ""), name.removeprefix("the ").removeprefix("The ")]
    if text[max(0, mention.start - 2) : mention.start] == ", ":
        spellings.insert(0, ", " + name)
    return next((found for spelling in spellings if (found := names.named(spelling))), ())


def _keep_what_follows(
    text: str, mentions: Sequence[PlaceMention], options: list[Sequence[GazetteerEntry]]
) -> None:
    """In `Paris, Texas` and `Abu Talat (Egypt)` keep only what lies in the second place."""
    for at in range(len(mentions) - 2, -1, -1):
        between = text[mentions[at].end : mentions[at + 1].start]
        if between.strip(" .") not in (",", "(") or len(between) > 4:
            continue
        wholes = [entry for entry in options[at + 1] if entry.kind in ("state", "country")]
        inside = [entry for entry in options[at] if any(_lies_in(entry, whole) for whole in wholes)]
        if inside:
            options[at] = inside
            options[at + 1] = [whole for whole in wholes if _lies_in(inside[0], whole)]


def _lies_in(entry: GazetteerEntry, whole: GazetteerEntry) -> bool:
    if entry.kind in ("country", "continent") or entry == whole or entry.country != whole.country:
        return False
    # Only states of the US have codes; of others the country has to do.
    return whole.kind == "country" or entry.state == whole.state


RegionWeights = Mapping[tuple[str, str], float]
"""The confidence that a text is about a country or a state of it, by (country, state or "")."""


class _Told:
    """The evidence of a text's names for the regions that it is about."""

    def __init__(self, about: Regions) -> None:
        # The two strongest names of each region: a name is not evidence for its own meaning.
        self._surest = {region: [(_NAMED, "")] for region in about}
        self._sole: dict[str, RegionWeights] = {}

    def add(self, region: tuple[str, str], weight: float, name: str) -> None:
        """A name speaks for a region."""
        best = self._surest.setdefault(region, [])
        others = [one for one in best if one[1] != name]
        same = [one for one in best if one[1] == name]
        best[:] = sorted([*others, max([*same, (weight, name)])], reverse=True)[:2]

    def without(self, name: str) -> RegionWeights:
        """The evidence of all other names."""
        if name not in self._sole:
            self._sole[name] = {
                region: weight
                for region, best in self._surest.items()
                if (weight := next((weight for weight, by in best if by != name), 0.0))
            }
        return self._sole[name]


def _told(
    mentions: Sequence[PlaceMention], options: Sequence[Sequence[GazetteerEntry]], about: Regions
) -> _Told:
    told = _Told(about)
    for mention, entries in zip(mentions, options, strict=True):
        if not entries or not entries[0].country:
            continue
        entry = entries[0]
        alone = len(entries) == 1 or entry.people > _SURE_RATIO * entries[1].people
        if not alone:
            continue
        weight = _NAMED if entry.kind in ("country", "state") else _IMPLIED
        for state in {"", entry.state}:
            told.add((entry.country, state), weight, mention.name)
    return told


def _best(entries: Sequence[GazetteerEntry], evidence: RegionWeights) -> GazetteerEntry | None:
    """The entry of highest score; None where no place of that name can well be meant.

    score = log10(people) + 1 if first in the gazetteer + 2 × state + 2 × country that the other names tell of.
    """

    def score(entry: GazetteerEntry) -> float:
        total = math.log10(entry.people + 10) + _FIRST_BONUS * (entry is entries[0])
        total += _COUNTRY_BONUS * evidence.get((entry.country, ""), 0.0)
        if entry.state:
            total += _STATE_BONUS * evidence.get((entry.country, entry.state), 0.0)
        return total

    best = max(entries, key=score, default=None)
    if best is None or best.kind != "city" or best.people >= _VILLAGE:
        return best
    # "Park Avenue" in a text on New York is not the suburb in Queensland.
    spoken_of = {country for country, _ in evidence}
    return best if not spoken_of or best.country in spoken_of else None


def _place(key: object, group: list[PlaceMention], names: Gazetteer) -> Place:
    offsets = tuple((mention.start, mention.end) for mention in group)
    sentences = len({mention.sentence for mention in group})
    if isinstance(key, GazetteerEntry):
        known = not math.isnan(key.lat)
        lat, lon = (key.lat, key.lon) if known else (None, None)
        return Place(
            group[0].name,
            key.name,
            key.kind,
            lat,
            lon,
            key.country,
            key.state,
            len(group),
            sentences,
            offsets,
        )
    name = Counter(mention.name for mention in group).most_common(1)[0][0]
    kind = _kind_of_unknown(name, names)
    return Place(group[0].name, name, kind, None, None, "", "", len(group), sentences, offsets)


def _kind_of_unknown(name: str, names: Gazetteer) -> str:
    words = name.replace(".", " ").split() or [""]
    return names.heads.get(words[-1]) or names.starts.get(words[0]) or "place"

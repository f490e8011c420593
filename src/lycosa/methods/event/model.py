"""The model of an event: what, where, when (and who), made of model pages.

    E = ⟨T, L, D⟩          T: terms, L: places, D: date          [Farag, 4.1]

It is saved as JSON with plain frequencies, which people can edit; weights are computed when pages are scored.
"""

from __future__ import annotations

import datetime
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from lycosa.errors import InputError, ModelError
from lycosa.evidence.model_file import read_json
from lycosa.files import write_file
from lycosa.learn.judges.version import KnownPage
from lycosa.learn.words.background import background_of
from lycosa.page.document import Document
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.places.geocoding import find_places
from lycosa.page.places.place_recognition import PlaceMention
from lycosa.page.text.terms import terms_of
from lycosa.values import PagePlace

KEPT_TERMS = 1365
"""Terms kept of a model: the paper's largest k."""
KEPT_PLACES = 100
KEPT_NAMES = 300
KEPT_PEOPLE = 50
PLAUSIBLE_DAYS = 365
"""A model page dated this many days before the others is misdated."""

Missing = Literal["zero", "renormalise"]
_DIGIT = re.compile(r"\d")
MIN_RARITY = 1.5
"""Words of lower rarity in their language do not identify an event: said, people, year."""
OF_ANY_REPORT = frozenset("told second third accord report spokesman spokeswoman updat".split())
"""Rarer English stems that any news report has."""


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The weight of each aspect; defaults are the paper's, learned on pages."""

    topic: float = 0.3
    place: float = 0.345
    date: float = 0.355
    who: float = 0.0


class Side(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one side, pages or links, is scored."""

    k: int = 10  # terms of the topic that count
    threshold: float = 0.4  # relevant from here on
    weights: Weights = Weights()
    missing_date: Missing = "zero"  # without a date: score 0, or leave the date out of the weights
    missing_place: Missing = "zero"


class Matching(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How aspects are compared, for pages and links. The defaults are the paper's."""

    projected: bool = True  # cut a text down to the topic's terms before the cosine
    log_counts: bool = False  # a text's frequencies count by their logarithm
    telling_words: bool = False  # numbers and words that are common in the language are no words of the event
    link_context: bool = False  # the text around a link counts with its anchor
    page_share: float = 0.5  # of a link's priority, the share of its page's score
    more_links: float = 0.0  # how much a URL gains with the logarithm of the number of links to it
    date_curve: Literal["linear", "saturating"] = "linear"
    num_days: float = 365.0  # linear: after this many days the date scores 0
    grace_days: float = 7.0  # saturating: this long before the event the score falls to 0
    half_days: float = 30.0  # saturating: this long after the event the score is one half


class Facts(msgspec.Struct, frozen=True):
    """What a page, or a link's URL and anchor, says: the input of a comparison with an event."""

    terms: Mapping[str, int]
    places: Sequence[PagePlace] = ()
    date: str = ""
    names: Mapping[str, int] = {}
    people: Mapping[str, int] = {}  # people, their names kept whole


def is_telling(term: str, language: str) -> bool:
    """Whether a word can identify an event: not a number, and not among the commonest of its language.

    >>> [is_telling(term, "english") for term in ("gunman", "said", "second", "2016")]
    [True, False, False, False]
    """
    if _DIGIT.search(term) or term in OF_ANY_REPORT:
        return False
    return background_of(language).rarity(term) > MIN_RARITY


class EventPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place of the event, with how often the model pages name it."""

    name: str
    count: float = 1.0
    kind: str = "city"
    state: str = ""
    country: str = ""
    lat: float | None = None
    lon: float | None = None


def checked_day(day: str) -> str:
    """The ISO day as given. Raise ValueError, with a message for the user, if there is no such day."""
    if day:
        try:
            datetime.date.fromisoformat(day)
        except ValueError:
            raise ValueError(f"{day!r} is not a day of the calendar; write it as 2016-06-12") from None
    return day


class EventModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event. `terms`, `places` and `names` carry frequencies, the most frequent first."""

    terms: dict[str, float]
    places: tuple[EventPlace, ...] = ()
    date: str = ""  # when it began, ISO; "" if not known
    end_date: str = ""
    names: dict[str, float] = {}  # words of names of people and organisations, which are compared
    people: dict[str, float] = {}  # people by their whole names, which are shown
    language: str = "english"
    pages: Side = Side()
    links: Side = Side(k=1310, threshold=0.15)
    matching: Matching = Matching()
    unread: tuple[str, ...] = ()  # model pages that could not be had; the next run tries them again
    examples: tuple[KnownPage, ...] = ()  # the model pages, as the judge compares others with them

    @property
    def telling_terms(self) -> dict[str, float]:
        """The terms that count: all of them, or those that identify the event."""
        if not self.matching.telling_words:
            return self.terms
        return {
            term: count for term, count in self.terms.items() if is_telling(term, self.language)
        } or self.terms

    def __post_init__(self) -> None:
        for day in (self.date, self.end_date):
            checked_day(day)
        if self.date and self.end_date and self.end_date < self.date:
            raise ValueError(f"the end date {self.end_date} lies before the date {self.date}")


def page_facts(document: Document, *, names: bool = False) -> Facts:
    """The Facts of a page, with names if asked for."""
    if not names:
        return Facts(document.main_terms, document.places, document.date)
    people = {one.name: one.count for one in document.entities if one.kind == "person"}
    return Facts(document.main_terms, document.places, document.date, document.names, people)


def link_facts(document: Document, *, context: bool = False) -> list[Facts]:
    """The Facts of each link: terms of URL and anchor, places of the anchor, date in the URL, and with `context` the text around it."""
    parts = zip(
        document.link_terms, document.link_url_terms, document.link_places, document.link_dates, strict=True
    )
    facts = [Facts(Counter([*anchor, *url]), places, date) for anchor, url, places, date in parts]
    if not context:
        return facts
    return [
        msgspec.structs.replace(own, terms=Counter(own.terms) + Counter(around))
        for own, around in zip(facts, document.context_terms, strict=True)
    ]


def event_day(dates: Iterable[str]) -> str:
    """The day of an event from its pages' dates: the most frequent one, else the earliest plausible.

    >>> event_day(["2016-06-13", "", "2016-06-13", "2016-06-12"])
    '2016-06-13'
    >>> event_day(["2016-08-01", "2016-06-13", "2001-01-01", "2016-06-20"])
    '2016-06-13'
    >>> event_day(["", ""])
    ''
    """
    days = sorted(day for day in dates if day)
    if not days:
        return ""
    often = Counter(days).most_common(1)[0]
    if often[1] > 1:
        return min(day for day, count in Counter(days).items() if count == often[1])
    ordinals = [datetime.date.fromisoformat(day).toordinal() for day in days]
    earliest = statistics.median(ordinals) - PLAUSIBLE_DAYS
    return next(day for day, ordinal in zip(days, ordinals, strict=True) if ordinal >= earliest)


def event_model(
    pages: Sequence[Facts],
    *,
    what: Sequence[str] = (),
    where: Sequence[str] = (),
    date: str = "",
    end_date: str = "",
    min_pages: int = 1,
    language: str = "english",
) -> EventModel:
    """The model of these pages; what the user wrote by hand joins (what) or replaces it (where, date).

    `min_pages`: only terms on at least this many of the pages count (the paper: 5, of 38 pages).
    """
    if not pages and not what:
        raise InputError(
            "The event has no model pages and no words. Give [event] pages (URLs or files), or `what`."
        )
    terms = _frequent_terms([page.terms for page in pages], min_pages)
    often = max(terms.values(), default=1.0)
    by_hand = {term: often for word in what for term in terms_of(word, language)}
    if not terms and not by_hand:
        raise InputError(
            "The model pages have no words that identify the event"
            + (f" that are on {min_pages} of them; ask for fewer (--min-pages)." if min_pages > 1 else ".")
            + " Give other pages, or `what`."
        )
    names, people = Counter[str](), Counter[str]()
    for page in pages:
        names.update(page.names)
        people.update(page.people)
    places = _places([page.places for page in pages], people) if not where else _places_by_hand(where)
    return EventModel(
        terms=by_hand | {term: count for term, count in terms.items() if term not in by_hand},
        places=places,
        date=checked_day(date) or event_day(page.date for page in pages),
        end_date=checked_day(end_date),
        names={name: float(count) for name, count in names.most_common(KEPT_NAMES)},
        people={name: float(count) for name, count in people.most_common(KEPT_PEOPLE)},
        language=language,
    )


def _frequent_terms(pages: Sequence[Mapping[str, int]], min_pages: int) -> dict[str, float]:
    total: Counter[str] = Counter()
    on: Counter[str] = Counter()
    for terms in pages:
        total.update(terms)
        on.update(terms.keys())
    kept = [(term, count) for term, count in total.items() if on[term] >= min_pages]
    best = sorted(kept, key=lambda item: (-item[1], item[0]))[:KEPT_TERMS]
    return {term: float(count) for term, count in best}


def _places(pages: Iterable[Sequence[PagePlace]], people: Mapping[str, int]) -> tuple[EventPlace, ...]:
    """The places that pages name, without those that are a person's first or last name there."""
    bearers = Counter[str]()
    for name, count in people.items():
        bearers.update(dict.fromkeys(name.split(), count))
    counts: Counter[tuple[str, str, str, str]] = Counter()
    first: dict[tuple[str, str, str, str], PagePlace] = {}
    for places in pages:
        for place in places:
            key = place_key(place)
            counts[key] += place.count
            first.setdefault(key, place)
    named = ((key, count) for key, count in counts.most_common() if bearers[first[key].name] < count)
    return tuple(_of_event(first[key], count) for key, count in islice(named, KEPT_PLACES))


def _places_by_hand(where: Sequence[str]) -> tuple[EventPlace, ...]:
    found = [
        place
        for name in where
        for place in find_places(f"It was in {name}.", gazetteer())
        or find_places(name, gazetteer(), _Whole())
    ]
    return tuple(_of_event(place.of_page(), 1.0) for place in found)


class _Whole:
    """A place finder that takes the whole text for a name, for places that no gazetteer knows."""

    def find(self, text: str) -> list[PlaceMention]:
        return [PlaceMention(0, len(text), text, 0)]


def _of_event(place: PagePlace, count: float) -> EventPlace:
    return EventPlace(
        place.canonical, float(count), place.kind, place.state, place.country, place.lat, place.lon
    )


def place_key(place: PagePlace | EventPlace) -> tuple[str, str, str, str]:
    """What makes two mentions the same place."""
    name = place.canonical if isinstance(place, PagePlace) else place.name
    return (name, place.kind, place.state, place.country)


OURS = EventModel(
    {},
    pages=Side(10, 0.45, Weights(0.5, 0.3, 0.2), missing_date="renormalise"),
    links=Side(10, 0.45, Weights(0.4, 0.5, 0.1), "renormalise", "renormalise"),
    matching=Matching(
        projected=False,
        log_counts=True,
        telling_words=True,
        link_context=True,
        page_share=0.35,
        more_links=0.4,
        date_curve="saturating",
    ),
)
"""Learned on the events of a web of news (docs/strategies/event.md)."""
PAPER = EventModel({})


def scored_by(model: EventModel, how: EventModel | Literal["ours", "paper"]) -> EventModel:
    """The same event with the scoring of the paper, ours, or a trained model's."""
    if not isinstance(how, EventModel):
        how = OURS if how == "ours" else PAPER
    return msgspec.structs.replace(model, pages=how.pages, links=how.links, matching=how.matching)


def with_topic_size(model: EventModel, k: int) -> EventModel:
    """The same event with `k` topic terms, for pages and links."""
    pages, links = (msgspec.structs.replace(side, k=k) for side in (model.pages, model.links))
    return msgspec.structs.replace(model, pages=pages, links=links)


def topic_only(model: EventModel) -> EventModel:
    """The same event without place and date: for outbreaks, and as the baseline."""
    alone = Weights(topic=1.0, place=0.0, date=0.0)
    pages, links = (msgspec.structs.replace(side, weights=alone) for side in (model.pages, model.links))
    return msgspec.structs.replace(model, pages=pages, links=links)


def save_event(path: Path, model: EventModel) -> None:
    """Write a model as JSON that people can read and edit."""
    try:
        write_file(path, msgspec.json.format(msgspec.json.encode(model)))
    except OSError as error:
        raise ModelError(f"{path} cannot be written: {error.strerror}. Name another file.") from None


def load_event(path: Path) -> EventModel:
    """Read a model; ModelError says what is wrong with it."""
    try:
        return read_json(path, EventModel)
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}. Make one: lycosa train event") from None
    except ValueError as error:  # msgspec's errors too
        raise ModelError(f"{path} is not a valid event model: {error}. Fix that entry.") from None


def refuse_to_judge(path: Path) -> None:
    """Raise ModelError if the file is an event model, which cannot judge files."""
    try:
        load_event(path)
    except ModelError:
        return
    raise ModelError(
        f"{path} is an event model; judge takes text models and image models. A crawl judges by it: "
        'event.model = FILE with judge.kind = "event". Or train another: lycosa train text'
    )

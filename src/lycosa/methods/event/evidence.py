"""Score how close pages and links are to an event: what, where, when (and who).

The equations are pure functions. `EventScorer` applies an EventModel's settings to a page once; the evidence
classes share its numbers.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from lycosa.evidence import Evidence, Need
from lycosa.methods.event.model import (
    EventModel,
    EventPlace,
    Facts,
    Matching,
    Missing,
    Side,
    Weights,
    link_facts,
    page_facts,
    place_key,
)
from lycosa.page.document import Document
from lycosa.values import NotSaid, PagePlace, Score

EVENT, AGREED = "event", "event-agreed"
"""The evidence of strategies: what, where and when together; and that of judges, 0 if place and date disagree."""
ELSEWHERE = 0.05
"""A page whose place or date scores less than this is about another place or time."""
ASPECTS = ("topic", "place", "date", "who")
WHERE_WHEN_WHO = frozenset({Need.DATE, Need.PLACES, Need.ENTITIES})


class Aspects(msgspec.Struct, frozen=True):
    """A score for each aspect; None if the page or link says nothing of it."""

    topic: float = 0.0
    place: float | None = None
    date: float | None = None
    who: float | None = None


def event_score(
    aspects: Aspects, weights: Weights, missing_date: Missing = "zero", missing_place: Missing = "zero"
) -> float:
    """The weighted mean of the aspects.

        sim(e1, e2) = a · score(T1, T2) + b · score(L1, L2) + c · score(D1, D2),  a + b + c = 1   [Farag, eq. 1]

    A missing date or place scores 0 or, renormalised, leaves its weight to the others. `who` is the
    paper's future work and has weight 0 unless it is given one.

    >>> round(event_score(Aspects(0.5, 1.0, 0.5), Weights(0.4, 0.4, 0.2)), 3)
    0.7
    >>> round(event_score(Aspects(0.5, None, None), Weights(0.5, 0.25, 0.25), missing_date="renormalise"), 3)
    0.333
    """
    return sum(aspect_shares(aspects, weights, missing_date, missing_place))


def aspect_shares(
    aspects: Aspects, weights: Weights, missing_date: Missing = "zero", missing_place: Missing = "zero"
) -> list[float]:
    """The share of each of ASPECTS in the event score.

    >>> aspect_shares(Aspects(0.5, 1.0, None), Weights(0.5, 0.25, 0.25))
    [0.25, 0.25, 0.0, 0.0]
    """
    told = (
        (weights.topic, aspects.topic, "zero"),
        (weights.place, aspects.place, missing_place),
        (weights.date, aspects.date, missing_date),
        (weights.who, aspects.who, "renormalise"),
    )
    counted = sum(weight for weight, score, missing in told if score is not None or missing == "zero") or 1.0
    return [weight * (score or 0.0) / counted for weight, score, _ in told]


def cosine(
    event: Mapping[str, float],
    found: Mapping[str, int],
    *,
    log_counts: bool = False,
    projected: bool = True,
) -> float:
    """Cosine of the event's weights and a text's frequencies: topic (and, with names, who).

        score(T1, T2) = sum over t in both of w1(t) · w2(t) / (|T1| · |T2|)          [Farag, eq. 2]

    Projected (the paper), T2 keeps only the terms of T1, so one matching word on a long page scores
    high; not projected, |T2| is the length of the whole text.

    >>> round(cosine({"owl": 3.0, "night": 4.0}, {"owl": 2, "bread": 2}), 2)
    0.6
    >>> round(cosine({"owl": 3.0, "night": 4.0}, {"owl": 2, "bread": 2}, projected=False), 2)
    0.42
    """
    if not event:
        return 0.0
    weigh = math.log1p if log_counts else float
    product = square = 0.0
    if len(found) < len(event) or not projected:
        for term, count in found.items():
            weight = event.get(term, 0.0)
            if weight or not projected:
                value = weigh(count)
                product += weight * value
                square += value * value
    else:
        for term, weight in event.items():
            if count := found.get(term, 0):
                value = weigh(count)
                product += weight * value
                square += value * value
    if not product:
        return 0.0
    return min(1.0, product / math.sqrt(square * sum(w * w for w in event.values())))


class PlaceScore:
    """Cosine of the event's places and a text's; places match by name.

        score(L1, L2) = sum over l in both of w1(l) · w2(l) / (|L1| · |L2|)        [Farag, eq. 3]

    >>> score = PlaceScore([EventPlace("Paris", 3.0), EventPlace("Nice", 4.0)], Matching())
    >>> score([PagePlace("Paris", "Paris", "city", count=2)])
    0.6
    """

    def __init__(self, event: Sequence[EventPlace], matching: Matching) -> None:
        self._weigh = math.log1p if matching.log_counts else float
        weights = [(place_key(place), self._weigh(place.count)) for place in event]
        self._length = math.sqrt(sum(weight * weight for _, weight in weights))
        self._weights = dict(reversed(weights))

    def __call__(self, found: Sequence[PagePlace]) -> float:
        """The score of a text's places."""
        product = square = 0.0
        for place in found:
            value = self._weigh(place.count)
            square += value * value
            product += value * self._weights.get(place_key(place), 0.0)
        return min(1.0, product / (math.sqrt(square) * self._length)) if product else 0.0


def date_score(days: float, num_days: float = 365.0) -> float:
    """How close a page's date is to the event's date.

        score(D1, D2) = max(0, 1 - |D1 - D2| / num_days)          [Farag, eq. 4]

    >>> date_score(73), date_score(-400)
    (0.8, 0.0)
    """
    return max(0.0, 1 - abs(days) / num_days)


def saturating_date_score(days: float, grace_days: float = 7.0, half_days: float = 30.0) -> float:
    """Eq. 4 made asymmetric: no page reports an event before it, and interest decays ever more slowly.

        score = 1 / (1 + days / half_days)  after the event,  max(0, 1 + days / grace_days)  before it

    The grace allows for event dates that are guessed from pages and may be some days late.

    >>> saturating_date_score(30), saturating_date_score(0), saturating_date_score(-7)
    (0.5, 1.0, 0.0)
    """
    return 1 / (1 + days / half_days) if days >= 0 else max(0.0, 1 + days / grace_days)


class EventScorer:
    """Compares pages and links with one event; caches the last page, which several kinds of evidence share."""

    def __init__(self, model: EventModel) -> None:
        self.model = model
        self._terms = weighted_terms(model)
        self._page_topic = dict(self._terms[: model.pages.k])
        self._link_topic = dict(self._terms[: model.links.k])
        self._names = {name: math.log1p(count) for name, count in model.names.items()}
        self._wants_names = bool(self._names and model.pages.weights.who)
        self._place = PlaceScore(model.places, model.matching)
        self._began = _ordinal(model.date)
        self._ended = _ordinal(model.end_date) or self._began
        self._document: Document | None = None
        self._page = Aspects()
        self._links: list[Aspects] = []

    def __getstate__(self) -> dict[str, object]:
        """Pickle for worker processes, without the cached page."""
        return {"model": self.model}

    def __setstate__(self, state: dict[str, EventModel]) -> None:
        self.__init__(state["model"])  # type: ignore[misc]

    def page(self, document: Document) -> Aspects:
        """The aspects of a page."""
        self._look_at(document)
        return self._page

    def links(self, document: Document) -> list[Aspects]:
        """The aspects of each link of a page."""
        self._look_at(document)
        return self._links

    def of_page_facts(self, facts: Facts) -> Aspects:
        """The aspects of a page's Facts."""
        return self._aspects(facts, self._page_topic)

    def beside_topic(self, facts: Facts) -> Aspects:
        """All aspects but the topic, for callers that compute the topic of many pages at once."""
        return self._aspects(facts, {})

    def of_link_facts(self, facts: Facts) -> Aspects:
        """The aspects of a link's Facts."""
        return self._aspects(facts, self._link_topic)

    def _look_at(self, document: Document) -> None:
        if self._document is not document:
            self._page = self.of_page_facts(page_facts(document, names=self._wants_names))
            around = self.model.matching.link_context
            self._links = [self.of_link_facts(facts) for facts in link_facts(document, context=around)]
            self._document = document

    def _aspects(self, facts: Facts, topic: Mapping[str, float]) -> Aspects:
        matching = self.model.matching
        known = bool(self.model.places)
        return Aspects(
            cosine(topic, facts.terms, log_counts=matching.log_counts, projected=matching.projected),
            self._place(facts.places) if known and facts.places else None,
            self._date(facts.date),
            self._who(facts.names) if facts.names else None,
        )

    def _who(self, names: Mapping[str, int]) -> float:
        return cosine(self._names, names, log_counts=True, projected=False)

    def _date(self, day: str) -> float | None:
        at = _ordinal(day)
        if at is None or self._began is None or self._ended is None:
            return None
        days = min(0, at - self._began) + max(0, at - self._ended)
        matching = self.model.matching
        if matching.date_curve == "linear":
            return date_score(days, matching.num_days)
        return saturating_date_score(days, matching.grace_days, matching.half_days)


def weighted_terms(model: EventModel) -> list[tuple[str, float]]:
    """The event's terms, the most frequent first, with weight log(1 + f)."""
    return [(term, math.log1p(count)) for term, count in model.telling_terms.items()]


def _ordinal(day: str) -> int | None:
    return datetime.date.fromisoformat(day).toordinal() if day else None


def effective(side: Side, model: EventModel) -> Side:
    """A side with weight 0 for what the model does not know: places, date, names."""
    weights = side.weights
    known = msgspec.structs.replace(
        weights,
        place=weights.place if model.places else 0.0,
        date=weights.date if model.date else 0.0,
        who=weights.who if model.names else 0.0,
    )
    return msgspec.structs.replace(side, weights=known)


def side_score(side: Side, aspects: Aspects) -> float:
    """The event score by one side's settings."""
    return event_score(aspects, side.weights, side.missing_date, side.missing_place)


class EventEvidence(Evidence):
    """`event`: the event score of a page and of each of its links."""

    name = EVENT
    needs = WHERE_WHEN_WHO
    tells = Score
    tells_of_links = float

    def __init__(self, scorer: EventScorer) -> None:
        self.scorer = scorer
        self.pages = effective(scorer.model.pages, scorer.model)
        self.links = effective(scorer.model.links, scorer.model)

    def of_page(self, document: Document) -> Score:
        """The page's event score."""
        return Score(side_score(self.pages, self.scorer.page(document)))

    def of_links(self, document: Document) -> list[float]:
        """The event score of each link."""
        return [side_score(self.links, aspects) for aspects in self.scorer.links(document)]


class EventAspect(Evidence):
    """`event-topic`, `event-place`, `event-date`, `event-who`: one aspect of a page and its links."""

    needs = WHERE_WHEN_WHO
    tells = Score
    tells_of_links = float

    def __init__(self, scorer: EventScorer, aspect: str) -> None:
        self.name = f"event-{aspect}"
        self.scorer = scorer
        self.aspect = aspect

    def of_page(self, document: Document) -> Score | NotSaid:
        """The aspect's score; NotSaid if the page says nothing of it."""
        value = getattr(self.scorer.page(document), self.aspect)
        return NotSaid() if value is None else Score(value)

    def of_links(self, document: Document) -> list[float]:
        """One number a link; 0 where it says nothing."""
        return [getattr(aspects, self.aspect) or 0.0 for aspects in self.scorer.links(document)]


class AgreedEvent(Evidence):
    """`event-agreed`: the event score of a page, or 0 if both place and date are those of another event.

    Another shooting or flood is reported in the same words. A page without place or date keeps its score.
    """

    name = AGREED
    needs = WHERE_WHEN_WHO
    tells = Score

    def __init__(self, scorer: EventScorer) -> None:
        self.scorer = scorer
        self.pages = effective(scorer.model.pages, scorer.model)

    def of_page(self, document: Document) -> Score:
        """The score, unless place and date both disagree."""
        aspects, weights = self.scorer.page(document), self.pages.weights
        is_elsewhere = bool(weights.place) and aspects.place is not None and aspects.place < ELSEWHERE
        is_another_time = bool(weights.date) and aspects.date is not None and aspects.date < ELSEWHERE
        return Score(0.0 if is_elsewhere and is_another_time else side_score(self.pages, aspects))


def event_evidence(model: EventModel) -> tuple[EventEvidence, *tuple[EventAspect, ...]]:
    """All evidence of an event, sharing one scorer."""
    scorer = EventScorer(model)
    told: Iterable[str] = ASPECTS if model.pages.weights.who else ASPECTS[:3]
    return EventEvidence(scorer), *(EventAspect(scorer, aspect) for aspect in told)


class AspectShare(Evidence):
    """The share of one aspect in the event score of each link, as a feature for other strategies."""

    needs = WHERE_WHEN_WHO
    tells_of_links = float

    def __init__(self, scorer: EventScorer, aspect: str) -> None:
        self.name = share_name(aspect)
        self.scorer = scorer
        self.at = ASPECTS.index(aspect)
        self.side = effective(scorer.model.links, scorer.model)

    def of_links(self, document: Document) -> list[float]:
        """One number a link; the shares of all aspects add up to its event score."""
        side = self.side
        return [
            aspect_shares(aspects, side.weights, side.missing_date, side.missing_place)[self.at]
            for aspects in self.scorer.links(document)
        ]


def share_name(aspect: str) -> str:
    """The name of an aspect's share.

    >>> share_name("place")
    'event-share-of-place'
    """
    return f"event-share-of-{aspect}"


def link_evidence(model: EventModel) -> tuple[AspectShare, ...]:
    """The event score of links by what, where and when (and who): features for other strategies."""
    scorer = EventScorer(model)
    weights = effective(model.links, model).weights
    return tuple(AspectShare(scorer, aspect) for aspect in ASPECTS if getattr(weights, aspect))

"""`fused`: rank waiting URLs by everything that is known of them, and learn while crawling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from msgspec.structs import replace

from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.training.examples import ExamplePage
from lycosa.methods.fused import evidence as ev
from lycosa.methods.fused.outcomes import Outcomes, UrlWords
from lycosa.methods.fused.record import (
    Known,
    KnownPage,
    Offers,
    extras_in,
    merged,
    neighbours_in,
    parts_in,
    records_of,
    with_guide,
    words_in,
)
from lycosa.methods.fused.score import Weights, reasons, score
from lycosa.methods.lookup import fitted_guide, link_evidence_of
from lycosa.methods.preparation import Preparation
from lycosa.methods.strategy import BaseStrategy, Step
from lycosa.spec.sections import NotNegative
from lycosa.values import Decision, Fact, Floats, Judgement, Kind, Link, Merge, Page, Score, Touch

SUBLINEAR = "sublinear"
"""The text model that reads pages and links where the judge is a text classifier."""
DEFAULTS = Weights()
RULE = "all that is known of the URL"


class Ranking:
    """How the frontier merges and scores records: by what was learned so far."""

    def __init__(
        self, weights: Weights, judge: LearningJudge | None = None, guide: BaseStrategy | None = None
    ) -> None:
        self.weights = weights
        self.judge = judge
        self.guided = guide.merge if guide else None
        self.outcomes = Outcomes()
        self.known = Known()

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> list[bytes]:
        """The record of each URL with one link more."""
        return merged(known, offered, guided=self.guided)

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, list[bytes]]:
        """Priorities in (0, 1), 1 / (1 + e^-score); the records with the parts of the scores."""
        version = self.judge.version.number if self.judge and self.judge.is_fitted else 0
        scores, kept = score(records, self.outcomes, self.known, self.weights, version)
        return 1 / (1 + np.exp(-scores)), kept


@dataclass(kw_only=True, eq=False)
class Fused(BaseStrategy):
    """Ranks a URL by a weighted sum of evidence from its links, their pages, its words and its neighbours.

    It refuses nothing: bad URLs wait at the end of the queue.
    """

    when = "a topic, given by keywords, a description or example pages: the default"

    merge = Merge.KEEP
    takes_guides = True

    parents: NotNegative = DEFAULTS.parents
    """How relevant the pages that link to the URL are, and what they have led to, against the crawl on the
    whole."""
    context: NotNegative = DEFAULTS.context
    """The text around the links to it."""
    anchor: NotNegative = DEFAULTS.anchor
    """The words of the links to it."""
    url: NotNegative = DEFAULTS.url
    """What URLs with the same words led to."""
    siblings: NotNegative = DEFAULTS.siblings
    """The results of its neighbours, the links next to it on its pages."""
    extra: NotNegative = DEFAULTS.extra
    """What the evidence of a method (an event's, for example) and a guide say of the links to it."""

    @classmethod
    def wanted(cls, judge: str) -> tuple[str, ...]:
        """A text model of its own with a text classifier as judge; other judges and the topic have words."""
        return (SUBLINEAR,) if judge == "text" else ()

    def fit(self, preparation: Preparation) -> Self:
        """Read the training pages, so that the first links are ranked by something."""
        super().fit(preparation)
        self.url_words_ = UrlWords(preparation.topic.language)
        self.model_: TextModel | None = preparation.models.get(SUBLINEAR)
        if self.model_ is not None:
            self.needs = (*self.needs, PageText(self.model_, ev.PAGE))
            self.needs += (ev.AnchorWords(self.model_),) if self.anchor else ()
            self.needs += (ev.ContextWords(self.model_),) if self.context else ()  # the most costly of all
        elif self.context:
            self.needs = (*self.needs, ev.ContextTopic(preparation.topic.vector))
        self.words_ = self.judge_.learning
        extras = link_evidence_of(preparation.methods) or _telling_of_links(self.judge_.needs)[:1]
        self.guide_ = fitted_guide(type(self), preparation)
        self.judging_guide_ = self.guide_ if self.guide_ and self.guide_.judges_itself else None
        if self.guide_:
            self.merge = self.guide_.merge
        for evidence in (*extras, *(self.guide_.needs if self.guide_ else ())):
            if evidence.name not in {need.name for need in self.needs}:
                self.needs = (*self.needs, evidence)
        self.extras_ = tuple(evidence.name for evidence in extras)
        weights = Weights(self.parents, self.context, self.anchor, self.url, self.siblings, self.extra)
        self.records = self.ranking_ = Ranking(weights, self.words_, self.guide_)
        training = preparation.training
        self.ranking_.known = Known.of([_known(page, yes, self.model_) for page, yes in training])
        words = self.url_words_.of([page.url for page, _ in training])
        for (page, yes), own in zip(training, words, strict=True):
            self.ranking_.outcomes.learn(page.key, words_in(own), float(yes))
        return self

    def judge(self, page: Page) -> Judgement:
        """The verdict of the spec's judge, or of a guide that judges pages itself."""
        return self.judging_guide_.judge(page) if self.judging_guide_ else super().judge(page)

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Count a judged page: its URL's words, its value as parent and neighbour, and as a result of its own parent."""
        if self.guide_ is not None:
            self.guide_.learn(link, judgement, evidence)
        if link.kind is Kind.PAGE and link.key not in self.ranking_.known.pages:
            (words,) = self.url_words_.of([link.url])
            told = self._without_answer(link.key, self._relevance(judgement, evidence))
            self.ranking_.outcomes.learn(link.key, words_in(words), told, link.parent)

    def led_nowhere(self, link: Link) -> None:
        """Count the words of a URL that led to no page."""
        if self.guide_ is not None:
            self.guide_.led_nowhere(link)
        self.ranking_.outcomes.miss(words_in(self.url_words_.of([link.url])[0]))

    def rejudged(self, judgements: Mapping[int, Judgement]) -> None:
        """Use the new verdicts: for parents, neighbours and words of URLs."""
        if self.guide_ is not None:
            self.guide_.rejudged(judgements)
        if self.model_ is None:  # else pages count by our own model, which stays
            self.ranking_.outcomes.correct(
                {key: self._without_answer(key, self._relevance(one, {})) for key, one in judgements.items()}
            )

    def _without_answer(self, key: int, relevance: float) -> float:
        """The probability of an answered page without its answer; other pages as judged.

        Links depend on how close a page is to the topic, which a yes or no hides.
        """
        if self.words_ is None or not self.words_.is_fitted:
            return relevance
        return self.words_.version.forecasts.get(key, relevance)

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """A Decision with a record for each link, and a Touch that rescores the neighbours of the page."""
        relevance = self._relevance(judgement, page.evidence)
        steps: list[Step]
        if self.guide_ is None:
            records = self._records(page, relevance, [])
            steps = [
                Decision(_with_record(link, record), relevance, rule=RULE)
                for link, record in zip(page.links, records, strict=True)
            ]
        else:
            steps = self._guided(list(self.guide_.rank(page, judgement)), page, relevance, self.guide_)
        if beside_it := neighbours_in(page.link.record):
            steps.append(Touch(tuple(beside_it)))
        return steps

    def _guided(self, steps: Sequence[Step], page: Page, relevance: float, guide: BaseStrategy) -> list[Step]:
        """The steps of a guide with records; links that only lead on have nothing but the guide's word."""
        of_links = [step for step in steps[: len(page.links)] if isinstance(step, Decision)]
        records = self._records(page, relevance, [list(map(guide.log_odds, of_links))])
        return [
            *(
                _led(one, b"" if guide.only_leads_on(one) else record, guide)
                for one, record in zip(of_links, records, strict=True)
            ),
            *(
                _led(step, step.link.record, guide) if isinstance(step, Decision) else step
                for step in steps[len(page.links) :]
            ),
        ]

    def _records(self, page: Page, relevance: float, led: list[Sequence[float]]) -> list[bytes]:
        """A record for each link; `led` are the log odds of a guide."""
        known = self.ranking_.known
        anchors, contexts, extras = self._numbers(page)
        offers = Offers(
            page.link.key,
            relevance,
            [link.key for link in page.links],
            anchors,
            contexts,
            self.url_words_.of([link.url for link in page.links]),
            [*led, *extras],
            page.link.key not in known.pages,
        )
        return records_of(offers, known)

    def settle(self, links: Sequence[Link], value: float | None) -> list[Decision]:
        """The guide's decisions on links that it held."""
        guide = self.guide_
        if guide is None:
            return []
        return [_led(one, one.link.record, guide) for one in guide.settle(links, value)]

    def _relevance(self, judgement: Judgement, evidence: Mapping[str, Fact]) -> float:
        """The probability that a page is relevant; 0 or 1 by a guide that judges pages itself."""
        return float(judgement.relevant) if self.judging_guide_ else _relevance(judgement, evidence)

    def _numbers(self, page: Page) -> tuple[Sequence[float], Sequence[float], list[Sequence[float]]]:
        """For each link the scores of anchor, context and each evidence of methods."""
        nothing = (0.0,) * len(page.links)
        found = page.link_evidence
        if self.model_ is not None:
            read = (found.get(name) for name in (ev.ANCHOR, ev.CONTEXT))
            anchors, contexts = (ev.decisions(told).tolist() if told else nothing for told in read)
        else:
            anchors = self.words_.link_scores(page.links) if self.words_ and self.anchor else nothing
            contexts = found.get(ev.CONTEXT, nothing)
        return anchors, contexts, [found[name] for name in self.extras_ if name in found]

    @classmethod
    def reasons(cls, record: bytes, told: Sequence[str] = ()) -> list[tuple[str, float]]:
        """The parts of the URL's last score, in words; they add up to it."""
        parts = parts_in(record)
        return reasons(parts, *extras_in(record), told) if parts else []


def _relevance(judgement: Judgement, evidence: Mapping[str, Fact]) -> float:
    """The probability that a page is relevant, by the own text model if there is one, else by the judge."""
    own = evidence.get(ev.PAGE)
    return min(max(own.value if isinstance(own, Score) else judgement.score, 0.0), 1.0)


def _led(decision: Decision, record: bytes, guide: BaseStrategy) -> Decision:
    """A guide's decision, with its log odds in the record of a page; other kinds stay as decided."""
    if decision.link.kind is not Kind.PAGE:
        return decision
    record = with_guide(record, guide.log_odds(decision))
    return replace(decision, link=replace(decision.link, record=record))


def _telling_of_links(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    return tuple(kind for kind in evidence if kind.tells_of_links is float)


def _known(page: ExamplePage, relevant: bool, model: TextModel | None) -> KnownPage:
    targets = [target for target, _ in page.anchors]
    nothing = np.zeros(len(targets))
    anchors = model.decision([Counter(terms) for _, terms in page.anchors]) if model and targets else nothing
    contexts = model.decision(page.contexts) if model and page.contexts else nothing
    return KnownPage(page.key, float(relevant), targets, anchors.tolist(), contexts.tolist())


def _with_record(link: Link, record: bytes) -> Link:
    """A link as found on a page, with a record."""
    return Link(
        link.url,
        link.key,
        link.anchor,
        link.rel,
        link.position,
        depth=link.depth,
        parent=link.parent,
        record=record,
    )

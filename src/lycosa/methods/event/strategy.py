"""Event crawling [Farag]: rank links by what, where and when, and sources by their results so far."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from lycosa.methods import BaseStrategy
from lycosa.methods.event.evidence import EventAspect, EventEvidence, event_evidence
from lycosa.methods.event.model import EventModel, Side, Weights, with_topic_size
from lycosa.methods.event.sources import Source, mean_score, source_keys
from lycosa.methods.links_to import LinksTo, Said, recorded
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import NotNegativeInt, Positive, Share
from lycosa.values import Decision, Fact, Floats, Judgement, Link, Page, Reason, Refusal, Score, fact_of

TOPIC_ONLY = Weights(topic=1.0, place=0.0, date=0.0)


def well_linked(said: Said, more_links: float) -> float:
    """The priority of a URL by its best link and by the number of links: reports link to what others link to.

        priority(u) = max priority(h_i) · (1 + c ln n)   over the n links h_i to u that were found so far

    >>> well_linked(Said(1, 0.5, 0.5), 0.4), round(well_linked(Said(3, 0.4, 0.5), 0.4), 3)
    (0.5, 0.72)
    """
    return said.best * (1 + more_links * math.log(max(said.links, 1)))


@dataclass(kw_only=True, eq=False)
class Event(BaseStrategy):
    """Ranks links by a weighted mean of their own event score and their page's.

    The best of several links to a URL counts; with `more_links` in the model their number counts too.
    """

    when = "something that happened, at one place and time"

    source: Source = "none"
    """How sources are weighed: none, negative-absolute-bad, best-score, success-rate, thompson,
    absolute-good, thompson-best, success-rate-best or mean-score."""
    k: NotNegativeInt = 0
    """Terms of the topic that count, for pages and links alike; 0: as the model says."""
    url_threshold: Share = 0.0
    """Links whose priority is below this are refused (the paper: 0.1 at scale)."""
    alpha: Positive = 1.0
    """Relevant pages that success rate and Thompson sampling give a new source in advance."""
    beta: Positive = 1.0
    """Other pages that they give it."""
    prior_pages: Positive = 5.0
    """Pages that mean-score gives a new source in advance."""
    newcomers: Positive = 0.75
    """How good these pages are thought to be, as a share of the crawl's mean score; the less, the fewer hosts
    are visited."""

    def fit(self, preparation: Preparation) -> Self:
        """Use the prepared event; without one, the topic alone."""
        super().fit(preparation)
        self.weighs_sources = self.source != "none"
        if self.url_threshold:
            self.when_starved = "set event.url_threshold lower"
        self.random_seed_ = preparation.random_seed
        self.pages_, self.credits_ = 0, 0.0
        judge = self.judge_
        told = [kind for kind in judge.needs if isinstance(kind, EventEvidence | EventAspect)]
        if told and not self.k:
            self.evidence_: Sequence[EventEvidence | EventAspect] = told
        else:
            model = preparation.methods.get("event") or _topic_only(preparation)
            self.evidence_ = event_evidence(with_topic_size(model, self.k) if self.k else model)
            own = {kind.name for kind in self.evidence_}
            self.needs = (*(kind for kind in self.needs if kind.name not in own), *self.evidence_)
        matching = self.evidence_[0].scorer.model.matching
        self.page_share_ = matching.page_share
        if matching.more_links:
            self.records = LinksTo(partial(well_linked, more_links=matching.more_links))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by the mean of link and page score."""
        page_score = fact_of(page.evidence, "event", Score).value
        decisions = []
        for link, score in zip(page.links, page.link_evidence["event"], strict=True):
            priority = (1 - self.page_share_) * score + self.page_share_ * page_score
            refusal = None
            if priority < self.url_threshold:
                refusal = Refusal(Reason.LOW_PRIORITY, "below event.url_threshold")
            decisions.append(Decision(link, priority, refusal, rule="mean of link and page event score"))
        return [recorded(decision) for decision in decisions] if self.records else decisions

    def credit(self, judgement: Judgement) -> float:
        """The score for mean-score, else the verdict."""
        if self.source != "mean-score":
            return super().credit(judgement)
        return min(1.0, max(0.0, judgement.score))

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Update the mean credit, the expectation for a new source."""
        self.pages_ += 1
        self.credits_ += self.credit(judgement)

    def host_weight(self, good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        """The choice keys of sources by the function that `source` names."""
        if self.source == "mean-score":
            # As if one page of score 0.1 had been seen before the first: never 0.
            mean = (self.credits_ + 0.1) / (self.pages_ + 1)
            return mean_score(good, bad, best, mean, self.prior_pages, self.newcomers)
        return source_keys(
            self.source,
            good,
            bad,
            best,
            seed=self.random_seed_,
            step=step,
            alpha=self.alpha,
            beta=self.beta,
        )


def _topic_only(preparation: Preparation) -> EventModel:
    """The topic as an event without place and date, for specs that give no [event]."""
    frequent = sorted(preparation.topic.vector.items(), key=lambda item: (-item[1], item[0]))
    return EventModel(
        terms=dict(frequent),
        language=preparation.topic.language,
        pages=Side(len(frequent), weights=TOPIC_ONLY),
        links=Side(len(frequent), weights=TOPIC_ONLY),
    )

"""Best-first with a topic vector, the event paper's baseline (ch. 3); with a learning judge, by the judge's words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from lycosa.evidence.topic import TopicEvidence, centroid, topic_vector
from lycosa.methods import BaseStrategy, best_first_priority
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import NotNegativeInt, Share
from lycosa.values import Decision, Judgement, Page, Reason, Refusal, Score, fact_of


@dataclass(kw_only=True, eq=False)
class BestFirst(BaseStrategy):
    """Links wait by the mean of their own and their page's similarity to the topic."""

    when = "a topic, by a rule that is quickly explained: every score is a similarity"

    k: NotNegativeInt = 0
    """Terms of the topic vector; 0: as many as `topic.terms` says."""
    weights: Literal["log", "centroid"] = "log"
    """`log` (of the summed frequencies) or `centroid` (of the example pages)."""
    page_threshold: Share = 0.0
    """Without tunnelling, links of pages scored below this are refused."""
    url_threshold: Share = 0.0
    """Links whose priority is below this are refused (the paper: 0.1 at scale)."""
    tunnelling: bool = True
    """Take the links of a page whatever its score."""

    def fit(self, preparation: Preparation) -> Self:
        """Use the words of a judge that learns, else the topic vector; one of its own where the settings ask for it."""
        super().fit(preparation)
        self.topic_ = preparation.topic
        of_its_own = self.k or self.weights == "centroid"
        self.words_ = None if of_its_own else self.judge_.learning
        if preparation.examples and of_its_own:
            make = centroid if self.weights == "centroid" else topic_vector
            vector = make(preparation.examples, self.k or len(self.topic_.vector))
            self.topic_ = TopicEvidence(vector, preparation.topic.language, name="best-first")
        if self.words_ is None and self.topic_ not in self.needs:
            self.needs = (*self.needs, self.topic_)
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by the mean of link and page score."""
        page_score, scores = self._scores(page, judgement)
        if not self.tunnelling and page_score < self.page_threshold:
            refusal = Refusal(Reason.LOW_PRIORITY, "its page is below best-first.page_threshold")
            return [Decision(link, refusal=refusal, rule="no tunnelling") for link in page.links]
        decisions = []
        for link, score in zip(page.links, scores, strict=True):
            priority = best_first_priority(score, page_score)
            if priority < self.url_threshold:
                refusal = Refusal(Reason.LOW_PRIORITY, "below best-first.url_threshold")
                decisions.append(Decision(link, priority, refusal, rule="mean of link and page score"))
            else:
                decisions.append(Decision(link, priority, rule="mean of link and page score"))
        return decisions

    def _scores(self, page: Page, judgement: Judgement) -> tuple[float, Sequence[float]]:
        """The page's score and that of each of its links: what the judge has learned, else the similarity to the topic."""
        if self.words_ is not None:
            return judgement.score, self.words_.link_scores(page.links)
        score = fact_of(page.evidence, self.topic_.name, Score).value
        return score, page.link_evidence[self.topic_.name]

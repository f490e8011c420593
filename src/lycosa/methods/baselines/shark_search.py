"""Shark-search (Hersovici et al. 1998): inherited interest and the neighbourhood of the link."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Self

from lycosa.evidence import Evidence
from lycosa.evidence.topic import TopicEvidence, projected_cosine
from lycosa.methods import BaseStrategy
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.spec.sections import Share
from lycosa.values import Decision, Judgement, Memo, Page, Score, fact_of


def inherited_score(page_similarity: float, inherited: float, d: float) -> float:
    """What the children of a page inherit.

        inherited(child) = d · sim(q, p)  if sim(q, p) > 0,  else d · inherited(p)

    >>> inherited_score(0.4, 0.9, 0.5), inherited_score(0.0, 0.5, 0.5)
    (0.2, 0.25)
    """
    return d * (page_similarity if page_similarity > 0 else inherited)


def neighbourhood(anchor: float, context: float, b: float) -> float:
    """How promising a link's surroundings are: context counts in full where the anchor matches.

        neighbourhood = b · anchor + (1 - b) · (1 if anchor > 0 else context)

    >>> round(neighbourhood(0.5, 0.1, 0.8), 2), round(neighbourhood(0.0, 0.1, 0.8), 2)
    (0.6, 0.02)
    """
    return b * anchor + (1 - b) * (1.0 if anchor > 0 else context)


class Inherited(Memo, frozen=True, tag="shark-search"):
    """What the page behind a link inherits from the one that it was found on."""

    inherited: float


class Neighbourhood(Evidence):
    """`neighbourhood`: of each link, from its anchor and, failing that, the text around it."""

    name = "neighbourhood"
    tells_of_links = float

    def __init__(self, topic: TopicEvidence, b: float) -> None:
        self.vector = topic.vector
        self.b = b

    def of_links(self, document: Document) -> list[float]:
        """One number a link."""
        anchors = [projected_cosine(self.vector, Counter(terms)) for terms in document.link_terms]
        contexts = document.context_terms if 0.0 in anchors else [{}] * len(anchors)
        return [
            neighbourhood(anchor, 0.0 if anchor else projected_cosine(self.vector, terms), self.b)
            for anchor, terms in zip(anchors, contexts, strict=True)
        ]


@dataclass(kw_only=True, eq=False)
class SharkSearch(BaseStrategy):
    """Links wait by g · inherited + (1 - g) · neighbourhood."""

    d: Share = 0.5
    """How much interest fades from a page to its children."""
    b: Share = 0.8
    """Share of the anchor in the neighbourhood."""
    g: Share = 0.1
    """Share of what is inherited in the score."""

    def fit(self, preparation: Preparation) -> Self:
        """Use the spec's topic vector as the query."""
        super().fit(preparation)
        if preparation.topic not in self.needs:
            self.needs = (*self.needs, preparation.topic)
        self.needs = (*self.needs, Neighbourhood(preparation.topic, self.b))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link; its memo carries what its page's children will inherit."""
        similarity = fact_of(page.evidence, "topic", Score).value
        memo = Inherited.of(page.link)
        inherited = inherited_score(similarity, memo.inherited if memo else 0.0, self.d)
        memo = Inherited(inherited)
        return [
            Decision(
                memo.on(link),
                self.g * inherited + (1 - self.g) * around,
                rule="inherited score and neighbourhood",
            )
            for link, around in zip(page.links, page.link_evidence["neighbourhood"], strict=True)
        ]

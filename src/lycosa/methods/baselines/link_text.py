"""Text classifiers on the links of a page (selective paper, 5.3): on anchors, or on the text around each link."""

from __future__ import annotations

from typing import ClassVar, Self

from lycosa.evidence import Evidence
from lycosa.evidence.text import AnchorText, ContextText
from lycosa.evidence.text_model import TextModel
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.values import Decision, Judgement, Page


class Anchor(BaseStrategy):
    """Links wait by the probability that their anchor text is about the topic."""

    wants: ClassVar[tuple[str, ...]] = ("text",)
    score, rule = "anchor", "anchor text"

    def __init__(self) -> None:
        pass

    def fit(self, preparation: Preparation) -> Self:
        """Use the classifier on links."""
        super().fit(preparation)
        self.needs = (*self.needs, self.evidence(preparation.model(self.wants[0])))
        return self

    def evidence(self, model: TextModel) -> Evidence:
        """The score of each link by a classifier."""
        return AnchorText(model)

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by its score."""
        return by_score(page, self.score, self.rule)


class AnchorTree(Anchor):
    """Links wait by the share of relevant examples in the leaf of a decision tree that their anchor falls into.

    After Li et al. 2005.
    """

    wants: ClassVar[tuple[str, ...]] = ("anchor-tree",)
    score, rule = "anchor-tree", "decision tree on the anchor text"

    def evidence(self, model: TextModel) -> Evidence:
        return AnchorText(model, self.score)


class LinkContext(Anchor):
    """Links wait by the probability of the text of their aggregation node, anchors included."""

    score, rule = "context", "link context"

    def evidence(self, model: TextModel) -> Evidence:
        return ContextText(model)

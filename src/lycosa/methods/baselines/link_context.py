"""Link context only: the text classifier on the whole text around each link (selective paper, 5.3)."""

from __future__ import annotations

from typing import ClassVar, Self

from lycosa.evidence.text import ContextText
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.values import Decision, Judgement, Page


class LinkContext(BaseStrategy):
    """Links wait by the probability of the text of their aggregation node, anchors included."""

    wants: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(self) -> None:
        pass

    def fit(self, preparation: Preparation) -> Self:
        """Use the text classifier on contexts."""
        super().fit(preparation)
        self.needs = (*self.needs, ContextText(preparation.model("text")))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by its context."""
        return by_score(page, "context", "link context")

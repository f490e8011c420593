"""Anchor text only: the text classifier on each link's anchor (selective paper, 5.3)."""

from __future__ import annotations

from typing import ClassVar, Self

from lycosa.evidence.text import AnchorText
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.values import Decision, Judgement, Page


class Anchor(BaseStrategy):
    """Links wait by the probability that their anchor text is about the topic."""

    wants: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(self) -> None:
        pass

    def fit(self, preparation: Preparation) -> Self:
        """Use the text classifier on anchors."""
        super().fit(preparation)
        self.needs = (*self.needs, AnchorText(preparation.model("text")))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by its anchor."""
        return by_score(page, "anchor", "anchor text")

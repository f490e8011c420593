"""A decision tree on the terms of anchor texts (selective paper, 5.3, after Li et al. 2005)."""

from __future__ import annotations

from typing import ClassVar, Self

from lycosa.evidence.text import AnchorText
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.values import Decision, Judgement, Page


class AnchorTree(BaseStrategy):
    """Links wait by the share of relevant examples in the leaf that their anchor falls into."""

    wants: ClassVar[tuple[str, ...]] = ("anchor-tree",)

    def __init__(self) -> None:
        pass

    def fit(self, preparation: Preparation) -> Self:
        """Use the tree on anchors."""
        super().fit(preparation)
        self.needs = (*self.needs, AnchorText(preparation.model("anchor-tree"), "anchor-tree"))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by its leaf."""
        return by_score(page, "anchor-tree", "decision tree on the anchor text")

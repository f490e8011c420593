"""Selective use of link context (Liu, Peng, Zuo): the context is asked only where the anchor fails."""

from __future__ import annotations

from typing import ClassVar, Self

from lycosa.evidence.text import AnchorText, PageText, SelectiveText
from lycosa.strategies import BaseStrategy
from lycosa.strategies.preparation import Preparation
from lycosa.values import Decision, Judgement, Merge, Page, Reason, Refusal


class Selective(BaseStrategy):
    """Links wait by their anchor's score if it meets the threshold, else by anchor and context.

    A link that meets the threshold in neither way is dropped, as in the paper; a URL that already
    waits keeps its first score.
    """

    merge: ClassVar[Merge] = Merge.KEEP
    wants: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(
        self, *, threshold: float | None = None, drop: bool = True, page_weight: float = 0.0
    ) -> None:
        """Store the settings.

        threshold: what a score must meet; without one, the classifier's decision boundary.
        drop: refuse links below the threshold (the paper); false: let them wait by their score.
        page_weight: share of the page's own score in the priority (0: the paper).
        """
        self.threshold = threshold
        self.drop = drop
        self.page_weight = page_weight

    def fit(self, preparation: Preparation) -> Self:
        """Use the text classifier on anchors, contexts and, where asked, pages."""
        super().fit(preparation)
        model = preparation.model("text")
        self.threshold_ = model.boundary_probability if self.threshold is None else self.threshold
        self.needs = (*self.needs, AnchorText(model), SelectiveText(model, self.threshold_))
        if self.page_weight and not any(kind.name == "text" for kind in self.needs):
            self.needs = (*self.needs, PageText(model))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link; its rule says what decided."""
        anchors, scores = page.link_evidence["anchor"], page.link_evidence["selective"]
        weight = self.page_weight
        of_page = page.evidence["text"].value if weight else 0.0
        decisions = []
        for link, anchor, score in zip(page.links, anchors, scores, strict=True):
            rule = "anchor text alone" if anchor >= self.threshold_ else "anchor text and link context"
            priority = (1 - weight) * score + weight * of_page
            refusal = None
            if self.drop and score < self.threshold_:
                refusal = Refusal(Reason.LOW_PRIORITY, "neither anchor nor context meets selective.threshold")
            decisions.append(Decision(link, priority, refusal, rule=rule))
        return decisions

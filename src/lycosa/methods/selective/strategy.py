"""Selective use of link context (Liu, Peng, Zuo): the context is asked only where the anchor fails."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from lycosa.evidence.text import AnchorText, SelectiveText, WeighedText
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import Share
from lycosa.values import Decision, Judgement, Merge, Page, Reason, Refusal


class Selective(BaseStrategy):
    """Links wait by their anchor's score if it meets the threshold, else by anchor and context.

    A link that meets the threshold in neither way is dropped, as in the paper; a URL that already
    waits keeps its first score.
    """

    merge: Merge = Merge.KEEP
    wants: ClassVar[tuple[str, ...]] = ("text",)

    def __init__(
        self,
        *,
        threshold: Share | None = None,
        drop: bool = True,
        combine: Literal["selective", "weighed"] = "selective",
        anchor_weight: Share = 0.67,
    ) -> None:
        """Store the settings.

        threshold: what a score must meet; without one, the classifier's decision boundary.
        drop: refuse links below the threshold (the paper); false: let them wait by their score.
        combine: `selective` (the paper) or `weighed` (ours: anchor and whole context always both
            count, nothing is dropped, and the best offer of a URL stands).
        anchor_weight: share of the anchor where both are weighed.
        """
        self.threshold = threshold
        self.drop = drop
        self.combine = combine
        self.anchor_weight = anchor_weight

    def fit(self, preparation: Preparation) -> Self:
        """Use the text classifier on anchors, contexts and, where asked, pages."""
        super().fit(preparation)
        model = preparation.model("text")
        self.threshold_ = model.boundary_probability if self.threshold is None else self.threshold
        if self.combine == "weighed":
            self.merge = Merge.MAX
            self.needs = (*self.needs, WeighedText(model, self.anchor_weight))
        else:
            self.needs = (*self.needs, AnchorText(model), SelectiveText(model, self.threshold_))
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link; its rule says what decided."""
        if self.combine == "weighed":
            return by_score(page, "selective", "anchor text and link context, weighed")
        anchors, scores = page.link_evidence["anchor"], page.link_evidence["selective"]
        decisions = []
        for link, anchor, score in zip(page.links, anchors, scores, strict=True):
            rule = "anchor text alone" if anchor >= self.threshold_ else "anchor text and link context"
            refusal = None
            if self.drop and score < self.threshold_:
                refusal = Refusal(Reason.LOW_PRIORITY, "neither anchor nor context meets selective.threshold")
            decisions.append(Decision(link, score, refusal, rule=rule))
        return decisions

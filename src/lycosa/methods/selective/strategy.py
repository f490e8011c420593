"""Selective use of link context (Liu, Peng, Zuo), and ours, where anchor and context always both count."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from lycosa.evidence.text import AnchorText, SelectiveText, WeighedText
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import Share
from lycosa.values import Decision, Judgement, Merge, Page, Reason, Refusal

PAGES, DAMPED = "text", "sublinear"
"""The classifier of the paper, by tf·idf, and one by the logarithm of tf: an anchor has each word once, and pages that
are weighed so teach more of such short texts."""


class Selective(BaseStrategy):
    """Links wait by what their anchor and the text around it say together.

    `combine = "paper"`: by their anchor's score if it meets the threshold, else by anchor and context. A link that
    meets the threshold in neither way is dropped then, and a URL that already waits keeps its first score.
    """

    wants: ClassVar[tuple[str, ...]] = (PAGES, DAMPED)  # which of the two is used, only its settings say

    def __init__(
        self,
        *,
        threshold: Share | None = None,
        drop: bool = True,
        combine: Literal["weighed", "paper"] = "weighed",
        anchor_weight: Share = 0.6,
    ) -> None:
        """Store the settings.

        threshold: of `paper`: what a score must meet; without one, the classifier's decision boundary.
        drop: of `paper`: refuse links below the threshold; false: let them wait by their score.
        combine: `weighed` (ours: anchor and whole context always both count, nothing is dropped, and the best
            offer of a URL stands) or `paper`: the context is asked only where the anchor fails.
        anchor_weight: of `weighed`: share of the anchor.
        """
        self.threshold = threshold
        self.drop = drop
        self.combine = combine
        self.anchor_weight = anchor_weight

    def fit(self, preparation: Preparation) -> Self:
        """Use a text classifier on anchors and contexts."""
        super().fit(preparation)
        if self.combine == "weighed":
            self.needs = (*self.needs, WeighedText(preparation.model(DAMPED), self.anchor_weight))
            return self
        model = preparation.model(PAGES)
        self.merge = Merge.KEEP
        self.threshold_ = model.boundary_probability if self.threshold is None else self.threshold
        self.needs = (*self.needs, AnchorText(model), SelectiveText(model, self.threshold_))
        if self.drop:
            self.when_starved = (
                "set selective.drop = false, and links below its threshold wait behind the others"
            )
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

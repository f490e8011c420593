"""Selective use of link context [Liu, Peng, Zuo], and our variant, in which anchor and context always count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from lycosa.evidence import Evidence
from lycosa.evidence.text import AnchorText, link_scores, link_texts
from lycosa.evidence.text_model import TextModel
from lycosa.methods import BaseStrategy, by_score
from lycosa.methods.links_to import LinksTo, Said, read_record, recorded
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.spec.sections import Share
from lycosa.values import Decision, Judgement, Merge, Page, Reason, Refusal


class SelectiveText(Evidence):
    """`selective`: the anchor where it suffices, else anchor and link context [Liu et al., 3.2].

    score(h) = s(anchor) if s(anchor) >= threshold else s(anchor + link context)
    """

    name = "selective"
    tells_of_links = float

    def __init__(self, model: TextModel, threshold: float) -> None:
        self.model = model
        self.threshold = threshold

    def of_links(self, document: Document) -> list[float]:
        """One probability a link; contexts are looked at only where they are needed."""
        anchors = [Counter(terms) for terms in document.link_terms]
        scores = np.array(link_scores(self.model, anchors))
        unsure = np.flatnonzero(scores < self.threshold)
        if len(unsure):
            contexts = document.context_terms
            texts = [anchors[i] + Counter(contexts[i]) for i in unsure]
            scores[unsure] = link_scores(self.model, texts)
        return [float(score) for score in scores]


class WeighedText(Evidence):
    """`selective`: the classifier's decision values of anchor and whole context, averaged (ours, not the paper's).

    score(h) = sigmoid(w · d(anchor) + (1 - w) · d(text of the aggregation node))
    """

    name = "selective"
    tells_of_links = float

    def __init__(self, model: TextModel, anchor_weight: float) -> None:
        self.model = model
        self.anchor_weight = anchor_weight

    def of_links(self, document: Document) -> list[float]:
        """One probability a link."""
        if not document.links:
            return []
        anchors = self.model.decision(
            link_texts(self.model, [Counter(terms) for terms in document.link_terms])
        )
        contexts = self.model.decision(link_texts(self.model, document.whole_context_terms))
        mixed = self.anchor_weight * anchors + (1 - self.anchor_weight) * contexts
        return [float(score) for score in self.model.sigmoid(mixed)]


PAGES, DAMPED = "text", "sublinear"
"""The classifier of the paper, by tf·idf, and one by the logarithm of tf: an anchor has each word once, and pages that
are weighed so teach more of such short texts."""
WEIGHED = "anchor text and link context, weighed"


def best_and_mean(said: Said) -> float:
    """The priority of a URL, half by the best link to it, half by all of them.

        priority(u) = (max score(h_i) + (1 / n) Σ score(h_i)) / 2   over the links h_i to u that were found so far

    By the best alone, one lucky link among many that say nothing lifts a URL; by the mean alone, a telling one is drowned
    by those of menus.

    >>> best_and_mean(Said(links=2, mean=0.5, best=0.75))
    0.625
    """
    return (said.best + said.mean) / 2


@dataclass(kw_only=True, eq=False)
class Selective(BaseStrategy):
    """URLs wait by what the anchors of links to them and the texts around these say together.

    `combine = "paper"`: by their anchor's score if it meets the threshold, else by anchor and context. A link that
    meets the threshold in neither way is dropped then, and a URL that already waits keeps its first score.
    """

    wants: ClassVar[tuple[str, ...]] = (PAGES, DAMPED)  # which of the two is used, only its settings say

    threshold: Share | None = None
    """Of `paper`: what a score must meet; without one, the classifier's decision boundary."""
    drop: bool = True
    """Of `paper`: refuse links below the threshold; false: let them wait by their score."""
    combine: Literal["weighed", "paper"] = "weighed"
    """`weighed` (ours: anchor and whole context always both count, nothing is dropped, and a URL waits by the
    best and the mean of all links to it) or `paper`: the context is asked only where the anchor fails."""
    anchor_weight: Share = 0.6
    """Of `weighed`: share of the anchor."""

    def fit(self, preparation: Preparation) -> Self:
        """Use a text classifier on anchors and contexts."""
        super().fit(preparation)
        if self.combine == "weighed":
            self.needs = (*self.needs, WeighedText(preparation.model(DAMPED), self.anchor_weight))
            self.records = LinksTo(best_and_mean)
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
            return [recorded(decision) for decision in by_score(page, "selective", WEIGHED)]
        anchors, scores = page.link_evidence["anchor"], page.link_evidence["selective"]
        decisions = []
        for link, anchor, score in zip(page.links, anchors, scores, strict=True):
            rule = "anchor text alone" if anchor >= self.threshold_ else "anchor text and link context"
            refusal = None
            if self.drop and score < self.threshold_:
                refusal = Refusal(Reason.LOW_PRIORITY, "neither anchor nor context meets selective.threshold")
            decisions.append(Decision(link, score, refusal, rule=rule))
        return decisions

    @classmethod
    def reasons(cls, record: bytes, told: Sequence[str] = ()) -> list[tuple[str, float]]:  # noqa: ARG003
        """The two halves of a URL's priority."""
        said = read_record(record)
        if not said.links:
            return []
        found = f"mean of {said.links} link{'s' * (said.links > 1)}"
        return [("anchor and text around the best link", said.best / 2), (found, said.mean / 2)]

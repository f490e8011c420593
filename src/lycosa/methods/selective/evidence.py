"""Link scores from anchor and link context."""

from __future__ import annotations

from collections import Counter

import numpy as np

from lycosa.evidence import Evidence
from lycosa.evidence.text import link_scores, link_texts
from lycosa.evidence.text_model import TextModel
from lycosa.page.document import Document


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

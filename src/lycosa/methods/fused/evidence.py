"""Link evidence of a linear text model: its decision value for each anchor and each context.

Link evidence is in [0, 1], so a decision value d is stored as 1 / (1 + e^-d) and read back by `decisions`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lycosa.evidence import Evidence
from lycosa.evidence.text_model import TextModel
from lycosa.page.document import Document
from lycosa.values import Floats

ANCHOR, CONTEXT, PAGE = "anchor_words", "context_words", "page_words"
"""Names of the evidence: of each link's anchor, of the whole text around it, and of the page."""
MAX_LOG_ODDS = 30.0
DIGITS = 12


class AnchorWords(Evidence):
    """`anchor_words`: how much the words of each link are those of relevant pages."""

    name = ANCHOR
    tells_of_links = float

    def __init__(self, model: TextModel) -> None:
        self.model = model

    def of_links(self, document: Document) -> list[float]:
        """One number a link."""
        return told(self.model, [Counter(terms) for terms in document.link_terms])


class ContextWords(Evidence):
    """`context_words`: the same of the whole text of the link's aggregation node, anchors included."""

    name = CONTEXT
    tells_of_links = float

    def __init__(self, model: TextModel) -> None:
        self.model = model

    def of_links(self, document: Document) -> list[float]:
        """One number a link. Links of one list share their context, which is then looked at once."""
        contexts = document.whole_context_terms
        distinct = {id(context): context for context in contexts}
        values = dict(zip(distinct, told(self.model, list(distinct.values())), strict=True))
        return [values[id(context)] for context in contexts]


class ContextTopic(Evidence):
    """`context_words` without a text model: the cosine of the text around each link with the topic."""

    name = CONTEXT
    tells_of_links = float

    def __init__(self, topic: Mapping[str, float]) -> None:
        length = math.sqrt(sum(weight * weight for weight in topic.values())) or 1.0
        self.terms = (*topic,)
        self.weights = np.array([*topic.values(), 0.0]) / length  # the last is that of any other term

    def of_links(self, document: Document) -> list[float]:
        """One number a link: by 1 + log tf, over all words. One word of the topic in a long text is little."""
        of_links, size, counted = document.contexts_naming(self.terms)
        if not size:
            return [0.0] * len(of_links)
        damped = 1 + np.log(counted.times)
        products = np.bincount(counted.part, damped * self.weights.take(counted.term), size)
        lengths = np.sqrt(np.bincount(counted.part, damped * damped, size))
        # Rounded, because the order of a sum's parts goes by the words that a process has met before.
        cosines = np.append(np.maximum(np.minimum(products / lengths, 1.0), 0.0).round(DIGITS), 0.0)
        told: list[float] = cosines.take(of_links).tolist()
        return told


def told(model: TextModel, texts: Sequence[Mapping[str, int]]) -> list[float]:
    """Decision values as link evidence."""
    if not texts:
        return []
    values: list[float] = (
        1 / (1 + np.exp(-np.clip(model.decision(texts), -MAX_LOG_ODDS, MAX_LOG_ODDS)))
    ).tolist()
    return values


def decisions(told: Sequence[float]) -> Floats:
    """The decision values in link evidence.

    >>> decisions([0.5, 1 / (1 + np.exp(-1.5))]).round(6).tolist()
    [0.0, 1.5]
    """
    p = np.clip(np.array(told, np.float64), 1e-13, 1 - 1e-13)
    values: Floats = np.log(p / (1 - p))
    return values

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
from lycosa.page.links.contexts import CONTEXT_CHARS
from lycosa.values import Floats

ANCHOR, CONTEXT, PAGE = "anchor_words", "context_words", "page_words"
"""Names of the evidence: of each link's anchor, of the whole text around it, and of the page."""
MAX_LOG_ODDS = 30.0
DIGITS = 12
_DAMPED = (0.0, *(1 + math.log(times) for times in range(1, CONTEXT_CHARS + 1)))  # 1 + log tf


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
        self.weights = {term: weight / length for term, weight in topic.items()}

    def of_links(self, document: Document) -> list[float]:
        """One number a link: by 1 + log tf, over all words. One word of the topic in a long text is little."""
        contexts = document.whole_context_terms
        distinct = {id(context): context for context in contexts}
        cosines = {mark: self._cosine(context) for mark, context in distinct.items()}
        return [cosines[id(context)] for context in contexts]

    def _cosine(self, context: Mapping[str, int]) -> float:
        named = self.weights.keys() & context.keys()
        dot = sum(_DAMPED[context[term]] * self.weights[term] for term in named)
        if dot <= 0:
            return 0.0
        length = math.sqrt(sum(_DAMPED[times] ** 2 for times in context.values()))
        # Rounded: a sum depends on the order of its parts, which is that of words in memory.
        return min(round(dot / length, DIGITS), 1.0)


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

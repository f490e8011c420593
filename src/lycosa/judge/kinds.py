"""What makes a page relevant: chosen in the spec, the same for every strategy."""

from __future__ import annotations

from typing import Protocol

from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.values import Judgement, Page, Score, fact_of

JUDGES = ("topic", "text", "all")
"""What `judge.kind` can be in every crawl; methods bring their own."""


class Judge(Protocol):
    """A verdict on a page from the evidence that the judge needs."""

    needs: tuple[Evidence, ...]

    def judge(self, page: Page) -> Judgement: ...


def damped(cosine: float, found: int, damping: float) -> float:
    """A cosine that counts less where it rests on few words.

        score = cos · n / (n + damping)        n: topic words on the page

    The projected cosine alone calls a page with a single topic word as close as one full of them.

    >>> damped(0.5, 12, 4.0), damped(0.8, 0, 4.0)
    (0.375, 0.0)
    """
    return cosine * found / (found + damping) if found else 0.0


TOPIC_THRESHOLD = 0.3


class TopicJudge:
    """`topic`: similar enough to the topic vector, and with enough words of it."""

    def __init__(self, topic: TopicEvidence, threshold: float, damping: float) -> None:
        self.needs: tuple[Evidence, ...] = (topic,)
        self.threshold = threshold
        self.damping = damping
        # As users read it beside the score and the evidence: the score can be worked out from them.
        self.rule = f"topic × n / (n + {damping:g}) for n topic words on the page, against {threshold:g}"

    def judge(self, page: Page) -> Judgement:
        """Relevant if the damped cosine reaches the threshold."""
        fact = fact_of(page.evidence, "topic", Score)
        score = damped(fact.value, fact.words, self.damping)
        return Judgement(score >= self.threshold, score, self.rule)


class TextJudge:
    """`text`: a text classifier says so."""

    def __init__(self, model: TextModel, threshold: float | None = None) -> None:
        self.needs: tuple[Evidence, ...] = (PageText(model),)
        self.threshold = model.boundary_probability if threshold is None else threshold

    def judge(self, page: Page) -> Judgement:
        """Relevant if the probability reaches the threshold."""
        score = fact_of(page.evidence, "text", Score).value
        return Judgement(score >= self.threshold, score, f"text classifier against {self.threshold:.3g}")


class EveryPage:
    """`all`: whatever is in scope is relevant; for crawling whole sites."""

    needs: tuple[Evidence, ...] = ()

    def judge(self, page: Page) -> Judgement:
        """Relevant."""
        return Judgement(True, 1.0, "every page is wanted")

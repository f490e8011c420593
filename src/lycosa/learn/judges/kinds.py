"""What makes a page relevant: chosen in the spec, the same for every strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.values import WANTED_KIND, Fact, Judgement, Page, Score, fact_of

JUDGES = ("topic", "text", "all")
"""What `judge.kind` can be in every crawl; methods bring their own."""

UNLEARNED = ("text", "all")
"""Those that learn nothing from the pages of a crawl."""


class Judge(Protocol):
    """A verdict on a page from the evidence that the judge needs."""

    needs: tuple[Evidence, ...]

    def judge(self, page: Page) -> Judgement: ...


def restricted(found: Judgement, wanted: float, threshold: float | None = None) -> Judgement:
    """A verdict on what a page is about, when it also has to be of a wanted kind, as surely as `wanted` says.

    The score is the chance of both. With a threshold, it has to reach that; else the verdict on the topic holds.

    >>> restricted(Judgement(True, 0.8, "topic"), 0.9)
    Judgement(relevant=True, score=0.72, rule='topic')
    >>> restricted(Judgement(True, 0.8, "topic"), 0.1).rule
    'topic; not of a wanted kind'
    """
    score = round(found.score * wanted, 6)
    if wanted < 0.5:
        return Judgement(False, score, f"{found.rule}; not of a wanted kind")
    return Judgement(found.relevant if threshold is None else score >= threshold, score, found.rule)


def wanted_in(evidence: Mapping[str, Fact]) -> float:
    """How surely a page is of a wanted kind; 1 where any kind will do."""
    fact = evidence.get(WANTED_KIND)
    return fact.value if isinstance(fact, Score) else 1.0


class OfWantedKind:
    """Another judge's verdict, for pages that are of a wanted kind."""

    def __init__(self, judge: Judge, evidence: tuple[Evidence, ...]) -> None:
        self.of_topic = judge
        self.needs: tuple[Evidence, ...] = (*judge.needs, *evidence)

    def about(self, page: Page) -> float:
        """The score of what a page is about, of whatever kind it is: its links may lead to the wanted kind."""
        return self.of_topic.judge(page).score

    def judge(self, page: Page) -> Judgement:
        """Relevant if the other judge says so, and the page is of a wanted kind."""
        return restricted(self.of_topic.judge(page), wanted_in(page.evidence))


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

"""What makes a page relevant: chosen in the spec, the same for every strategy."""

from __future__ import annotations

from typing import Protocol

from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.values import Judgement, Page, Score, fact_of

JUDGES = ("topic", "text", "all")
"""What `judge.kind` can be in every crawl; methods bring their own."""


class Judge(Protocol):
    """A verdict on a page from the evidence that the judge needs."""

    needs: tuple[Evidence, ...]

    def judge(self, page: Page) -> Judgement: ...


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

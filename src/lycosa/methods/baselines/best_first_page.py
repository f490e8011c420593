"""Best-first by page: every link inherits its page's score (selective paper, 5.3)."""

from __future__ import annotations

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Judgement, Page


class BestFirstPage(BaseStrategy):
    """Links wait by the score that the judge gave their page."""

    def __init__(self) -> None:
        pass

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links of a page alike, better pages first."""
        return [Decision(link, judgement.score, rule="the score of its page") for link in page.links]

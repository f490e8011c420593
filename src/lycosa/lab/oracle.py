"""The upper bound of the lab: a strategy that knows every label and every link beforehand."""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Judgement, Page


class Oracle(BaseStrategy):
    """Links wait by how near their page is to a relevant page: relevant ones first.

        priority = 1 / (1 + links to the nearest target)

    Greedy, so not quite the best possible crawl, but no method that sees less can be expected to
    do better.
    """

    def __init__(self, away: Mapping[int, int]) -> None:
        self.away = away

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link, by its page's distance from the next target."""
        return [
            Decision(link, 1 / (1 + self.away[link.key]) if link.key in self.away else 0.0, rule="oracle")
            for link in page.links
        ]

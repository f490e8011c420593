"""OPIC [Abiteboul et al. 2003]: each page splits its cash over its links; the richest URL goes next."""

from __future__ import annotations

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Judgement, Merge, Page


class Opic(BaseStrategy):
    """Links wait by the cash that pages gave them; a URL that is offered again gets richer."""

    merge: Merge = Merge.SUM

    def __init__(self) -> None:
        pass

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """Split the cash with which the page was taken evenly over its links."""
        cash = page.link.priority / len(page.links) if page.links else 0.0
        return [Decision(link, cash, rule="a share of its page's cash") for link in page.links]

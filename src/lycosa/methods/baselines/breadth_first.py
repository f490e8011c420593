"""Breadth-first: first found, first fetched. The baseline of every comparison."""

from __future__ import annotations

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Judgement, Page


class BreadthFirst(BaseStrategy):
    """Links wait in the order of their discovery."""

    when = "whole sites, or everything near the seeds"

    def __init__(self) -> None:
        pass

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links alike: the frontier's ties go by discovery order."""
        return [Decision(link, 0.0, rule="first come, first served") for link in page.links]

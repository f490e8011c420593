"""Measure how much an image on a page says about the page's links."""

from __future__ import annotations

from dataclasses import dataclass

from lycosa.methods.eviction import make_room
from lycosa.methods.multimedia.rules import lift

KNOWN = 100_000
"""Pages whose links are still counted; only the sums of older ones stay."""


@dataclass(slots=True)
class _Known:
    """A judged page: how relevant it is, where it was found, and what was found on it."""

    relevance: float
    parent: int
    links: int = 0  # found on it, and judged
    led: float = 0.0  # sum of their relevance


class LedTo:
    """Counts results of links from pages that show what is wanted, and from all others."""

    def __init__(self) -> None:
        self._pages: dict[int, _Known] = {}
        self._showing: dict[int, None] = {}
        self._led = [
            0.0,
            0.0,
        ]  # on other pages, and on those that show it: relevance of what was found there,
        self._own = [0.0, 0.0]  # and of the page itself, once for each

    @property
    def lift(self) -> float:
        """How much more such pages lead to than their own relevance predicts, against other pages; 0 without data."""
        return lift(self._led[True], self._own[True], self._led[False], self._own[False])

    def learn(self, key: int, relevance: float, parent: int) -> None:
        """Count a judged page, once."""
        if key in self._pages:
            return
        make_room(self._pages, KNOWN)
        self._pages[key] = _Known(relevance, parent)
        if (found_on := self._pages.get(parent)) is not None:
            found_on.links += 1
            found_on.led += relevance
            self._count(parent in self._showing, relevance, found_on.relevance)

    def shows(self, key: int) -> None:
        """Note that a page shows what is wanted; its links count for such pages from now on."""
        if key in self._showing:
            return
        make_room(self._showing, KNOWN)
        self._showing[key] = None
        if (page := self._pages.get(key)) is not None:
            self._count(False, -page.led, -page.links * page.relevance)
            self._count(True, page.led, page.links * page.relevance)

    def correct(self, key: int, relevance: float) -> None:
        """Use a new verdict on a page."""
        if (page := self._pages.get(key)) is None:
            return
        change, page.relevance = relevance - page.relevance, relevance
        self._count(key in self._showing, 0.0, page.links * change)
        if (found_on := self._pages.get(page.parent)) is not None:
            found_on.led += change
            self._count(page.parent in self._showing, change, 0.0)

    def _count(self, is_shown: bool, led: float, own: float) -> None:
        self._led[is_shown] += led
        self._own[is_shown] += own

"""Oracle strategies: they know every label and link, and give upper bounds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Floats, Judgement, Merge, Page


class Oracle(BaseStrategy):
    """Rank links by the distance of their page to the nearest relevant page.

        priority = 1 / (1 + links to the nearest target)

    Greedy, so not quite the best possible crawl, but no method that sees less can be expected to
    do better.
    """

    def __init__(self, away: Mapping[int, int]) -> None:
        self.away = away

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """Return one Decision per link, by distance to the nearest target."""
        return [
            Decision(link, 1 / (1 + self.away[link.key]) if link.key in self.away else 0.0, rule="oracle")
            for link in page.links
        ]


class LookAhead(BaseStrategy):
    """Rank links by what fetching them gains now and reveals for later.

        gain = [relevant] + shown_share · (relevant pages that its links show and that nobody has shown yet)

    Without any gain the way to the nearest relevant page decides. A gain can only fall while the crawl goes on, so
    scoring a URL once more when its turn has come is enough.
    """

    merge: Merge = Merge.KEEP

    def __init__(
        self,
        graph: Mapping[int, Sequence[int]],
        targets: Collection[int],
        away: Mapping[int, int],
        shown_share: float = 0.1,
    ) -> None:
        self.shows = {page: [to for to in links if to in targets] for page, links in graph.items()}
        self.targets = frozenset(targets)
        self.away = away
        self.shown_share = shown_share
        self.shown: set[int] = set()
        self.records = self.Gains(self)

    class Gains:
        """Return the URL's key as its record, with its gain as priority."""

        def __init__(self, oracle: LookAhead) -> None:
            self.oracle = oracle

        def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> Sequence[bytes]:
            """The keys stay."""
            return known

        def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
            """Return the current gain of each URL."""
            keys = (int.from_bytes(record, "little", signed=True) for record in records)
            return np.array([self.oracle.gain(key) for key in keys]), records

    def gain(self, key: int) -> float:
        """Return the gain of fetching a page."""
        new = sum(to not in self.shown for to in self.shows.get(key, ()))
        near = 0.001 / (1 + self.away[key]) if key in self.away else 0.0
        return (key in self.targets) + self.shown_share * new + near

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """Return one Decision per link and mark its relevant pages as revealed."""
        self.shown.update(link.key for link in page.links if link.key in self.targets)
        return [
            Decision(
                replace(link, record=link.key.to_bytes(8, "little", signed=True)),
                self.gain(link.key),
                rule="look-ahead",
            )
            for link in page.links
        ]

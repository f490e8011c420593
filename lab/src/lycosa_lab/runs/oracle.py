"""The upper bounds of the lab: strategies that know every label and every link beforehand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from lycosa.methods import BaseStrategy
from lycosa.values import Decision, Floats, Judgement, Merge, Page


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


class LookAhead(BaseStrategy):
    """Links wait by what fetching them brings now and shows for later: the greedy oracle is no ceiling.

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
        """A record is the URL's key; its priority is what it would bring now."""

        def __init__(self, oracle: LookAhead) -> None:
            self.oracle = oracle

        def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> Sequence[bytes]:
            """The keys stay."""
            return known

        def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
            """What each URL would bring now."""
            keys = (int.from_bytes(record, "little", signed=True) for record in records)
            return np.array([self.oracle.gain(key) for key in keys]), records

    def gain(self, key: int) -> float:
        """What fetching a page brings."""
        new = sum(to not in self.shown for to in self.shows.get(key, ()))
        near = 0.001 / (1 + self.away[key]) if key in self.away else 0.0
        return (key in self.targets) + self.shown_share * new + near

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """One Decision a link; what is relevant among them is shown now."""
        self.shown.update(link.key for link in page.links if link.key in self.targets)
        return [
            Decision(
                replace(link, record=link.key.to_bytes(8, "little", signed=True)),
                self.gain(link.key),
                rule="look-ahead",
            )
            for link in page.links
        ]

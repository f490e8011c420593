"""What a crawl learns from judged pages: counts, the yield of each source, and what its strategy takes in.

The loop teaches pages as they come; a resumed crawl teaches those of the catalogue again.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from lycosa.collection import Rejudged
from lycosa.engine.parts import WholeFrontier
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Tally
from lycosa.methods import Strategy
from lycosa.page.signs.needs_browser import FEW_WORDS, NEEDS_BROWSER, RENDERED
from lycosa.urls import authority_of, source_of
from lycosa.values import Fact, Judgement, Link

MAX_RESCORED = 10_000
"""Waiting URLs that are scored again when pages were judged anew: those that can still win."""


class Learning:
    """Learns from one judged page after the other."""

    def __init__(
        self,
        frontier: WholeFrontier,
        strategy: Strategy,
        follow: Follow,
        given: Mapping[int, Judgement],
    ) -> None:
        self.frontier = frontier
        self.strategy = strategy
        self.follow = follow
        self.given = given
        self.tally = Tally()

    def learn(
        self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact], *, is_unseen: bool = False
    ) -> None:
        """Count a judged page for its source and let the strategy learn; a resumed crawl does it all again.

        An empty frame that no browser has filled (`is_unseen`) teaches nothing.
        """
        self.tally.count(link.key, judgement.relevant and not link.trail)
        if is_unseen:
            return
        if judgement.relevant and link.depth:
            self.tally.relevant_links += 1
            self.tally.relevant_priority += link.priority
        if link.key in self.given:
            self.tally.given += 1
            self.tally.given_relevant += judgement.relevant and link.trail == 0
        counts = self.tally.sources[source := source_of(authority_of(link.url))]
        credit = self.strategy.credit(judgement)
        counts[0] += credit
        counts[1] += 1 - credit
        self.frontier.reweigh(source, counts[0], counts[1])
        self.strategy.learn(link, judgement, evidence)

    def rejudged(self, changed: Sequence[Rejudged]) -> None:
        """Count pages by their new judgements, and tell the strategy. After the last ones: `rescore`."""
        touched = set()
        for page in changed:
            if not page.explored:
                self.tally.relevant += page.now.relevant - page.before.relevant
                if page.key in self.tally.latest:
                    self.tally.latest[page.key] = page.now.relevant
            credit = self.strategy.credit(page.now) - self.strategy.credit(page.before)
            if credit:
                counts = self.tally.sources[page.source]
                counts[0] += credit
                counts[1] -= credit
                touched.add(page.source)
        for source in sorted(touched):
            self.frontier.reweigh(source, *self.tally.sources[source])
        self.strategy.rejudged({page.key: page.now for page in changed})

    def rejudged_elsewhere(self, judgements: Mapping[int, Judgement]) -> None:
        """Tell the strategy how pages of other shards are judged now: it may have learned from them."""
        self.strategy.rejudged(judgements)

    def rescore(self) -> None:
        """Score waiting URLs again, if the strategy keeps records of them."""
        if self.strategy.records is not None:
            self.frontier.rescore(MAX_RESCORED)

    def is_unseen_frame(self, evidence: Container[str], words: int) -> bool:
        """Whether a page is an empty frame that no browser has filled, though one looks at some pages.

        All frames of a site are alike, and that is no trap.
        """
        is_frame = NEEDS_BROWSER in evidence and RENDERED not in evidence and words <= FEW_WORDS
        return is_frame and self.follow.fetch.render == "needed"

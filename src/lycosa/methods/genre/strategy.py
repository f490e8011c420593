"""The genre-enhanced crawler [Qian, Suebchua, Yamana]: rank links by relevance and genre of their page.

Beyond the paper: with a wanted kind of page (`genre.want`), links that look like links to it go first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Self

from lycosa.learn.judges.kinds import wanted_in
from lycosa.methods import BaseStrategy, best_first_priority
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.link_signs import LinkSigns, signs_of
from lycosa.methods.genre.preparation import Genres
from lycosa.methods.genre.prior import GenrePrior, LearnedPrior, class_name
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import Share
from lycosa.values import EXAMPLE, WANTED_KIND, Category, Decision, Fact, Judgement, Link, Memo, Page, fact_of


class FoundOn(Memo, frozen=True, tag="genre", rename={"page_class": "class"}):
    """The class (relevance and genre) of the page that a link was found on, and what the link looks like."""

    page_class: str
    signs: tuple[str, ...] = ()


def genre_priority(relevance: float, confidence: float, leads: float, w_r: float) -> float:
    """How promising the links of a page are.

        S = w_R · R + w_G · C · P(I, G),  w_G = 1 - w_R          [Qian et al., 3.2]

    >>> round(genre_priority(0.8, 0.5, 0.4, 0.75), 3)
    0.65
    """
    return w_r * relevance + (1 - w_r) * confidence * leads


def kind_priority(about: float, kind: float, w_kind: float) -> float:
    """How promising a link is where a kind of page is wanted: by the chance that it leads to both, topic and kind.

        S = about^(1 - w_kind) · K^w_kind

    A product, because a page has to be both: pages of the wanted kind are many, and most are about something else.

    >>> round(kind_priority(0.8, 0.8, 0.5), 3), round(kind_priority(0.8, 0.2, 0.5), 3), kind_priority(0.8, 0.2, 0.0)
    (0.8, 0.4, 0.8)
    """
    return math.pow(about, 1 - w_kind) * math.pow(kind, w_kind)


class Genre(BaseStrategy):
    """Links wait by their page's relevance and by how often pages of its genre lead to relevant ones.

    With a wanted genre, by the relevance of link and page and the probability that the link leads to that genre.
    """

    def __init__(self, *, w_r: Share = 0.9, w_kind: Share = 0.5, learn: bool = True, prior: str = "") -> None:
        """Store the settings.

        w_r: weight of the relevance; 1 is the paper's baseline S = R (the paper found 0.85 to 0.95).
        w_kind: with a wanted genre, the weight of the chance that a link leads to it.
        learn: learn P(I, G) during the crawl, starting from the prior if there is one.
        prior: a file with P(I, G) from `lycosa train genre-prior`; without one all genres begin alike.
        """
        self.w_r = w_r
        self.w_kind = w_kind
        self.learns = learn
        self.prior = prior

    def fit(self, preparation: Preparation) -> Self:
        """Take the genre model of the spec, or the built-in one, and the prior."""
        super().fit(preparation)
        genres = preparation.methods.get("genre") or Genres(built_in_model())
        if not any(kind.name == GenreEvidence.name for kind in self.needs):
            self.needs = (*self.needs, GenreEvidence(genres.model))
        self.want_ = bool(genres.want)
        self.topic_ = preparation.topic
        self.words_ = self.judge_.learning
        if self.want_ and self.words_ is None and self.topic_ not in self.needs:
            self.needs = (*self.needs, self.topic_)
        self.signs_ = LinkSigns()
        self.prior_ = LearnedPrior(
            GenrePrior.load(preparation.folder / self.prior) if self.prior else GenrePrior()
        )
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links of a page alike, by its relevance and genre; each by its own looks where a genre is wanted."""
        fact = fact_of(page.evidence, "genre", Category)
        if self.want_:
            return self._by_kind(page, judgement, fact)
        leads = self.prior_.probability(judgement.relevant, fact.label)
        priority = genre_priority(judgement.score, fact.value, leads, self.w_r)
        memo = FoundOn(class_name(judgement.relevant, fact.label))
        rule = f"relevance and genre of its page ({fact.label})"
        return [Decision(memo.on(link), priority, rule=rule) for link in page.links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Count for the class of the page that the link was on whether it led to a relevant page.

        And for what the link looks like whether it led to a page of a wanted kind. Seeds, which were on no page, teach by
        their addresses; what the user gave as an example is of a wanted kind.
        """
        memo = FoundOn.of(link)
        if not self.learns:
            return
        if memo is not None:
            self.prior_.learn(memo.page_class, judgement.relevant)
        if WANTED_KIND in evidence:
            signs = signs_of(link) if memo is None else memo.signs
            self.signs_.learn(signs, 1.0 if judgement == EXAMPLE else wanted_in(evidence))

    def _by_kind(self, page: Page, judgement: Judgement, genre: Category) -> list[Decision]:
        # The judgement's score is low on pages of another kind, and these may well link to the wanted one.
        about = self.judge_.about(page)
        page_class = class_name(judgement.relevant, genre.label)
        decisions = []
        for link, score in zip(page.links, self._link_scores(page), strict=True):
            signs = signs_of(link, genre.label)
            kind = self.signs_.chance(signs)
            decisions.append(
                Decision(
                    FoundOn(page_class, signs).on(link),
                    kind_priority(best_first_priority(score, about), kind, self.w_kind),
                    rule="relevance of link and page, and the probability that it leads to a wanted genre",
                )
            )
        return decisions

    def _link_scores(self, page: Page) -> Sequence[float]:
        if self.words_ is not None:
            return self.words_.link_scores(page.links)
        return page.link_evidence[self.topic_.name]

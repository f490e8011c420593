"""The genre-enhanced crawler (Qian, Suebchua, Yamana): what kind of page a link is on matters too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from lycosa.methods import BaseStrategy
from lycosa.methods.genre.evidence import GenreEvidence, genre_model
from lycosa.methods.genre.prior import GenrePrior, LearnedPrior, class_name
from lycosa.methods.preparation import Preparation
from lycosa.spec.sections import Share
from lycosa.values import Category, Decision, Fact, Judgement, Link, Memo, Page, fact_of


class FoundOn(Memo, frozen=True, tag="genre", rename={"page_class": "class"}):
    """The class (relevance and genre) of the page that a link was found on."""

    page_class: str


def genre_priority(relevance: float, confidence: float, leads: float, w_r: float) -> float:
    """How promising the links of a page are.

        S = w_R · R + w_G · C · P(I, G),  w_G = 1 - w_R          [Qian et al., 3.2]

    >>> round(genre_priority(0.8, 0.5, 0.4, 0.75), 3)
    0.65
    """
    return w_r * relevance + (1 - w_r) * confidence * leads


class Genre(BaseStrategy):
    """Links wait by their page's relevance and by how often pages of its genre lead to relevant ones."""

    def __init__(
        self,
        *,
        w_r: Share = 0.9,
        learn: bool = True,
        prior: str = "",
        model: str = "",
        extended: bool = False,
    ) -> None:
        """Store the settings.

        w_r: weight of the relevance; 1 is the paper's baseline S = R (the paper found 0.85 to 0.95).
        learn: learn P(I, G) during the crawl, starting from the prior if there is one.
        prior: a file with P(I, G) from `lycosa train genre-prior`; without one all genres begin alike.
        model: a genre model from `lycosa train genre`; without one, the built-in one.
        extended: with the built-in model, tell forum, shop, documentation, wiki and index apart too.
        """
        self.w_r = w_r
        self.learns = learn
        self.prior = prior
        self.model = model
        self.extended = extended

    def fit(self, preparation: Preparation) -> Self:
        """Load the genre model and the prior."""
        super().fit(preparation)
        named = str(preparation.folder / self.model) if self.model else ""
        self.needs = (*self.needs, GenreEvidence(genre_model(named, self.extended)))
        self.prior_ = LearnedPrior(
            GenrePrior.load(preparation.folder / self.prior) if self.prior else GenrePrior()
        )
        return self

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links of a page alike, by its relevance and genre."""
        fact = fact_of(page.evidence, "genre", Category)
        leads = self.prior_.probability(judgement.relevant, fact.label)
        priority = genre_priority(judgement.score, fact.value, leads, self.w_r)
        memo = FoundOn(class_name(judgement.relevant, fact.label))
        rule = f"relevance and genre of its page ({fact.label})"
        return [Decision(memo.on(link), priority, rule=rule) for link in page.links]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Count for the class of the page that the link was on whether it led to a relevant page."""
        memo = FoundOn.of(link)
        if self.learns and memo is not None:
            self.prior_.learn(memo.page_class, judgement.relevant)

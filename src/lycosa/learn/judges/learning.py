"""`topic`: a judge that learns while the crawl goes on. In: what the user gave, and its newest version. Out: judgements.

Fitting it (`fitter`) is heavy and happens elsewhere; judging a page is one look-up for each of its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.errors import ModelError
from lycosa.evidence import Evidence, Need
from lycosa.evidence.model_file import read_json
from lycosa.files import write_file
from lycosa.learn.judges.brief import Brief
from lycosa.learn.judges.chances import Chances
from lycosa.learn.judges.kinds import restricted, wanted_in
from lycosa.learn.judges.version import FOLDER, Scorer, Version
from lycosa.page.text.terms import terms_of_each
from lycosa.values import EXAMPLE, Fact, Judgement, Link, Page, PageTerms, Score, Terms

CACHED_ANCHORS = 20_000
"""Texts of links whose scores are remembered: menus and titles come again on many pages."""
NEGATIVE = Judgement(False, 0.0, "a negative example of yours")


def brief_path(models: Path) -> Path:
    """Where a collection keeps what its judge is fitted from."""
    return models / FOLDER / "brief.json"


def save_brief(brief: Brief, models: Path) -> None:
    """Keep it beside the versions, so that answers teach the judge without its crawl; a crash leaves no half of it."""
    path = brief_path(models)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, msgspec.json.encode(brief))


def load_brief(models: Path) -> Brief:
    """What the judge of a collection is fitted from."""
    try:
        return read_json(brief_path(models), Brief)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{brief_path(models)} cannot be read ({error}). Run the same crawl again: it writes it anew."
        ) from None


class TermsOfPage(Evidence):
    """Says nothing itself: pages bring their terms along, for the judge to look at in the loop."""

    name = "terms"
    needs = frozenset({Need.TERMS})


class LearningJudge:
    """Relevant is what its newest version takes for likely enough; what the user said himself holds."""

    def __init__(self, brief: Brief, needs: tuple[Evidence, ...] = ()) -> None:
        self.needs: tuple[Evidence, ...] = (*needs, TermsOfPage())
        self.brief = brief
        self._certain = {page.key: EXAMPLE for page in brief.examples} | {
            page.key: NEGATIVE for page in brief.negatives
        }
        self._scorer: Scorer | None = None
        self._anchor_scores: dict[str, float] = {}  # by the newest version

    def want(self, evidence: tuple[Evidence, ...]) -> None:
        """From now on pages have to be of a wanted kind, as this evidence tells it."""
        self.needs = (*self.needs, *evidence)
        self.brief = msgspec.structs.replace(self.brief, of_kind=True)

    @property
    def version(self) -> Version:
        """The version that judges just now."""
        return self._newest().version

    @property
    def is_fitted(self) -> bool:
        """Whether it has a version already."""
        return self._scorer is not None

    def use(self, version: Version) -> None:
        """Judge by this version from now on."""
        self._scorer = Scorer(version)
        self._anchor_scores.clear()

    def forget(self) -> None:
        """Begin again with what the user gave: another crawl is judged."""
        self._scorer = None
        self._anchor_scores.clear()

    def about(self, page: Page) -> float:
        """The chance that a page is about what is sought, of whatever kind it is."""
        return self._newest().probability(page.terms, self.evidence_in(page.evidence))

    def judge(self, page: Page) -> Judgement:
        """Relevant if the probability reaches the version's threshold."""
        return self.judgement(page.link.key, self.about(page), wanted_in(page.evidence))

    def judgement(self, key: int, probability: float, wanted: float = 1.0) -> Judgement:
        """The verdict on a page of this probability, which is as surely of a wanted kind."""
        version = self._newest().version
        found = Judgement(probability >= version.threshold, probability, version.rule)
        if self.brief.of_kind:
            found = restricted(found, wanted, version.threshold)
        return self._certain.get(key, found)

    def chances(self, pages: Iterable[PageTerms]) -> Chances:
        """What its words say of pages."""
        return Chances.of(
            (page.key, self.probability(page.terms, page.evidence), page.wanted) for page in pages
        )

    def judgements(
        self, chances: Chances, said: Mapping[int, Judgement]
    ) -> Callable[[Sequence[int]], Mapping[int, Judgement]]:
        """What gives the verdicts on some pages, by their keys; what was `said` of pages holds."""
        find = chances.finder()

        def judgements_of(keys: Sequence[int]) -> Mapping[int, Judgement]:
            judged = {key: self.judgement(key, chance, wanted) for key, chance, wanted in find(keys)}
            return judged | {key: said[key] for key in keys if key in said}

        return judgements_of

    def probability(self, terms: Terms | Mapping[str, int], evidence: float = 0.0) -> float:
        """The chance that a page with these terms is relevant."""
        return self._newest().probability(terms, evidence)

    def evidence_in(self, evidence: Mapping[str, Fact]) -> float:
        """The value of the evidence that it looks at beside the words."""
        fact = evidence.get(self.brief.evidence)
        return fact.value if isinstance(fact, Score) else 0.0

    def link_scores(self, links: Sequence[Link]) -> list[float]:
        """How much the anchor text of each link is what relevant pages say and others do not, in [0, 1]."""
        scorer, known = self._newest(), self._anchor_scores
        new = list({link.anchor for link in links if link.anchor not in known})
        if len(known) + len(new) > CACHED_ANCHORS:
            known.clear()
            new = list({link.anchor for link in links})
        known.update(zip(new, map(scorer.link_score, terms_of_each(new, self.brief.language)), strict=True))
        return [known[link.anchor] for link in links]

    def _newest(self) -> Scorer:
        if self._scorer is None:  # nobody fits it for us: a check, a test, a page judged on its own
            from lycosa.learn.fitting.fitter import Fitter, Said

            self._scorer = Scorer(Fitter(self.brief).fit(Said(), 1).version)
        return self._scorer

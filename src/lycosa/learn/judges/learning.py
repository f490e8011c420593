"""`topic`: a judge that learns while the crawl goes on. It judges by its newest version; fitting happens elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.errors import ModelError
from lycosa.evidence import Evidence, Need
from lycosa.evidence.model_file import read_json
from lycosa.files import write_file
from lycosa.learn.judges.kinds import Judge, restricted, wanted_in
from lycosa.learn.judges.version import FOLDER, Brief, Chances, Reasons, Scorer, Version
from lycosa.page.text.terms import terms_of_each
from lycosa.values import EXAMPLE, Fact, Judgement, Link, Page, PageTerms, Score, Terms

CACHED_ANCHORS = 20_000
"""Anchor texts whose scores are cached: menus and titles come again on many pages."""
NEGATIVE = Judgement(False, 0.0, "a negative example of yours")


def brief_path(models: Path) -> Path:
    """The file of a collection that holds its judge's input."""
    return models / FOLDER / "brief.json"


def save_brief(brief: Brief, models: Path) -> None:
    """Save what a judge is fitted from, so that answers teach it without its crawl."""
    path = brief_path(models)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, msgspec.json.encode(brief))


def load_brief(models: Path) -> Brief:
    """The input that a collection's judge is fitted from."""
    try:
        return read_json(brief_path(models), Brief)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{brief_path(models)} cannot be read ({error}). Run the same crawl again: it writes it anew."
        ) from None


class TermsOfPage(Evidence):
    """No evidence of its own: it makes pages carry their terms, which the judge reads."""

    name = "terms"
    needs = frozenset({Need.TERMS})

    def __init__(self, encoder: str = "") -> None:
        self.encoder = encoder


class LearningJudge(Judge):
    """A page is relevant if the newest version thinks so; what the user said of pages holds."""

    def __init__(self, brief: Brief, needs: tuple[Evidence, ...] = ()) -> None:
        self.needs = (*needs, TermsOfPage(brief.meanings.encoder if brief.meanings else ""))
        self.brief = brief
        self.learning = self
        self._certain = {page.key: EXAMPLE for page in brief.examples} | {
            page.key: NEGATIVE for page in brief.negatives
        }
        self._scorer: Scorer | None = None
        self._anchor_scores: dict[str, float] = {}  # by the newest version

    def restricted_to(self, evidence: tuple[Evidence, ...]) -> Judge:
        self.needs = (*self.needs, *evidence)
        self.brief = msgspec.structs.replace(self.brief, of_kind=True)
        return self

    @property
    def version(self) -> Version:
        """The newest version; one that is fitted now, from the brief alone, if there is none yet."""
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
        """Drop the version: another crawl begins."""
        self._scorer = None
        self._anchor_scores.clear()

    def learn(self, labels: Mapping[int, bool], pages: Sequence[Page]) -> str:
        """Fit a version on these pages alone. A crawl does not call it: it fits on all pages, in a process of its own."""
        from lycosa.learn.fitting.crawl_fitter import Fitter, Said

        fitter = Fitter(self.brief)
        fitter.read(
            PageTerms(number, page.link.key, page.terms, True, self.evidence_in(page.evidence))
            for number, page in enumerate(pages, start=1)
        )
        number = self._scorer.version.number + 1 if self._scorer else 1
        self.use(fitter.fit(Said(labels), number).version)
        return self.version.name

    def about(self, page: Page) -> float:
        return self._newest().probability(page.terms, self.evidence_in(page.evidence))

    def judge(self, page: Page) -> Judgement:
        """Relevant if the probability reaches the version's threshold."""
        return self.judgement(page.link.key, self.about(page), wanted_in(page.evidence))

    def explain(self, page: Page) -> Sequence[tuple[str, float]]:
        return self.reasons(page).words

    def reasons(self, page: Page, limit: int = 8) -> Reasons:
        """The words that made the score of a page."""
        return self._newest().reasons(page.terms, self.evidence_in(page.evidence), limit)

    def judgement(self, key: int, probability: float, wanted: float = 1.0) -> Judgement:
        """The verdict on a page by its probabilities of being relevant and of being of a wanted kind."""
        version = self._newest().version
        found = Judgement(probability >= version.threshold, probability, version.rule)
        if self.brief.of_kind:
            found = restricted(found, wanted, version.threshold)
        return self._certain.get(key, found)

    def chances(self, pages: Iterable[PageTerms]) -> Chances:
        """The probabilities of stored pages."""
        return Chances.of(
            (page.key, self.probability(page.terms, page.evidence), page.wanted) for page in pages
        )

    def judgements(
        self, chances: Chances, said: Mapping[int, Judgement]
    ) -> Callable[[Sequence[int]], Mapping[int, Judgement]]:
        """A function from keys to verdicts, by these probabilities; what was `said` of pages holds."""
        find = chances.finder()

        def judgements_of(keys: Sequence[int]) -> Mapping[int, Judgement]:
            judged = {key: self.judgement(key, chance, wanted) for key, chance, wanted in find(keys)}
            return judged | {key: said[key] for key in keys if key in said}

        return judgements_of

    def probability(self, terms: Terms | Mapping[str, int], evidence: float = 0.0) -> float:
        """The probability that a page with these terms is relevant."""
        return self._newest().probability(terms, evidence)

    def evidence_in(self, evidence: Mapping[str, Fact]) -> float:
        """The value of the evidence that it uses in addition to words."""
        fact = evidence.get(self.brief.evidence)
        return fact.value if isinstance(fact, Score) else 0.0

    def link_scores(self, links: Sequence[Link]) -> list[float]:
        """Score the anchor text of each link in [0, 1]: like relevant pages and unlike others."""
        scorer, known = self._newest(), self._anchor_scores
        new = list({link.anchor for link in links if link.anchor not in known})
        if len(known) + len(new) > CACHED_ANCHORS:
            known.clear()
            new = list({link.anchor for link in links})
        known.update(zip(new, map(scorer.link_score, terms_of_each(new, self.brief.language)), strict=True))
        return [known[link.anchor] for link in links]

    def _newest(self) -> Scorer:
        if self._scorer is None:  # in a check, in a test, or for a page judged on its own
            self.learn({}, ())
        assert self._scorer is not None
        return self._scorer


def saved_judge(models: Path) -> LearningJudge:
    """The judge of a collection, as its crawl made it; it has no version yet."""
    return LearningJudge(load_brief(models))

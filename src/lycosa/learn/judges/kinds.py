"""The seam of a judge, and the simple ones: a text classifier, every page, a page of a wanted kind."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.values import WANTED_KIND, Fact, Judgement, Page, Score, fact_of

if TYPE_CHECKING:
    from lycosa.learn.judges.learning import LearningJudge
    from lycosa.learn.topic import TopicModel

JUDGES = ("topic", "text", "all")
"""The values of `judge.kind` that need no method."""

UNLEARNED = ("text", "all")
"""Kinds of judges that learn nothing from a crawl."""


class Judge(Protocol):
    """Says whether a page is relevant. Derive from it and write `judge`; the rest is optional."""

    needs: tuple[Evidence, ...] = ()
    """Evidence that pages carry for it. It is computed in worker processes."""
    learning: LearningJudge | None = None
    """Itself, if the crawl fits it while it runs: strategies may rank links by the words that it learns."""
    judge_many: Callable[[Sequence[Page]], Coroutine[Any, Any, Sequence[Judgement]]] | None = None
    """Judges a batch of pages at once, if it is not None: for judges that wait for a model or a service. The crawl
    goes on meanwhile."""

    def judge(self, page: Page) -> Judgement:
        """The verdict on a page. It follows from the page and from what was learned, and changes nothing."""
        ...

    def fit(self, topic: TopicModel, threshold: float | None) -> Self:
        """Prepare for a crawl: its topic, and `judge.threshold` of the spec. Return the judge."""
        return self

    def learn(self, labels: Mapping[int, bool], pages: Sequence[Page]) -> str:
        """Learn from labelled pages, given by key, when a crawl begins or goes on. Return a name for what was learned.

        If the name has changed, all pages of the collection are judged again. '': nothing was learned.
        """
        return ""

    def explain(self, page: Page) -> Sequence[tuple[str, float]]:
        """The strongest contributions to the verdict, for `lycosa why`."""
        return ()

    def about(self, page: Page) -> float:
        """The score of what a page is about, of whatever kind it is: its links may lead to the wanted kind."""
        return self.judge(page).score

    def restricted_to(self, evidence: tuple[Evidence, ...]) -> Judge:
        """A judge that also asks for pages of a wanted kind, as this evidence tells it."""
        return OfWantedKind(self, evidence)


def restricted(found: Judgement, wanted: float, threshold: float | None = None) -> Judgement:
    """A verdict on what a page is about, when it also has to be of a wanted kind, with probability `wanted`.

    The score is the probability of both. With a threshold, it has to reach that; else the verdict on the topic holds.

    >>> restricted(Judgement(True, 0.8, "topic"), 0.9)
    Judgement(relevant=True, score=0.72, rule='topic')
    >>> restricted(Judgement(True, 0.8, "topic"), 0.1).rule
    'topic; not of a wanted kind'
    """
    score = round(found.score * wanted, 6)
    if wanted < 0.5:
        return Judgement(False, score, f"{found.rule}; not of a wanted kind")
    return Judgement(found.relevant if threshold is None else score >= threshold, score, found.rule)


def wanted_in(evidence: Mapping[str, Fact]) -> float:
    """The probability that a page is of a wanted kind; 1 where any kind will do."""
    fact = evidence.get(WANTED_KIND)
    return fact.value if isinstance(fact, Score) else 1.0


class OfWantedKind(Judge):
    """Another judge's verdict, for pages that are of a wanted kind."""

    def __init__(self, judge: Judge, evidence: tuple[Evidence, ...]) -> None:
        self.of_topic = judge
        self.needs = (*judge.needs, *evidence)
        if judge.judge_many is not None:
            self.judge_many = self._judge_many

    def about(self, page: Page) -> float:
        return self.of_topic.about(page)

    def judge(self, page: Page) -> Judgement:
        """Relevant if the other judge says so, and the page is of a wanted kind."""
        return restricted(self.of_topic.judge(page), wanted_in(page.evidence))

    def learn(self, labels: Mapping[int, bool], pages: Sequence[Page]) -> str:
        return self.of_topic.learn(labels, pages)

    def explain(self, page: Page) -> Sequence[tuple[str, float]]:
        return self.of_topic.explain(page)

    async def _judge_many(self, pages: Sequence[Page]) -> Sequence[Judgement]:
        assert self.of_topic.judge_many is not None
        found = await self.of_topic.judge_many(pages)
        return [restricted(one, wanted_in(page.evidence)) for one, page in zip(found, pages, strict=True)]


class TextJudge(Judge):
    """`text`: a text classifier says so."""

    def __init__(self, model: TextModel, threshold: float | None = None) -> None:
        self.needs = (PageText(model),)
        self.threshold = model.boundary_probability if threshold is None else threshold

    def judge(self, page: Page) -> Judgement:
        """Relevant if the probability reaches the threshold."""
        score = fact_of(page.evidence, "text", Score).value
        return Judgement(score >= self.threshold, score, f"text classifier against {self.threshold:.3g}")


class EveryPage(Judge):
    """`all`: whatever is in scope is relevant; for crawling whole sites."""

    def judge(self, page: Page) -> Judgement:
        """Relevant."""
        return Judgement(True, 1.0, "every page is wanted")

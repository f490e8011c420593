"""The seam of a strategy, which ranks the links of a judged page, and the check of its settings.

A strategy is an estimator: its constructor stores the settings, most simply as the fields of a dataclass; `fit`
prepares it and returns it. Type hints of the constructor's arguments are the settings' ranges.
"""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, get_type_hints

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.frontier import Records
from lycosa.learn.judges.kinds import Judge
from lycosa.methods.preparation import Preparation
from lycosa.spec.settings import Setting, complaint_in_python
from lycosa.values import Decision, Fact, Floats, Judgement, Link, Merge, Page, Release, Touch


def settings_of_class(kind: type[Any]) -> dict[str, Setting]:
    """The settings by name. Hints that cannot be resolved, as a stranger's may be, forbid nothing."""
    try:
        hints = get_type_hints(kind.__init__, include_extras=True)
    except (NameError, AttributeError, TypeError):  # such as names that only a type checker imports
        hints = {}
    return {
        key: Setting(None if argument.default is argument.empty else argument.default, hints.get(key))
        for key, argument in inspect.signature(kind).parameters.items()
        if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
    }


def check_settings(strategy: object) -> None:
    """A SpecError for the first setting of a strategy whose value its hint does not allow."""
    values, name = vars(strategy), _in_a_spec(type(strategy).__name__)
    for key, setting in settings_of_class(type(strategy)).items():
        if key in values and (trouble := complaint_in_python(values[key], setting)):
            raise SpecError(f"{name}.{key}: {trouble}. {setting.otherwise}")


def _in_a_spec(name: str) -> str:
    """A class as a spec calls it.

    >>> _in_a_spec("BestFirst")
    'best-first'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


Step = Decision | Release | Touch


class Strategy(Protocol):
    """A way to rank links. Relevance itself is the spec's Judge, the same for every strategy.

    `learn` may use only what the catalogue stores, so that a resumed crawl can learn it again.
    """

    merge: Merge
    weighs_sources: bool
    needs: tuple[Evidence, ...]
    records: Records | None
    """How the frontier merges and scores what links say of a URL (`Link.record`), if the strategy keeps that."""
    when_starved: str
    judge_: Judge
    """The spec's judge, which the crawl fits."""

    def judge(self, page: Page) -> Judgement: ...

    def rank(self, page: Page, judgement: Judgement) -> Sequence[Step]:
        """A Decision for each of `page.links` (in their order), then any others, releases and touches."""
        ...

    def settle(self, links: Sequence[Link], value: float | None) -> Sequence[Decision]:
        """Decide on links that were held; `value` is that of the release."""
        ...

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None: ...

    def led_nowhere(self, link: Link) -> None:
        """A link led to no page: not found or forbidden."""
        ...

    def rejudged(self, judgements: Mapping[int, Judgement]) -> None:
        """The judge has learned: new judgements, by key, of pages that were learned from."""
        ...

    def credit(self, judgement: Judgement) -> float:
        """How much a judged page counts for its source, 0 to 1; the rest counts against it."""
        ...

    def host_weight(self, good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        """The choice keys of sources (asked only if `weighs_sources`)."""
        ...


class BaseStrategy(ABC):
    """Defaults of a strategy: nothing held, nothing learned, all sources equal."""

    merge: Merge = Merge.MAX
    weighs_sources: bool = False
    wants: ClassVar[tuple[str, ...]] = ()
    """Names of the fitted models that it needs: `text`, `anchor-tree`."""
    judges_itself: bool = False
    """Whether it judges pages itself, so that a spec needs no [topic]."""
    takes_guides: ClassVar[bool] = False
    """Whether another strategy can guide it: one with `guides` whose table is in the spec."""
    guides: ClassVar[str] = ""
    """What it says of a link when it guides another strategy, for `lycosa why`; '' if it cannot guide."""
    when: ClassVar[str] = ""
    """When to choose it, in a few words, for `lycosa strategies`; only strategies that are a best choice say so."""
    needs: tuple[Evidence, ...] = ()
    records: Records | None = None
    when_starved: str = ""
    """What the user can set if the strategy has refused all links; '' if it refuses none."""
    judge_: Judge

    def check(self, folder: Path) -> None:
        """Raise a SpecError for settings that cannot work. Asked before anything is fetched or parsed.

        Each setting is checked by its type hint; strategies whose settings must fit each other, or name files
        (which begin at `folder`), extend this.
        """
        check_settings(self)

    @classmethod
    def wanted(cls, judge: str) -> tuple[str, ...]:  # noqa: ARG003
        """The fitted models that it needs with this kind of judge; by default `wants`."""
        return cls.wants

    def fit(self, preparation: Preparation) -> Self:
        """Check the settings and keep the judge. Strategies with models of their own extend this."""
        self.check(preparation.folder)
        self.judge_ = preparation.judge
        self.needs = self.judge_.needs
        return self

    def judge(self, page: Page) -> Judgement:
        """The verdict of the spec's judge."""
        return self.judge_.judge(page)

    @abstractmethod
    def rank(self, page: Page, judgement: Judgement) -> Sequence[Step]:
        """A Decision for each link of the page."""

    def settle(self, links: Sequence[Link], value: float | None) -> Sequence[Decision]:
        """Nothing is ever held."""
        return ()

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """Nothing is learned."""

    def led_nowhere(self, link: Link) -> None:
        """Nothing is learned."""

    def rejudged(self, judgements: Mapping[int, Judgement]) -> None:
        """Nothing that was learned has to change."""

    def as_guide(self) -> BaseStrategy:
        """The fitted strategy that speaks for it when it guides another; by default itself."""
        return self

    def log_odds(self, decision: Decision) -> float:
        """As a guide: the log odds of a decision that lets a link wait; 0 says nothing.

        Over all links to a URL the last counts if the guide's `merge` is REPLACE, else the best.
        """
        return log_odds(decision.priority)

    def only_leads_on(self, decision: Decision) -> bool:
        """As a guide: whether a link leads to a page that cannot be relevant; then no other evidence counts."""
        return False

    @classmethod
    def reasons(cls, record: bytes, told: Sequence[str] = ()) -> Sequence[tuple[str, float]]:  # noqa: ARG003
        """The parts of the priority of a URL with this record, with their descriptions; nothing without records.

        `told`: descriptions of the evidence that its links have (`MethodEvidence.link_words`).
        """
        return ()

    def credit(self, judgement: Judgement) -> float:
        """The verdict: a page speaks for its source or against it."""
        return float(judgement.relevant)

    def host_weight(self, good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        """The best waiting priority decides."""
        return best


def by_score(page: Page, evidence: str, rule: str) -> list[Decision]:
    """A Decision for each link of a page, with one kind of link evidence as its priority."""
    scores = page.link_evidence[evidence]
    return [Decision(link, score, rule=rule) for link, score in zip(page.links, scores, strict=True)]


def log_odds(probability: float) -> float:
    """The log odds of a probability, which is kept from 0 and 1: nothing is that sure.

        log( p / (1 - p) )      p in [0.01, 0.99]

    >>> round(log_odds(0.75), 2), log_odds(0.5), log_odds(0.0) == log_odds(0.01)
    (1.1, 0.0, True)
    """
    p = min(max(probability, 0.01), 0.99)
    return math.log(p / (1 - p))


def best_first_priority(link_score: float, page_score: float) -> float:
    """The mean of a link's own score and its page's.

        priority = (cos(topic, URL tokens + anchor) + cos(topic, page)) / 2      [Farag, ch. 3]

    >>> best_first_priority(0.5, 0.25)
    0.375
    """
    return (link_score + page_score) / 2

"""How links are ranked: one file per method, baselines too.

In: an analysed page and its judgement. Out: a Decision for each of its links. A strategy is an
estimator: its constructor stores the settings, `fit` prepares it and returns it. One of your own is
named as `FILE.py:Class`, or registered by a package under the entry point group `lycosa.methods`.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, ClassVar, Protocol, Self, get_type_hints

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.judge.kinds import Judge
from lycosa.methods.preparation import Preparation
from lycosa.values import Decision, Fact, Floats, Judgement, Link, Merge, Page, Release

Step = Decision | Release


class Strategy(Protocol):
    """A way to rank links. Relevance itself is the spec's Judge, the same for every strategy.

    `learn` may use only what the catalogue stores, so that a resumed crawl can learn it again.
    """

    merge: Merge
    weighs_sources: bool
    needs: tuple[Evidence, ...]

    def judge(self, page: Page) -> Judgement: ...

    def rank(self, page: Page, judgement: Judgement) -> Sequence[Step]:
        """A Decision for each of `page.links` (in their order), then any others and releases."""
        ...

    def settle(self, links: Sequence[Link], value: float | None) -> Sequence[Decision]:
        """Decide on links that were held, now that what they waited for has this value."""
        ...

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None: ...

    def credit(self, judgement: Judgement) -> float:
        """How much a judged page speaks for its source, 0 to 1; the rest of it speaks against."""
        ...

    def host_weight(self, good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        """The choice keys of sources (asked only if `weighs_sources`)."""
        ...


class BaseStrategy(ABC):
    """What most strategies share: nothing held, nothing learned, all sources alike."""

    merge: Merge = Merge.MAX
    weighs_sources: bool = False
    wants: ClassVar[tuple[str, ...]] = ()
    """Names of the fitted models that it needs: `text`, `anchor-tree`."""
    judges_itself: ClassVar[bool] = False
    """Whether it tells relevant pages by means of its own, so that a spec needs no [topic]."""
    needs: tuple[Evidence, ...] = ()
    judge_: Judge

    def fit(self, preparation: Preparation) -> Self:
        """Keep the judge. Strategies with models of their own extend this."""
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


BUILT_IN = {
    "breadth-first": "lycosa.methods.baselines.breadth_first:BreadthFirst",
    "best-first": "lycosa.methods.baselines.best_first:BestFirst",
    "best-first-page": "lycosa.methods.baselines.best_first_page:BestFirstPage",
    "selective": "lycosa.methods.selective.strategy:Selective",
    "anchor": "lycosa.methods.baselines.anchor:Anchor",
    "anchor-tree": "lycosa.methods.baselines.anchor_tree:AnchorTree",
    "link-context": "lycosa.methods.baselines.link_context:LinkContext",
    "shark-search": "lycosa.methods.baselines.shark_search:SharkSearch",
    "opic": "lycosa.methods.baselines.opic:Opic",
    "genre": "lycosa.methods.genre.strategy:Genre",
    "profile": "lycosa.methods.profile.strategy:Profile",
    "event": "lycosa.methods.event.strategy:Event",
    "multimedia": "lycosa.methods.multimedia.strategy:Multimedia",
}


def strategy_names() -> list[str]:
    """All strategies that can be named in a spec, built-in ones first."""
    return [*BUILT_IN, *(point.name for point in _entry_points() if point.name not in BUILT_IN)]


def strategy_class(name: str | type[BaseStrategy]) -> type[BaseStrategy]:
    """The class of a strategy; a class stands for itself."""
    if not isinstance(name, str):
        from lycosa.methods.third_party import checked

        return checked(name, repr(name))
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        found: type[BaseStrategy] = getattr(import_module(module), attribute)
        return found
    from lycosa.methods import third_party as own  # which imports this package

    if own.in_file(name):
        return own.class_in_file(name)
    for point in _entry_points():
        if point.name == name:
            return own.class_of_package(point)
    raise SpecError(f"There is no strategy {name!r}. Known are: {', '.join(strategy_names())}.")


def settings_of(name: str | type[BaseStrategy]) -> dict[str, Any]:
    """A strategy's settings and their defaults: its constructor's keyword arguments."""
    signature = inspect.signature(strategy_class(name))
    return {
        key: None if argument.default is argument.empty else argument.default
        for key, argument in signature.parameters.items()
        if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
    }


def setting_hints(name: str | type[BaseStrategy]) -> dict[str, Any]:
    """The type hints of a strategy's settings, with their ranges; none where a stranger's cannot be resolved."""
    try:
        return get_type_hints(strategy_class(name).__init__, include_extras=True)
    except (NameError, AttributeError, TypeError):  # names that only a type checker imports, and the like
        return {}


class Known(Mapping[str, dict[str, Any]]):
    """The settings of every strategy by its name. One is loaded only when it is asked for."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        return settings_of(name)

    def __contains__(self, name: object) -> bool:
        from lycosa.methods import third_party as own

        return isinstance(name, str) and (own.in_file(name) or name in strategy_names())

    def __iter__(self) -> Iterator[str]:
        return iter(strategy_names())

    def __len__(self) -> int:
        return len(strategy_names())


def all_settings() -> Known:
    """The settings of every strategy, for checking a spec: a broken one breaks only specs that name it."""
    return Known()


def _entry_points() -> Sequence[Any]:
    return tuple(entry_points(group="lycosa.methods"))

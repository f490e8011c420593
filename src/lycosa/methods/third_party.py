"""Load methods and strategies of other people, and guard their calls.

An error of theirs is reported with the class and page it occurred at. Built-in strategies are not wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from lycosa.errors import LycosaError, SpecError, StrategyError, fault_in
from lycosa.learn.judges.kinds import Judge
from lycosa.methods.preparation import Preparation
from lycosa.methods.seam import Method
from lycosa.methods.strategy import BaseStrategy, Step
from lycosa.spec.code_files import module_of
from lycosa.values import Decision, Fact, Floats, Judgement, Link, Page, Release, Touch

T = TypeVar("T")


def class_in_file(name: str) -> type[BaseStrategy]:
    """The class that `FILE.py:Class` names."""
    module, attribute = module_of(name, "strategy")
    known = [key for key, value in vars(module).items() if is_strategy(value) and value is not BaseStrategy]
    if not hasattr(module, attribute):
        raise SpecError(
            f"{module.__file__} has no class {attribute!r}. Strategies in it: {', '.join(known) or 'none'}."
        )
    return checked(getattr(module, attribute), name)


def class_of_package(point: EntryPoint) -> type[BaseStrategy]:
    """The class that an installed package offers."""
    return checked(*_of_package(point, "strategy"))


def method_of_package(point: EntryPoint) -> Method:
    """The method that an installed package offers."""
    found, told = _of_package(point, "method")
    if not isinstance(found, Method):
        raise SpecError(
            f"{told} is not a method: give a lycosa.methods.Method, or the group lycosa.strategies."
        )
    return found


def class_of_method(method: Method, name: str) -> type[BaseStrategy]:
    """The class of a strategy of somebody else's method."""
    part = method.strategies[name]
    return checked(part.load(), f"The strategy {name!r} ({part.where})")


def _of_package(point: EntryPoint, what: str) -> tuple[Any, str]:
    package = point.dist.name if point.dist else point.value
    told = f"The {what} {point.name!r} of the installed package {package}"
    return _made(point.load, told, f"Fix the package, or: pip uninstall {package}"), told


def is_strategy(found: object) -> bool:
    """Whether something is a class that can be fitted and can rank."""
    return isinstance(found, type) and hasattr(found, "fit") and hasattr(found, "rank")


def checked(found: Any, told: str) -> type[BaseStrategy]:
    """A class, if it is one of a strategy."""
    if not is_strategy(found):
        raise SpecError(
            f"{told} is not a strategy: give a class with `fit` and `rank`, such as a BaseStrategy."
        )
    kind: type[BaseStrategy] = found
    return kind


def _made(make: Callable[[], Any], told: str, advice: str) -> Any:
    try:
        return make()
    except LycosaError:
        raise
    except Exception as error:
        raise SpecError(f"{told} cannot be loaded ({type(error).__name__}: {error}). {advice}.") from error


def fitted_with_care(
    kind: type[BaseStrategy], settings: Mapping[str, Any], preparation: Preparation
) -> BaseStrategy:
    """A stranger's strategy, fitted and guarded."""
    return _with_care(kind, lambda: Guarded(kind(**settings).fit(preparation), preparation.judge))


def check_with_care(kind: type[BaseStrategy], settings: Mapping[str, Any], folder: Path) -> None:
    """Check the settings of a stranger's strategy, if it can."""
    strategy = _with_care(kind, lambda: kind(**settings))
    if hasattr(strategy, "check"):
        _with_care(kind, lambda: strategy.check(folder))


def _with_care(kind: type[BaseStrategy], make: Callable[[], T]) -> T:
    try:
        return make()
    except LycosaError:
        raise
    except Exception as error:
        raise _fault(kind, error, "before the crawl began") from error


class Guarded(BaseStrategy):
    """A strategy whose errors and invalid answers become a StrategyError that names class and page."""

    def __init__(self, inner: BaseStrategy, judge: Judge) -> None:
        self.inner, self.judge_ = inner, judge
        self.merge, self.weighs_sources, self.needs = inner.merge, inner.weighs_sources, inner.needs
        self.records, self.judges_itself = inner.records, getattr(inner, "judges_itself", False)
        self.when_starved = getattr(inner, "when_starved", "")

    def judge(self, page: Page) -> Judgement:
        """As the inner one; anything but a Judgement is its error."""
        judgement = self._ask(self.inner.judge, page.link.url, page)
        if type(judgement) is not Judgement:
            raise self._wrong(f"judge gave {_short(judgement)}, not a Judgement", page.link.url)
        return judgement

    def rank(self, page: Page, judgement: Judgement) -> Sequence[Step]:
        """As the inner one; every step must be a Decision or a Release."""
        return self._steps(self.inner.rank, page.link.url, page, judgement)

    def settle(self, links: Sequence[Link], value: float | None) -> Sequence[Decision]:
        """As the inner one."""
        url = links[0].url if links else "held links"
        return [s for s in self._steps(self.inner.settle, url, links, value) if isinstance(s, Decision)]

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """As the inner one."""
        self._ask(self.inner.learn, link.url, link, judgement, evidence)

    def led_nowhere(self, link: Link) -> None:
        """As the inner one."""
        self._ask(self.inner.led_nowhere, link.url, link)

    def rejudged(self, judgements: Mapping[int, Judgement]) -> None:
        """As the inner one."""
        self._ask(self.inner.rejudged, "pages that were judged anew", judgements)

    def credit(self, judgement: Judgement) -> float:
        """As the inner one."""
        return float(self._ask(self.inner.credit, "a judged page", judgement))

    def as_guide(self) -> BaseStrategy:
        """As the inner one, guarded too."""
        return Guarded(self._ask(self.inner.as_guide, "the beginning of the crawl"), self.judge_)

    def log_odds(self, decision: Decision) -> float:
        """As the inner one."""
        return float(self._ask(self.inner.log_odds, decision.link.url, decision))

    def only_leads_on(self, decision: Decision) -> bool:
        """As the inner one."""
        return bool(self._ask(self.inner.only_leads_on, decision.link.url, decision))

    def host_weight(self, good: Floats, bad: Floats, best: Floats, step: int) -> Floats:
        """As the inner one."""
        weights: Floats = self._ask(self.inner.host_weight, "the choice of a source", good, bad, best, step)
        return weights

    def _ask(self, method: Callable[..., Any], about: str, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except LycosaError:
            raise
        except Exception as error:
            raise _fault(type(self.inner), error, f"at {about}") from error

    def _steps(self, method: Callable[..., Any], url: str, *arguments: Any) -> list[Step]:
        steps: list[Step] = self._ask(lambda: list(method(*arguments)), url)
        for step in steps:
            if not isinstance(step, Decision | Release | Touch):
                raise self._wrong(f"{method.__name__} gave {_short(step)}, not a Decision", url)
            if isinstance(step, Decision) and not isfinite(step.priority):
                raise self._wrong(f"{method.__name__} gave the priority {step.priority}", url)
        return steps

    def _wrong(self, what: str, url: str) -> StrategyError:
        return _fault(type(self.inner), TypeError(what), f"at {url}")


def _short(value: object) -> str:
    return repr(value)[:100]


def _fault(kind: type[Any], error: Exception, when: str) -> StrategyError:
    return StrategyError(fault_in(f"The strategy {kind.__name__}", kind.__module__, error, when))

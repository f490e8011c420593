"""Resolve the names of strategies, sections and judges in a spec to the parts of a method.

A part is imported when it is named; a package that cannot be imported stops only the specs that name it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lycosa.errors import LycosaError, SpecError
from lycosa.evidence import Evidence
from lycosa.learn.judges.kinds import JUDGES
from lycosa.methods import registry, third_party
from lycosa.methods.preparation import Preparation
from lycosa.methods.registry import METHODS, STRATEGIES, method_named, methods, offered
from lycosa.methods.seam import Index, Method
from lycosa.methods.strategy import BaseStrategy, settings_of_class
from lycosa.spec.code_files import in_file
from lycosa.spec.sections import Section
from lycosa.spec.settings import Setting


def strategy_names() -> list[str]:
    """All strategies that can be named in a spec, built-in ones first."""
    names = [name for method in methods() for name in method.strategies]
    return list(dict.fromkeys((*names, *(point.name for point in offered(STRATEGIES)))))


def has_strategy(name: str) -> bool:
    """Whether a spec can name it."""
    return in_file(name) or name in strategy_names()


def strategy_class(name: str | type[BaseStrategy]) -> type[BaseStrategy]:
    """The class of a strategy; a class stands for itself."""
    if not isinstance(name, str):
        return third_party.checked(name, repr(name))
    if in_file(name):
        return third_party.class_in_file(name)
    for method in registry.built_in():
        if name in method.strategies:
            found: type[BaseStrategy] = method.strategies[name].load()
            return found
    for method in methods():
        if name in method.strategies:
            return third_party.class_of_method(method, name)
    for point in offered(STRATEGIES):
        if point.name == name:
            return third_party.class_of_package(point)
    raise SpecError(f"There is no strategy {name!r}. Known are: {', '.join(strategy_names())}.{not_loaded()}")


def fitted(
    name: str | type[BaseStrategy], settings: Mapping[str, Any], preparation: Preparation
) -> BaseStrategy:
    """A fitted strategy by its name; one that is not built in is guarded."""
    kind = strategy_class(name)
    if kind.__module__.startswith("lycosa."):
        return kind(**settings).fit(preparation)
    return third_party.fitted_with_care(kind, settings, preparation)


def check(name: str | type[BaseStrategy], settings: Mapping[str, Any], folder: Path) -> None:
    """Raise SpecError for settings that cannot work, before anything is fetched or parsed."""
    kind = strategy_class(name)
    if kind.__module__.startswith("lycosa."):
        kind(**settings).check(folder)
    else:
        third_party.check_with_care(kind, settings, folder)


def settings_of(name: str | type[BaseStrategy]) -> dict[str, Setting]:
    """A strategy's settings: its constructor's keyword arguments, with their defaults and type hints."""
    return settings_of_class(strategy_class(name))


def method_of_judge(kind: str) -> Method | None:
    """The method that owns a judge; None for judges of the core."""
    return next((method for method in methods() if kind in method.judges), None)


def judge_kinds() -> list[str]:
    """All that `judge.kind` can be."""
    return list(dict.fromkeys((*JUDGES, *(kind for method in methods() for kind in method.judges))))


def section_class(name: str) -> type[Section] | None:
    """The class of a method's own section; None if no method has one of that name."""
    method = method_named(name)
    if method is None or not method.section:
        return None
    found: type[Section] = method.section.load()
    return found


def section_names() -> list[str]:
    """The names of the methods' own sections."""
    return [method.name for method in methods() if method.section]


def link_evidence_of(prepared: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """The link evidence of methods, by their prepared models, for strategies that take any evidence."""
    found = _evidence_of(prepared, lambda method: method.evidence.of_links)
    listed = {name for method in methods() for name in method.evidence.link_words}
    if nameless := [evidence.name for evidence in found if evidence.name not in listed]:
        raise SpecError(
            f"{nameless[0]!r} is evidence of links that no method describes. Add it to the link_words of its method."
        )
    return found


def link_words(names: Collection[str]) -> list[str]:
    """The descriptions of link evidence of these names, in the order of `link_evidence_of`."""
    listed = (item for method in methods() for item in method.evidence.link_words.items())
    return [words for name, words in listed if name in names]


def guide_named(strategy: str | type[BaseStrategy], tables: Collection[str]) -> str:
    """The strategy that guides another, if a spec has its table; else ''."""
    if not tables or not strategy_class(strategy).takes_guides:
        return ""
    return next((name for name in strategy_names() if name in tables and strategy_class(name).guides), "")


def fitted_guide(strategy: type[BaseStrategy], preparation: Preparation) -> BaseStrategy | None:
    """The fitted guide of a strategy; None if the spec has no table of one."""
    name = guide_named(strategy, {*preparation.options, *preparation.methods})
    return fitted(name, preparation.options.get(name, {}), preparation).as_guide() if name else None


def wanted_evidence_of(prepared: Mapping[str, Any]) -> tuple[Evidence, ...]:
    """The evidence of wanted kinds of pages, by the prepared models."""
    return _evidence_of(prepared, lambda method: method.evidence.wanted)


def _evidence_of(
    prepared: Mapping[str, Any], makes: Callable[[Method], Callable[[Any], Sequence[Evidence]] | None]
) -> tuple[Evidence, ...]:
    """Evidence made from the prepared models."""
    found: list[Evidence] = []
    for method in methods():
        if (maker := makes(method)) and method.name in prepared:
            found += maker(prepared[method.name])
    return tuple(found)


def starts() -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """The templates of `lycosa init`, by method."""
    return {each.name: each.start.template.load() for each in methods() if each.start.template}


def indexes() -> dict[str, Index]:
    """The keys of [index] that methods add."""
    return {name: index for method in methods() for name, index in method.evidence.indexes.items()}


def indexed_evidence(names: Iterable[str]) -> tuple[Evidence, ...]:
    """The evidence that [index] asks for on every page, whatever the strategy."""
    offered = indexes()
    if missing := [name for name in names if name not in offered]:
        raise SpecError(f"[index] {missing[0]}: no installed method computes it. Remove that line.")
    return tuple(offered[name].make() for name in names)


def not_loaded() -> str:
    """A sentence about a package that cannot be loaded, which may own an unknown name; else ''."""
    for point in offered(METHODS):
        try:
            third_party.method_of_package(point)
        except LycosaError as error:
            return f" {error}"
    return ""


class Known:
    """The names that a spec can use, for `spec.reading`."""

    strategy_names = staticmethod(strategy_names)
    has_strategy = staticmethod(has_strategy)
    settings_of = staticmethod(settings_of)
    section_class = staticmethod(section_class)
    section_names = staticmethod(section_names)
    judge_kinds = staticmethod(judge_kinds)
    starts = staticmethod(starts)
    indexes = staticmethod(indexes)
    not_loaded = staticmethod(not_loaded)


def all_settings() -> Known:
    """Everything that a spec can name."""
    return Known()

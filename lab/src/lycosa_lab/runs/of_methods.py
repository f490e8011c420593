"""What the lab gives a method on a virtual web: its section for a topic, its settings where the web has page types.

A method's hooks are in `lycosa_lab.papers.METHOD.hooks`: `section(topic, training_pages)` and
`settings(web, topic, random_seed)`, both optional.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import strategy_class
from lycosa.methods.registry import method_named
from lycosa.spec.sections import Section
from lycosa_lab import papers
from lycosa_lab.webs.web import Topic

if TYPE_CHECKING:
    from lycosa_lab.webs.cache import CachedWeb


def sections_in_lab(topic: Topic, pages: Sequence[str]) -> dict[str, Section]:
    """Return the sections that methods would have for a topic with these training pages."""
    found = {
        name: hooks.section(topic, pages)
        for name, hooks in _hooks()
        if hasattr(hooks, "section") and method_named(name)
    }
    return {name: section for name, section in found.items() if section is not None}


def has_settings(strategy: str | type[BaseStrategy]) -> bool:
    """Whether the lab can configure a strategy from a web's page types."""
    return any(True for _ in _with_settings(strategy))


def settings_in_lab(
    strategy: str | type[BaseStrategy], web: CachedWeb, topic: Topic, random_seed: int
) -> dict[str, Any]:
    """Return what the lab sets for a strategy on a web with page types."""
    settings: dict[str, Any] = next(_with_settings(strategy)).settings(web, topic, random_seed)
    return settings


def _with_settings(strategy: str | type[BaseStrategy]) -> Iterator[ModuleType]:
    for name, hooks in _hooks():
        method = method_named(name)
        if method and hasattr(hooks, "settings"):
            kinds = tuple(part.load() for part in method.strategies.values())
            if issubclass(strategy_class(strategy), kinds):  # a subclass in a user's file, too
                yield hooks


def _hooks() -> Iterator[tuple[str, ModuleType]]:
    for found in pkgutil.iter_modules(papers.__path__):
        if found.ispkg and find_spec(f"{papers.__name__}.{found.name}.hooks"):
            yield found.name, import_module(f"{papers.__name__}.{found.name}.hooks")

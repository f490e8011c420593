"""The methods there are: the folders beside this file, and those that installed packages offer.

Nothing else names a method. `lookup.py` resolves the names of a spec; this module imports fast, because every
command reads it.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from lycosa import methods as folder
from lycosa.errors import SpecError
from lycosa.methods.seam import Facet, Method

METHODS = "lycosa.methods"
"""The entry points of whole methods."""
STRATEGIES = "lycosa.strategies"
"""The entry points of single strategies: a class each, under the name that a spec calls it."""


@cache
def built_in() -> tuple[Method, ...]:
    """The methods that come with Lycosa: a folder is a method."""
    names = [found.name for found in pkgutil.iter_modules(folder.__path__) if found.ispkg]
    return tuple(import_module(f"{folder.__name__}.{name}").METHOD for name in names)


def methods() -> Iterator[Method]:
    """All methods, built-in ones first, without packages that cannot be loaded."""
    yield from built_in()
    for point in offered(METHODS):
        from lycosa.methods.third_party import method_of_package

        try:
            yield method_of_package(point)
        except SpecError:
            continue


def facets() -> Iterator[Facet]:
    """The categories of pages that methods recognise."""
    return (facet for method in methods() for facet in method.report.facets)


def method_named(name: str) -> Method | None:
    """A method by its own name, which is also that of its section."""
    return next((method for method in methods() if method.name == name), None)


def offered(group: str) -> Sequence[EntryPoint]:
    """What installed packages offer under a group of entry points."""
    return _entry_points(group, tuple(sys.path))


@lru_cache(maxsize=8)
def _entry_points(group: str, _path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Cached by the path: looking for them reads a file of each installed package."""
    return tuple(entry_points(group=group))

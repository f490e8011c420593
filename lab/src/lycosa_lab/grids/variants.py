"""What is compared: strategies, each with the values of its settings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from lycosa.errors import InputError, SpecError
from lycosa.methods import BaseStrategy
from lycosa.methods.lookup import (
    has_strategy,
    section_class,
    settings_of,
    strategy_class,
    strategy_names,
)
from lycosa.spec.reading import check_setting, value_of

ORACLE, LOOK_AHEAD = "oracle", "look-ahead"
ORACLES = (ORACLE, LOOK_AHEAD)
"""Strategies of the lab alone: they know what nobody can know."""
MAX_VALUES = 1_000
_NUMBER = r"(-?\d{1,9}(?:\.\d{1,9})?)"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}:{_NUMBER}")


@dataclass(frozen=True, slots=True)
class Variant:
    """A strategy with settings: one line of a comparison."""

    strategy: str | type[BaseStrategy]
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The strategy, with the settings that were changed."""
        changed = " ".join(f"{key}={value}" for key, value in self.settings)
        return f"{strategy_name(self.strategy)} {changed}".strip()


def strategy_name(strategy: str | type[BaseStrategy]) -> str:
    """What a strategy is called in results: a class of the caller's own by its name."""
    return strategy if isinstance(strategy, str) else strategy.__name__


def variants(strategies: Sequence[str | type[BaseStrategy]], changes: Sequence[str]) -> list[Variant]:
    """The strategies, each over the grid of its `S.key=value[,value…]` or `S.key=first:last:step` changes."""
    check_strategies(strategies)
    named = {strategy_name(strategy): strategy for strategy in strategies}
    wanted: dict[str, dict[str, list[Any]]] = {name: {} for name in named}
    for change in changes:
        name, key, values = _parsed(change)
        if name not in wanted:
            raise SpecError(f"--set {change}: {name!r} is not among the --strategy options.")
        for value in values:
            known = {} if name in ORACLES else settings_of(named[name])
            check_setting(name, key, value, known, f"--set {change}")
        wanted[name].setdefault(key, []).extend(values)
    found = []
    for name, grid in wanted.items():
        found += [
            Variant(named[name], tuple(zip(grid, values, strict=True)))
            for values in itertools.product(*grid.values())
        ]
    return found


def taken_sections(changes: Sequence[str]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The changes of strategies' settings, and apart from them the values of methods' own sections, checked.

    >>> taken_sections(["genre.w_r=0.5,0.9", "genre.want=news,blog"])
    (['genre.w_r=0.5,0.9'], {'genre': {'want': ('news', 'blog')}})
    """
    rest: list[str] = []
    found: dict[str, dict[str, Any]] = {}
    for change in changes:
        name, key, values = _parsed(change)
        kind = section_class(name)
        if kind is None or key not in kind.model_fields or (has_strategy(name) and key in settings_of(name)):
            rest.append(change)
            continue
        value = tuple(values) if isinstance(kind.model_fields[key].default, tuple) else values[0]
        try:
            kind(**{key: value})
        except ValidationError as error:
            told = error.errors()[0]["msg"]
            raise SpecError(f"--set {change}: {told}. See docs/spec.md for what [{name}] takes.") from None
        found.setdefault(name, {})[key] = value
    return rest, found


def _parsed(change: str) -> tuple[str, str, list[Any]]:
    place, equals, values = change.partition("=")
    name, dot, key = place.strip().rpartition(".")
    if not equals or not dot:
        raise SpecError(
            f"--set {change}: write it as STRATEGY.key=value; for a grid key=value1,value2 or key=first:last:step."
        )
    parsed: list[Any] = []
    for value in values.split(","):
        if spread := _RANGE.fullmatch(value.strip()):
            parsed += spread_values(*map(Decimal, spread.groups()))
            continue
        parsed.append(value_of(value))
    return name, key, parsed


def spread_values(first: Decimal, last: Decimal, step: Decimal) -> list[float]:
    """The values from the first to the last, both included, a step apart.

    >>> spread_values(Decimal("0"), Decimal("0.3"), Decimal("0.1"))
    [0.0, 0.1, 0.2, 0.3]
    """
    if step <= 0 or last < first or (last - first) / step >= MAX_VALUES:
        raise SpecError(
            f"{first}:{last}:{step} is not first:last:step, or is over {MAX_VALUES} values. "
            "Write it as 0:1:0.05, for example."
        )
    values = (first + number * step for number in range(int((last - first) / step) + 1))
    whole = all(part == part.to_integral_value() for part in (first, last, step))
    return [int(value) if whole else float(value) for value in values]


def check_strategies(names: Sequence[str | type[BaseStrategy]]) -> None:
    """Refuse unknown names before anything is parsed."""
    for name in names:
        if name in ORACLES:
            continue
        if isinstance(name, str) and not has_strategy(name):
            raise InputError(
                f"There is no strategy {name!r}. Known are: {', '.join([*strategy_names(), *ORACLES])}."
            )
        strategy_class(name)  # one that cannot be loaded is said now

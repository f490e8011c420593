"""Checking settings by their type hints, with ranges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import ErrorDetails

LARGEST = 2**63 - 1
"""Larger integers are not valid in TOML and in the catalogue."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a strategy: its default and its type hint (None: any value)."""

    default: Any = None
    hint: Any = None

    @property
    def otherwise(self) -> str:
        """A sentence about the default."""
        return (
            "Without it, the strategy decides."
            if self.default is None
            else f"The default is {self.default!r}."
        )


def complaint_about(value: Any, setting: Setting) -> str:
    """Return what is wrong with a value of a setting; '' if nothing is."""
    if not _fits(value, setting.default):
        return f"must be {_type_name(setting.default)}, not {value!r}"
    if trouble := trouble_with(value):
        return trouble
    # As JSON, because TOML has lists but no tuples.
    return _against(setting.hint, lambda kind: kind.validate_json(msgspec.json.encode(value), strict=True))


def complaint_in_python(value: Any, setting: Setting) -> str:
    """Return what is wrong with an argument of a constructor, which may be any object; '' if nothing is."""
    return _against(setting.hint, lambda kind: kind.validate_python(value, strict=True))


def _against(hint: Any, check: Callable[[TypeAdapter[Any]], Any]) -> str:
    kind = _adapter(hint)
    if kind is None:
        return ""
    try:
        check(kind)
    except ValidationError as error:
        return complaint(error.errors()[0])
    return ""


def trouble_with(value: Any) -> str:
    r"""Return what is wrong with a value of any key; '' if nothing is.

    >>> trouble_with([1, float("nan")]), trouble_with("seeds\0.txt"), trouble_with(10**30), trouble_with("fine")
    ('nan is not a finite number', 'a text with a NUL character', 'the number is too large', '')
    """
    if isinstance(value, dict):
        return next(filter(None, map(trouble_with, (*value, *value.values()))), "")
    if isinstance(value, list | tuple):
        return next(filter(None, map(trouble_with, value)), "")
    if isinstance(value, float) and not isfinite(value):
        return f"{value} is not a finite number"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "the number is too large"
    return "a text with a NUL character" if isinstance(value, str) and "\0" in value else ""


def complaint(first: ErrorDetails) -> str:
    """Return an error of pydantic in the terms of TOML."""
    said = (
        first["msg"]
        .lower()
        .removeprefix("value error, ")
        .replace("tuple", "list")
        .replace("dictionary", "table")
    )
    if isinstance(first["input"], dict):  # a whole section
        return said
    shown = repr(first["input"])
    shown = shown if len(shown) <= 200 else shown[:200] + "…"
    return f"{said}, but it says {shown}"


@lru_cache(maxsize=256)
def _adapter(hint: Any) -> TypeAdapter[Any] | None:
    """Return what checks values of a type hint; None for hints that do not apply to TOML."""
    try:
        return None if hint is None else TypeAdapter(hint)
    except PydanticUserError:
        return None


def _fits(value: Any, default: Any) -> bool:
    """Whether a value has the type of its default. A setting without a default takes any value of TOML."""
    if default is None:
        return True
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, tuple | list):
        return isinstance(value, list)
    return type(value) is type(default)


def _type_name(value: Any) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
    return names.get(type(value), "a table" if isinstance(value, dict) else "a list")

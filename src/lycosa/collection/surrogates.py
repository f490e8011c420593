"""Replace lone surrogates, which UTF-8 cannot encode."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def encodable(text: str) -> str:
    """Return the text with `?` for every lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8")


def all_encodable(value: T) -> T:
    """Return a value of plain data and structs whose texts are all encodable. Slow, and seldom needed."""
    found: Any = value
    if isinstance(value, str) and not isinstance(value, Enum):
        found = encodable(value)
    elif isinstance(value, tuple | list):
        found = type(value)(map(all_encodable, value))
    elif isinstance(value, dict):
        found = {all_encodable(key): all_encodable(item) for key, item in value.items()}
    elif isinstance(value, msgspec.Struct):
        fields = {name: all_encodable(getattr(value, name)) for name in value.__struct_fields__}
        found = type(value)(**fields)
    return found  # type: ignore[no-any-return]

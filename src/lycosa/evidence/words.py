"""Describe facts in words for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lycosa.values import Category, Count, Data, Fact, NotSaid, Score

SHOWN = 20
"""Maximum number of structured data items listed."""
_HASH = 1 << 53
"""Whole numbers from here on are keys: they say nothing to a reader."""


def fact_in_words(name: str, fact: Fact) -> str:
    """What a fact says.

    >>> fact_in_words("topic", Score(0.7123, words=48)), fact_in_words("image", Score(0.91, "fire"))
    ('0.7123 (48 topic words)', '0.9100 (fire)')
    >>> fact_in_words("genre", Category("news", 0.9)), fact_in_words("event-date", NotSaid())
    ('news (0.90)', 'not said')
    >>> fact_in_words("tags", Data({"type": "profile.texts", "texts": ["owl", "night"]}))
    'owl, night'
    """
    match fact:
        case Score(value, label, words):
            more = [label] if label else []
            if words:
                more.append(f"{words} {name} words")
            return f"{value:.4f}" + (f" ({', '.join(more)})" if more else "")
        case Category(label, value):
            return f"{label} ({value:.2f})"
        case Count(value):
            return f"{value:,}"
        case NotSaid():
            return "not said"
        case Data(content):
            return data_in_words(content)


def data_in_words(content: dict[str, Any]) -> str:
    """Plain data as a line: the names of fields are said where there are several.

    >>> data_in_words({"type": "mine.sizes", "width": 3, "sides": ["left", "right"], "key": 2**60})
    'width 3; sides left, right'
    """
    fields = {name: list(_leaves(value)) for name, value in content.items() if name != "type"}
    told = {name: leaves for name, leaves in fields.items() if leaves}
    if len(told) == 1:
        return _listed(next(iter(told.values())))
    return "; ".join(f"{name} {_listed(leaves)}" for name, leaves in told.items()) or "nothing"


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from (f"{name} {leaf}" for leaf in _leaves(item))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, float):
        yield f"{value:.4g}"
    elif value is not None and not (isinstance(value, int) and abs(value) >= _HASH):
        yield str(value)


def _listed(leaves: list[str]) -> str:
    more = f" and {len(leaves) - SHOWN:,} more" if len(leaves) > SHOWN else ""
    return ", ".join(leaves[:SHOWN]) + more


def share_of(fact: Fact) -> float | None:
    """The number in [0, 1] that a bar can show; None where the fact has none."""
    return fact.value if isinstance(fact, Score | Category) else None


def number_of(fact: Fact) -> float | None:
    """A fact as a column of numbers has it; None where it is no number."""
    return float(fact.value) if isinstance(fact, Score | Category | Count) else None

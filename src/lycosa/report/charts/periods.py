"""Sum counts by day, month or year for a timeline."""

from __future__ import annotations

import datetime
from collections.abc import Sequence


def periods(by_day: Sequence[tuple[str, int]], limit: int = 80) -> tuple[str, list[tuple[str, int]]]:
    """Return the unit and counts by the finest period with at most `limit` of them, gaps included.

    >>> periods([("2024-01-30", 2), ("2024-02-02", 1)])
    ('day', [('2024-01-30', 2), ('2024-01-31', 0), ('2024-02-01', 0), ('2024-02-02', 1)])
    >>> periods([("2022-12-30", 2), ("2024-02-02", 1)], limit=20)[1][:2]
    [('2022-12', 2), ('2023-01', 0)]
    """
    if not by_day:
        return "day", []
    for unit, length in (("day", 10), ("month", 7), ("year", 4)):
        sums: dict[str, int] = {}
        for day, count in by_day:
            sums[day[:length]] = sums.get(day[:length], 0) + count
        steps = _between(min(sums), max(sums), unit, limit if unit != "year" else 10_000)
        if steps:
            return unit, [(step, sums.get(step, 0)) for step in steps]
    return "year", [(day[:4], count) for day, count in by_day]


def _between(first: str, last: str, unit: str, limit: int) -> list[str]:
    """Return all periods from the first to the last; none if there are more than `limit`, or no dates."""
    try:
        at, end = (datetime.date.fromisoformat((text + "-01-01")[:10]) for text in (first, last))
    except ValueError:
        return []
    length, steps = len(first), [at.isoformat()[: len(first)]]
    while at < end:
        if len(steps) == limit:
            return []
        if unit == "day":
            at += datetime.timedelta(days=1)
        else:
            months = at.month if unit == "month" else 12
            at = datetime.date(at.year + months // 12, months % 12 + 1, 1)
        steps.append(at.isoformat()[:length])
    return steps

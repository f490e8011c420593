"""What asking by how often pages change saves, and what it costs: pages that change at random, each at its own rate, for a season.

Command line: python -m research.revisits
Expected time: a second.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from lycosa.engine.change_rate import Watched

DAY_S = 86_400.0
DAYS = 90
SITE = {
    "twice a day": (5, 0.5),
    "daily": (10, 1.0),
    "weekly": (35, 7.0),
    "monthly": (50, 30.0),
    "never": (100, 0.0),
}
"""How many pages change how often: (pages, days between two changes in the mean)."""


class Cost(NamedTuple):
    """What a page cost over the season."""

    requests: int
    changes: int
    missed: int  # written over before they were seen
    late_s: float  # in all, of those that were seen


def season(every_days: float, adapts: bool, chance: Random) -> Cost:
    """Ask for one page over and over: once a day, or as the crawl does that begins with once a day."""
    changes, at = [], 0.0
    while every_days and (at := at + chance.expovariate(1 / (every_days * DAY_S))) < DAYS * DAY_S:
        changes.append(at)
    requests, missed, late_s, last = 0, 0, 0.0, 0.0
    now, watched = 0.0, Watched()
    while now < DAYS * DAY_S:
        new = [change for change in changes if last < change <= now]
        missed += max(0, len(new) - 1)
        late_s += now - new[-1] if new else 0.0
        watched = watched.visited(now - last, bool(new)) if requests else watched
        requests, last = requests + 1, now
        now += watched.wait_s(DAY_S) if adapts else DAY_S
    return Cost(requests, len(changes), missed, late_s)


def main() -> None:
    """Print the table."""
    print(
        "| pages that change | asked | requests | changes | missed | seen after, hours |\n|---|---|---|---|---|---|"
    )
    for adapts in (False, True):
        totals = []
        for name, (pages, every_days) in SITE.items():
            costs = [season(every_days, adapts, Random(f"{name}/{number}")) for number in range(pages)]
            totals.append(Cost(*(sum(values) for values in zip(*costs, strict=True))))
            print(_row(f"{pages} {name}", adapts, totals[-1]))
        print(_row("all", adapts, Cost(*(sum(values) for values in zip(*totals, strict=True)))))


def _row(name: str, adapts: bool, cost: Cost) -> str:
    seen = cost.changes - cost.missed
    late = f"{cost.late_s / seen / 3600:.1f}" if seen else ""
    return f"| {name} | {'by change' if adapts else 'daily'} | {cost.requests:,} | {cost.changes:,} | {cost.missed:,} | {late} |"


if __name__ == "__main__":
    main()

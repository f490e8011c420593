"""When to choose which strategy, with figures of the lab, for `lycosa strategies` and the docs.

The figures are data (`data/figures.json`, written by `research/strategy_figures.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from lycosa.errors import SpecError
from lycosa.methods.lookup import strategy_class, strategy_names

FIGURES = Path(__file__).parent / "data" / "figures.json"
SHOWN = {"recall": "finds", "precision": "right"}
"""Measures that a line shows, and the word for each."""


class Figures(msgspec.Struct, frozen=True):
    """What the lab measured: the mean of each measure by strategy.

    `measured` names the web (empty: nothing yet), `tuned` says what of Lycosa was tuned on it.
    """

    measured: str = ""
    tuned: str = ""
    options: dict[str, object] = {}
    strategies: dict[str, dict[str, float]] = {}


class Choice(msgspec.Struct, frozen=True):
    """A strategy that is somebody's best choice, what it reached, and on what."""

    strategy: str
    when: str
    figures: dict[str, float] = {}
    measured: str = ""


def figures_in(path: Path = FIGURES) -> Figures:
    """The figures of a file."""
    return msgspec.json.decode(path.read_bytes(), type=Figures)


def choices(figures: Figures | None = None) -> list[Choice]:
    """Each strategy of which its method says when to take it, in the methods' order."""
    figures = figures or figures_in()
    about = f"{figures.measured}. {figures.tuned}"
    return [
        Choice(name, when, found, about if found else "")
        for name in strategy_names()
        if (when := _when(name))
        for found in [figures.strategies.get(name, {})]
    ]


def _when(name: str) -> str:
    """When to choose a strategy; '' also for one whose package cannot be loaded."""
    try:
        return getattr(strategy_class(name), "when", "")
    except SpecError:
        return ""


def choices_text(figures: Figures | None = None) -> str:
    """For reading: a line for each choice, and what the figures are of.

    >>> print(choices_text(Figures()).splitlines()[0].split()[0])
    breadth-first
    """
    figures = figures or figures_in()
    found = choices(figures)
    width = max(len(choice.strategy) for choice in found)
    lines = [f"{choice.strategy.ljust(width)}  {choice.when}{_told(choice.figures)}" for choice in found]
    return "\n".join([*lines, *_about(figures)])


def choices_table(figures: Figures | None = None) -> str:
    """The same for the documentation."""
    figures = figures or figures_in()
    rows = [
        f"| [{one.strategy}]({one.strategy}.md) | {one.when}{_told(one.figures)} |"
        for one in choices(figures)
    ]
    return "\n".join(["| take | for |", "|---|---|", *rows, *_about(figures)])


def _told(figures: Mapping[str, float]) -> str:
    parts = [f"{word} {figures[name]:.0%}" for name, word in SHOWN.items() if name in figures]
    return f" ({', '.join(parts)})" if parts else ""


def _about(figures: Figures) -> Iterator[str]:
    if figures.measured:
        yield ""
        yield (
            f"Measured on {figures.measured}: how much of what could be reached it finds, and how much of what it "
            f"keeps is right. {figures.tuned}"
        ).strip()

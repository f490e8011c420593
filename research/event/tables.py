"""Format the figures of `research.event.measure` as the tables of research/event.md.

Command line: python -m research.event.tables OUT.json
Expected time: a second; it only formats figures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lycosa_lab.papers.event.ranking import FULL, VARIANTS
from research.measured import NOTEBOOKS, write_part
from research.measured import table as markdown_table

Figures = Mapping[str, Any]
PAGE = NOTEBOOKS / "event.md"
ON_PAGE = (
    "MAP of pages, paper",
    "MAP of pages, ours",
    "F1 of pages, ours, all three",
    "MAP of links, ours",
    "crawls",
    "event against best-first",
    "best sizes",
    "sources against none",
    "sources by halves",
    "made at",
)
"""Tables of the notebook, by their marks."""
FIGURES = ("recall", "auc", "hosts")
ORDER = ("breadth-first", "best-first", "event", "event, paper", "event, as shipped", "event, topic alone")
HEADS = ("topic", "+ date", "+ place", "+ both", "+ both + who")


def write_page(found: Figures) -> None:
    """Write the tables into the notebook."""
    made = sections(found)
    for name in ON_PAGE:
        if name in made:
            write_part(PAGE, f"table of {name}", made[name])


def markdown(found: Figures) -> str:
    """All tables, each under a line with its name."""
    return "\n".join(f"{title}:\n\n{text}\n" for title, text in sections(found).items())


def sections(found: Figures) -> dict[str, str]:
    """All tables by name."""
    crawls = found.get("crawls", ())
    weighed = {"none", *found.get("sources against none", ())}

    make: dict[str, Callable[[Any], str]] = {
        "crawls": lambda runs: crawls_table([run for run in runs if run["strategy"] not in weighed]),
        "event against best-first": lambda rows: table(*by_name("k", rows)),
        "best sizes": lambda row: table(*rows_of([row])),
        "sources against none": lambda rows: p_value_table(
            "source", rows, {name: mean for (name, _), mean in mean_figures(crawls).items()}
        ),
        "sources by halves": halves_table,
        "made at": lambda parts: "; ".join(f"{part} measured at {commit}" for part, commit in parts.items()),
    }
    shown = {name: make[name](found[name]) for name in make if name in found}
    return dict(_classification(found.get("classification", ()))) | shown


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table.

    >>> print(table(["k", "MAP"], [[10, 0.5]]))
    | k | MAP |
    |---|---|
    | 10 | 0.500 |
    """
    return markdown_table(head, [[told(cell) for cell in row] for row in rows])


def told(value: Any) -> str:
    """A cell: numbers to three decimals, small ones by a power of ten.

    >>> told(0.0004), told(0.25), told(10), told({"topic": 0.5, "who": 0.0})
    ('4.0e-04', '0.250', '10', '0.50 0.00')
    """
    if isinstance(value, dict):
        return " ".join(f"{number:.2f}" for number in value.values())
    if isinstance(value, float):
        return f"{value:.3f}" if value == 0 or abs(value) >= 0.001 else f"{value:.1e}"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def rows_of(rows: Sequence[Figures]) -> tuple[list[str], list[list[Any]]]:
    """Head and rows of similar records."""
    return [*rows[0]], [[*row.values()] for row in rows]


def by_name(first: str, rows: Mapping[Any, Figures]) -> tuple[list[str], list[list[Any]]]:
    """The same for named records; the name becomes the first column."""
    head, cells = rows_of([*rows.values()])
    return [first, *head], [[str(name), *row] for name, row in zip(rows, cells, strict=True)]


def mean_figures(runs: Sequence[Figures]) -> dict[tuple[str, int], dict[str, float]]:
    """Recall, area and hosts of each crawler, as means over events and draws."""
    groups: dict[tuple[str, int], list[Figures]] = {}
    for run in runs:
        groups.setdefault((run["strategy"], run["k"]), []).append(run)
    return {
        crawler: {name: float(np.mean([run[name] for run in group])) for name in FIGURES}
        for crawler, group in groups.items()
    }


def crawls_table(runs: Sequence[Figures]) -> str:
    """Means of the crawlers, grouped by strategy."""
    means = sorted(mean_figures(runs).items(), key=lambda item: ORDER.index(item[0][0]))
    rows = [[name, k or "", mean["recall"], mean["auc"], f"{mean['hosts']:.1f}"] for (name, k), mean in means]
    return table(["crawler", "k", "recall", "AUC", "hosts"], rows)


def p_value_table(first: str, rows: Mapping[str, Figures], means: Mapping[str, Figures]) -> str:
    """Means with the p values of differences."""
    cells = [
        [
            name,
            *(f"{means[name][figure]:.3f} ({told(row[f'{figure} p'])})" for figure in ("recall", "auc")),
            f"{means[name]['hosts']:.1f} ({told(row['hosts p'])})",
        ]
        for name, row in rows.items()
    ]
    return table([first, "recall (p)", "AUC (p)", "hosts (p)"], cells)


def halves_table(rows: Sequence[Figures]) -> str:
    """What each half chose, and its result on the other half."""

    def pair(row: Figures, name: str, form: str) -> str:
        return f"{row[name]:{form}}, {row[f'{name} without']:{form}} ({told(row[f'{name} p'])})"

    cells = [
        [
            row["learned on"],
            row["chosen"],
            pair(row, "recall", ".3f"),
            pair(row, "auc", ".3f"),
            pair(row, "hosts", ".1f"),
        ]
        for row in rows
    ]
    return table(["chosen on", "setting", "recall with it, without (p)", "AUC", "hosts"], cells)


def _classification(rows: Sequence[Figures]) -> Iterator[tuple[str, str]]:
    """Mean average precision by size and variant; for all aspects together also F1 and the learned parameters."""
    for kind in dict.fromkeys((row["of"], row["model"]) for row in rows):
        group = [row for row in rows if (row["of"], row["model"]) == kind]
        cells = {(row["variant"], row["k"]): row for row in group}
        ks = [*dict.fromkeys(row["k"] for row in group)]
        shown = [[k, *(cells[variant, k]["mean_average_precision"] for variant in VARIANTS)] for k in ks]
        yield f"MAP of {kind[0]}, {kind[1]}", table(["k", *HEADS], shown)
        learned = ("best_f1", "learned_f1", "threshold", "weights")
        full = [[k, *(cells[FULL, k][name] for name in learned)] for k in ks]
        heads = [
            "k",
            "best F1",
            "F1 at the learned threshold",
            "threshold",
            "weights (topic, place, date, who)",
        ]
        yield f"F1 of {kind[0]}, {kind[1]}, all three", table(heads, full)


if __name__ == "__main__":
    write_page(json.loads(Path(sys.argv[1]).read_bytes()))

"""The tables of docs/strategies/event.md. In: the figures that `measure_event` wrote. Out: Markdown.

python -m lycosa.lab.event_tables OUT.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.lab.event_ranking import FULL, VARIANTS

Found = Mapping[str, Any]
HEADS = ("topic", "+ date", "+ place", "+ both", "+ both + who")


def markdown(found: Found) -> str:
    """All tables, each under a line that says what it is."""
    sections = [
        *_classification(found["classification"]),
        ("ways by halves", table(*rows_of(found["ways by halves"]))),
        ("crawls", crawls_table(found["crawls"])),
        ("event against best-first", table(*by_name("k", found["event against best-first"]))),
        ("best sizes", table(*rows_of([found["best sizes"]]))),
        ("sources against none", table(*by_name("source", found["sources against none"]))),
        ("sources by halves", table(*rows_of(found["sources by halves"]))),
    ]
    return "\n".join(f"{title}:\n\n{text}\n" for title, text in sections)


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table.

    >>> print(table(["k", "MAP"], [[10, 0.5]]))
    | k | MAP |
    |---|---|
    | 10 | 0.500 |
    """
    lines = [head, *[[told(cell) for cell in row] for row in rows]]
    shown = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([shown[0], "|" + "---|" * len(head), *shown[1:]])


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


def rows_of(rows: Sequence[Found]) -> tuple[list[str], list[list[Any]]]:
    """Head and rows of records that are alike."""
    return [*rows[0]], [[*row.values()] for row in rows]


def by_name(first: str, rows: Mapping[Any, Found]) -> tuple[list[str], list[list[Any]]]:
    """The same of records that have a name, which becomes the first column."""
    head, cells = rows_of([*rows.values()])
    return [first, *head], [[str(name), *row] for name, row in zip(rows, cells, strict=True)]


def crawls_table(runs: Sequence[Found]) -> str:
    """Means over events and draws of each crawler."""
    groups: dict[tuple[str, int], list[Found]] = {}
    for run in runs:
        groups.setdefault((run["strategy"], run["k"]), []).append(run)
    figures = ("recall", "auc", "harvest", "hosts", "relevant_hosts")
    rows = [
        [name, k or "", *(float(np.mean([run[figure] for run in group])) for figure in figures)]
        for (name, k), group in groups.items()
    ]
    return table(["crawler", "k", "recall", "AUC", "harvest", "hosts", "relevant hosts"], rows)


def _classification(rows: Sequence[Found]) -> Iterator[tuple[str, str]]:
    """Mean average precision by size and variant; of all three, also F1 and what was learned."""
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
    print(markdown(json.loads(Path(sys.argv[1]).read_bytes())))

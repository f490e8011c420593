"""The paper's own tables on a web with events. In: a virtual web. Out: the last part of docs/strategies/event.md.

OUT has all that `lycosa lab reproduce event` writes; where it is there already, only the page is written.

Command line: python -m research.event.paper_tables ../shared/webs/news OUT
Expected time: two minutes of CPU, and six more to parse the web for the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from lycosa.lab.metrics import paired_test
from research.event.tables import PAGE
from research.measured import chance, mean, number, reproduced, rows_in, show_pictures, table, write_part

OURS = "event"
RATES = ("P", "R", "F1")
PICTURES = {
    "event-figure-13.png": "figure-13-pages.png",
    "event-figure-15.png": "figure-15-large-scale.png",
    "event-sources.png": "figures-24-27-all-events.png",
}

Rows = Sequence[Mapping[str, str]]


def learned_table(rows: Rows) -> str:
    """Table 6: what was learned on either half of the events, and what it gives the other."""
    cells = []
    for row in rows:
        weights = " ".join(row[name] for name in ("topic", "place", "date"))
        where = [" ".join(row[f"{name} ({on})"] for name in RATES) for on in ("learned", "tested")]
        cells.append([f"{row['variant']}, {row['learned on']}", row["k"], row["threshold"], weights, *where])
    heads = ["", "k", "threshold", "weights", "P, R, F1 where learned", "P, R, F1 on the other half"]
    return table(heads, cells)


def crawls_table(rows: Rows) -> str:
    """Recall, area and hosts of each crawler, and how sure it is that it differs from `event`."""

    def values(name: str, measure: str) -> list[float]:
        return [float(row[measure]) for row in rows if row["strategy"] == name]

    cells = []
    for name in dict.fromkeys(row["strategy"] for row in rows):
        line = [f"**{name}**" if name == OURS else name]
        for measure in ("recall", "auc", "hosts"):
            ours, theirs = values(OURS, measure), values(name, measure)
            shown = f"{sum(theirs) / len(theirs):.1f}" if measure == "hosts" else mean(theirs)
            line += [shown, "" if name == OURS else chance(paired_test(ours, theirs))]
        cells.append(line)
    return table(["crawler", "recall", "p", "AUC", "p", "hosts", "p"], cells)


def seeds_table(rows: Rows) -> str:
    """Tables 11 and 12: recall and sources of the collection, by how seeds are selected."""
    sizes = list(dict.fromkeys(row["K"] for row in rows))
    found = {
        (row["selection"], row["K"]): f"{number(float(row['recall']))}, {float(row['sources']):.0f}"
        for row in rows
    }
    names = list(dict.fromkeys(row["selection"] for row in rows))
    cells = [[name, *(found[name, size] for size in sizes)] for name in names]
    return table(["selection", *(f"K = {size}" for size in sizes)], cells)


def main(web: Path, out: Path) -> None:
    """Reproduce, unless that is done, and write tables and pictures."""
    commit = reproduced("event", web, out)
    parts = {
        "table 6": learned_table(rows_in(out / "tables-3-6-pages.csv")),
        "figure 15": crawls_table(rows_in(out / "crawls-large-scale.csv")),
        "figures 24-27": crawls_table(rows_in(out / "crawls.csv")),
        "tables 11 and 12": f"{seeds_table(rows_in(out / 'tables-11-12.csv'))}\n\nMeasured at {commit}.",
    }
    for name, made in parts.items():
        write_part(PAGE, f"the paper's {name}", made)
    show_pictures(out, PICTURES)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

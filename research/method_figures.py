"""What selective and event gain, and on which web. In: the webs. Out: the tables of their pages in docs/strategies.

Command line: python -m research.method_figures WEBS KEPT [selective] [event] [PART]
    KEPT is a folder where runs are kept, so that a second call only writes. PART is one of the tables, as "as a user".
Expected time: selective 20 minutes of CPU, event 3; parsing the webs for the first time, 6 more.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lycosa.lab import metrics
from lycosa.lab.plots import plot_curves
from lycosa.lab.run import Run
from research.measured import ROOT, Case, Measured, chance, mean, measured, number, table, write_part

MEASURES = ("harvest", "recall", "auc")
PAGES = ROOT / "docs" / "strategies"
WEIGHED = "selective combine=weighed"
TRAINED = ("breadth-first", "best-first-page", "anchor", "anchor-tree", "link-context", "selective")
CASES = {
    "selective": {
        "trained": (
            Case("wikischools", TRAINED, 200, 3, changes=("selective.combine=paper,weighed",)),
            WEIGHED,
        ),
        "as a user": (
            Case("wikischools", ("best-first", "selective", "fused"), 200, 3, given="keywords,examples:3"),
            "selective",
        ),
        "kinds of pages": (
            Case(
                "webkb",
                (*TRAINED, "opic"),
                500,
                3,
                "start",
                changes=("selective.combine=paper,weighed",),
                topics=("course", "faculty"),
            ),
            WEIGHED,
        ),
    },
    "event": {
        "crawls": (
            Case(
                "news", ("best-first", "link-context", "event"), 100, 2, "both", changes=("best-first.k=10",)
            ),
            "event",
        ),
    },
}
"""For each page the parts that are written, the runs that they are made of, and the strategy that is compared."""


def compared(found: Measured, ours: str) -> str:
    """Each strategy's measures, and how sure it is that ours differs from it."""
    grouped = found.by_strategy
    rows = []
    for name in sorted(grouped, key=lambda one: -_mean(grouped[one], "auc")):
        cells = [f"**{name}**" if name == ours else name]
        for measure in MEASURES:
            values = _values(grouped[name], measure)
            p = "" if name == ours else chance(metrics.paired_test(_values(grouped[ours], measure), values))
            cells += [mean(values), p]
        rows.append(cells)
    heads = ["strategy", *(head for measure in ("harvest", "recall", "AUC") for head in (measure, "p"))]
    return f"{table(heads, rows)}\n\nMeasured at {found.commit}, {len(grouped[ours])} runs each."


def by_halves(found: Measured, ours: str) -> str:
    """AUC of each strategy on either half of the topics, every other one, and how many times it ours is."""
    topics = sorted({run.topic for run in found.runs})
    rows = []
    for name, half in (("first", topics[::2]), ("second", topics[1::2])):
        areas = {
            strategy: _mean([run for run in runs if run.topic in half], "auc")
            for strategy, runs in found.by_strategy.items()
        }
        for strategy in sorted(areas, key=lambda one: -areas[one]):
            ratio = "" if strategy == ours else f"{areas[ours] / areas[strategy]:.2f}"
            rows.append([name, strategy, number(areas[strategy]), ratio])
    return f"{table(['half', 'strategy', 'AUC', f'{ours} / this'], rows)}\n\nMeasured at {found.commit}."


def _values(runs: Sequence[Run], measure: str) -> list[float]:
    return [float(getattr(run, measure)) for run in runs]


def _mean(runs: Sequence[Run], measure: str) -> float:
    return metrics.mean_and_error(_values(runs, measure)).mean


def main(webs: Path, kept: Path, names: Sequence[str]) -> None:
    """Measure what is wanted and not kept, and write it."""
    kept.mkdir(parents=True, exist_ok=True)
    for name, parts in CASES.items():
        for part, (case, ours) in parts.items():
            if not names or name in names or part in names:
                found = measured(case, webs, kept, processes=1)
                write_part(PAGES / f"{name}.md", part, compared(found, ours))
                if part == "trained":
                    plot_curves(found.runs, case.pages, ROOT / "docs" / "images" / "lab-wikischools")
                if name == "event":
                    write_part(PAGES / f"{name}.md", "halves", by_halves(found, ours))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

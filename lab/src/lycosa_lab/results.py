"""Results of runs: means with standard errors, paired tests, JSON, CSV and a table."""

from __future__ import annotations

import csv
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from lycosa import __version__
from lycosa_lab import metrics
from lycosa_lab.grids.grid import by_variant
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.cache import all_code_digest

if TYPE_CHECKING:
    from rich.table import Table

PIPE_WIDTH = 180
OF_FETCHED = {"harvest": "harvest", "recall": "recall", "auc": "AUC"}
OF_KEPT = {
    "precision": "precision",
    "kept_recall": "recall",
    "f1": "F1",
    "reported": "reported harvest",
    "harvest_error": "|reported − true|",
    "estimate_error": "|estimated − true|",
    "calibration_error": "calibration error",
    "brier": "Brier score",
}
"""What is measured of the pages that were fetched, and of those that were kept: names in files, words in tables."""
MEASURES = (*OF_FETCHED, *OF_KEPT, "overstated", "estimated", "precision_unasked")


def summary(runs: Sequence[Run], options: Options, **about: Any) -> dict[str, Any]:
    """All results as plain data: what `lab run --json` writes."""
    strategies = [_strategy(name, group) for name, group in by_variant(runs).items()]
    return {
        "strategies": strategies,
        "tests": paired_tests(runs),
        "options": asdict(options) | {"window": window_of(options.pages)} | about,
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """What results were made with: our version and code, Python, and the libraries that decide them.

    >>> sorted(versions())
    ['code', 'lycosa', 'numpy', 'python', 'scikit-learn', 'scipy', 'selectolax']
    """
    libraries = ("numpy", "scikit-learn", "scipy", "selectolax")
    ours = {"lycosa": __version__, "code": all_code_digest(), "python": platform.python_version()}
    return ours | {name: version(name) for name in libraries}


def _strategy(name: str, runs: Sequence[Run]) -> dict[str, Any]:
    found: dict[str, Any] = {"strategy": name, "settings": runs[0].settings}
    for measure in MEASURES:
        found[measure] = _mean([getattr(run, measure) for run in runs])
    for mapping in ("strict", "lenient"):
        parts = zip(
            ("precision", "recall", "f1"),
            zip(*(getattr(run, mapping) for run in runs), strict=True),
            strict=True,
        )
        found[mapping] = {part: _mean(values) for part, values in parts}
    found["reliability"] = [asdict(bin_) if bin_ else None for bin_ in pooled_reliability(runs)]
    found["runs"] = [_run(run) for run in runs]
    return found


def pooled_reliability(runs: Sequence[Run]) -> list[metrics.Bin | None]:
    """What became of the scores of all pages of these runs."""
    scores = [score for run in runs for score in run.scores]
    return metrics.reliability(scores, [relevant for run in runs for relevant in run.relevant])


def _mean(values: Sequence[float]) -> dict[str, float]:
    mean = metrics.mean_and_error(values)
    return {"mean": mean.mean, "se": mean.se}


def _run(run: Run) -> dict[str, Any]:
    return {
        "random_seed": run.random_seed,
        "topic": run.topic,
        "targets": run.targets,
        "curve": [[pages, relevant] for pages, relevant in enumerate(run.curve, start=1)],
        "sliding": [round(ratio, 4) for ratio in metrics.sliding_harvest(run.curve, window_of(run.budget))],
        "fetched": run.fetched,
        "scores": run.scores,
        "threshold": run.threshold,
        "collected": run.collected,
        "answered": run.answered,
        "decided_by": run.decided_by,
    }


def window_of(budget: int) -> int:
    """The window of the sliding harvest: 1,000 pages, or a quarter of a shorter run.

    >>> window_of(10_000), window_of(200)
    (1000, 50)
    """
    return max(1, min(1000, budget // 4))


def paired_tests(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Wilcoxon's signed-rank test between every two strategies, paired by topic and random seed."""
    grouped = list(by_variant(runs).items())
    tests = []
    for number, (first, ours) in enumerate(grouped):
        for second, theirs in grouped[number + 1 :]:
            for measure in ("harvest", "recall", "auc", "f1"):
                a = [float(getattr(run, measure)) for run in ours]
                b = [float(getattr(run, measure)) for run in theirs]
                difference = metrics.mean_and_error([x - y for x, y in zip(a, b, strict=True)])
                tests.append(
                    {
                        "first": first,
                        "second": second,
                        "measure": measure,
                        "difference": difference.mean,
                        "se": difference.se,
                        "p": metrics.paired_test(a, b),
                    }
                )
    return tests


def write_json(path: Path, results: dict[str, Any]) -> None:
    """One JSON file with everything."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(results))


def row_of(run: Run) -> dict[str, Any]:
    """The figures of a run."""
    row = {
        "strategy": run.strategy,
        "topic": run.topic,
        "random_seed": run.random_seed,
        "pages": len(run.curve),
        "targets": run.targets,
    }
    return row | {measure: getattr(run, measure) for measure in MEASURES}


def write_csv(path: Path, runs: Sequence[Run]) -> None:
    """One row a run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["strategy", "topic", "random_seed", "pages", "targets", *MEASURES])
        for run in runs:
            row = row_of(run) | {measure: f"{getattr(run, measure):.6f}" for measure in MEASURES}
            out.writerow(row.values())


def print_table(results: dict[str, Any]) -> None:
    """What was fetched and what was kept by each strategy, and how sure the best one's lead is."""
    from rich.console import Console

    console = Console()
    # A pipe has no width of its own: wide enough for the tables rather than cut at 80.
    console = console if console.is_terminal else Console(width=PIPE_WIDTH)
    for table in _tables(results):
        console.print(table)


def table_text(results: dict[str, Any]) -> str:
    """The same as plain text."""
    from rich.console import Console

    console = Console(width=PIPE_WIDTH, color_system=None, force_terminal=False)
    with console.capture() as captured:
        for table in _tables(results):
            console.print(table)
    return captured.get()


def _tables(results: dict[str, Any]) -> list[Table]:
    best = max(results["strategies"], key=lambda s: (s["strategy"] != "oracle", s["recall"]["mean"]))
    against = {
        (test["first"], test["second"]): test["p"] for test in results["tests"] if test["measure"] == "recall"
    }

    def lead(name: str) -> str:
        p = against.get((name, best["strategy"]), against.get((best["strategy"], name)))
        return "" if p is None else f"{p:.2g}"

    means = "mean ± standard error over topics and random seeds"
    leads = {f"p (recall, against {best['strategy']})": lead}
    return [
        _table(f"What was fetched: {means}", OF_FETCHED, results, leads),
        _table(f"What was kept, and what was said of it: {means}", OF_KEPT, results),
    ]


def _table(
    title: str,
    measures: Mapping[str, str],
    results: dict[str, Any],
    more: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
) -> Table:
    from rich.table import Table

    table = Table(title=title)
    table.add_column("strategy")
    for words in (*measures.values(), *more):
        table.add_column(words, justify="right")
    for strategy in results["strategies"]:
        figures = [f"{strategy[m]['mean']:.3f} ± {strategy[m]['se']:.3f}" for m in measures]
        name = strategy["strategy"]
        table.add_row(name, *figures, *(told(name) for told in more.values()))
    return table

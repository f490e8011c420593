"""Results of runs: means with standard errors over topics, paired tests, JSON, CSV and a table."""

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
from lycosa.errors import InputError
from lycosa.wording import counted
from lycosa_lab import metrics
from lycosa_lab.grids.grid import by_variant
from lycosa_lab.grids.variants import ORACLES
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
TESTED = ("harvest", "recall", "auc", "f1")
MEASURES = (*OF_FETCHED, *OF_KEPT, "overstated", "estimated", "precision_unasked")


def summary(runs: Sequence[Run], options: Options, baseline: str = "", **about: Any) -> dict[str, Any]:
    """All results as plain data: what `lab run --json` writes."""
    grouped = by_variant(runs)
    return {
        "strategies": [_strategy(name, group) for name, group in grouped.items()],
        "baseline": baseline_of(list(grouped), baseline),
        "tests": paired_tests(runs, baseline),
        "least_p": metrics.least_p(len({run.topic for run in runs})),
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
        found[measure] = asdict(mean_of(runs, measure))
    topics = [run.topic for run in runs]
    for mapping in ("strict", "lenient"):
        columns = zip(*(getattr(run, mapping) for run in runs), strict=True)
        found[mapping] = {
            part: asdict(metrics.mean_and_error(metrics.topic_means(topics, values)))
            for part, values in zip(("precision", "recall", "f1"), columns, strict=True)
        }
    found["reliability"] = [asdict(bin_) if bin_ else None for bin_ in pooled_reliability(runs)]
    found["runs"] = [_run(run) for run in runs]
    return found


def pooled_reliability(runs: Sequence[Run]) -> list[metrics.Bin | None]:
    """What became of the scores of all pages of these runs."""
    scores = [score for run in runs for score in run.scores]
    return metrics.reliability(scores, [relevant for run in runs for relevant in run.relevant])


def over_topics(runs: Sequence[Run], measure: str) -> list[float]:
    """A measure's mean for each topic, in the order of the topics."""
    return metrics.topic_means([run.topic for run in runs], [float(getattr(run, measure)) for run in runs])


def mean_of(runs: Sequence[Run], measure: str) -> metrics.Mean:
    """A measure's mean, with the standard error over topics."""
    return metrics.mean_and_error(over_topics(runs, measure))


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


def baseline_of(names: Sequence[str], named: str) -> str:
    """The line that the others are compared with: the one that is named, or else the first.

    >>> baseline_of(["oracle", "genre w_r=0.1", "genre w_r=0.2"], "genre")
    'genre w_r=0.1'
    """
    found = [name for name in names if name.split(" ")[0] not in ORACLES]
    if named:
        found = [name for name in names if name == named] or [
            name for name in names if name.split(" ")[0] == named
        ]
        if not found:
            raise InputError(f"--baseline {named}: it is not compared. Choose one of: {', '.join(names)}.")
    return found[0] if found else names[0]


def paired_tests(runs: Sequence[Run], baseline: str = "") -> list[dict[str, Any]]:
    """The baseline against every other strategy, over the means of topics.

    `p_holm` is corrected for the number of strategies. Oracles know the labels; they are not tested.
    """
    grouped = by_variant(runs)
    reference = baseline_of(list(grouped), baseline)
    others = [name for name in grouped if name != reference and name not in ORACLES]
    tests = []
    for measure in TESTED:
        ours = over_topics(grouped[reference], measure)
        theirs = {name: over_topics(grouped[name], measure) for name in others}
        chances = [metrics.paired_test(values, ours) for values in theirs.values()]
        for (name, values), p, corrected in zip(theirs.items(), chances, metrics.holm(chances), strict=True):
            lead = metrics.mean_and_error([a - b for a, b in zip(values, ours, strict=True)])
            tests.append(
                {
                    "baseline": reference,
                    "strategy": name,
                    "measure": measure,
                    "topics": len(ours),
                    "difference": lead.mean,
                    "se": lead.se,
                    "p": p,
                    "p_holm": corrected,
                    "least_p": metrics.least_p(len(ours)),
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


def write_csv(path: Path, runs: Sequence[Run], tests: Sequence[Mapping[str, Any]] = ()) -> list[Path]:
    """One row a run; the tests go to FILE-tests.csv."""
    figures = (
        row_of(run) | {measure: f"{getattr(run, measure):.6f}" for measure in MEASURES} for run in runs
    )
    found: dict[Path, list[Mapping[str, Any]]] = {
        path: list(figures),
        path.with_name(f"{path.stem}-tests.csv"): list(tests),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [file for file, rows in found.items() if rows]
    for file in written:
        with file.open("w", encoding="utf-8", newline="") as lines:
            out = csv.DictWriter(lines, found[file][0])
            out.writeheader()
            out.writerows(found[file])
    return written


def print_table(results: dict[str, Any]) -> None:
    """What was fetched and what was kept by each strategy, and the p values against the baseline."""
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
    tests = results["tests"]
    topics = tests[0]["topics"] if tests else len({run["topic"] for run in results["strategies"][0]["runs"]})
    chances = {test["strategy"]: test["p_holm"] for test in tests if test["measure"] == "recall"}

    def lead(name: str) -> str:
        return f"{chances[name]:.2g}" if name in chances and topics > 1 else ""

    means = "mean ± standard error over topics"
    note = f"{counted(topics, 'topic')}. " + (
        f"p: paired permutation test over topics, Holm-corrected for {counted(len(chances), 'comparison')}; "
        f"with {topics} topics it cannot be below {results['least_p']:.2g}."
        if topics > 1
        else "Standard errors and p values need more topics."
    )
    leads = {f"p (recall, against {results['baseline']})": lead} if chances else {}
    return [
        _table(f"What was fetched: {means}", OF_FETCHED, results, leads, note),
        _table(f"What was kept, and what was said of it: {means}", OF_KEPT, results),
    ]


def _table(
    title: str,
    measures: Mapping[str, str],
    results: dict[str, Any],
    more: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
    note: str = "",
) -> Table:
    from rich.table import Table

    table = Table(title=title, caption=note or None, caption_justify="left")
    table.add_column("strategy")
    for words in (*measures.values(), *more):
        table.add_column(words, justify="right")
    for strategy in results["strategies"]:
        figures = [str(metrics.Mean(**strategy[measure])) for measure in measures]
        name = strategy["strategy"]
        table.add_row(name, *figures, *(told(name) for told in more.values()))
    return table

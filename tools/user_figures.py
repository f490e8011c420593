"""What a user gets: writes the tables of docs/as-user.md and draws its picture. In: a folder of webs. Out: both.

Command line: python -m tools.user_figures ../shared/webs [WEB…]
Expected time: two minutes for the demo web alone; not measured for all, parsing the webs takes some minutes more.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from lycosa.demo import demo_web
from lycosa.lab import metrics
from lycosa.lab.comparing import Comparison, compare
from lycosa.lab.given import parse_given
from lycosa.lab.grid import by_variant
from lycosa.lab.plots import plot_scores
from lycosa.lab.progress import Bar
from lycosa.lab.protocol import Options
from lycosa.lab.run import Run

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "as-user.md"
PICTURE = ROOT / "docs" / "images" / "as-user-scores.png"
BEGIN, END = "<!-- written by tools/user_figures.py -->", "<!-- end of what is written -->"
STRATEGIES = ("best-first", "fused")
BOTH = "keywords,examples:3"
RUNS = 3
MEASURES = {
    "recall": "fetched",
    "precision": "precision",
    "kept_recall": "recall",
    "f1": "F1",
    "reported": "reported",
    "harvest": "true",
    "harvest_error": "abs(reported − true)",
    "estimate_error": "abs(estimated − true)",
    "calibration_error": "calibration",
    "brier": "Brier",
}


@dataclass(frozen=True)
class Case:
    """A web, and what a user gives."""

    web: str
    given: str
    pages: int = 200
    start_from: str = "seeds"


CASES = (
    *(Case("wikischools", given) for given in (BOTH, "keywords", "examples:3")),
    *(Case("wikischools", f"{BOTH},labels:{answers}") for answers in (10, 30)),
    *(Case("webkb", given, start_from="both") for given in (BOTH, "keywords", "examples:3")),
    *(Case("demo", given) for given in (BOTH, "keywords", "examples:3")),
)
DEMO_TOPICS = ("bread", "bridges", "comets", "owls", "tides")


def measured(
    case: Case, web: Path, runs: int, strategies: Sequence[str] = STRATEGIES, processes: int | None = None
) -> Comparison:
    """The runs of a case, over all topics of the web."""
    options = Options(
        pages=case.pages,
        seeds=3,
        start_from=case.start_from,  # type: ignore[arg-type]
        given=parse_given(case.given),
    )
    topics = DEMO_TOPICS if case.web == "demo" else ()
    with Bar(f"{case.web}, {case.given}") as bar:
        return compare(
            web,
            strategies,
            topics=topics,
            options=options,
            runs=runs,
            processes=processes,
            progress=bar.update,
            parsing=partial(bar.show, "pages parsed"),
        )


def rows(case: Case, compared: Comparison) -> list[str]:
    """A row of the table for each strategy."""
    found = []
    for strategy, group in by_variant(compared.runs).items():
        means = [_mean([getattr(run, name) for run in group]) for name in MEASURES]
        means.append(_mean([f1_of_all(run, compared) for run in group]))
        figures = " | ".join(f"{mean:.3f}" for mean in means)
        found.append(f"| {case.web} | {case.given} | {strategy} | {len(group)} | {figures} |")
    return found


def f1_of_all(run: Run, compared: Comparison) -> float:
    """F1 of what was kept against all relevant pages, also those that no link leads to: as as_user.py has it."""
    given = compared.options.given
    relevant = len(compared.web.topics[run.topic].relevant()) - (given.examples if given else 0)
    return 2 * run.precision * len(run.collected) / (len(run.collected) + relevant)


def _mean(values: Sequence[float]) -> float:
    return metrics.mean_and_error(values).mean


def table(cells: Sequence[str]) -> str:
    """The rows under their heads."""
    heads = ["web", "given", "strategy", "runs", *MEASURES.values(), "F1 of all"]
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *cells])


def written(text: str, figures: str) -> str:
    """The page with its figures between the marks.

    >>> written(f"a\\n{BEGIN}\\nold\\n{END}\\nb", "new") == f"a\\n{BEGIN}\\n\\nnew\\n\\n{END}\\nb"
    True
    """
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{figures}\n\n{END}{rest.partition(END)[2]}"


def main(webs: Path, names: Sequence[str]) -> None:
    """Measure the cases of these webs, or all; the picture is of the first one."""
    cells: list[str] = []
    cases = [case for case in CASES if not names or case.web in names]
    with TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        demo_web().write(demo)
        for case in cases:
            compared = measured(case, demo if case.web == "demo" else webs / case.web, RUNS)
            cells += rows(case, compared)
            if case is cases[0]:
                plot_scores(compared.runs, PICTURE)
            print("\n".join(cells[-len(STRATEGIES) :]), flush=True)
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), table(cells)), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

"""Measure strategies on all webs: tables for research/fused.md, a picture, and the figures of `lycosa strategies`.

Runs are kept in the folder KEPT and read from there the next time. With names of webs only their cases are measured,
with a word that names no web none; missing cases are left out of the tables. The figures of `lycosa strategies` are
those of crawls as a user, on topics that the rankings were not tuned on.

Command line: python -m research.strategy_figures ../shared/webs KEPT [WEB…]
         then: make docs
Expected time: half an hour of CPU for all webs.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.methods.choosing import FIGURES, Figures
from lycosa.methods.fused.record import PARTS
from lycosa_lab import metrics
from lycosa_lab.grids.grid import by_variant
from lycosa_lab.grids.variants import LOOK_AHEAD, ORACLE
from lycosa_lab.plots import plot_webs
from lycosa_lab.results import over_topics, paired_tests
from lycosa_lab.runs.run import Run
from research.measured import (
    NOTEBOOKS,
    ROOT,
    Case,
    Measured,
    chance,
    kept_runs,
    mean,
    measured,
    table,
    write_part,
)

PAGE = NOTEBOOKS / "fused.md"
PICTURE = ROOT / "docs" / "images" / "strategies.png"
FUSED = "fused"
BOUNDS = (ORACLE, LOOK_AHEAD)
PLAIN = (FUSED, "best-first", "best-first-page", "breadth-first", "shark-search", "opic")
TRAINED = ("link-context", "anchor", "selective")
ALL = (*PLAIN, *TRAINED, *BOUNDS)
COMBINED = ("selective.combine=paper,weighed",)
CASES = (
    Case("wikischools", ALL, 200, 5, changes=COMBINED),
    Case("webkb", ALL, 500, 5, "start", changes=COMBINED),
    Case("webkb", ALL, 500, 5, "seeds", changes=COMBINED),
    Case("news", (*ALL, "event"), 100, 1, "both", changes=(*COMBINED, "event.k=10")),
    Case(
        "media",
        (*PLAIN, "profile", "selective", *BOUNDS),
        1000,
        1,
        "both",
        changes=("selective.combine=weighed",),
    ),
)
ABLATION = {
    part: Case("wikischools", (FUSED,), 200, 2, changes=(f"fused.{part}=0",))
    for part in PARTS
    if part != "extra"
}
WORDS = {"wikischools": "wikischools, 200 pages", "news": "news, 100 pages", "media": "media, 1,000 pages"}
AS_USER = Case("wikischools-more", (FUSED, "best-first"), 200, 1, given="keywords,examples:3")
"""What `lycosa strategies` shows. Its folder needs the archive of wikischools, copied or linked."""
AS_USER_ON = "30 topics of wikischools-more, 200 pages, from keywords and three examples"
TUNED = (
    "The rankings were not tuned on these topics, but on others of that encyclopaedia; the judge was fitted on crawls of "
    "all of them."
)
SHOWN = ("harvest", "recall", "precision", "kept_recall", "f1")


def title_of(case: Case) -> str:
    """A case in a few words."""
    return WORDS.get(case.web) or f"{case.web} from {case.start_from}, {case.pages} pages"


def compared(found: Measured) -> str:
    """Recall and area of each strategy on a web, with p values against `fused`, corrected by Holm's method."""
    grouped = found.by_strategy
    rows = []
    order = sorted(grouped, key=lambda name: (name in BOUNDS, -_mean(over_topics(grouped[name], "auc"))))
    tests = {(test["strategy"], test["measure"]): test["p_holm"] for test in paired_tests(found.runs, FUSED)}
    for name in order:
        cells = [name]
        for measure in ("recall", "auc"):
            p = tests.get((name, measure))
            cells += [mean(over_topics(grouped[name], measure)), "" if p is None else chance(p)]
        rows.append(cells)
    return table(["strategy", "recall", "p", "AUC", "p"], rows)


def ablation(whole: Sequence[Run], found: Mapping[str, Sequence[Run]]) -> str:
    """Results of `fused` without one of its parts, and with all on the same draws."""
    rows = []
    by_draw = {(run.topic, run.random_seed): run for run in whole}
    for part, every in found.items():
        runs = [run for run in every if (run.topic, run.random_seed) in by_draw]
        beside = [by_draw[run.topic, run.random_seed] for run in runs]
        cells = [mean(over_topics(runs, "recall")), mean(over_topics(beside, "recall"))]
        areas, all_areas = over_topics(runs, "auc"), over_topics(beside, "auc")
        p = chance(metrics.paired_test(all_areas, areas))
        rows.append([part, str(len(runs)), *cells, mean(areas), mean(all_areas), p])
    return table(["without", "runs", "recall", "with it", "AUC", "with it", "p (AUC)"], rows)


def _mean(values: Sequence[float]) -> float:
    return metrics.mean_and_error(values).mean


def figures_of(words: str, found: Measured) -> Figures:
    """The mean of each measure by strategy."""
    means = {
        name: {measure: round(_mean(over_topics(runs, measure)), 4) for measure in SHOWN}
        for name, runs in sorted(found.by_strategy.items())
    }
    case = found.case
    return Figures(words, TUNED, {"pages": case.pages, "runs": case.runs, "given": case.given}, means)


def write(figures: Figures, path: Path = FIGURES) -> None:
    """Write the shipped file."""
    packed = msgspec.json.encode(msgspec.to_builtins(figures))
    path.write_bytes(msgspec.json.format(packed, indent=2) + b"\n")


def main(webs: Path, kept: Path, names: Sequence[str]) -> None:
    """Run missing cases, and write what can be written."""
    found: dict[str, Measured] = {}
    for case in CASES:
        if runs := _runs(case, webs, kept, names):
            found[title_of(case)] = runs
            print(
                f"{case.about}: {len(runs.runs)} runs at {runs.commit}, {runs.cpu_s:.0f} s of CPU", flush=True
            )
    tables = [f"{title} ({_draws(runs)}):\n\n{compared(runs)}" for title, runs in found.items()]
    made = sorted({runs.commit for runs in found.values()})
    cpu = sum(runs.cpu_s for runs in found.values()) / 60
    tables.append(
        f"Measured at {', '.join(made)}; {cpu:.0f} minutes of CPU, without what the lab had cached."
    )
    write_part(PAGE, "all webs", "\n\n".join(tables))
    plot_webs({title: (runs.runs, runs.case.pages) for title, runs in found.items()}, PICTURE)
    parts = {part: runs for part, case in ABLATION.items() if (runs := _runs(case, webs, kept, names))}
    whole = found.get(WORDS["wikischools"])
    if whole and parts:
        runs_of = {part: runs.runs for part, runs in parts.items()}
        write_part(PAGE, "ablation", ablation(whole.by_strategy[FUSED], runs_of))
    if shown := _runs(AS_USER, webs, kept, names):
        write(figures_of(AS_USER_ON, shown))


def _runs(case: Case, webs: Path, kept: Path, names: Sequence[str]) -> Measured | None:
    wanted = not names or case.web in names
    return measured(case, webs, kept) if wanted else kept_runs(case, kept)


def _draws(found: Measured) -> str:
    runs = by_variant(found.runs)[FUSED]
    topics = len({run.topic for run in runs})
    return f"{topics} topics × {len(runs) // topics} draws"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

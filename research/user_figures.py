"""Measure what a user gets from keywords and a few examples: tables and pictures of research/as-user.md.

Runs are kept in the folder KEPT and read from there the next time. With names of webs only their cases are measured,
with a word that names no web none; missing cases are left out of the tables.

Command line: python -m research.user_figures ../shared/webs KEPT [WEB…]
Expected time: twenty minutes of CPU for all webs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from lycosa_lab import metrics
from lycosa_lab.plots import plot_scores
from lycosa_lab.results import over_topics
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.web import VirtualWeb
from research.measured import (
    NOTEBOOKS,
    ROOT,
    Case,
    Measured,
    chance,
    kept_runs,
    mean,
    measured,
    number,
    table,
    web_of,
    write_part,
)

PAGE = NOTEBOOKS / "as-user.md"
IMAGES = ROOT / "docs" / "images"
BEST_FIRST, FUSED, EVENT = "best-first", "fused", "event"
RANKINGS = (BEST_FIRST, FUSED)
BOTH = "keywords,examples:3"
ALL_GIVEN = (BOTH, "keywords", "examples:3")
ANSWERED = (f"{BOTH},labels:10", f"{BOTH},labels:30")
EVENTS = Case("news", (EVENT, FUSED), 300, 1, "both", "examples:2")
CASES = (
    *(Case("wikischools", RANKINGS, 200, 3, given=given) for given in (*ALL_GIVEN, *ANSWERED)),
    *(Case("webkb", RANKINGS, 200, 3, "both", given) for given in ALL_GIVEN),
    *(Case("demo", RANKINGS, 200, 3, given=given) for given in ALL_GIVEN),
    EVENTS,
)
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
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0)
UNDER_LABELLED = "storms"
"""Of wikischools: Hurricane Andrew and 14 further pages of hurricanes and their seasons are not labelled."""
Found = dict[tuple[str, str], Measured]
"""Measured cases, by web and input."""


def f1_of_all(run: Run, given: int, web: VirtualWeb) -> float:
    """F1 of what was kept against all relevant pages, also those that no link leads to."""
    relevant = len(web.topics[run.topic].relevant()) - given
    return 2 * run.precision * len(run.collected) / (len(run.collected) + relevant)


def figures(found: Found, webs: Path, kept: Path) -> str:
    """All results for topics: a row for each web, input and strategy."""
    rows = []
    for case, runs in _topics(found):
        opened = VirtualWeb.open(web_of(case.web, webs, kept))
        for strategy, group in runs.by_strategy.items():
            means = [number(_mean(over_topics(group, name))) for name in MEASURES]
            examples = case.options.given.examples if case.options.given else 0
            means.append(number(_mean([f1_of_all(run, examples, opened) for run in group])))
            rows.append([case.web, case.given, strategy, str(len(group)), *means])
    return table(["web", "given", "strategy", "runs", *MEASURES.values(), "F1 of all"], rows)


def leads(found: Found) -> str:
    """p values of `fused` against best-first, over topics."""
    rows = []
    for case, runs in _topics(found):
        ours, theirs = (runs.by_strategy[name] for name in (FUSED, BEST_FIRST))
        cells = []
        for measure in ("recall", "f1", "precision"):
            a, b = over_topics(ours, measure), over_topics(theirs, measure)
            cells += [mean([x - y for x, y in zip(a, b, strict=True)]), chance(metrics.paired_test(a, b))]
        rows.append([case.web, case.given, *cells])
    heads = ["web", "given", "fetched", "p", "F1", "p", "precision", "p"]
    return table(heads, rows)


def _topics(found: Found) -> list[tuple[Case, Measured]]:
    return [
        (case, found[case.web, case.given]) for case in CASES if case is not EVENTS and _key(case) in found
    ]


def _key(case: Case) -> tuple[str, str]:
    return case.web, case.given


Goal = tuple[str, str, str, str, float, bool]
"""Words, input, strategy, measure, goal, whether more is better."""
GOALS: tuple[Goal, ...] = (
    ("precision of what is kept", BOTH, BEST_FIRST, "precision", 0.60, True),
    ("abs(reported − true)", BOTH, BEST_FIRST, "harvest_error", 0.08, False),
    ("F1", BOTH, BEST_FIRST, "f1", 0.42, True),
    ("abs(reported − true)", ANSWERED[0], BEST_FIRST, "harvest_error", 0.05, False),
    ("precision of what is kept", ANSWERED[1], BEST_FIRST, "precision", 0.85, True),
    ("fetched", BOTH, FUSED, "recall", 0.62, True),
    ("F1", BOTH, FUSED, "f1", 0.55, True),
    ("F1", ANSWERED[0], FUSED, "f1", 0.62, True),
    ("F1", ANSWERED[1], FUSED, "f1", 0.70, True),
)


def goals(found: Found) -> str:
    """Goals on wikischools, and results."""
    rows = []
    for words, given, strategy, measure, goal, more in GOALS:
        if ("wikischools", given) in found:
            values = over_topics(found["wikischools", given].by_strategy[strategy], measure)
            is_met = (_mean(values) >= goal) is more
            sign = "≥" if more else "≤"
            cells = [words, f"{sign} {number(goal)}", mean(values), _yes(is_met), str(len(values))]
            rows.append([strategy, given, *cells])
    return table(["strategy", "given", "measure", "goal", "reached", "met", "topics"], rows)


def by_topic(found: Measured) -> str:
    """Results for each topic of a web."""
    grouped = found.by_strategy
    rows = []
    for topic in sorted({run.topic for run in grouped[FUSED]}):
        cells = []
        for name in RANKINGS:
            runs = [run for run in grouped[name] if run.topic == topic]
            cells += [number(_mean(over_topics(runs, measure))) for measure in ("recall", "precision", "f1")]
        rows.append([topic, *cells])
    heads = [f"{name}: {word}" for name in RANKINGS for word in ("fetched", "precision", "F1")]
    return table(["topic", *heads], rows)


def reliability(runs: Sequence[Run]) -> str:
    """Share of relevant pages by probability; the same without the topic whose labels have gaps."""
    groups = [runs, [run for run in runs if run.topic != UNDER_LABELLED]]
    rows = []
    for low, high in pairwise(BINS):
        cells = []
        for group in groups:
            inside = [
                (score, relevant)
                for run in group
                for score, relevant in zip(run.scores, run.relevant, strict=True)
                if low <= score < high or score == high == BINS[-1]
            ]
            shares = [number(_mean(list(map(float, values)))) for values in zip(*inside, strict=True)]
            cells += [str(len(inside)), *(shares or ["", ""])]
        rows.append([f"{low:g}–{high:g}", *cells])
    heads = ["pages", "mean probability", "relevant"]
    return table(["probability", *heads, *(f"{head}, without {UNDER_LABELLED}" for head in heads)], rows)


def asked(found: Found) -> str:
    """Effect of answers on pages that nobody was asked about."""
    rows = []
    for given in ANSWERED:
        grouped = found["wikischools", given].by_strategy if ("wikischools", given) in found else {}
        for name, runs in grouped.items():
            measures = ("precision", "precision_unasked")
            rows.append([given, name, *(mean(over_topics(runs, measure)) for measure in measures)])
    return table(["given", "strategy", "precision", "precision of what nobody was asked about"], rows)


def lost(found: Found) -> str:
    """Where the F1 of `fused` is lost: pages that were not fetched, wrong judgements, the threshold."""
    rows = []
    for given in (BOTH, *ANSWERED):
        if ("wikischools", given) not in found:
            continue
        runs = found["wikischools", given].by_strategy[FUSED]
        topics = sorted({run.topic for run in runs}) if given == ANSWERED[-1] else []
        for name in ("all", *topics):
            group = [run for run in runs if name in ("all", run.topic)]
            counts = list(zip(*map(counted, group), strict=True))
            cells = [f"{_mean(list(map(float, values))):.0f}" for values in counts]
            measures = [over_topics(group, "f1"), *(list(map(of_run, group)) for of_run in BETTER.values())]
            rows.append(
                [
                    given,
                    name,
                    f"{_mean(over_topics(group, 'targets')):.0f}",
                    *cells,
                    *map(number, map(_mean, measures)),
                ]
            )
    heads = ["relevant, reachable", "relevant, fetched", "relevant, kept", "kept", "F1"]
    return table(["given", "topic", *heads, *BETTER], rows)


def best_threshold(run: Run) -> float:
    """F1 with the threshold that is best for the run's scores.

    >>> best_threshold(Run("", {}, "", 1, 3, 2, [1, 1, 2], [], [], 0, (), (), {}, [0.9, 0.5, 0.4], None))
    0.8
    """
    ordered = sorted(zip(run.scores, run.relevant, strict=True), reverse=True)
    right = accumulate(relevant for _, relevant in ordered)
    return max((2 * found / (kept + run.targets) for kept, found in enumerate(right, 1)), default=0.0)


def perfect_judgement(run: Run) -> float:
    """F1 if exactly the relevant ones of the fetched pages were kept."""
    return 2 * run.recall / (1 + run.recall)


def perfect_fetching(run: Run) -> float:
    """F1 if all relevant pages were fetched, and judged as well as those that were."""
    fetched, right, kept = counted(run)
    return 2 * right / (kept + fetched) if right else 0.0


BETTER = {
    "with the best threshold": best_threshold,
    "with perfect judgement": perfect_judgement,
    "with perfect fetching": perfect_fetching,
}


def events(found: Measured) -> str:
    """Share of the fetched relevant pages that is kept, and precision."""
    rows = []
    for name, runs in found.by_strategy.items():
        fetched, right, kept = (sum(counted(run)[at] for run in runs) for at in range(3))
        errors = over_topics(runs, "harvest_error")
        rows.append(
            [
                name,
                str(len(runs)),
                number(_mean(over_topics(runs, "recall"))),
                f"{number(right / fetched)} ({right} of {fetched})",
                f"{number(right / kept)} ({right} of {kept})",
                number(_mean([of(counted(run), 0) for run in runs if counted(run)[0]])),
                number(_mean([of(counted(run), 2) for run in runs if counted(run)[2]])),
                number(_mean(errors)),
            ]
        )
    heads = ["strategy", "runs", "fetched", "of the relevant ones fetched: kept", "precision"]
    return table([*heads, "kept, mean of runs", "precision, mean of runs", "abs(reported − true)"], rows)


def counted(run: Run) -> tuple[int, int, int]:
    """Relevant pages fetched, relevant pages kept, and all pages kept."""
    right = {url for url, relevant in zip(run.fetched, run.relevant, strict=True) if relevant}
    return len(right), len(right.intersection(run.collected)), len(run.collected)


def of(counts: tuple[int, int, int], whole: int) -> float:
    """Relevant pages kept, divided by one of the other two."""
    return counts[1] / counts[whole]


def _mean(values: Sequence[float]) -> float:
    return metrics.mean_and_error(values).mean


def _yes(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def main(webs: Path, kept: Path, names: Sequence[str]) -> None:
    """Run missing cases, and write what can be written."""
    found: Found = {}
    for case in CASES:
        wanted = not names or case.web in names
        if (runs := measured(case, webs, kept) if wanted else kept_runs(case, kept)) is not None:
            found[_key(case)] = runs
            print(
                f"{case.about}: {len(runs.runs)} runs at {runs.commit}, {runs.cpu_s:.0f} s of CPU", flush=True
            )
    write_part(PAGE, "all figures", figures(found, webs, kept))
    write_part(PAGE, "leads", leads(found))
    write_part(PAGE, "goals", goals(found))
    write_part(PAGE, "answers", asked(found))
    write_part(PAGE, "lost", lost(found))
    if both := found.get(("wikischools", BOTH)):
        write_part(PAGE, "topics", by_topic(both))
        write_part(PAGE, "reliability", reliability(both.runs))
        plot_scores(both.runs, IMAGES / "as-user-scores.png")
    if happened := found.get(_key(EVENTS)):
        write_part(PAGE, "events", events(happened))
        plot_scores(happened.by_strategy[EVENT], IMAGES / "as-user-events.png")
    made_at = sorted({runs.commit for runs in found.values()})
    cpu = sum(runs.cpu_s for runs in found.values())
    write_part(
        PAGE,
        "made",
        f"Measured at {', '.join(made_at)}; {cpu / 60:.0f} minutes of CPU, without what the lab had cached.",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

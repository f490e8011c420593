"""Figures 7-9 of Liu, Peng and Zuo: harvest rate, target recall, and the text that decided on the links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lycosa.values import Floats, Say
from lycosa_lab import results
from lycosa_lab.grids.grid import by_variant, run_grid
from lycosa_lab.grids.progress import Bar
from lycosa_lab.grids.variants import variants
from lycosa_lab.papers.output import panel, write_table
from lycosa_lab.plots import COLOURS, draw_curves, harvest_over_pages, recall_over_pages
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.web import VirtualWeb

STRATEGIES = ("breadth-first", "best-first-page", "anchor", "anchor-tree", "link-context", "selective")
COMBINED = "selective.combine=paper,weighed"
"""The paper's crawler and ours."""
PAPER = "selective combine=paper"
PAGES, RUNS = 500, 5
RULES = ("anchor text alone", "anchor text and link context")


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Run the paper's six crawlers and ours on all topics of a web, and draw its figures."""
    opened = VirtualWeb.open(web)
    options = Options(pages=PAGES)
    say(f"{len(STRATEGIES) + 1} crawlers × {len(opened.topics)} topics × {RUNS} runs, {PAGES} pages each")
    with Bar("runs") as bar:
        runs = run_grid(
            web,
            sorted(opened.topics),
            variants(STRATEGIES, [COMBINED]),
            options,
            random_seeds=range(1, RUNS + 1),
            progress=bar.update,
        )
    found = results.summary(runs, options, web=opened.title)
    results.print_table(found)
    results.write_json(out / "selective.json", found)
    results.write_csv(out / "runs.csv", runs)
    _curve(runs, out / "figure-7-harvest-rate", harvest_over_pages, "harvest rate")
    _curve(runs, out / "figure-8-target-recall", recall_over_pages, "target recall")
    _decided(by_variant(runs)[PAPER], out)


def _curve(runs: Sequence[Run], path: Path, measure: Callable[[Run, int], Floats], title: str) -> None:
    with panel(path) as axes:
        draw_curves(axes, runs, PAGES, measure, title)


def _decided(runs: Sequence[Run], out: Path) -> None:
    """Figure 9: links decided on the anchor alone and with the context, per topic (mean of runs)."""
    topics = sorted({run.topic for run in runs})
    counts = {
        rule: [
            np.mean([run.decided_by.get(rule, 0) for run in runs if run.topic == topic]) for topic in topics
        ]
        for rule in RULES
    }
    rows = [[topic, *(f"{counts[rule][i]:.1f}" for rule in RULES)] for i, topic in enumerate(topics)]
    write_table(out / "figure-9.csv", ["topic", *RULES], rows)
    with panel(out / "figure-9-what-decided", size=(8, 4.2)) as axes:
        at = np.arange(len(topics))
        for number, rule in enumerate(RULES):
            axes.bar(at + (number - 0.5) * 0.4, counts[rule], 0.38, label=rule, color=COLOURS[number])
        axes.set_xticks(at, topics, rotation=40, ha="right", fontsize=8)
        axes.set_ylabel("links decided upon (mean of runs)")
        axes.set_yscale("log")

"""Farag's tables 3-8 and figures 12-16 and 24-27, on a web with events (labels.csv and dated pages).

His one event becomes all events of the web: models are made of 3 pages, and what is learned is
learned on the other events. Tables 11 and 12 need seeds from posts: see docs/strategies/event.md.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.evidence.event_model import OURS, PAPER, event_table
from lycosa.frontier import Floats
from lycosa.lab.measure_event import (
    VARIANTS,
    Crawls,
    EventWeb,
    classification,
    learned_models,
    leave_one_out,
    summary,
)
from lycosa.lab.plots import draw_curves, figure_library, harvest_over_pages, recall_over_pages, save
from lycosa.lab.run import Run
from lycosa.train.event import THRESHOLDS, Sample

KS = (10, 100, 200)
PAPER_K = 10
PAGES = 100
Say = Callable[[str], None]


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Write the tables as CSV and text, and the figures as PNG and SVG."""
    events = EventWeb(web)
    _models(events, out)
    for number, sort in ((12, "links"), (13, "pages")):
        _classified(events, sort, number, out, say)
    _crawled(events, out, say)


def _models(web: EventWeb, out: Path) -> None:
    """Tables 7 and 8: the models of two events."""
    two = [*web.events][:2]
    shown = [f"{event}\n\n{event_table(web.model(event, 0, PAPER))}\n" for event in two]
    (out / "tables-7-8.txt").write_text("\n".join(shown), encoding="utf-8")


def _classified(web: EventWeb, sort: str, number: int, out: Path, say: Say) -> None:
    """Tables 3-6 and figures 12 (URLs) and 13 (pages)."""
    make = web.link_sample if sort == "links" else web.page_sample
    side = PAPER.links if sort == "links" else PAPER.pages
    groups = [*web.events]
    samples = [make(event, 0, PAPER, KS) for event in groups]
    with (out / f"tables-3-6-{sort}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["variant", "k", "threshold", "topic", "place", "date", "MAP", "best F1", "F1"])
        for row in classification(samples, groups, KS, side, "f1"):
            weights = [row.weights.topic, row.weights.place, row.weights.date]
            figures = [row.threshold, *weights, row.mean_average_precision, row.best_f1, row.learned_f1]
            rows.writerow([row.variant, row.k, *(f"{figure:.3f}" for figure in figures)])
            say(f"{sort}, {row.variant}, k={row.k}: MAP {row.mean_average_precision:.3f}")
    plt = figure_library()
    figure, axes = plt.subplots(figsize=(5.5, 4.5))
    for variant in [*VARIANTS][:4]:
        _, scores = leave_one_out(samples, 0, side, VARIANTS[variant], "f1", groups)
        precision, recall = precision_recall(scores, samples)
        axes.plot(recall, precision, marker=".", label=variant)
    axes.set(xlabel="recall", ylabel="precision", title=f"{sort}, k = {KS[0]}, thresholds 0 to 1")
    axes.legend(frameon=False, fontsize=8)
    save(figure, out / f"figure-{number}-{sort}")


def precision_recall(scores: Sequence[Floats], samples: Sequence[Sample]) -> tuple[Floats, Floats]:
    """Precision and recall at each threshold, pooled over events."""
    taken, hits = np.zeros(len(THRESHOLDS)), np.zeros(len(THRESHOLDS))
    for values, sample in zip(scores, samples, strict=True):
        over = values[None, :] >= THRESHOLDS[:, None]
        taken += over.sum(axis=1)
        hits += (over & sample.relevant).sum(axis=1)
    wanted = sum(int(sample.relevant.sum()) for sample in samples)
    return hits / np.maximum(1, taken), hits / max(1, wanted)


def _crawled(web: EventWeb, out: Path, say: Say) -> None:
    """Figures 14-16 (topic-only against event) and 24-27 (with source importance), and the hosts."""
    crawls = Crawls(web, pages=PAGES)
    models = learned_models(web, OURS, (PAPER_K,), "search")
    lines: list[list[Any]] = []
    for name in ("best-first", "event", "event, success-rate-best", "event, absolute-good"):
        source = name.removeprefix("event, ") if ", " in name else "none"
        done = [
            crawls.best_first(event, PAPER_K)
            if name == "best-first"
            else crawls.event(event, models[event, PAPER_K], source, name)
            for event in web.events
        ]
        say(summary(done))
        lines += [[one.strategy, one.event, one.recall, one.auc, one.harvest, one.hosts] for one in done]
    with (out / "crawls.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["crawler", "event", "recall", "AUC", "harvest", "hosts"])
        rows.writerows(lines)
    plain = [run for run in crawls.runs if "," not in run.strategy]
    weighed = [run for run in crawls.runs if run.strategy != "best-first"]
    _curves(plain, out / "figures-14-16-event-and-topic")
    _curves(weighed, out / "figures-24-27-source-importance")


def _curves(runs: Sequence[Run], path: Path) -> None:
    plt = figure_library()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
    draw_curves(left, runs, PAGES, harvest_over_pages, "harvest ratio")
    draw_curves(right, runs, PAGES, recall_over_pages, "target recall")
    right.legend(frameon=False, fontsize=8, loc="upper left")
    save(figure, path)

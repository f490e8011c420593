"""Farag's tables 3-8, 11 and 12 and figures 12-16 and 24-27, on a web with events (labels.csv, dated pages).

All events of the web stand for his one. Models are made of 3 pages. What is learned on one half of the events (his
training set) is tested on the other, both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.errors import InputError
from lycosa.methods.event.model import OURS, PAPER, Side
from lycosa.methods.event.table import event_table
from lycosa.methods.event.training.scoring import (
    THRESHOLDS,
    Sample,
    best_f1,
    combined,
    f1_weights,
    pooled,
    taken_of,
)
from lycosa.urls import authority_of, source_of
from lycosa.values import Floats, Say
from lycosa_lab.grids.progress import Bar
from lycosa_lab.papers.event import seeds as event_seeds
from lycosa_lab.papers.event.crawls import Crawled, Crawls, summary
from lycosa_lab.papers.event.ranking import VARIANTS, restricted
from lycosa_lab.papers.event.web import EventWeb
from lycosa_lab.papers.output import legend, panel, panels, write_table
from lycosa_lab.plots import COLOURS, draw_curves, harvest_over_pages, recall_over_pages
from lycosa_lab.runs.run import Run

KS = (5, 10, 20, 50, 100, 200, 500, 1000, 1310)
FOUR = [*VARIANTS][:4]
"""Without `who`, which the paper does not have."""
PAGES, LARGE = 100, 500
PAPER_K = 10
SOURCES: dict[str, dict[str, Any]] = {
    "event": {},
    "event, success-rate-best": {"source": "success-rate-best"},
    "event, mean-score": {"source": "mean-score"},
    "event, mean-score, fewer hosts": {"source": "mean-score", "prior_pages": 10.0, "newcomers": 0.5},
}


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Write the tables as CSV and text, and the figures as PNG and SVG."""
    if not (web / "events.csv").exists():
        raise InputError(
            f"{web} has no events.csv, which says what happened when and where (docs/webs.md). Write it, or leave --web "
            "out for the demo web."
        )
    say("Reading the web …")
    events = EventWeb(web)
    largest = sorted(events.events, key=lambda event: (-len(events.events[event]), event))
    _models(events, largest[:2], out)
    for number, sort in ((12, "links"), (13, "pages")):
        say(f"Tables 3-6 and figure {number}: {sort} …")
        _classified(events, sort, number, out, say)
    _crawled(events, largest, out, say)
    for row in event_seeds.write_tables(events, out):
        say("{}, K = {}: harvest {:.3f}, recall {:.3f}, sources {:.1f}".format(*row))


def _models(web: EventWeb, two: Sequence[str], out: Path) -> None:
    """Tables 7 and 8: the models of two events."""
    shown = [f"{event}\n\n{event_table(web.model(event, 0, PAPER))}\n" for event in two]
    (out / "tables-7-8.txt").write_text("\n".join(shown), encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Learned:
    """A variant as the paper learns it on one half of the events."""

    side: Side
    row: int  # of its size in KS

    @classmethod
    def on(cls, samples: Sequence[Sample], side: Side, aspects: Sequence[str]) -> Learned:
        """Weights by the F1 of each aspect, then size and threshold together."""
        truths = [sample.relevant for sample in samples]
        found = []
        for row, k in enumerate(KS):
            weights = restricted(f1_weights(samples, row), aspects)
            tried = msgspec.structs.replace(side, k=k, weights=weights)
            f1, threshold = best_f1([combined(sample, row, tried) for sample in samples], truths)
            found.append((f1, -row, msgspec.structs.replace(tried, threshold=threshold)))
        _, row, best = max(found, key=lambda one: one[:2])
        return cls(best, -row)

    def scores(self, samples: Sequence[Sample]) -> list[Floats]:
        """What it gives the pages of each event."""
        return [combined(sample, self.row, self.side) for sample in samples]


def _classified(web: EventWeb, sort: str, number: int, out: Path, say: Say) -> None:
    """Table 3, tables 4 (URLs) and 5 (pages) on the half learned on, 6 on the other; figures 12 and 13."""
    make, side = (web.link_sample, PAPER.links) if sort == "links" else (web.page_sample, PAPER.pages)
    samples = []
    with Bar(f"events, {sort}") as bar:
        for event in web.events:
            samples.append(make(event, 0, PAPER, KS))
            bar.update(len(samples), len(web.events))
    halves = (samples[::2], samples[1::2])
    curves = {}
    rows = []
    for variant in FOUR:
        scores: list[Floats] = []
        for half in (0, 1):
            fit = Learned.on(halves[half], side, VARIANTS[variant])
            weights = [fit.side.weights.topic, fit.side.weights.place, fit.side.weights.date]
            tested = fit.scores(halves[1 - half])
            figures = [
                *rates(fit.scores(halves[half]), halves[half], fit.side.threshold),
                *rates(tested, halves[1 - half], fit.side.threshold),
            ]
            scores += tested
            told = [f"{figure:.3f}" for figure in (fit.side.threshold, *weights, *figures)]
            rows.append([variant, f"half {half + 1}", fit.side.k, *told])
            say(f"{sort}, {variant}, half {half + 1}: k {fit.side.k}, F1 on the other {figures[6]:.3f}")
        curves[variant] = precision_recall(scores, [*halves[1], *halves[0]])
    head = ["variant", "learned on", "k", "threshold", "topic", "place", "date", *HEADS]
    write_table(out / f"tables-3-6-{sort}.csv", head, rows)
    _precision_recall_figure(curves, sort, out / f"figure-{number}-{sort}")


HEADS = [f"{name} ({on})" for on in ("learned", "tested") for name in ("P", "R", "F1", "weighted F1")]


def rates(
    scores: Sequence[Floats], samples: Sequence[Sample], threshold: float
) -> tuple[float, float, float, float]:
    """Precision, recall and F1 of the relevant, pooled over events; and F1 weighted by class.

    The last is probably what the paper reports; it hardly varies where few pages are relevant.
    """
    taken = np.concatenate([values >= threshold for values in scores])
    truth = np.concatenate([sample.relevant for sample in samples])
    hits, wrong, missed = (taken & truth).sum(), (taken & ~truth).sum(), (~taken & truth).sum()
    left = (~taken & ~truth).sum()
    f1 = 2 * hits / max(1, 2 * hits + wrong + missed)
    of_others = 2 * left / max(1, 2 * left + wrong + missed)
    share = truth.mean()
    return (
        float(hits / max(1, hits + wrong)),
        float(hits / max(1, hits + missed)),
        float(f1),
        float(share * f1 + (1 - share) * of_others),
    )


def precision_recall(scores: Sequence[Floats], samples: Sequence[Sample]) -> tuple[Floats, Floats]:
    """Precision and recall at each threshold, pooled over events."""
    found = pooled(taken_of(values, one.relevant) for values, one in zip(scores, samples, strict=True))
    none = np.full(len(THRESHOLDS), np.nan)
    precision = np.divide(found.hits, found.taken, out=none, where=found.taken > 0)
    return precision, found.hits / max(1, found.wanted)


def _precision_recall_figure(curves: dict[str, tuple[Floats, Floats]], sort: str, path: Path) -> None:
    with panel(path, size=(6, 4.5)) as axes:
        for number, (variant, (precision, recall)) in enumerate(curves.items()):
            axes.plot(recall, precision, marker=".", color=COLOURS[number], label=variant)
        axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1))
        axes.set_title(f"{sort}, thresholds 0 to 1")


def _crawled(web: EventWeb, largest: Sequence[str], out: Path, say: Say) -> None:
    """Figures 14-16 (topic-only against event) and 24-27 (with source importance), and the hosts."""
    crawls, far = Crawls(web, pages=PAGES), Crawls(web, pages=LARGE)
    done: list[Crawled] = []
    with Bar("crawls") as bar:
        steps = len(SOURCES) + 3
        for at, (name, settings) in enumerate(SOURCES.items()):
            done += [crawls.event(event, OURS, name, settings) for event in web.events]
            bar.update(at + 1, steps)
        done += [crawls.best_first(event, PAPER_K) for event in web.events]
        bar.update(steps - 2, steps)
        large = [far.event(event, OURS) for event in web.events]
        bar.update(steps - 1, steps)
        large += [far.best_first(event, PAPER_K) for event in web.events]
        bar.update(steps, steps)
    for pages, runs in ((PAGES, done), (LARGE, large)):
        for name in dict.fromkeys(one.strategy for one in runs):
            say(f"{pages} pages: {summary([one for one in runs if one.strategy == name])}")
    _write_crawls(done, out / "crawls.csv")
    _write_crawls(large, out / "crawls-large-scale.csv")
    by_event = {event: [run for run in crawls.runs if run.topic == event] for event in largest[:4]}
    plain = ("best-first", "event")
    for number, event in ((14, largest[0]), (16, largest[1])):
        _curves(
            [run for run in by_event[event] if run.strategy in plain], PAGES, out / f"figure-{number}-{event}"
        )
    _curves(far.runs, LARGE, out / "figure-15-large-scale")
    _four(by_event, out / "figures-24-27-source-importance")
    _curves(
        [run for run in crawls.runs if run.strategy in SOURCES],
        PAGES,
        out / "figures-24-27-all-events",
        {"hosts visited": hosts_over_pages},
    )


def _write_crawls(done: Sequence[Crawled], path: Path) -> None:
    columns = ("strategy", "event", "recall", "auc", "harvest", "hosts", "relevant_hosts")
    write_table(path, columns, ([getattr(one, name) for name in columns] for one in done))


def hosts_over_pages(run: Run, pages: int) -> Floats:
    """From how many sources the pages came, after each page; a run that ended early keeps its last value."""
    seen: set[str] = set()
    found = []
    for url in run.fetched[:pages]:
        seen.add(source_of(authority_of(url)))
        found.append(float(len(seen)))
    return np.array(found + [float(len(seen))] * (pages - len(found)))


Measure = Callable[[Run, int], Floats]


def _curves(runs: Sequence[Run], pages: int, path: Path, more: Mapping[str, Measure] | None = None) -> None:
    measures = {"harvest ratio": harvest_over_pages, "target recall": recall_over_pages} | dict(more or {})
    with panels(path, columns=len(measures), size=(5.5, 4.2)) as (row,):
        for axes, (title, measure) in zip(row, measures.items(), strict=True):
            draw_curves(axes, runs, pages, measure, title)
        legend(row[1])


def _four(by_event: dict[str, list[Run]], path: Path) -> None:
    """Figures 24-27: four events with and without source importance.

    Recall instead of the paper's harvest, which must fall where an event has fewer pages than the crawl fetches.
    """
    with panels(path, 2, 2, (5.5, 3.75), sharex=True) as grid:
        for axes, (event, runs) in zip(grid.flat, by_event.items(), strict=False):
            weighed = [run for run in runs if run.strategy in SOURCES]
            draw_curves(axes, weighed, PAGES, recall_over_pages, "target recall")
            axes.set_title(event, fontsize=9)
            axes.set_ylim(0, 1.05)
        legend(grid[0][0])

"""Tables 2-5 and figures 2-5 of Qian, Suebchua and Yamana: what the genre of the linking page adds.

The two largest topics of the web stand for gaming and baseball. P(I, G) and w_R come from the draw of
random seed 1; the last crawls (figures 4 and 5, table 5) start from other draws.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa.evidence.genre import GenreEvidence, built_in_model
from lycosa.evidence.genre.prior import Counts, prior_table
from lycosa.lab.cache import CachedWeb
from lycosa.lab.measure_genre import WEIGHTS, Case, Remembered, best_weight, genre_mix, make_case
from lycosa.lab.metrics import mean_and_error
from lycosa.lab.plots import COLOURS, figure_library, harvest_over_pages, recall_over_pages, save
from lycosa.lab.protocol import Options
from lycosa.lab.run import Run
from lycosa.lab.web import VirtualWeb

PAGES = 500
TOPICS = 2
LATER_SEEDS = (2, 3, 4)

Say = Callable[[str], None]


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Analyse, sweep and crawl for two topics of a web; write tables as CSV and figures."""
    cached = CachedWeb(VirtualWeb.open(web))
    genres = Remembered(GenreEvidence(built_in_model()))
    names = sorted(cached.web.topics, key=lambda name: (-len(cached.web.topics[name].relevant()), name))
    found: dict[str, Any] = {"web": cached.web.title, "mix": genre_mix(cached), "topics": {}}
    harvests: list[list[object]] = []
    for number, topic in enumerate(names[:TOPICS]):
        say(f"{topic}: P(I, G), then {len(WEIGHTS)} crawls for w_R, then {2 * len(LATER_SEEDS)} to compare")
        cases = [
            make_case(cached, topic, Options(pages=PAGES), seed, genres, extended=False)
            for seed in (1, *LATER_SEEDS)
        ]
        counts = cases[0].counts()
        _table(
            out / f"table-{2 + number}-{topic}.csv",
            ("genre", "P from relevant", "links", "P from irrelevant", "links"),
            prior_table(counts),
        )
        sweep = {w_r: cases[0].run(w_r, counts, learn=False) for w_r in WEIGHTS}
        _coverage(sweep, out / f"figure-2-coverage-{topic}")
        areas = {w_r: run.auc for w_r, run in sweep.items()}
        _areas(areas, out / f"figure-3-area-{topic}")
        w_r = best_weight(areas)
        crawls = _crawls(cases[1:], w_r, counts)
        _harvest(crawls, out / f"figure-{4 + number}-harvest-{topic}")
        rates = {name: mean_and_error([run.harvest for run in runs]) for name, runs in crawls.items()}
        harvests += [[topic, name, rate.mean, rate.se] for name, rate in rates.items()]
        found["topics"][topic] = {
            "areas": {str(weight): area for weight, area in areas.items()},
            "w_r": w_r,
            "harvest": {name: rate.mean for name, rate in rates.items()},
        }
    _table(
        out / "table-4-score-functions.csv",
        ("topic", "best-first", "genre"),
        [
            (topic, "S = R", f"S = {one['w_r']:g} R + {1 - one['w_r']:.2g} C P")
            for topic, one in found["topics"].items()
        ],
    )
    _table(out / "table-5-harvest.csv", ("topic", "crawler", "harvest rate", "standard error"), harvests)
    (out / "genre.json").write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def _crawls(cases: Sequence[Case], w_r: float, counts: Counts) -> dict[str, list[Run]]:
    return {
        "best-first (S = R)": [case.run(1.0, None, learn=False) for case in cases],
        f"genre, w_R = {w_r:g}": [case.run(w_r, counts, learn=False) for case in cases],
        f"genre, w_R = {w_r:g}, P learned": [case.run(w_r, None, learn=True) for case in cases],
    }


def _table(path: Path, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def _coverage(sweep: dict[float, Run], path: Path) -> None:
    plt = figure_library()
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    for w_r, run in sweep.items():
        axes.plot(
            range(1, PAGES + 1),
            recall_over_pages(run, PAGES),
            color=COLOURS[1] if w_r == 1 else COLOURS[0],
            alpha=1.0 if w_r == 1 else 0.15 + 0.6 * w_r,
            linewidth=1,
        )
    axes.set(xlabel="pages fetched", ylabel="coverage", title="w_R from 0 (pale) to 0.95; w_R = 1 in red")
    save(figure, path)


def _areas(areas: dict[float, float], path: Path) -> None:
    plt = figure_library()
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    axes.plot(list(areas), list(areas.values()), marker="o", color=COLOURS[0])
    axes.set(xlabel="w_R", ylabel="area under the coverage curve")
    save(figure, path)


def _harvest(crawls: dict[str, list[Run]], path: Path) -> None:
    plt = figure_library()
    figure, axes = plt.subplots(figsize=(6.5, 4.5))
    for colour, (name, runs) in zip(COLOURS, crawls.items(), strict=False):
        curves = [harvest_over_pages(run, PAGES) for run in runs]
        axes.plot(range(1, PAGES + 1), sum(curves) / len(curves), color=colour, label=name)
    axes.set(xlabel="pages fetched", ylabel="harvest rate")
    axes.legend(frameon=False, fontsize=8)
    save(figure, path)

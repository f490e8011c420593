"""Tables 1-5 and figures 2-5 of Qian, Suebchua and Yamana.

The two largest topics of the web stand for gaming and baseball. P(I, G) and w_R come from the draw of random seed
1; the crawls of figures 4 and 5 and table 5 use other draws. Harvest is by the web's labels, with the paper's
harvest by the relevance classifier next to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.prior import Counts, prior_table
from lycosa.values import Say
from lycosa_lab.metrics import mean_and_error
from lycosa_lab.papers.genre.crawls import WEIGHTS, Case, best_weight, genre_mix, make_case
from lycosa_lab.papers.output import panel, write_table
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.plots import COLOURS, harvest_over_pages, line_colours, recall_over_pages
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

PAGES = 500
TOPICS = 2
LATER_SEEDS = (2, 3, 4)


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Analyse, sweep and crawl for two topics of a web; write tables as CSV and figures."""
    cached = CachedWeb(VirtualWeb.open(web))
    genres = Remembered(GenreEvidence(built_in_model()))
    names = sorted(cached.web.topics, key=lambda name: (-len(cached.web.topics[name].relevant()), name))
    found: dict[str, Any] = {"web": cached.web.title, "mix": genre_mix(cached), "topics": {}}
    say("Genres: " + ", ".join(f"{genre} {share:.1%}" for genre, share in found["mix"].items()))
    for number, topic in enumerate(names[:TOPICS]):
        say(f"{topic}: {len(LATER_SEEDS) + 1} draws and their classifiers …")
        case = make_case(cached, topic, Options(pages=PAGES), 1, genres, extended=False)
        # Where all that is relevant is found, all crawlers harvest alike: they are stopped before.
        pages = min(PAGES, len(case.draw.targets))
        cases = [
            make_case(cached, topic, Options(pages=pages), seed, genres, extended=False)
            for seed in LATER_SEEDS
        ]
        counts = case.counts()
        write_table(
            out / f"table-{2 + number}-{topic}.csv",
            ("genre", "P from relevant", "links", "P from irrelevant", "links"),
            prior_table(counts),
        )
        sweep = {}
        for w_r in WEIGHTS:
            sweep[w_r] = case.run(w_r, counts, learn=False)
            say(f"{topic}: w_R {w_r:g}, AUC {sweep[w_r].auc:.4f}")
        areas = {w_r: run.auc for w_r, run in sweep.items()}
        # Where best-first itself has the largest area, the crawls show what the next best weight costs.
        w_r = best_weight({weight: area for weight, area in areas.items() if weight < 1})
        _coverage(topic, sweep, out / f"figure-2-coverage-{topic}")
        _areas(topic, areas, out / f"figure-3-area-{topic}")
        say(f"{topic}: {3 * len(LATER_SEEDS)} crawls with S = R and with w_R = {w_r:g} …")
        crawls = _crawls(cases, w_r, counts)
        _harvest(topic, crawls, pages, out / f"figure-{4 + number}-harvest-{topic}")
        found["topics"][topic] = {
            "graph": [len(hop) for hop in case.hops()],
            "pages": pages,
            "areas": {str(weight): area for weight, area in areas.items()},
            "w_r": w_r,
            "harvest": {name: _harvests(runs) for name, runs in crawls.items()},
        }
    _write_tables(found, out)


def _harvests(runs: Sequence[Run]) -> dict[str, float]:
    rate = mean_and_error([run.harvest for run in runs])
    by_itself = mean_and_error([len(run.collected) / max(1, len(run.fetched)) for run in runs])
    return {"mean": rate.mean, "se": rate.se, "by its own classifier": by_itself.mean}


def _write_tables(found: dict[str, Any], out: Path) -> None:
    topics = found["topics"]
    write_table(
        out / "table-1-graph.csv",
        ("topic", "seeds", "1st hop", "2nd hop"),
        [(topic, *one["graph"]) for topic, one in topics.items()],
    )
    write_table(
        out / "table-4-score-functions.csv",
        ("topic", "best-first", "genre"),
        [
            (topic, "S = R", f"S = {one['w_r']:g} R + {1 - one['w_r']:.2g} C P")
            for topic, one in topics.items()
        ],
    )
    write_table(
        out / "table-5-harvest.csv",
        ("topic", "pages", "crawler", "harvest rate", "standard error", "by its own classifier"),
        [
            (topic, one["pages"], name, *rate.values())
            for topic, one in topics.items()
            for name, rate in one["harvest"].items()
        ],
    )
    (out / "genre.json").write_bytes(msgspec.json.format(msgspec.json.encode(found)))


def _crawls(cases: Sequence[Case], w_r: float, counts: Counts) -> dict[str, list[Run]]:
    return {
        "best-first (S = R)": [case.run(1.0, None, learn=False) for case in cases],
        f"genre, w_R = {w_r:g}": [case.run(w_r, counts, learn=False) for case in cases],
        f"genre, w_R = {w_r:g}, P learned": [case.run(w_r, None, learn=True) for case in cases],
    }


def _coverage(topic: str, sweep: dict[float, Run], path: Path) -> None:
    with panel(path) as axes:
        at = range(1, PAGES + 1)
        for colour, (w_r, run) in zip(line_colours(len(sweep)), sweep.items(), strict=True):
            curve, is_baseline = recall_over_pages(run, PAGES), w_r == 1
            label = f"w_R = {w_r:g}" if w_r in (0, 0.5, 0.95) else None
            if is_baseline:
                axes.plot(at, curve, color=COLOURS[1], linewidth=2, label="w_R = 1: best-first")
            else:
                axes.plot(at, curve, color=colour, linewidth=1, label=label)
        axes.set(
            xlabel="pages fetched", ylabel="coverage", title=f"{topic}: w_R from 0 (dark) to 0.95 (light)"
        )


def _areas(topic: str, areas: dict[float, float], path: Path) -> None:
    best = best_weight(areas)
    with panel(path) as axes:
        axes.plot(list(areas), list(areas.values()), marker="o", color=COLOURS[0])
        axes.axhline(areas[1.0], color=COLOURS[1], linewidth=1, linestyle="--", label="best-first (w_R = 1)")
        axes.plot([best], [areas[best]], "o", markersize=10, color=COLOURS[0], label=f"largest at {best:g}")
        axes.set(xlabel="w_R", ylabel="area under the coverage curve", title=topic)


def _harvest(topic: str, crawls: dict[str, list[Run]], pages: int, path: Path) -> None:
    title = f"{topic}: mean of {len(LATER_SEEDS)} draws"
    with panel(path) as axes:
        for colour, (name, runs) in zip(COLOURS, crawls.items(), strict=False):
            curves = [harvest_over_pages(run, pages) for run in runs]
            axes.plot(range(1, pages + 1), sum(curves) / len(curves), color=colour, label=name)
        axes.set(xlabel="pages fetched", ylabel="harvest rate", title=title)
        axes.set_ylim(bottom=0)

"""Measure what the genre adds to best-first: genre mix, P(I, G), the sweep of w_R, margins in AUC.

Results are kept in a folder, so that a second call only writes. w_R and P(I, G) come from one half of the topics and
the margins from the other, both ways.

Command line: python -m research.genre.crawls ../shared/webs KEPT
Expected time: five minutes of CPU, and three more to parse the webs for the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from lycosa.errors import InputError
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.prior import Counts, class_name, prior_table
from lycosa.values import Say
from lycosa_lab import metrics
from lycosa_lab.grids.comparing import compare as compare_strategies
from lycosa_lab.papers.genre.crawls import WEIGHTS, Case, best_weight, genre_mix, make_case
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import NOTEBOOKS, ROOT, chance, commit_of, number, table, web_of, write_part

MIN_SHARE = 0.05
"""A margin is claimed only if two genres have at least this share of the pages."""
PAGE = NOTEBOOKS / "genre.md"


class Plan(NamedTuple):
    """A comparison on a web: largest topics, draws of each, pages of a crawl, five genres or twelve."""

    web: str
    topics: int
    draws: int
    pages: int
    extended: bool = False


PLANS = (
    Plan("media", 3, 2, 500),
    Plan("news", 36, 1, 300),
    Plan("news", 20, 1, 300, True),
    Plan("webkb", 2, 2, 300, True),
    Plan("demo", 8, 1, 200),
    Plan("demo", 8, 1, 200, True),
)
SWEPT_PAGES = 200


def can_claim(mix: Mapping[str, float]) -> bool:
    """Whether a web has enough pages of two genres for a margin to mean something.

    >>> can_claim({"news": 0.9, "other": 0.06}), can_claim({"other": 0.99, "news": 0.01})
    (True, False)
    """
    return sum(share >= MIN_SHARE for share in mix.values()) >= 2


def pooled(cases: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """Counts of P(I, G) over several topics."""
    total: dict[str, tuple[int, int]] = {}
    for case in cases:
        for name, (good, links) in case.counts().items():
            before = total.get(name, (0, 0))
            total[name] = (before[0] + good, before[1] + links)
    return total


def sweep(
    cases: Sequence[Case], prior: Counts, weights: Sequence[float] = WEIGHTS, say: Say = lambda _: None
) -> dict[float, float]:
    """Mean AUC of simulated crawls for each w_R; no link is discarded."""
    areas = {}
    for w_r in weights:
        areas[w_r] = metrics.mean_and_error([case.run(w_r, prior, learn=False).auc for case in cases]).mean
        say(f"  w_R {w_r:g}: AUC {areas[w_r]:.4f}")
    return areas


def margins(cases: Sequence[Case], w_r: float, prior: Counts) -> dict[str, Any]:
    """AUC on cases that chose neither w_R nor P(I, G): baseline, counted prior, and prior learned during the crawl."""
    baseline = [case.run(1.0, None, learn=False).auc for case in cases]
    counted = [case.run(w_r, prior, learn=False).auc for case in cases]
    learned = [case.run(w_r, None, learn=True).auc for case in cases]
    return {
        "w_r": w_r,
        "of": [case.topic.name for case in cases],
        "baseline": baseline,
        "counted": counted,
        "learned": learned,
    }


def cases_of(
    web: CachedWeb,
    options: Options,
    random_seeds: Sequence[int],
    genres: Remembered,
    extended: bool,
    topics: int,
    say: Say,
) -> dict[str, list[Case]]:
    """Draws of the largest topics. Topics with too few reachable pages are reported and left out."""
    cases: dict[str, list[Case]] = {}
    for topic in sorted(web.web.topics, key=lambda name: (-len(web.web.topics[name].relevant()), name)):
        try:
            cases[topic] = [make_case(web, topic, options, seed, genres, extended) for seed in random_seeds]
        except InputError as error:
            say(f"  {topic} is left out: {error}")
        if len(cases) >= topics:
            break
    return cases


def compare(
    path: Path,
    *,
    topics: int = 12,
    random_seeds: Sequence[int] = (1, 2),
    options: Options | None = None,
    extended: bool = False,
    weights: Sequence[float] = WEIGHTS,
    say: Say = lambda _: None,
) -> dict[str, Any]:
    """All figures of a web: genre mix, and for each half of the topics its sweep and the margins of the other half."""
    web = CachedWeb(VirtualWeb.open(path))
    options = options or Options()
    mix = genre_mix(web, extended)
    say(f"{path.name}: " + ", ".join(f"{genre} {share:.1%}" for genre, share in mix.items()))
    genres = Remembered(GenreEvidence(built_in_model(extended)))
    cases = cases_of(web, options, random_seeds, genres, extended, topics, say)
    names = sorted(cases)
    halves = [list(chain.from_iterable(cases[name] for name in names[part::2])) for part in (0, 1)]
    results = []
    for train, test in (halves, halves[::-1]):
        prior = pooled(train)
        areas = sweep(train, prior, weights, say)
        found = margins(test, best_weight(areas), prior)
        results.append({"sweep": areas, "prior": prior, "table": prior_table(prior), **found})
        say(f"  w_R {found['w_r']:g}; " + told(summary([results[-1]])))
    total = summary(results)
    say(f"{path.name}: {told(total)}")
    return {
        "web": path.name,
        "extended": extended,
        "mix": mix,
        "claim": can_claim(mix),
        "topics": names,
        "random_seeds": list(random_seeds),
        "pages": options.pages,
        "halves": results,
        "summary": total,
    }


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Means over all held-out topics, margins, and the share of the gain that remains with a learned prior."""
    of, *values = (
        list(chain.from_iterable(result[name] for result in results))
        for name in ("of", "baseline", "counted", "learned")
    )
    columns = {
        name: metrics.topic_means(of, column)
        for name, column in zip(("baseline", "counted", "learned"), values, strict=True)
    }
    means = {name: metrics.mean_and_error(values).mean for name, values in columns.items()}
    gains = {
        name: metrics.mean_and_error(
            [ours - base for ours, base in zip(columns[name], columns["baseline"], strict=True)]
        )
        for name in ("counted", "learned")
    }
    return {
        **means,
        "counted_margin": gains["counted"].mean,
        "counted_margin_se": gains["counted"].se,
        "learned_margin": gains["learned"].mean,
        "learned_margin_se": gains["learned"].se,
        "counted_p": metrics.paired_test(columns["counted"], columns["baseline"]),
        "learned_p": metrics.paired_test(columns["learned"], columns["baseline"]),
        "relative": gains["counted"].mean / means["baseline"] if means["baseline"] else 0.0,
        "runs": len(of),
    }


def line(found: Mapping[str, Any]) -> list[str]:
    """A web's row of the table."""
    mix = ", ".join(f"{genre} {share:.0%}" for genre, share in found["mix"].items() if share >= 0.005)
    total = found["summary"]
    return [
        f"{found['web']}, {'twelve' if found['extended'] else 'five'} genres ({mix})",
        f"{len(found['topics'])} × {len(found['random_seeds'])}, {found['pages']} pages",
        "; ".join(_leads(found)),
        " and ".join(f"{half['w_r']:g}" for half in found["halves"]),
        number(total["baseline"]),
        *(
            f"{number(total[name])} ({number(total[f'{name}_margin'])} ± {number(total[f'{name}_margin_se'])}, "
            f"p {chance(total[f'{name}_p'])})"
            for name in ("counted", "learned")
        ),
    ]


def _leads(found: Mapping[str, Any]) -> list[str]:
    """For each frequent genre the share of links on relevant pages that lead to relevant pages, for either half."""
    told = []
    for genre in (genre for genre, share in found["mix"].items() if share >= MIN_SHARE):
        counts = [half["prior"].get(class_name(True, genre), (0, 0)) for half in found["halves"]]
        shares = [f"{good / links:.0%}" if links else "no link" for good, links in counts]
        told.append(f"{genre} {', '.join(shares)}")
    return told


def told(found: Mapping[str, float]) -> str:
    """The summary in a line."""
    return (
        f"AUC best-first {found['baseline']:.4f}, counted {found['counted']:.4f} "
        f"({found['counted_margin']:+.4f} ± {found['counted_margin_se']:.4f}, p {found['counted_p']:.3f}), "
        f"learned {found['learned']:.4f} ({found['learned_margin']:+.4f} ± {found['learned_margin_se']:.4f}, "
        f"p {found['learned_p']:.3f}); {found['runs']:.0f} runs"
    )


def kept(plan: Plan, webs: Path, folder: Path) -> dict[str, Any]:
    """Results of a plan and their commit, read from a folder or computed and kept there."""
    path = folder / f"{'-'.join(map(str, plan))}.json"
    if not path.exists():
        commit = commit_of(ROOT)
        found = compare(
            web_of(plan.web, webs, folder),
            topics=plan.topics,
            random_seeds=range(1, plan.draws + 1),
            options=Options(pages=plan.pages),
            extended=plan.extended,
            say=partial(print, flush=True),
        )
        path.write_bytes(msgspec.json.encode(found | {"web": plan.web, "commit": commit}))
    found = msgspec.json.decode(path.read_bytes())
    return dict(found)


def swept(runs: Sequence[Run]) -> str:
    """Mean area for each w_R, in crawls with the lab's judge and a learned prior."""
    areas: dict[float, list[float]] = {}
    for run in runs:
        areas.setdefault(run.settings["w_r"], []).append(run.auc)
    weights = sorted(areas)
    means = [number(metrics.mean_and_error(areas[w_r]).mean) for w_r in weights]
    return table(["w_R", *(f"{w_r:g}" for w_r in weights)], [["AUC", *means]])


def main(webs: Path, folder: Path) -> None:
    """Run comparisons that are not kept, sweep on the demo web, and write both tables."""
    folder.mkdir(parents=True, exist_ok=True)
    found = [kept(plan, webs, folder) for plan in PLANS]
    heads = ["web (mix of genres)", "topics × draws", "P(I, G) from relevant pages, either half", "w_R"]
    told = table([*heads, "best-first", "genre, P counted", "genre, P learned"], [line(one) for one in found])
    commits = ", ".join(dict.fromkeys(one["commit"] for one in found))
    write_part(PAGE, "crawls", f"{told}\n\nMeasured at {commits}.")
    commit, options = commit_of(ROOT), Options(pages=SWEPT_PAGES)
    demo = web_of("demo", webs, folder)
    made = compare_strategies(demo, ["genre"], changes=["genre.w_r=0:1:0.1"], options=options, runs=1)
    write_part(PAGE, "sweep", f"{swept(made.runs)}\n\nMeasured at {commit}, {len(made.topics)} topics.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

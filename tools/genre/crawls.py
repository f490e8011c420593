"""What the genre adds to best-first on a web: genre mix, P(I, G), the sweep of w_R, margins in AUC.

In: a virtual web with labels. Out: the lines of the table in docs/strategies/genre.md, and all of it as JSON. Beyond
the paper, w_R and P(I, G) come from one half of the topics and the margins from the other, both ways.

Command line: python -m tools.genre.crawls WEB [--topics N] [--pages N] [--draws N] [--extended] [--json FILE]
Expected time: not measured with the defaults; --topics 2 --pages 50 --draws 1 is a small beginning.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.protocol import Options
from lycosa.lab.web import VirtualWeb
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.paper.crawls import WEIGHTS, Case, Remembered, best_weight, genre_mix, make_case
from lycosa.methods.genre.prior import Counts, prior_table
from lycosa.values import Say

MIN_SHARE = 0.05
"""A margin is claimed only where two genres have at least this share of the pages."""


def can_claim(mix: Mapping[str, float]) -> bool:
    """Whether a web has enough of two genres for a margin to mean something.

    >>> can_claim({"news": 0.9, "other": 0.06}), can_claim({"other": 0.99, "news": 0.01})
    (True, False)
    """
    return sum(share >= MIN_SHARE for share in mix.values()) >= 2


def pooled(cases: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """The counts of P(I, G) over several topics."""
    total: dict[str, tuple[int, int]] = {}
    for case in cases:
        for name, (good, links) in case.counts().items():
            before = total.get(name, (0, 0))
            total[name] = (before[0] + good, before[1] + links)
    return total


def sweep(
    cases: Sequence[Case], prior: Counts, weights: Sequence[float] = WEIGHTS, say: Say = lambda _: None
) -> dict[float, float]:
    """The mean AUC of simulated crawls for each w_R; no link is discarded."""
    areas = {}
    for w_r in weights:
        areas[w_r] = metrics.mean_and_error([case.run(w_r, prior, learn=False).auc for case in cases]).mean
        say(f"  w_R {w_r:g}: AUC {areas[w_r]:.4f}")
    return areas


def margins(cases: Sequence[Case], w_r: float, prior: Counts) -> dict[str, Any]:
    """AUC on cases that chose neither w_R nor P(I, G): baseline, counted prior, and learned on the way."""
    baseline = [case.run(1.0, None, learn=False).auc for case in cases]
    counted = [case.run(w_r, prior, learn=False).auc for case in cases]
    learned = [case.run(w_r, None, learn=True).auc for case in cases]
    return {
        "w_r": w_r,
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
    """The draws of each of the largest topics; one that has too few pages, or none to reach, is told."""
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
    """All figures of a web: mix, and for each half of the topics its sweep and the other's margins."""
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
    """Means over all held-out runs, margins, and how much of the gain is left when learned."""
    columns = {
        name: list(chain.from_iterable(result[name] for result in results))
        for name in ("baseline", "counted", "learned")
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
        "runs": len(columns["baseline"]),
    }


def line(found: Mapping[str, Any]) -> str:
    """A web's line of the table in docs/strategies/genre.md."""
    mix = ", ".join(f"{genre} {share:.0%}" for genre, share in found["mix"].items() if share >= 0.005)
    total, weights = found["summary"], " and ".join(f"{half['w_r']:g}" for half in found["halves"])
    cells = [
        f"{found['web']}, {'ten' if found['extended'] else 'five'} genres ({mix})",
        f"{len(found['topics'])} × {len(found['random_seeds'])}, {found['pages']} pages",
        weights,
        f"{total['baseline']:.3f}",
        *(
            f"{total[name]:.3f} ({total[f'{name}_margin']:+.3f} ± {total[f'{name}_margin_se']:.3f}, "
            f"p {total[f'{name}_p']:.2f})"
            for name in ("counted", "learned")
        ),
    ]
    return "| " + " | ".join(cells) + " |"


def told(found: Mapping[str, float]) -> str:
    """The summary in a line."""
    return (
        f"AUC best-first {found['baseline']:.4f}, counted {found['counted']:.4f} "
        f"({found['counted_margin']:+.4f} ± {found['counted_margin_se']:.4f}, p {found['counted_p']:.3f}), "
        f"learned {found['learned']:.4f} ({found['learned_margin']:+.4f} ± {found['learned_margin_se']:.4f}, "
        f"p {found['learned_p']:.3f}); {found['runs']:.0f} runs"
    )


def _main() -> None:
    parser = ArgumentParser(description="What the genre adds to best-first on a web.")
    parser.add_argument("web", type=Path)
    parser.add_argument("--topics", type=int, default=12, help="at most, the largest first")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--draws", type=int, default=2, help="random seeds per topic")
    parser.add_argument("--extended", action="store_true", help="ten genres")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = compare(
        given.web,
        topics=given.topics,
        random_seeds=range(1, given.draws + 1),
        options=Options(pages=given.pages),
        extended=given.extended,
        say=lambda text: print(text, flush=True),
    )
    print(line(found))
    if given.json:
        given.json.write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    _main()

"""Measure what the answers of a model that errs do to a collection.

Crawls of 200 pages with `fused`, keywords and three examples. A simulated model answers 30 questions while the crawl goes on
and at its end; in a second run, one answer in ten is wrong. Then the wrongly answered pages are set right, to
separate what the judge learned from the pages themselves, and the answered pages are judged by odds instead of as certain.

Command line: python -m research.assistant_figures WEB [SEED]
Expected time: two minutes of CPU.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from lycosa.methods.lookup import fitted
from lycosa.values import Judgement
from lycosa_lab import metrics
from lycosa_lab.grids.grid import Laboratory, chosen_topics
from lycosa_lab.grids.progress import Bar
from lycosa_lab.runs.answers import SimulatedUser
from lycosa_lab.runs.run import Crawled, Run, crawled
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import NOTEBOOKS, Case, number, table, write_part

PAGE = NOTEBOOKS / "labels.md"
ANSWERS = 30
ODDS = 9.0
"""Likelihood ratio of an answer that is right nine times in ten."""
NONE, RIGHT, CARELESS = "none", "all right", "10 % wrong"
CORRECTED, OPEN = "10 % wrong, these pages set right", "10 % wrong, answered pages by odds of 9"


def runs_of(web: CachedWeb, topic: str, seed: int) -> dict[str, Run]:
    """The results on one topic, by kind of answers."""
    found: dict[str, Run] = {}
    for kind in (NONE, RIGHT, CARELESS):
        labels = "" if kind == NONE else f",labels:{ANSWERS}"
        case = Case("wikischools-more", ("fused",), 200, 1, given=f"keywords,examples:3{labels}")
        laboratory = Laboratory(web, topic, seed, case.options)
        laboratory.prepare(case.strategies)
        user = SimulatedUser(
            laboratory.topic, 0 if kind == NONE else ANSWERS, topic if kind == CARELESS else ""
        )
        strategy = fitted("fused", {}, laboratory.preparations["fused"])
        done = crawled(strategy, web, laboratory.topic, laboratory.draw, case.options, user)
        found[kind] = done.measured("", {}, seed)
        if kind == CARELESS:
            found[CORRECTED] = _judged(done, _by_labels(done), seed)
            found[OPEN] = _judged(done, _by_odds(done), seed)
    return found


def _judged(done: Crawled, verdict: Callable[[int, bool], Judgement], seed: int) -> Run:
    """The result with other verdicts on the answered pages."""
    assert done.user is not None
    before = dict(done.store.judgements)
    done.store.judgements.update({key: verdict(key, yes) for key, yes in done.user.answers.items()})
    run = done.measured("", {}, seed)
    done.store.judgements.update(before)
    return run


def _by_labels(done: Crawled) -> Callable[[int, bool], Judgement]:
    relevant = done.topic.relevant()
    return lambda key, _: Judgement(key in relevant, 0.0)


def _by_odds(done: Crawled) -> Callable[[int, bool], Judgement]:
    version = done.crawl.refits.version
    assert version is not None

    def verdict(key: int, yes: bool) -> Judgement:
        chance = min(max(version.forecasts[key], 1e-6), 1 - 1e-6)
        odds = chance / (1 - chance) * (ODDS if yes else 1 / ODDS)
        score = odds / (1 + odds)
        return Judgement(score >= version.threshold, score)

    return verdict


def figures(found: list[dict[str, Run]]) -> str:
    """A row for each kind of answers."""
    rows = []
    for kind in (NONE, RIGHT, CARELESS, CORRECTED, OPEN):
        runs = [each[kind] for each in found]
        means = (
            metrics.mean_and_error([getattr(run, name) for run in runs]).mean
            for name in ("f1", "precision", "kept_recall")
        )
        rows.append([kind, f"{len(runs)}", *map(number, means)])
    return table(["answers", "crawls", "F1", "precision", "recall of what was kept"], rows)


def main(path: Path, seed: int = 7) -> None:
    """Measure, and write the table."""
    opened, found = VirtualWeb.open(path), []
    web, topics = CachedWeb(opened), chosen_topics(opened, ())
    with Bar("crawls answered") as bar:
        for done, topic in enumerate(topics):
            bar.update(done, len(topics))
            found.append(runs_of(web, topic, seed))
    write_part(PAGE, "assistant", figures(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))

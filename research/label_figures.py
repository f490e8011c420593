"""Measure what answers do to a collection.

After a crawl of 200 pages (keywords and three examples) a simulated user answers five pages at a time, as
`lycosa label` asks; after each five the judge learns and judges all pages again. The crawl is then answered in other
ways: carelessly, or about pages that the user chose.

Command line: python -m research.label_figures ../shared/webs KEPT [DRAWS]
Expected time: four minutes of CPU for five draws.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import msgspec

from lycosa.methods.lookup import fitted
from lycosa_lab import metrics
from lycosa_lab.grids.grid import Laboratory, chosen_topics
from lycosa_lab.grids.progress import Bar
from lycosa_lab.runs.answers import AT_ONCE, AskingRefits, SimulatedUser
from lycosa_lab.runs.run import Crawled, Run, crawled
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import NOTEBOOKS, ROOT, Case, commit_of, cpu_s, number, table, write_part

PAGE = NOTEBOOKS / "labels.md"
CASE = Case("wikischools", ("best-first",), 200, 5, given="keywords,examples:3")
ANSWERS = 20
ASKED, CARELESS, KEPT, ANY = "asked", "asked, 10 % wrong", "kept pages, at random", "any pages, at random"
WAYS = (ASKED, CARELESS, KEPT, ANY)


class Answered(msgspec.Struct, frozen=True):
    """F1 of what is kept after 0, 5, 10 … answers of one kind."""

    topic: str
    random_seed: int
    way: str
    f1: list[float]
    precision: list[float]
    refused: int
    """Versions that were set aside because they forecast the answers worse."""

    @property
    def change(self) -> float:
        """Change of F1 by all answers."""
        return self.f1[-1] - self.f1[0]


class Answering(msgspec.Struct, frozen=True):
    """All results, with their commit and CPU time."""

    commit: str
    cpu_s: float
    answered: list[Answered]


class Interview:
    """A finished crawl whose pages can be answered repeatedly, each time from the start."""

    def __init__(self, web: CachedWeb, topic: str, random_seed: int, case: Case = CASE) -> None:
        laboratory = Laboratory(web, topic, random_seed, case.options)
        laboratory.prepare(case.strategies)
        self.user = SimulatedUser(laboratory.topic, 0)
        strategy = fitted(case.strategies[0], {}, laboratory.preparations[case.strategies[0]])
        self.crawled: Crawled = crawled(
            strategy, web, laboratory.topic, laboratory.draw, case.options, self.user
        )
        assert isinstance(self.crawled.crawl.refits, AskingRefits)
        self.refits = self.crawled.crawl.refits
        self.random_seed = random_seed

    def answer(self, way: str) -> Answered:
        """F1 and precision during answers of one kind. All answers are forgotten afterwards."""
        name = f"{self.random_seed}/{self.crawled.topic.name}"
        self.user.careless = name if way == CARELESS else ""
        pages = None if way in (ASKED, CARELESS) else iter(self._order(way, Random(f"{name}/{way}")))
        runs = [self._measured()]
        refused = 0
        while len(self.user.answers) < ANSWERS and self._more(pages):
            before = self.refits.version
            asyncio.run(self.refits.finish())
            refused += (
                before is not None
                and self.refits.version is not None
                and (self.refits.version.number == before.number)
            )
            runs.append(self._measured())
        self.user.forget()
        asyncio.run(self.refits.finish())
        return Answered(
            self.crawled.topic.name,
            self.random_seed,
            way,
            [run.f1 for run in runs],
            [run.precision for run in runs],
            refused,
        )

    def _order(self, way: str, chance: Random) -> list[int]:
        """Pages in the order in which a user opens them."""
        store = self.crawled.store
        pages = [link.key for link in store.counted if way == ANY or store.judgements[link.key].relevant]
        return chance.sample(pages, len(pages))

    def _more(self, pages: Iterator[int] | None) -> bool:
        """Answer five questions, or five pages of the user's choice. False if none are left."""
        if pages is None:
            return self.refits.ask(AT_ONCE)
        chosen = list(islice(pages, AT_ONCE))
        for key in chosen:
            self.user.answer(key, asked=False)
        return bool(chosen)

    def _measured(self) -> Run:
        return self.crawled.measured("", {}, self.random_seed)


def measure(web: Path, draws: int, topics: Sequence[str] = ()) -> Answering:
    """All kinds of answers on all topics and draws."""
    before, opened = cpu_s(), VirtualWeb.open(web)
    pages = CachedWeb(opened)
    tasks = [(topic, seed) for topic in chosen_topics(opened, topics) for seed in range(1, draws + 1)]
    found: list[Answered] = []
    with Bar("crawls answered") as bar:
        for done, (topic, seed) in enumerate(tasks):
            bar.update(done, len(tasks))
            interview = Interview(pages, topic, seed)
            found += [interview.answer(way) for way in WAYS]
    return Answering(commit_of(ROOT), round(cpu_s() - before, 1), found)


def figures(answering: Answering) -> str:
    """A row for each kind: mean F1 by number of answers, and the worst case."""
    rows = []
    for way in WAYS:
        group = [one for one in answering.answered if one.way == way]
        steps = [_mean([at(one.f1, step) for one in group]) for step in range(ANSWERS // AT_ONCE + 1)]
        worst = min(group, key=lambda one: one.change)
        lower = sum(one.change < -0.01 for one in group)
        where = f"{number(worst.change)} ({worst.topic}, draw {worst.random_seed})"
        refused = sum(one.refused for one in group)
        rows.append([way, str(len(group)), *map(number, steps), where, f"{lower}", f"{refused}"])
    answers = [f"F1 at {count}" for count in range(0, ANSWERS + 1, AT_ONCE)]
    return table(
        ["answers", "crawls", *answers, "worst change", "lowered by over .01", "versions set aside"], rows
    )


def at(values: Sequence[float], step: int) -> float:
    """The value after a number of steps; the last one if there are fewer.

    >>> at([0.1, 0.2], 1), at([0.1, 0.2], 4)
    (0.2, 0.2)
    """
    return values[min(step, len(values) - 1)]


def _mean(values: Sequence[float]) -> float:
    return metrics.mean_and_error(values).mean


def summary(answering: Answering) -> str:
    """The table, and the cost of careless answers."""
    ends = {way: _mean([one.f1[-1] for one in answering.answered if one.way == way]) for way in WAYS}
    cost = ends[ASKED] - ends[CARELESS]
    return (
        f"{figures(answering)}\n\nOne wrong answer in ten costs {number(cost)} of F1 after {ANSWERS} answers. "
        f"Measured at {answering.commit}; {answering.cpu_s / 60:.0f} minutes of CPU."
    )


def main(webs: Path, kept: Path, draws: int = CASE.runs) -> None:
    """Measure unless kept, and write the table."""
    path = kept / "labels.json"
    if not path.exists():
        path.write_bytes(msgspec.json.encode(measure(webs / CASE.web, draws)))
    answering = msgspec.json.decode(path.read_bytes(), type=Answering)
    write_part(PAGE, "labels", summary(answering))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:4]))

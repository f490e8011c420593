"""Measure the estimates of what a crawl missed: the table of research/judge.md.

Crawls with `fused` are read at the versions of their judge at 200 pages and at the end; what they missed is known from the
labels. Results are kept in the folder KEPT and read from there the next time.

Command line: python -m research.missed_figures KEPT WEB… [--given keywords,examples:3]
Expected time: ten seconds of CPU for each topic.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa.engine.rules.limits import Limits
from lycosa.learn.figures import Figures
from lycosa.methods.lookup import fitted
from lycosa.values import Link
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.answers import SimulatedUser
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import CountingStore, make_crawl
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import table

FIRST, PAGES, SEED = 200, 1000, 1


class Row(msgspec.Struct, frozen=True):
    """The estimates of a version, and the truth: numbers of relevant pages."""

    topic: str
    pages: int
    figures: Figures
    missed: int
    targets: int

    @property
    def recall(self) -> float:
        """The true recall."""
        return 1.0 - self.missed / self.targets


def rows_of(web: CachedWeb, topic: str, given: str) -> list[Row]:
    """A crawl's estimates at its last version of up to FIRST pages, and at its end."""
    options = Options(pages=PAGES, seeds=3, given=parse_given(given))
    laboratory = Laboratory(web, topic, SEED, options)
    laboratory.prepare(("fused",))
    strategy, draw = fitted("fused", {}, laboratory.preparations["fused"]), laboratory.draw
    assert options.given is not None
    user = SimulatedUser(laboratory.topic, options.given.labels) if options.given.labels else None
    store, found = CountingStore(draw.excluded, PAGES), list[Row]()
    store.crawl = crawl = make_crawl(strategy, web, store, limits=Limits(pages=PAGES), user=user)
    refits = crawl.refits
    judge_by: Callable[..., None] = refits.judge_by  # type: ignore[attr-defined]

    def judged(*arguments: object) -> None:
        judge_by(*arguments)
        assert refits.version is not None
        row = Row(
            topic, refits.version.pages, crawl.figures, len(draw.targets - store.kept()), len(draw.targets)
        )
        found.append(row)

    refits.judge_by = judged  # type: ignore[attr-defined]
    asyncio.run(crawl.run([Link(web.url(key), key, priority=1.0) for key in draw.seeds]))
    first = [row for row in found if row.pages <= FIRST]
    return [*first[-1:], *found[-1:]]


def results(web: Path, given: str, kept: Path) -> list[Row]:
    """The rows of all topics of a web, kept or measured now."""
    path = kept / f"missed-{web.name}-{given}.json"
    if path.exists():
        return msgspec.json.decode(path.read_bytes(), type=list[Row])
    opened = CachedWeb(VirtualWeb.open(web))
    rows = [row for topic in sorted(opened.web.topics) for row in rows_of(opened, topic, given)]
    path.write_bytes(msgspec.json.encode(rows))
    return rows


def cells(rows: Sequence[Row]) -> list[str]:
    """Median relative error of the pages missed, median error of the recall, and how often intervals hold."""
    told = [row for row in rows if row.figures.missed is not None]
    if not told:
        return [str(len(rows)), "0"]
    missed = np.array([(f.missed, f.missed_low, f.missed_high) for f in (row.figures for row in told)])
    recall = np.array([(f.recall, f.recall_low, f.recall_high) for f in (row.figures for row in told)])
    true, share = np.array([row.missed for row in told]), np.array([row.recall for row in told])
    holds = [
        np.mean((each[:, 1] <= right) & (right <= each[:, 2]))
        for each, right in ((missed.round(), true), (recall, share))
    ]
    error = np.median(np.abs(missed[:, 0] - true) / np.maximum(true, 1))
    values = [error, holds[0], np.median(np.abs(recall[:, 0] - share)), holds[1]]
    return [str(len(rows)), str(len(told)), *(f"{value:.2f}" for value in values)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kept", type=Path)
    parser.add_argument("webs", type=Path, nargs="+")
    parser.add_argument("--given", nargs="+", default=["keywords,examples:3"])
    asked = parser.parse_args()
    lines = []
    for web in asked.webs:
        for given in asked.given:
            rows = results(web, given, asked.kept)
            for size, some in (("200", rows[::2]), ("1,000", rows[1::2])):
                lines.append([web.name, given, size, *cells(some)])
    heads = [
        "web",
        "given",
        "pages",
        "crawls",
        "that can tell",
        "error of missed",
        "holds",
        "error of recall",
    ]
    print(table([*heads, "holds"], lines))


if __name__ == "__main__":
    main()

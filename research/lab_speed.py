"""Measure how fast the lab reads a web, and how many pages it simulates in a second of CPU.

The web is read into an empty cache by one process per core. Every strategy then crawls four topics three times in one
process; the first time, which unpacks the pages, does not count. Fitting the models of a draw counts for every strategy.

Command line: python -m research.lab_speed ../shared/webs/wikischools
Expected time: three minutes of CPU for 5,000 pages
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.grids.progress import Bar
from lycosa_lab.grids.variants import Variant
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import NOTEBOOKS, ROOT, commit_of, cpu_s, table, write_part

PAGE = NOTEBOOKS / "lab.md"
STRATEGIES = ("breadth-first", "best-first", "link-context", "fused")
TOPICS, DRAWS = 4, 2
PAGES = 500


def reading(folder: Path) -> str:
    """Time to read a web for the first time."""
    cores = os.cpu_count() or 1
    begun, before = time.monotonic(), cpu_s()
    with TemporaryDirectory() as cache, Bar("reading") as bar:
        os.environ["LYCOSA_CACHE"] = cache
        web = CachedWeb(VirtualWeb.open(folder), parsing=bar.update, processes=cores)
        del os.environ["LYCOSA_CACHE"]
    took_s, used_s = time.monotonic() - begun, cpu_s() - before
    return (
        f"The {len(web.pages):,} pages of {folder.name} are read in {took_s:.0f} s by {cores} processes ({used_s:.0f} s of CPU; "
        f"{os.getloadavg()[0]:.0f} processes wanted to run), once."
    )


def speed(web: CachedWeb, strategy: str, options: Options) -> float:
    """Pages simulated in a second of CPU, fitting of models included."""
    pages = used_s = 0.0
    for draw in range(DRAWS + 1):
        for topic in list(web.web.topics)[:TOPICS]:
            before = cpu_s()
            laboratory = Laboratory(web, topic, draw + 1, options)
            laboratory.prepare([strategy])
            run = laboratory.run(Variant(strategy))
            if draw:
                pages, used_s = pages + len(run.curve), used_s + cpu_s() - before
    return pages / used_s


def main(folder: Path) -> None:
    """Measure, and write."""
    first = reading(folder)
    web = CachedWeb(VirtualWeb.open(folder))
    trained, as_user = Options(pages=PAGES), Options(pages=PAGES, given=parse_given("keywords,examples:3"))
    rows = []
    for strategy in STRATEGIES:
        found = [f"{speed(web, strategy, options):.0f}" for options in (trained, as_user)]
        rows.append([f"`{strategy}`", *found])
        print(rows[-1], flush=True)
    heads = ["strategy", "with training pages, pages/s", "as a user, with the judge that learns, pages/s"]
    write_part(
        PAGE, "speed", f"{first}\n\n{table(heads, rows)}\n\n{PAGES} pages a run, commit {commit_of(ROOT)}."
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

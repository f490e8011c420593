"""What each process of a crawl costs: the crawl itself, its workers, and the one that fits the judge. In: the code. Out: a table.

The stages of `lycosa bench` are those of a crawl in one process; here nothing is left out: start-up, what processes say to
each other, fits. A process's CPU is what Linux says of it when it is last seen, twenty times a second.

Command line: python -m tools.processes --pages 3000 --repeat 3 --strategy best-first fused --workers 1 2
Expected time: half a minute for each crawl of 3,000 pages
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from lycosa_lab.bench.crawled import archived_web, made_site
from lycosa_lab.bench.run import BASELINE, MODES, WARM_UP_PAGES, as_installed, spec_text

LOOK_S = 0.05
PARTS = ("crawl", "workers", "fits")
_TICKS = os.sysconf("SC_CLK_TCK")

Spent = Mapping[str, float]
"""Seconds of CPU of each of PARTS."""


def part_of(name: str, *, is_first: bool) -> str:
    """Which part of a crawl a process is, by its name, which a copy of the crawl's process has, and its command line.

    >>> part_of("lycosa-fit python -m lycosa crawl", is_first=False)
    'fits'
    """
    return "crawl" if is_first else "fits" if "lycosa-fit" in name or "fit_process" in name else "workers"


def crawl_by_parts(command: Sequence[str], environment: Mapping[str, str]) -> Spent:
    """Run a crawl; what its processes took."""
    seen: dict[int, tuple[str, float]] = {}
    has_ended = threading.Event()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment) as process:

        def watch() -> None:
            while not has_ended.wait(LOOK_S):
                for number in (process.pid, *_children_of(process.pid)):
                    if told := _told_of(number):
                        line, seconds = told
                        part = part_of(line, is_first=number == process.pid)
                        seen[number] = (seen[number][0] if number in seen and not line else part, seconds)

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            process.wait()
        finally:
            has_ended.set()
            watching.join()
    spent = dict.fromkeys(PARTS, 0.0)
    for part, seconds in seen.values():
        spent[part] += seconds
    return spent


def _children_of(number: int) -> list[int]:
    try:
        return [*map(int, Path(f"/proc/{number}/task/{number}/children").read_text().split())]
    except OSError:
        return []


def _told_of(number: int) -> tuple[str, float] | None:
    """The name and the command line of a process ('' once it has ended and nobody has asked yet), and its seconds of CPU."""
    try:
        command = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
        line = f"{Path(f'/proc/{number}/comm').read_text().strip()} {command}" if command else ""
        user, system = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return None
    return line, (int(user) + int(system)) / _TICKS


def table(runs: Mapping[tuple[str, str, str], Sequence[Spent]], pages: int) -> list[str]:
    """A row for each way to crawl: medians in ms a page, and what each round took in all."""
    rows = [
        "| index | strategy | workers | crawl | workers | fits | all (each round) |",
        "|---|---|---|---|---|---|---|",
    ]
    for (mode, strategy, workers), spent in runs.items():
        parts = " | ".join(f"{1000 * median(run[part] for run in spent) / pages:.2f}" for part in PARTS)
        totals = [1000 * sum(run.values()) / pages for run in spent]
        each = ", ".join(f"{total:.2f}" for total in totals)
        rows.append(f"| {mode} | {strategy} | {workers} | {parts} | {median(totals):.2f} ({each}) |")
    return rows


def measure(
    pages: int,
    repeat: int,
    strategies: Sequence[str],
    workers: Sequence[int | None],
    web: Path | None = None,
) -> list[str]:
    """The table of `repeat` rounds, each of which crawls once in every way; an archived `web` instead of the made site."""
    runs: dict[tuple[str, str, str], list[Spent]] = defaultdict(list)
    crawled = archived_web(web) if web else made_site(pages)
    with crawled.served() as site, tempfile.TemporaryDirectory() as folder:
        environment = as_installed(Path(folder) / "byte code")

        def crawl(name: str, count: int, when: str, strategy: str, processes: int | None) -> Spent:
            path = Path(folder) / f"{name}.toml"
            path.write_text(spec_text(site, count, when, processes, strategy, crawled), encoding="utf-8")
            out = str(Path(folder) / name)
            command = [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "lycosa",
                "crawl",
                str(path),
                "--out",
                out,
                "--json",
            ]
            return crawl_by_parts(command, environment)

        for strategy in strategies:
            crawl(f"warm-up {strategy}", WARM_UP_PAGES, "now", strategy, None)
        for number in range(repeat):
            for mode, when in MODES.items():
                for strategy in strategies:
                    for processes in workers:
                        told = "default" if processes is None else str(processes)
                        spent = crawl(f"{mode} {strategy} {told} {number}", pages, when, strategy, processes)
                        runs[mode, strategy, told].append(spent)
                        print(mode, strategy, told, spent, file=sys.stderr)
    return table(runs, pages)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--strategy", nargs="+", default=[BASELINE])
    parser.add_argument("--workers", type=int, nargs="+", help="default: as many as a crawl takes by itself")
    parser.add_argument("--web", type=Path, metavar="FOLDER", help="an archived web instead of the made site")
    asked = parser.parse_args()
    print("\n".join(measure(asked.pages, asked.repeat, asked.strategy, asked.workers or [None], asked.web)))


if __name__ == "__main__":
    main()

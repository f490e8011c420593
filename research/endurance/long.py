"""Run a long crawl of a generated web, and report memory, open files and CPU per page, tenth by tenth.

The crawl has the default settings except for the delays, runs as a child process and is measured from outside.
A fixed piece of work runs once a second; a page's CPU is also reported as a multiple of it, because other programs
on the machine slow both alike.

Command line: python -m research.endurance.long [--pages 200000] [--note]
Expected time: 20 ms of CPU for each page and its server: 70 minutes in full
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lycosa.testing import SiteProcess
from research.cost import FixedWork, made_pages
from research.endurance.kills import crawl, pages_in, write_spec
from research.endurance.noting import write_note
from research.measured import arguments, table

TENTHS = 10
WARM = 3
"""First tenth of the comparison: caches and bounded tables are full by then."""
POLL_S = 1.0
TICKS = os.sysconf("SC_CLK_TCK")


class Reading(NamedTuple):
    """Resources of a crawl and its workers at one moment."""

    pages: int
    seconds: float
    cpu_s: float
    memory_mb: float
    own_memory_mb: float  # of the crawl's own process
    files: int
    fixed_s: float  # time of one piece of fixed work since the last reading
    processes: int


NOTHING = Reading(0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 0)


def reading_of(process: int, out: Path, begun: float, fixed_s: float) -> Reading:
    """Read the resources of a process and its children."""
    family = [process, *_children(process)]
    memory = [_memory_mb(one) for one in family]
    return Reading(
        pages_in(out),
        time.monotonic() - begun,
        sum(map(_cpu_s, family)),
        sum(memory),
        memory[0],
        sum(map(_open_files, family)),
        fixed_s,
        len(family),
    )


def _children(process: int) -> list[int]:
    try:
        found = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [each for child in map(int, found) for each in (child, *_children(child))]


def _memory_mb(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def _cpu_s(process: int) -> float:
    try:
        after_name = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(after_name[11]) + int(after_name[12])) / TICKS


def _open_files(process: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{process}/fd").iterdir())
    except OSError:
        return 0


def endure(pages: int) -> list[Reading]:
    """Crawl, and read the resources at every tenth; the last reading needs all workers alive."""
    readings: list[Reading] = []
    body = made_pages(1)[0].body
    with (
        TemporaryDirectory() as name,
        SiteProcess("research.endurance.kills:faulty_web", pages=pages) as site,
    ):
        folder = Path(name)
        spec, out, begun = (
            write_spec(folder, "fused", pages, site, "topic"),
            folder / "crawl",
            time.monotonic(),
        )
        process = crawl(spec, out)
        fixed, times, last = FixedWork(), 0, NOTHING
        while process.poll() is None:
            fixed.do(body)
            times += 1
            now = reading_of(process.pid, out, begun, fixed.spent / times)
            # At the end workers stop one by one; do not take a reading then.
            last = now if now.processes >= (readings[-1].processes if readings else 2) else last
            if len(readings) < TENTHS - 1 and now.pages >= pages * (len(readings) + 1) // TENTHS:
                readings.append(last)
                print(_row(readings), flush=True)
                fixed, times = FixedWork(), 0
            time.sleep(POLL_S)
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, "lycosa crawl")
    return [*readings, last] if not readings or last.pages > readings[-1].pages else readings


def _row(readings: list[Reading]) -> list[str]:
    now, before = readings[-1], readings[-2] if len(readings) > 1 else NOTHING
    pages = now.pages - before.pages
    cpu_s = (now.cpu_s - before.cpu_s) / max(1, pages)
    return [
        f"{now.pages:,}",
        f"{1000 * cpu_s:.1f}",
        f"{cpu_s / now.fixed_s:.1f}",
        f"{pages / max(0.001, now.seconds - before.seconds):.0f}",
        f"{now.memory_mb:.0f}",
        f"{now.own_memory_mb:.0f}",
        str(now.files),
    ]


def drift(readings: list[Reading]) -> str:
    """How the last tenth differs from the one from which on nothing should grow, in words.

    >>> flat = [Reading(10 * n, 1.0, 2.0 * n, 300.0, 200.0, 50, 0.001, 4) for n in range(1, 11)]
    >>> drift(flat)
    'From tenth 3 to tenth 10: CPU a page ÷ fixed work +0 %, memory +0 %, open files +0 %.'
    """

    def a_page(at: int) -> float:
        now, before = readings[at], readings[at - 1]
        return (now.cpu_s - before.cpu_s) / max(1, now.pages - before.pages) / now.fixed_s

    then, now = readings[WARM - 1], readings[-1]
    grown = {
        "CPU a page ÷ fixed work": a_page(-1) / a_page(WARM - 1),
        "memory": now.memory_mb / then.memory_mb,
        "open files": now.files / then.files,
    }
    told = ", ".join(f"{what} {100 * (ratio - 1):+.0f} %" for what, ratio in grown.items())
    return f"From tenth {WARM} to tenth {len(readings)}: {told}."


def main() -> None:
    """Crawl, and report growth."""
    parser = arguments(__doc__)
    parser.add_argument("--pages", type=int, default=200_000)
    parser.add_argument("--note", action="store_true", help="write the figures into research/endurance.md")
    asked = parser.parse_args()
    readings = endure(asked.pages)
    rows = [_row(readings[: count + 1]) for count in range(len(readings))]
    heads = [
        "pages",
        "CPU ms a page",
        "÷ fixed work",
        "pages/s",
        "memory MB",
        "of it the crawl's own",
        "open files",
    ]
    figures = table(heads, rows)
    print(figures, drift(readings), sep="\n\n")
    if asked.note:
        said = drift(readings) + " "
        write_note("long", figures, said=said, whole="" if asked.pages >= 200_000 else "crawls 200,000")


if __name__ == "__main__":
    main()

"""Measure the time of the test suite on a quiet machine, a busy one and one core, and note it in CONTRIBUTING.md.

`quiet` runs it as `make tests` does, `busy` together with eight processes of stress-ng, `one-core` on a single core.

Command line: python -m research.suite quiet|busy|one-core [--note]
Expected time: six minutes on two quiet cores, half an hour on busy ones, a quarter of an hour on one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from research.measured import ROOT, arguments, commit_of, cpu_s, write_part

BESIDE = 8
"""Processes that only use CPU."""
WAYS = ("quiet", "busy", "one-core")


@contextmanager
def beside(way: str) -> Iterator[None]:
    """Load of the machine during the tests; `one-core` pins all child processes to one core."""
    if way == "one-core":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if way != "busy":
        yield
        return
    work = subprocess.Popen(["stress-ng", "--cpu", str(BESIDE), "--quiet"])
    try:
        yield
    finally:
        work.terminate()
        work.wait()


def told(output: str, minutes: float, cpu_minutes: float, load: float) -> str:
    """One line of what came of it.

    >>> told("…\\n2 failed, 7000 passed, 3 skipped in 350.00s", 5.83, 10.1, 3.9)
    '5.8 minutes, 10.1 of CPU, load 4; 2 failed, 7000 passed, 3 skipped'
    """
    counts = re.findall(r"^((?:\d+ \w+,? ?)+) in [\d.]+s", output, re.M)
    said = counts[-1] if counts else "it did not come to its end"
    return f"{minutes:.1f} minutes, {cpu_minutes:.1f} of CPU, load {load:.0f}; {said}"


def main() -> None:
    """Run the tests, and report their cost."""
    parser = arguments(__doc__)
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--note", action="store_true", help="write the line into CONTRIBUTING.md")
    asked = parser.parse_args()
    commit, begun, before = commit_of(ROOT), time.monotonic(), cpu_s()
    at_once = str(min(2 * (os.cpu_count() or 1), 16))  # as in the Makefile
    command = [sys.executable, "-m", "pytest", "-n", at_once, "--dist", "worksteal"]
    with beside(asked.way):
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        line = told(done.stdout, (time.monotonic() - begun) / 60, (cpu_s() - before) / 60, os.getloadavg()[1])
    print(done.stdout[-5000:], line, sep="\n")
    if asked.note:
        when = datetime.now(UTC).date().isoformat()
        write_part(
            ROOT / "CONTRIBUTING.md", f"suite {asked.way}", f"- {asked.way}: {line} ({commit}, {when})"
        )
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()

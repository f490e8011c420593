"""What a page costs in this version beside another one, in one run: CPU and memory, as ratios.

Crawls of the benchmark's site by both, in turn, with the judge that each has by default and with one that keeps every
page (`judge.kind = "all"`), so that what the judge costs can be told from the rest. CPU counts, not the clock, and the
order changes from round to round: the machine may be busy. The other version is that of
`git worktree add ../before COMMIT`.

Command line: python -m research.bench_versions ../before/src --pages 600 --repeat 5
Expected time: a minute and a half of CPU for each round of 600 pages
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from lycosa.bench.run import MODES, WARM_UP_PAGES, Measured, as_installed, crawl_by, spec_text
from lycosa.bench.web import HOSTS
from lycosa.testing import SiteProcess

OURS = Path(__file__).parents[1] / "src"
JUDGES = ("", "all")


def table(runs: dict[tuple[str, str, str], list[Measured]]) -> list[str]:
    """A row for each way to crawl: medians of both versions, and the ratio of these with all single ratios."""
    rows = ["| index | judge | CPU ms a page, before | now | ratio (each round) | peak MB, before | now |"]
    rows.append("|---|---|---|---|---|---|---|")
    for mode, judge in sorted({(mode, judge) for mode, judge, _ in runs}):
        before, now = runs[mode, judge, "before"], runs[mode, judge, "now"]
        each = ", ".join(f"{b.cpu_ms / a.cpu_ms:.2f}" for a, b in zip(before, now, strict=True))
        old, new = median(run.cpu_ms for run in before), median(run.cpu_ms for run in now)
        memory = [f"{median(run.peak_mb for run in each_run):.0f}" for each_run in (before, now)]
        rows.append(
            f"| {mode} | {judge or 'default'} | {old:.1f} | {new:.1f} | {new / old:.2f} ({each}) | {' | '.join(memory)} |"
        )
    return rows


def measure(other: Path, pages: int, repeat: int, modes: dict[str, str]) -> list[str]:
    """The table of `repeat` rounds, in which every crawl is made once by each version."""
    runs: dict[tuple[str, str, str], list[Measured]] = defaultdict(list)
    with (
        SiteProcess("lycosa.bench.web:bench_pages", pages=pages, hosts=HOSTS) as site,
        tempfile.TemporaryDirectory() as folder,
    ):
        versions = []
        for name, source in (("before", other), ("now", OURS)):
            path = os.environ | {"PYTHONPATH": str(source.resolve())}
            versions.append((name, as_installed(Path(folder) / f"byte code {name}", path)))
            crawl_by(
                spec_text(site, WARM_UP_PAGES, "now", None), Path(folder) / f"warm-up {name}", versions[-1][1]
            )
        for number in range(repeat):
            for mode, when in modes.items():
                for judge in JUDGES:
                    spec = spec_text(site, pages, when, None)
                    spec += f'\n[judge]\nkind = "{judge}"\n' if judge else ""
                    for name, environment in versions if number % 2 == 0 else reversed(versions):
                        place = Path(folder) / f"{name}-{mode}-{judge}-{number}"
                        runs[mode, judge, name].append(crawl_by(spec, place, environment))
                        print(
                            mode,
                            judge or "default",
                            name,
                            round(runs[mode, judge, name][-1].cpu_ms, 1),
                            file=sys.stderr,
                        )
    return table(runs)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="the folder src of the version before")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--mode", choices=MODES, action="append", help="default: all")
    asked = parser.parse_args()
    modes = {name: when for name, when in MODES.items() if not asked.mode or name in asked.mode}
    print("\n".join(measure(asked.other, asked.pages, asked.repeat, modes)))


if __name__ == "__main__":
    main()

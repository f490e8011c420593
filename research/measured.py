"""Run the lab, keep the runs in a folder, and write tables into the notebooks.

Command line: none, the programs that write figures use it.
Expected time: reading takes no time; a run that is not there yet takes one to twenty seconds.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from lycosa_lab import metrics
from lycosa_lab.demo_web import demo_web
from lycosa_lab.grids.comparing import compare
from lycosa_lab.grids.grid import by_variant
from lycosa_lab.grids.progress import Bar
from lycosa_lab.runs.given import parse_given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "research"
DEMO_TOPICS = ("bread", "bridges", "comets", "owls", "tides")
"""Plain topics of the demo web: no event, no tags."""


class Case(msgspec.Struct, frozen=True):
    """Strategies on a web, under one protocol."""

    web: str
    strategies: tuple[str, ...]
    pages: int
    runs: int
    start_from: Literal["seeds", "start", "both"] = "seeds"
    given: str = ""
    changes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def options(self) -> Options:
        """Options for the lab; with keywords alone a crawl starts from three pages."""
        given = parse_given(self.given) if self.given else None
        return Options(pages=self.pages, seeds=3 if given else 5, start_from=self.start_from, given=given)

    @property
    def about(self) -> str:
        """The name of its file.

        >>> Case("webkb", ("fused",), 500, 5, "start", changes=("fused.url=0",)).about
        'webkb-start-fused.url=0'
        """
        return "-".join([self.web, self.given or self.start_from, *self.changes])


class Measured(msgspec.Struct, frozen=True):
    """The runs of a case, their commit, and their CPU time."""

    case: Case
    commit: str
    cpu_s: float
    runs: list[Run]

    @property
    def by_strategy(self) -> dict[str, list[Run]]:
        """Runs by strategy, in the same order of topics and draws."""
        return by_variant(self.runs)


def kept_runs(case: Case, kept: Path) -> Measured | None:
    """Kept runs of a case, perhaps of fewer draws; None if there are none."""
    path = kept / f"{case.about}.json"
    if not path.exists():
        return None
    found = msgspec.json.decode(path.read_bytes(), type=Measured)
    return found if msgspec.structs.replace(found.case, runs=case.runs) == case else None


def measured(case: Case, webs: Path, kept: Path, processes: int | None = None) -> Measured:
    """Runs of a case: kept ones, or else made now and kept."""
    found = kept_runs(case, kept)
    if found is not None and found.case == case:
        return found
    path = kept / f"{case.about}.json"
    commit, before = commit_of(ROOT), cpu_s()  # the commit of the loaded code
    with Bar(case.about) as bar:
        compared = compare(
            web_of(case.web, webs, kept),
            case.strategies,
            topics=case.topics or (DEMO_TOPICS if case.web == "demo" else ()),
            changes=case.changes,
            options=case.options,
            runs=case.runs,
            processes=processes,
            progress=bar.update,
            parsing=partial(bar.show, "pages parsed"),
        )
    found = Measured(case, commit, round(cpu_s() - before, 1), list(compared.runs))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(found))
    return found


def web_of(name: str, webs: Path, kept: Path) -> Path:
    """The folder of a web; the demo web is written into `kept`."""
    if name != "demo":
        return webs / name
    folder = kept / "demo-web"
    if not folder.exists():
        demo_web().write(folder)
    return folder


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """A parser of a program's arguments, whose help is the program's docstring."""
    return argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)


def commit_of(root: Path) -> str:
    """The commit of a working tree, with a + if src is changed."""
    git = partial(subprocess.run, cwd=root, capture_output=True, text=True, check=True)
    changed = git(["git", "status", "--porcelain", "src"]).stdout.strip()
    return git(["git", "rev-parse", "--short", "HEAD"]).stdout.strip() + ("+" if changed else "")


def cpu_s() -> float:
    """Seconds of CPU that this process and its children have used."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def mean(values: Sequence[float]) -> str:
    """A mean with its standard error, for a table; the values are independent, such as means of topics.

    >>> mean([0.2, 0.4])
    '.300 ± .100'
    """
    found = metrics.mean_and_error(values)
    return number(found.mean) + ("" if math.isnan(found.se) else f" ± {number(found.se)}")


def number(value: float) -> str:
    """A share without its leading zero.

    >>> number(0.1234), number(-0.05), number(1.0)
    ('.123', '−.050', '1.000')
    """
    text = f"{abs(value):.3f}"
    return ("−" if value < 0 and float(text) else "") + (text[1:] if text.startswith("0") else text)


def chance(p: float) -> str:
    """A p value, for a table.

    >>> chance(0.034), chance(0.0000012)
    ('.034', '1e-06')
    """
    return number(p) if p >= 0.001 else f"{p:.0e}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown.

    >>> table(["a", "b"], [["1", "2"]])
    '| a | b |\\n|---|---|\\n| 1 | 2 |'
    """
    lines = [heads, *rows]
    found = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([found[0], "|---" * len(heads) + "|", *found[1:]])


def rows_of_table(part: str) -> list[list[str]]:
    """The rows of a table of Markdown.

    >>> rows_of_table("| run | faults |\\n|---|---|\\n| 2 shards, seed 1 | 3 × kill a node |")
    [['2 shards, seed 1', '3 × kill a node']]
    """
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in lines[1:]]


def write_part(page: Path, name: str, figures: str) -> None:
    """Write figures between the marks of this name on a page."""
    page.write_text(with_part(page.read_text(encoding="utf-8"), name, figures), encoding="utf-8")


def part_of(page: Path, name: str) -> str:
    """The text between the marks of this name on a page."""
    begin, end = _marks(name)
    return page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]


def with_part(text: str, name: str, figures: str) -> str:
    """A page with other figures between its marks.

    >>> print(with_part("a\\n<!-- costs: written by a program -->\\n1\\n<!-- end of costs -->\\nb", "costs", "2"))
    a
    <!-- costs: written by a program -->
    <BLANKLINE>
    2
    <BLANKLINE>
    <!-- end of costs -->
    b
    """
    begin, end = _marks(name)
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(
            f"The page needs {begin} and {end}, once each: write them where the figures are to stand."
        )
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{figures}\n\n{end}{rest.partition(end)[2]}"


def _marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: written by a program -->", f"<!-- end of {name} -->"

"""Long crawls of a sharing site, and the paper's tables. In: a web with page types. Out: the figures of docs/strategies/profile.md.

OUT has all that `lycosa lab reproduce profile` writes; where it is there already, only the page is written.

Command line: python -m research.profile_tables ../shared/webs/media OUT
Expected time: four minutes of CPU, and one more to parse the web for the first time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.methods.profile.paper.crawls import ProfileRun
from lycosa.methods.profile.paper.reproduce import BASELINES
from research.measured import number, reproduced, rows_in, show_pictures, table, write_part
from research.profile_figures import OURS, PAGE

PICTURES = {"profile-media.png": "profile.png"}
STEP = 1_000
SHOWN = (1_000, 2_000, 4_000, 6_000, 10_000)
ENDS = (f"{OURS}, strangers = 0", f"{OURS}, strangers = 1")
"""Both ends of the trade of harvest for capture."""
CO_TAGS = 10

Runs = Sequence[ProfileRun]
Relevant = Mapping[str, int]
"""How many items each topic has."""


def over_pages(runs: Runs, names: Sequence[str], measure: Callable[[ProfileRun, int], float]) -> str:
    """A measure of some strategies after every thousand pages; a baseline whose crawl knows no topic may have one row."""
    points = range(STEP, max(len(run.types) for run in runs) + 1, STEP)
    rows: list[list[str]] = []
    for run in sorted((run for run in runs if run.name in names), key=lambda run: names.index(run.name)):
        cells = [number(measure(run, at)) if at <= len(run.types) else "·" for at in points]
        if [run.name, *cells] not in [row[1:] for row in rows]:
            rows.append([run.topic, run.name, *cells])
    for row in rows:
        if row[1] in BASELINES and sum(other[1] == row[1] for other in rows) == 1:
            row[0] = "any"
    return table(["topic", "strategy", *(f"{at // STEP}k" for at in points)], rows)


def block(run: ProfileRun, pages: int) -> float:
    """Harvest of the block that ends after so many pages."""
    return run.blocks(STEP)[pages // STEP - 1]


def beside_opic(runs: Runs) -> str:
    """Where the default's capture is below OPIC's, and where it ends."""
    told = []
    for ours in (run for run in runs if run.name == OURS):
        theirs = next(run for run in runs if (run.name, run.topic) == ("opic", ours.topic))
        points = [
            at for at in range(STEP, len(ours.types) + 1, STEP) if ours.capture(at) < theirs.capture(at)
        ]
        last = len(ours.types)
        where = (
            f"below OPIC's after {', '.join(f'{at:,}' for at in points)}"
            if points
            else "nowhere below OPIC's"
        )
        told.append(
            f"- {ours.topic}: {number(ours.capture(last))} after {last:,} pages, OPIC {number(theirs.capture(last))}; {where}."
        )
    return "\n".join(told)


def bounds(runs: Runs, relevant: Relevant) -> str:
    """Of as many items as the default fetched: how many can be of the topic, and how many are."""
    rows = []
    for run in (run for run in runs if run.name == OURS):
        items, found = run.types.count("detail"), sum(run.relevant)
        shares = [number(count / items) for count in (relevant[run.topic], found)]
        rows.append([run.topic, f"{items:,}", f"{relevant[run.topic]:,}", f"{found:,}", *shares])
    heads = ["topic", "items fetched", "of the topic there are", "found", "harvest at most", "harvest"]
    return table(heads, rows)


def variants(runs: Runs, relevant: Relevant) -> str:
    """Harvest and capture of all variants, what they found, and when."""
    rows = []
    for run in runs:
        cells = [
            f"{number(run.harvest(at))} / {number(run.capture(at))}" if at <= len(run.types) else "·"
            for at in SHOWN
        ]
        found = f"{sum(run.relevant):,} of {relevant[run.topic]:,}"
        ended = f" in {len(run.types):,}" if len(run.types) < SHOWN[-1] else ""
        rows.append(
            [run.topic, run.name.removeprefix(f"{OURS}, "), *cells, found + ended, f"{run.pages_for():,}"]
        )
    heads = ["topic", "strategy", *(f"{at // STEP}k" for at in SHOWN), "found", "95 % of these after"]
    return table(heads, rows)


def templates(out: Path) -> str:
    """Table 1, and what path strings cost beside it."""
    costs = {row["type"]: row for row in rows_in(out / "path-strings.csv")}
    rows = []
    for row in rows_in(out / "table-1.csv"):
        cost = costs[row["type"]]
        ms = [f"{float(cost[name]):.2f} ms" for name in ("path_strings_ms", "parsing_ms")]
        rows.append([*row.values(), f"{float(cost['elements']):.0f}", *ms])
    return table(["type", "T", "S", "V", "US", "UV", "INT", "elements", "path strings", "parsing"], rows)


def co_tags(out: Path) -> str:
    """Tables 2 and 3: the tags that go together with each topic's."""
    lines = []
    for path in sorted(out.glob("table-[2-9]-*.csv")):
        tags = [row["tag"] for row in rows_in(path)][:CO_TAGS]
        lines.append(f"- {path.stem.split('-', 2)[2]}: {', '.join(tags)}")
    return "\n".join(lines)


def main(web: Path, out: Path) -> None:
    """Reproduce, unless that is done, and write tables and the picture."""
    commit = reproduced("profile", web, out)
    runs = msgspec.json.decode((out / "runs.json").read_bytes(), type=list[ProfileRun])
    relevant = {row["topic"]: int(row["relevant"]) for row in rows_in(out / "summary.csv")}
    main_ones = (OURS, *BASELINES)
    parts = {
        "harvest": over_pages(runs, main_ones, ProfileRun.harvest),
        "capture": f"{over_pages(runs, (*main_ones, *ENDS), ProfileRun.capture)}\n\n{beside_opic(runs)}",
        "bounds": bounds(runs, relevant),
        "variants": f"{variants(runs, relevant)}\n\nMeasured at {commit}.",
        "blocks": over_pages(runs, main_ones, block),
        "templates": templates(out),
        "co-tags": co_tags(out),
    }
    for name, made in parts.items():
        write_part(PAGE, name, made)
    show_pictures(out, PICTURES)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Fill a frontier to the size of a large shard, and measure its time, memory and disk beside a small one.

There is a host for every hundred URLs. Each size is measured over 1,000 pages of 90 links, 40 % of them new, and noted
in DIR at once. Right after each size a small frontier is measured in a separate process, for comparison.

Command line: nice -n 15 python -m research.shard_scale --urls 20000000 --kept DIR; then --kept DIR --write
Expected time: ten minutes of CPU for 20 million URLs; --urls 200000 in seconds, to see that it works
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import msgspec

from lycosa_lab.bench.frontier import measure
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, part_of, rows_of_table, table, write_part

PAGE = NOTEBOOKS / "shards.md"
SMALL = 100_000
URLS_A_HOST = 100
AT = (1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000)
WHOLE, SHARDS = 100_000_000, 64
"""The crawl that is estimated: URLs in all, and shards."""


class Size(msgspec.Struct, frozen=True):
    """A frontier at one size."""

    strategy: str
    urls: int
    hosts: int
    add_us: float
    take_us: float
    commit_us: float
    max_rss_mb: int
    disk_bytes: int
    commit: str
    busy: float  # number of processes that wanted to run
    small: tuple[float, float]  # time to add and take in a small frontier right afterwards


def of_small(strategy: str) -> tuple[float, float]:
    """Microseconds to add a link and to take a URL in a small frontier."""
    found = measure(SMALL, SMALL // URLS_A_HOST, with_records=strategy == "fused", filled_by=1.0)["sizes"]
    assert isinstance(found, list)
    return found[-1]["add_us_per_link"], found[-1]["take_done_us_per_url"]


def fill(urls: int, strategy: str, kept: Path) -> None:
    """Fill a frontier, and note each size in a folder."""
    commit, hosts = commit_of(ROOT), urls // URLS_A_HOST
    kept.mkdir(parents=True, exist_ok=True)

    def noted(found: Mapping[str, float]) -> None:
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            small = apart.submit(of_small, strategy).result()
        size = Size(
            strategy,
            int(found["urls"]),
            hosts,
            found["add_us_per_link"],
            found["take_done_us_per_url"],
            found["commit_us_per_page"],
            int(found["max_rss_mb"]),
            int(found["disk_bytes"]),
            commit,
            os.getloadavg()[0],
            small,
        )
        print(size, flush=True)
        (kept / f"{strategy}-{size.urls:012}.json").write_bytes(msgspec.json.encode(size))

    measure(
        urls,
        hosts,
        at=tuple(size for size in AT if hosts < size < urls),
        with_records=strategy == "fused",
        filled_by=1.0,
        folder=kept,
        note=noted,
    )


def figures(sizes: Sequence[Size], before: str = "") -> str:
    """The table with the estimate for a whole crawl; rows of `before` stay unless their sizes were measured again."""
    heads = [
        "frontier",
        "URLs",
        "hosts",
        "adding a link",
        "taking and ending a URL",
        "commit, a page",
        "memory",
        "database",
    ]
    heads += [f"processes that wanted to run, on {os.cpu_count()} cores", "measured at"]
    rows = [
        [
            one.strategy,
            f"{one.urls / 1e6:.1f} million",
            f"{one.hosts:,}",
            f"{one.add_us:.0f} µs, {one.add_us / one.small[0]:.1f} ×",
            f"{one.take_us:.0f} µs, {one.take_us / one.small[1]:.1f} ×",
            f"{one.commit_us / 1000:.1f} ms",
            f"{one.max_rss_mb} MB",
            f"{one.disk_bytes / 1e9:.2f} GB",
            f"{one.busy:.0f}",
            one.commit,
        ]
        for one in sizes
    ]
    earlier = [row + [""] * (len(heads) - len(row)) for row in rows_of_table(before)]
    known = {tuple(row[:2]): row for row in (*earlier, *rows)}
    in_order = sorted(known.values(), key=lambda row: (row[0], float(row[1].split()[0])))
    measured = _strategies(sizes)
    told = [reckoning([one for one in sizes if one.strategy == name]) for name in measured]
    told += [
        text
        for text in before.split("\n\n")
        if text.startswith("With `") and text.split("`")[1] not in measured
    ]
    about = (
        f"(×: what it takes in a frontier of {SMALL:,} URLs, measured right after it, at the same load. Rows without it are of "
        "earlier commits.)"
    )
    return "\n\n".join([table(heads, in_order), *told, about])


def reckoning(sizes: Sequence[Size]) -> str:
    """Compare the largest frontier of a strategy with a small one, and estimate a whole crawl."""
    large = sizes[-1]
    add, take = (of / small for of, small in zip((large.add_us, large.take_us), large.small, strict=True))
    disk = large.disk_bytes / large.urls
    each = WHOLE / SHARDS
    return (
        f"With `{large.strategy}` at {large.urls / 1e6:.1f} million URLs adding a link takes {add:.1f} times what it takes at "
        f"{SMALL / 1e6:.1f} million, taking and ending one {take:.1f} times; "
        f"the process has {large.max_rss_mb} MB, and a URL takes {disk:.0f} bytes on disk. {WHOLE / 1e6:.0f} million URLs are "
        f"{WHOLE * disk / 1e9:.0f} GB: in one process {WHOLE / large.urls:.0f} times as many as there, by {SHARDS} shards "
        f"{each / 1e6:.1f} million and {each * disk / 1e9:.1f} GB each. {SHARDS} shards of that size know "
        f"{SHARDS * large.urls / 1e9:.1f} billion URLs."
    )


def _strategies(sizes: Sequence[Size]) -> list[str]:
    return list(dict.fromkeys(one.strategy for one in sizes))


def main() -> None:
    """Fill frontiers, or write the notes into the notebook."""
    parser = arguments(__doc__)
    parser.add_argument("--urls", type=int, default=0, help="how many the largest has; 0: none is filled")
    parser.add_argument("--strategy", default="best-first", choices=("best-first", "fused"))
    parser.add_argument("--kept", type=Path, required=True, help="where the figures are kept")
    parser.add_argument("--write", action="store_true", help="write the table into research/shards.md")
    options = parser.parse_args()
    if options.urls:
        fill(options.urls, options.strategy, options.kept)
    noted = sorted(options.kept.glob("*.json"))
    sizes = [msgspec.json.decode(path.read_bytes(), type=Size) for path in noted]
    text = figures(sizes, part_of(PAGE, "scale"))
    if options.write:
        write_part(PAGE, "scale", text)
    print(text)


if __name__ == "__main__":
    main()

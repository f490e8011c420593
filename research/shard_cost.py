"""Measure the CPU, messages and bytes per page of a crawl by two shards and by one process, and the cost of starting.

The web of `lycosa bench` is crawled to two sizes: the difference is the cost of the additional pages, the rest is the
cost of starting and ending. CPU is that of all child processes, so a busy machine is acceptable for it, but not for
pages per second. The site runs in a separate process, whose CPU is reported separately.

Starting shards costs as much CPU as a thousand pages and varies, hence the two sizes differ by 3,500 pages and the
median over all rounds is used. The judge is fitted at 200 pages, 400, 800 and so on: both sizes are a quarter beyond
such a point, so that a page pays the same share of it.

Command line: nice -n 5 python -m research.shard_cost --repeat 5 --write
Expected time: five minutes for each round; --pages 50 --pages 150 in one, to see that it works
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import msgspec

from lycosa.cluster.division import shard_directory
from lycosa.testing import SiteProcess
from lycosa_lab.bench.run import WARM_UP_PAGES, as_installed, spec_text
from lycosa_lab.bench.web import HOSTS
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, table, write_part

PAGE = NOTEBOOKS / "shards.md"
ALONE, ON_ONE_CORE, DIVIDED = "one process", "one process, kept to one core", "2 shards"
SHARDS_OF = {ALONE: 1, ON_ONE_CORE: 1, DIVIDED: 2}
MARK = "LYCOSA_COST"
SHARDS = 64
"""Size of the crawl that is estimated."""
_SITE = f"{os.getpid()}-site"
TICKS = os.sysconf("SC_CLK_TCK")
POLL_S = 0.2


class Cost(msgspec.Struct, frozen=True):
    """Cost of one crawl."""

    pages: int
    seconds: float  # of the crawl itself
    wall_s: float  # of the command
    cpu_s: float
    ray_cpu_s: float  # of this, Ray's own processes
    busiest_cpu_s: float = 0.0  # of the process that worked most: the loop of a crawl, or of one shard
    archive: int = 0  # bytes on disk
    catalogue: int = 0
    messages: int = 0
    links: int = 0
    bytes: int = 0
    site_cpu_s: float = 0.0  # of the site, which runs in a separate process


def used_by_marked(mark: str) -> dict[int, tuple[str, float]]:
    """Name and CPU seconds of the processes started with this mark."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}\0" not in (path / "environ").read_text():
                continue
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            command = (path / "cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
        found[int(path.name)] = (command, (int(fields[11]) + int(fields[12])) / TICKS)
    return found


def of_site() -> float:
    """CPU seconds of the site so far."""
    return sum(cpu for _, cpu in used_by_marked(_SITE).values())


def crawl(folder: Path, site: SiteProcess, pages: int, way: str) -> Cost:
    """Crawl the benchmark's web to this size in one of three ways, and return the cost."""
    name, shards = f"{list(SHARDS_OF).index(way)}-{pages}", SHARDS_OF[way]
    spec, mark, out = folder / "crawl.toml", f"{os.getpid()}-{name}", folder / name
    spec.write_text(spec_text(site, pages, "now", None), encoding="utf-8")
    kept_to = ["taskset", "-c", "0"] if way == ON_ONE_CORE else []
    command = [*kept_to, sys.executable, "-m", "lycosa", "crawl", str(spec), "--out", str(out), "--json"]
    begun, site_before = time.monotonic(), of_site()
    environment = as_installed(folder / "byte code") | {MARK: mark}
    process = subprocess.Popen([*command, "--shards", str(shards)], env=environment, stdout=subprocess.PIPE)
    used: dict[int, tuple[str, float]] = {}
    while process.poll() is None:
        used |= used_by_marked(mark)
        time.sleep(POLL_S)
    said = json.loads(process.stdout.read() if process.stdout else b"{}")
    of_ray = sum(cpu for name, cpu in used.values() if _is_of_ray(name))
    total = sum(cpu for _, cpu in used.values())
    sent = sent_by(out, shards) if shards > 1 else (0, 0, 0)
    wall_s = time.monotonic() - begun
    archive = sum(path.stat().st_size for path in (out / "archive").iterdir())
    catalogue = (out / "catalogue.db").stat().st_size
    busiest = max(cpu for _, cpu in used.values())
    site_cpu_s = of_site() - site_before
    shutil.rmtree(out)
    return Cost(
        said["pages"], said["seconds"], wall_s, total, of_ray, busiest, archive, catalogue, *sent, site_cpu_s
    )


def _is_of_ray(name: str) -> bool:
    return "ray/" in name or ("ray::" in name and "Actor" not in name)


def sent_by(out: Path, shards: int) -> tuple[int, int, int]:
    """Messages, links and bytes between shards and coordinator, from their logs."""
    found = [0, 0, 0]
    for shard in range(shards):
        for line in (shard_directory(out, shard) / "crawl.log").read_text(encoding="ascii").splitlines():
            if (said := json.loads(line))["event"] == "messages":
                found = [
                    old + said[name] for old, name in zip(found, ("sent", "links", "bytes"), strict=True)
                ]
    return found[0], found[1], found[2]


def a_page(small: Cost, large: Cost) -> float:
    """Milliseconds of CPU for each additional page.

    >>> a_page(Cost(100, 1, 1, 5, 0), Cost(300, 1, 1, 9, 0))
    20.0
    """
    return 1000 * (large.cpu_s - small.cpu_s) / (large.pages - small.pages)


def pages_a_second(small: Cost, large: Cost) -> float:
    """Speed of the additional pages: without the time to start.

    >>> pages_a_second(Cost(100, 3, 9, 5, 0), Cost(300, 5, 11, 9, 0))
    100.0
    """
    return (large.pages - small.pages) / (large.seconds - small.seconds)


def cores(small: Cost, large: Cost) -> tuple[float, float]:
    """Number of busy cores: by the crawl, and by its site.

    >>> cores(Cost(100, 3, 9, 5, 0), Cost(300, 5, 11, 8, 0, site_cpu_s=1))
    (1.5, 0.5)
    """
    seconds = large.seconds - small.seconds
    return (large.cpu_s - small.cpu_s) / seconds, (large.site_cpu_s - small.site_cpu_s) / seconds


def of_busiest(small: Cost, large: Cost) -> float:
    """Milliseconds of CPU per additional page in the busiest process."""
    return 1000 * (large.busiest_cpu_s - small.busiest_cpu_s) / (large.pages - small.pages)


def sizes(alone: tuple[Cost, Cost], divided: tuple[Cost, Cost]) -> str:
    """Estimate a million and a billion pages from the cost of one, in one process and by shards."""
    each, by_shards, large = a_page(*alone) / 1000, a_page(*divided) / 1000, alone[1]
    archive, catalogue = large.archive / large.pages, large.catalogue / large.pages
    return (
        f"At {1000 * each:.1f} ms of CPU a page one process crawls {86_400 / each / 1e6:.1f} million pages a day and core, if "
        f"enough hosts may be asked: at one request a second and host that takes {1 / each:.0f} hosts at any time. A page takes "
        f"{archive / 1000:.0f} KB in the archive and {catalogue / 1000:.0f} KB in the catalogue, with its text, links and terms: "
        f"a million pages {(archive + catalogue) / 1000:.0f} GB. By shards, at {1000 * by_shards:.1f} ms, a billion pages on {SHARDS} "
        f"cores are {1e9 * by_shards / 86_400 / SHARDS:.0f} days, {1e9 * archive / 1e12:.0f} TB of archive and "
        f"{1e9 * catalogue / 1e12:.0f} TB of catalogues, {1e9 / SHARDS / 1e6:.1f} million pages and "
        f"{1e9 * catalogue / SHARDS / 1e9:.0f} GB of catalogue a shard."
    )


Round = dict[str, tuple[Cost, Cost]]
"""A small and a large crawl, in each way."""


def ratio(costs: Round) -> float:
    """CPU of a page by two shards, as a multiple of one process."""
    return a_page(*costs[DIVIDED]) / a_page(*costs[ALONE])


def figures(rounds: list[Round]) -> str:
    """The table of the medians of all rounds, and the ratio of each round."""
    costs = medians(rounds)
    rows = []
    for way, (small, large) in costs.items():
        each = a_page(small, large)
        rows.append(
            [
                way,
                f"{each:.1f} ms",
                f"{of_busiest(small, large):.1f} ms",
                f"{large.cpu_s - each * large.pages / 1000:.1f} s",
                f"{large.ray_cpu_s:.1f} s",
                f"{large.wall_s - large.seconds:.1f} s",
                f"{pages_a_second(small, large):.1f}",
                *(f"{count:.2f}" for count in cores(small, large)),
                f"{large.messages / large.pages:.2f}" if large.messages else "",
                f"{large.links / large.pages:.1f}" if large.messages else "",
                f"{large.bytes / large.pages:,.0f}" if large.messages else "",
            ]
        )
    heads = [
        "",
        "CPU a page",
        "of this, the busiest process",
        "CPU to begin and end",
        "of all, Ray's own",
        "time to begin and end",
        "pages/s",
        "cores busy with it",
        "with its site",
        "messages a page",
        "links sent a page",
        "bytes sent a page",
    ]
    small, large = costs[DIVIDED]
    ratios = ", ".join(f"{ratio(one):.2f}" for one in rounds)
    alone = a_page(*costs[ALONE])
    told = (
        f"A page of two shards costs {ratio(costs):.2f} times the CPU of one process (each round: {ratios}). Two shards crawl "
        f"{_faster(rounds, ON_ONE_CORE)} times as fast as one process that is kept to one core, and {_faster(rounds, ALONE)} times as "
        f"fast as one that uses two; its loop is the limit from {alone / of_busiest(*costs[ALONE]):.1f} cores on."
    )
    when = (
        f"({small.pages:.0f} and {large.pages:.0f} pages, commit {commit_of(ROOT)}, {os.cpu_count()} cores with "
        f"{os.getloadavg()[2]:.0f} processes that wanted to run.)"
    )
    return f"{table(heads, rows)}\n\n{told} {when}"


def _faster(rounds: list[Round], than: str) -> str:
    """Speed of two shards as a multiple of one process: median, and each round."""
    times = [pages_a_second(*one[DIVIDED]) / pages_a_second(*one[than]) for one in rounds]
    return f"{median(times):.2f} (each round: {', '.join(f'{one:.2f}' for one in times)})"


def medians(rounds: list[Round]) -> Round:
    """Median cost of each crawl over all rounds."""
    return {
        way: (_median([one[way][0] for one in rounds]), _median([one[way][1] for one in rounds]))
        for way in SHARDS_OF
    }


def _median(costs: list[Cost]) -> Cost:
    return Cost(*map(median, zip(*map(msgspec.structs.astuple, costs), strict=True)))


def main() -> None:
    """Print the table, or write it into the page."""
    parser = arguments(__doc__)
    parser.add_argument("--pages", type=int, action="append", help="twice: a small crawl and a large one")
    parser.add_argument("--write", action="store_true", help="write the table into research/shards.md")
    parser.add_argument("--repeat", type=int, default=1, help="rounds; the table has their medians")
    options = parser.parse_args()
    small, large = sorted(options.pages or (500, 4000))
    rounds: list[Round] = []
    os.environ[MARK] = _SITE  # mark processes of this program that are not crawls
    for _ in range(options.repeat):
        with (
            SiteProcess("lycosa_lab.bench.web:bench_pages", pages=2 * large, hosts=HOSTS) as site,
            tempfile.TemporaryDirectory(prefix="cost-") as folder,
        ):
            for way in (ALONE, DIVIDED):
                crawl(Path(folder), site, WARM_UP_PAGES, way)  # compile byte code for the following crawls
            # Alternate, so that other load on the machine affects both alike.
            sizes_of = {
                (pages, way): crawl(Path(folder), site, pages, way)
                for pages in (small, large)
                for way in SHARDS_OF
            }
        costs = {way: (sizes_of[small, way], sizes_of[large, way]) for way in SHARDS_OF}
        print(costs, file=sys.stderr, flush=True)
        rounds.append(costs)
    text, reckoning = figures(rounds), sizes(*(medians(rounds)[way] for way in (ALONE, DIVIDED)))
    if options.write:
        write_part(PAGE, "costs", text)
        write_part(PAGE, "sizes", reckoning)
    print(text, reckoning, sep="\n\n")


if __name__ == "__main__":
    main()

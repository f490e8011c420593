"""Crawl by shards on a Ray cluster of several nodes, and kill or stop its processes at random.

Faults: SIGKILL of a shard, of the coordinator, of a Ray node with everything on it, and of the command with the whole
cluster (it is then run again, as a user would); SIGSTOP of a shard for 20 s. The shards must end with the pages of one
undisturbed process, none twice, no host asked too fast, and every WARC record readable. Runs are kept in DIR; rows of
the table whose runs are not in DIR stay.

Command line: nice -n 15 python -m research.cluster_faults --faults 100 --shards 4 --seed 1 --kept DIR; then --kept DIR --write
Expected time: about ten seconds a fault on two quiet cores; a tenth of it to see that it works: --faults 10. What a run has
found is kept in DIR, so that several short runs with different seeds replace a long one.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from tests.cluster.shards import contents, of_shards
from tests.collection.archives import records_of
from tests.crawling import KEYWORDS, crawl, small_web, spec_text

from lycosa.cluster.division import shard_directory
from lycosa.cluster.on_ray import ray_library, use_token
from lycosa.engine.watch.control import ask
from lycosa.testing import Site
from lycosa.urls import authority_of, host_of
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, part_of, rows_of_table, table, write_part

PAGE = NOTEBOOKS / "shards.md"
DELAY_S = 1.0
STOP_S = 20.0
TRIES = 5
KINDS = ("kill a shard", "kill the coordinator", "kill a node", "kill everything", "stop a shard")
WEIGHTS = (4, 3, 4, 2, 1)
HEADS = (
    "run",
    "faults",
    "pages",
    "the same pages, links and judgements",
    "requests",
    "URLs asked for again",
    "hosts of several shards",
    f"smallest gap (delay {DELAY_S:g} s)",
    "WARC records, all read",
)


class Faulty:
    """A cluster with a head and two more nodes, and a crawl on it."""

    def __init__(self, spec: Path, out: Path, shards: int, chance: Random) -> None:
        self.spec, self.out, self.shards, self.chance = spec, out, shards, chance
        self.mark = f"LYCOSA_FAULTS={os.getpid()}"
        os.environ["LYCOSA_FAULTS"] = str(os.getpid())
        # Ray refuses 127.0.0.1 as the address of a cluster without this.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        # As the command does: a cluster without a token ends the actors of a user with one.
        use_token()
        self.begin()

    def begin(self) -> None:
        """Start a cluster and the crawl on it."""
        ray_library()
        from ray.cluster_utils import Cluster

        self.node = {
            "num_cpus": self.shards,
            "object_store_memory": 100_000_000,
            "node_ip_address": "127.0.0.1",
        }
        self.cluster = Cluster(initialize_head=True, head_node_args={**self.node, "include_dashboard": False})
        self.nodes = [self._new_node() for _ in range(2)]
        command = [sys.executable, "-m", "lycosa", "crawl", str(self.spec), "--shards", str(self.shards)]
        self.process = subprocess.Popen(
            [*command, "--ray", self.cluster.address, "--quiet"], stdout=subprocess.DEVNULL
        )

    def _new_node(self) -> Any:
        """Add a node. On a busy machine Ray may fail to start one in time; try another."""
        for _ in range(TRIES - 1):
            try:
                return self.cluster.add_node(**self.node)
            except Exception as error:  # Ray has no other kind for it
                print(f"no new node: {error}", file=sys.stderr, flush=True)
        return self.cluster.add_node(**self.node)

    def pages(self) -> int:
        """Number of pages, as far as the status says."""
        answer = ask(self.out, "status")
        return int(answer["pages"]) if answer and answer.get("ok") else 0

    def wait_for_pages(self, more: int) -> None:
        """Wait until the crawl has this many more pages, or has ended."""
        before = 0
        while self.process.poll() is None and not (before and self.pages() >= before + more):
            before = before or self.pages()
            time.sleep(0.2)

    def do(self, kind: str) -> None:
        """Inject one fault."""
        if kind == "kill a shard":
            self._signal(self._shard(), signal.SIGKILL)
        elif kind == "kill the coordinator":
            for number in self._processes("CoordinatorActor"):
                self._signal(number, signal.SIGKILL)
        elif kind == "kill a node":
            node = self.nodes.pop(0)
            self.cluster.remove_node(node, allow_graceful=False)
            self.nodes.append(self._new_node())
        elif kind == "stop a shard":
            number = self._shard()
            self._signal(number, signal.SIGSTOP)
            time.sleep(STOP_S)
            self._signal(number, signal.SIGCONT)
        else:
            self.end()
            self.begin()

    def end(self) -> None:
        """Kill the command and the cluster at once."""
        self.process.kill()
        self.process.wait()
        for number in self._processes("ray::"):
            self._signal(number, signal.SIGKILL)
        self.cluster.shutdown()

    def _shard(self) -> int:
        lock = shard_directory(self.out, self.chance.randrange(self.shards)) / "lock"
        text = lock.read_text() if lock.is_file() else ""
        return int(text) if text.isdigit() and int(text) in self._processes("ShardActor") else 0

    def _processes(self, kind: str) -> list[int]:
        """Our own Ray processes of this kind."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if kind in (path / "cmdline").read_text() and self.mark in (path / "environ").read_text():
                    found.append(int(path.name))
            except OSError:
                continue
        return found

    def _signal(self, number: int, what: signal.Signals) -> None:
        if number:
            try:
                os.kill(number, what)
            except ProcessLookupError:
                return


def spec_for(site: Site) -> str:
    """The spec of a crawl of the whole site, with a delay for each host."""
    return spec_text(
        site,
        ["http://h0.test/"],
        top={"strategy": "best-first", "name": "web"},
        topic={"keywords": list(KEYWORDS)},
        limits={"pages": "none"},
        fetch={
            "per_host_delay_s": DELAY_S,
            "per_ip_concurrency": 64,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        },
    )


def compared(root: Path, shards: int, site: Site) -> dict[str, Any]:
    """Compare what the shards in `web` hold with the single process in `one`, and read the log of the site."""
    directories = of_shards(root / "web", shards)
    one, whole = contents([root / "one"]), contents(directories)
    hosts = Counter(
        host
        for directory in directories
        for host in {host_of(authority_of(url)) for url in contents([directory])["pages"]}
    )
    gaps = [
        after - before
        for host in {request.host for request in site.log}
        for before, after in pairwise(site.times(host))
    ]
    return {
        "pages": len(whole["pages"]),
        "same pages, links and judgements": {part: whole[part] == one[part] for part in one},
        "hosts of several shards": sum(count > 1 for count in hosts.values()),
        "requests": len(site.log),
        "asked again": sum(count > 1 for count in Counter(r.url for r in site.log).values()),
        "smallest gap, s": round(min(gaps), 4),
        "delay, s": DELAY_S,
        "WARC records read": sum(len(records_of(directory / "archive")) for directory in directories),
    }


def disturbed(faults: int, shards: int, seed: int, hosts: int, pages: int) -> dict[str, Any]:
    """Crawl a web under random faults; return the faults and the comparison."""
    chance, done = Random(seed), Counter[str]()
    with (
        tempfile.TemporaryDirectory(prefix="faults-") as folder,
        Site(small_web(hosts, pages)) as site,
    ):
        root = Path(folder)
        text = spec_for(site)
        (root / "crawl.toml").write_text(text, encoding="utf-8")
        crawl(text.replace(f"per_host_delay_s = {DELAY_S}", "per_host_delay_s = 0"), root / "one")
        site.log.clear()
        faulty = Faulty(root / "crawl.toml", root / "web", shards, chance)
        try:
            while faulty.process.poll() is None and done.total() < faults:
                faulty.wait_for_pages(chance.randrange(5, 60))
                if faulty.process.poll() is None:
                    (kind,) = chance.choices(KINDS, WEIGHTS)
                    faulty.do(kind)
                    done[kind] += 1
                    print(f"{done.total()}: {kind}; {faulty.pages()} pages", file=sys.stderr, flush=True)
            code = faulty.process.wait()
        finally:
            faulty.end()
        about = {
            "seed": seed,
            "shards": shards,
            "commit": commit_of(ROOT),
            "faults": dict(done),
            "exit": code,
        }
        return about | compared(root, shards, site)


def row_of(run: dict[str, Any]) -> list[str]:
    """Cells of a run, in the order of HEADS."""
    same = run["same pages, links and judgements"]
    missed = ", ".join(part for part, is_same in same.items() if not is_same)
    return [
        f"{run['shards']} shards, seed {run['seed']}",
        _listed(run["faults"].items()),
        f"{run['pages']:,}",
        f"no: {missed}" if missed else "yes",
        f"{run['requests']:,}",
        str(run["asked again"]),
        str(run["hosts of several shards"]),
        f"{run['smallest gap, s']:.3f} s",
        f"{run['WARC records read']:,}",
    ]


def commits_in(page: str) -> list[str]:
    """The commits that a page names below its table.

    >>> commits_in("3 faults in all. (Commit 053f640 on 10ef3ca, 4f610e7.)")
    ['053f640 on 10ef3ca', '4f610e7']
    """
    found = re.search(r"\(Commit (.*)\.\)", page)
    return found[1].split(", ") if found else []


def figures(rows: list[list[str]], commits: Iterable[str]) -> str:
    """The table of runs, and the faults of all runs."""
    total = Counter[str]()
    for _, faults, *_ in rows:
        for one in faults.split(", "):
            count, _, kind = one.partition(" × ")
            total[kind] += int(count)
    about = f"{total.total()} faults in all: {_listed(total.most_common())}. (Commit {', '.join(commits)}.)"
    return f"{table(HEADS, rows)}\n\n{about}"


def _listed(faults: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{count} × {kind}" for kind, count in faults)


def main() -> None:
    """Run and print, or write kept runs into the notebook."""
    parser = arguments(__doc__)
    parser.add_argument("--faults", type=int, default=0, help="0: no run is made")
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=12)
    parser.add_argument("--pages", type=int, default=0, help="of each host; default: enough for all faults")
    parser.add_argument("--kept", type=Path, required=True, help="where the figures of runs are kept")
    parser.add_argument("--write", action="store_true", help="write the table into research/shards.md")
    options = parser.parse_args()
    if options.faults:
        pages = options.pages or max(20, 6 * options.faults)
        found = disturbed(options.faults, options.shards, options.seed, options.hosts, pages)
        options.kept.mkdir(parents=True, exist_ok=True)
        (options.kept / f"{options.seed:03}.json").write_text(json.dumps(found), encoding="utf-8")
    runs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(options.kept.glob("*.json"))]
    before = part_of(PAGE, "faults")
    rows = {row[0]: row for row in (*rows_of_table(before), *map(row_of, runs))}
    commits = dict.fromkeys([*commits_in(before), *(run["commit"] for run in runs)])
    text = figures(list(rows.values()), commits)
    if options.write:
        write_part(PAGE, "faults", text)
    print(text)


if __name__ == "__main__":
    main()

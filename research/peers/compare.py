"""Compare Lycosa with crawl4ai and Scrapy on an archived web, over HTTP.

PEERS is an environment with both: python -m venv PEERS && PEERS/bin/pip install crawl4ai==0.9.5 scrapy==2.19.0. All
crawlers get the same topics: the keywords of the web, three relevant pages as seeds (Lycosa: as examples), 200 pages;
those of the lab's first draw. The crawls of a topic are kept in the folder KEPT; the table is of all that are kept.

Command line: python -m research.peers.compare ../shared/webs KEPT PEERS/bin/python [TOPIC…]
Expected time: not measured on an idle machine; about a quarter of an hour of CPU.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from lycosa.urls import key_of
from lycosa_lab import metrics
from lycosa_lab.webs.web import Topic, VirtualWeb
from research.measured import NOTEBOOKS, ROOT, chance, commit_of, cpu_s, mean, table, write_part

PAGE = NOTEBOOKS / "peers.md"
WEB, PAGES, EXAMPLES = "wikischools", 200, 3
TIMEOUT_S = 1_800
OURS = {"PYTHONPATH": str(ROOT / "src")}
"""Where `research` finds the part of Lycosa that it needs, also in a peer's Python."""


class Crawl(msgspec.Struct, frozen=True):
    """URLs that a crawler fetched for a topic, and those it kept; None if it keeps everything."""

    crawler: str
    topic: str
    fetched: list[str]
    kept: list[str] | None = None
    requests: int = 0
    """Of all kinds: robots.txt, and URLs that led to no page, too."""


class Compared(msgspec.Struct, frozen=True):
    """All crawls of a topic, with versions."""

    commit: str
    versions: dict[str, str]
    cpu_s: float
    crawls: list[Crawl]


class Job(msgspec.Struct, frozen=True):
    """Input of a crawler."""

    keywords: list[str]
    seeds: list[str]
    pages: int
    proxy: str
    order: str = ""


def seeds_of(topic: Topic) -> list[str]:
    """The examples of the lab's first draw as a user."""
    return Random(topic.name).sample(list(topic.relevant_urls), EXAMPLES)


def run_peer(python: str, module: str, job: Job) -> list[str]:
    """URLs that a peer fetched."""
    ran = subprocess.run(
        [python, "-m", f"research.peers.{module}"],
        input=msgspec.json.encode(job),
        stdout=subprocess.PIPE,
        timeout=TIMEOUT_S,
        check=True,
        cwd=ROOT,
        env=os.environ | OURS,
    )
    found: list[str] = json.loads(ran.stdout.splitlines()[-1])
    return found


def run_lycosa(strategy: str, job: Job) -> tuple[list[str], list[str]]:
    """URLs that `lycosa crawl` fetched and kept, with its defaults except for the strategy."""
    with tempfile.TemporaryDirectory() as folder:
        spec, out = Path(folder) / "crawl.toml", Path(folder) / "pages.jsonl"
        spec.write_text(spec_of(strategy, job), encoding="utf-8")
        _lycosa("crawl", str(spec), "--out", f"{folder}/crawl", "--json")
        _lycosa("export", f"{folder}/crawl", "--jsonl", str(out))
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return [row["url"] for row in rows], [row["url"] for row in rows if row["relevant"]]


def spec_of(strategy: str, job: Job) -> str:
    """The spec that a user would write."""
    return "\n".join(
        [
            f'name = "peer"\nstrategy = "{strategy}"',
            f"[topic]\nkeywords = {json.dumps(job.keywords)}\nexamples = {json.dumps(job.seeds)}",
            f"[limits]\npages = {job.pages}",
            f'[fetch]\ncontact = "a@example.org"\nper_host_delay_s = 0.0\nproxy = "{job.proxy}"\n',
        ]
    )


def _lycosa(*arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "lycosa", *arguments],
        stdout=subprocess.DEVNULL,
        timeout=TIMEOUT_S,
        check=True,
        env=os.environ | OURS,
    )


class Proxy(msgspec.Struct, frozen=True):
    """A proxy that serves the pages of a web."""

    address: str
    counted: Path

    @property
    def requests(self) -> int:
        """Number of requests so far."""
        return self.counted.stat().st_size


@contextmanager
def served(web: Path) -> Iterator[Proxy]:
    """Run that proxy in a child process."""
    with tempfile.NamedTemporaryFile() as file:
        command = [sys.executable, "-m", "research.peers.proxy", str(web), file.name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
            try:
                assert process.stdout is not None
                yield Proxy(f"http://127.0.0.1:{int(process.stdout.readline())}", Path(file.name))
            finally:
                process.terminate()


def compare(topic: Topic, proxy: Proxy, python: str, pages: int = PAGES) -> Compared:
    """Run all crawlers on a topic."""
    before, job = cpu_s(), Job(list(topic.keywords), seeds_of(topic), pages, proxy.address)
    crawls: list[Crawl] = []

    def add(crawler: str, run: Callable[[], tuple[list[str], list[str] | None]]) -> None:
        asked = proxy.requests
        fetched, kept = run()
        crawls.append(Crawl(crawler, topic.name, fetched, kept, proxy.requests - asked))

    for strategy in ("fused", "best-first"):
        add(f"Lycosa, {strategy}", partial(run_lycosa, strategy, job))
    add("crawl4ai, best-first", partial(_all_kept, python, "crawl4ai_crawl", job))
    for order in ("breadth", "depth"):
        ordered = msgspec.structs.replace(job, order=order)
        add(f"Scrapy, {order} first", partial(_all_kept, python, "scrapy_crawl", ordered))
    return Compared(commit_of(ROOT), versions_in(python), round(cpu_s() - before, 1), crawls)


def _all_kept(python: str, module: str, job: Job) -> tuple[list[str], None]:
    return run_peer(python, module, job), None


def versions_in(python: str) -> dict[str, str]:
    """The versions of the peers."""
    code = "import importlib.metadata as m; print(m.version('crawl4ai'), m.version('scrapy'))"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return dict(zip(("crawl4ai", "Scrapy"), told.stdout.split(), strict=True))


def figures(compared: Sequence[Compared], web: VirtualWeb) -> str:
    """A row for each crawler: recall of what it fetched, precision and F1 of what it kept."""
    groups: dict[str, list[Crawl]] = {}
    for crawl in (crawl for each in compared for crawl in each.crawls):
        groups.setdefault(crawl.crawler, []).append(crawl)
    rows: list[list[str]] = []
    fetched = [[shares(crawl, web)[0] for crawl in crawls] for crawls in groups.values()]
    chances = metrics.holm([metrics.paired_test(fetched[0], theirs) for theirs in fetched[1:]])
    for name, crawls in groups.items():
        recall, precision, f1 = zip(*(shares(crawl, web) for crawl in crawls), strict=True)
        p = chance(chances[len(rows) - 1]) if rows else ""
        keeps = crawls[0].kept is not None
        asked = sum(crawl.requests for crawl in crawls) / max(1, sum(len(crawl.fetched) for crawl in crawls))
        kept = mean(precision) + ("" if keeps else " (keeps all)")
        rows.append([name, mean(recall), p, kept, mean(f1), f"{asked:.2f}"])
    heads = [
        "crawler",
        "relevant pages fetched",
        "p",
        "of what is kept: relevant",
        "F1 of what is kept",
        "requests a page",
    ]
    versions = ", ".join(f"{name} {version}" for name, version in compared[0].versions.items())
    commits = ", ".join(sorted({each.commit for each in compared}))
    cpu = sum(each.cpu_s for each in compared) / 60
    return f"{table(heads, rows)}\n\n{len(compared)} topics; {versions}; Lycosa at {commits}; {cpu:.0f} minutes of CPU."


def shares(crawl: Crawl, web: VirtualWeb) -> tuple[float, float, float]:
    """Recall of what was fetched, precision and F1 of what was kept, without the examples."""
    topic = web.topics[crawl.topic]
    key: Callable[[str], int] = lambda url: key_of(url, web.folding)  # noqa: E731
    given = set(map(key, seeds_of(topic)))
    relevant = topic.relevant() - given
    fetched = set(map(key, crawl.fetched)) - given
    kept = fetched if crawl.kept is None else set(map(key, crawl.kept)) - given
    right = len(kept & relevant)
    return (
        len(fetched & relevant) / len(relevant),
        right / max(1, len(kept)),
        2 * right / (len(kept) + len(relevant)),
    )


def main(webs: Path, kept: Path, python: str, named: Sequence[str]) -> None:
    """Crawl the topics that are not kept, and write the table of all that are."""
    web = VirtualWeb.open(webs / WEB)
    topics = named or sorted(name for name, topic in web.topics.items() if topic.keywords)
    paths = {name: kept / f"peers-{name}.json" for name in topics}
    kept.mkdir(parents=True, exist_ok=True)
    with served(web.path) as proxy:
        for name, path in paths.items():
            if not path.exists():
                found = compare(web.topic(name), proxy, str(Path(python).absolute()))
                path.write_bytes(msgspec.json.encode(found))
                print(f"{name}: {found.cpu_s:.0f} s of CPU", flush=True)
    every = [
        msgspec.json.decode(path.read_bytes(), type=Compared) for path in sorted(kept.glob("peers-*.json"))
    ]
    write_part(PAGE, "peers", figures(every, web))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])

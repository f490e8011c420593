"""`lycosa bench`: CPU time per page by stage, and that of other crawlers on the same site.

CPU time is summed over all processes of a crawl; ratios are within one run, because machines differ.
"""

from __future__ import annotations

import json as jsonlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

import lycosa
from lycosa.processes import uninterrupted
from lycosa.spec.writing import toml
from lycosa.testing import SiteProcess
from lycosa.values import Say
from lycosa_lab.bench.crawled import Crawled, made_site
from lycosa_lab.bench.tables import frontier_text, print_table

CONCURRENCY = 32
WARM_UP_PAGES = 20
MODES = {"deferred": "later", "everything": "now"}
BASELINE = "best-first"
PEERS = {
    "scrapy": "lycosa_lab.bench.scrapy_spider",
    "crawlee": "lycosa_lab.bench.crawlee_spider",
    "crawl4ai": "lycosa_lab.bench.crawl4ai_spider",
}
"""Rival crawlers by package name, with the module that runs each."""
PAGES_OF = {"crawl4ai": 300}
"""Pages for slow rivals."""


class Measured(msgspec.Struct, frozen=True):
    """One crawl: CPU over all its processes (start-up included), and wall time."""

    pages: int
    cpu_s: float
    wall_s: float
    peak_mb: float

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds a page."""
        return 1000 * self.cpu_s / self.pages if self.pages else 0.0


def run_bench(
    pages: int,
    repeat: int,
    *,
    strategies: Sequence[str],
    json: bool,
    say: Say,
    crawled: Crawled | None = None,
    peers: str = sys.executable,
) -> None:
    """Measure, and print a table or JSON."""
    figures = measure(pages, repeat, say, strategies, crawled, peers=peers)
    if json:
        print(jsonlib.dumps(figures, indent=1))
    else:
        print_table(figures)


def run_frontier_bench(urls: int, hosts: int, *, with_records: bool, json: bool) -> None:
    """Measure the frontier alone, and print its figures."""
    from lycosa_lab.bench.frontier import measure as measure_frontier

    figures = measure_frontier(urls, hosts, at=(min(urls, 100_000),), with_records=with_records)
    print(jsonlib.dumps(figures, indent=1) if json else frontier_text(figures))


def measure(
    pages: int,
    repeat: int,
    say: Say,
    strategies: Sequence[str] = (),
    crawled: Crawled | None = None,
    *,
    peers: str = sys.executable,
    with_stages: bool = True,
) -> dict[str, Any]:
    """The figures of `repeat` rounds: each crawls the same site in every way, one after the other.

    `strategies` are those that are crawled with beside best-first, everything on. Without `crawled` it is the
    benchmark's own site. `peers` is a Python that may have other crawlers. Where the time goes is found out last, by crawls in
    this process: what is started from here afterwards counts the memory that they took as its own.
    """
    crawled = crawled or made_site(pages)
    there = [name for name in PEERS if _has(peers, name)]
    if "scrapy" not in there:
        say("Scrapy is not installed: no comparison. Install it with: pip install 'lycosa[bench]'")
    runs: dict[str, list[Measured]] = defaultdict(list)
    say(f"Serving {crawled.name} …")
    with (
        crawled.served() as site,
        tempfile.TemporaryDirectory() as folder,
    ):
        ours = Ours(Path(folder), site, crawled)
        for strategy in (BASELINE, *strategies):
            ours.crawl(f"warm-up {strategy}", WARM_UP_PAGES, "now", strategy)
        for number in range(repeat):
            for name, when in MODES.items():
                say(f"round {number + 1} of {repeat}: lycosa, {name}")
                runs[name].append(ours.crawl(f"{name}{number}", pages, when))
            for strategy in strategies:
                say(f"round {number + 1} of {repeat}: lycosa, {strategy}")
                runs[strategy].append(ours.crawl(f"{strategy}{number}", pages, "now", strategy))
            for peer in there:
                say(f"round {number + 1} of {repeat}: {peer}")
                runs[peer].append(_peer(peers, peer, site, crawled, min(pages, PAGES_OF.get(peer, pages))))
        stages = {}
        for strategy in (BASELINE, *strategies) if with_stages else ():
            say(f"shares of the stages: {strategy}")
            stages[strategy] = _stages(Path(folder) / f"stages {strategy}", site, crawled, pages, strategy)
    return {"site": crawled.name, **_figures(pages, runs, stages, strategies)}


def _figures(
    pages: int,
    runs: dict[str, list[Measured]],
    stages: dict[str, dict[str, float]],
    strategies: Sequence[str] = (),
) -> dict[str, Any]:
    figures: dict[str, Any] = {"pages": pages, "concurrency": CONCURRENCY, "runs": {}, "stages_ms": stages}
    for name, measured in runs.items():
        costs = [run.cpu_ms for run in measured]
        figures["runs"][name] = {
            "cpu_ms_per_page": statistics.median(costs),
            "cpu_ms_all": costs,
            "pages_per_s": statistics.median(run.pages / run.wall_s for run in measured),
            "peak_mb": max(run.peak_mb for run in measured),
            "pages": [run.pages for run in measured],
        }
    for name in strategies:
        pairs = zip(runs[name], runs["everything"], strict=True)
        figures["runs"][name]["above_best_first_ms"] = statistics.median(
            own.cpu_ms - plain.cpu_ms for own, plain in pairs
        )
    for name in MODES:
        figures["runs"][name]["ratios"] = {
            peer: [theirs.cpu_ms / ours.cpu_ms for theirs, ours in zip(runs[peer], runs[name], strict=True)]
            for peer in PEERS
            if peer in runs
        }
    return figures


def spec_text(
    site: SiteProcess,
    pages: int,
    when: str,
    workers: int | None,
    strategy: str = BASELINE,
    crawled: Crawled | None = None,
) -> str:
    """A crawl of the benchmark's site, or of what is `crawled` instead; `when` the index is made: now or later."""
    crawled = crawled or made_site(pages)
    process = "" if workers is None else f"workers = {workers}"
    return f"""
strategy = {toml(strategy)}
[topic]
keywords = {toml(crawled.keywords)}
[seeds]
urls = {toml(crawled.starts)}
[limits]
pages = {pages}
[fetch]
concurrency = {CONCURRENCY}
per_host_concurrency = {CONCURRENCY}
per_ip_concurrency = {CONCURRENCY}
per_host_delay_s = 0.0
allow_private = {toml((crawled.hosts,))}
connect_to = {toml({crawled.hosts: f"127.0.0.1:{site.port}"})}
[index]
text = "{when}"
near_duplicates = "{when}"
[process]
{process}
"""


class Ours:
    """Crawls of one site by this version, as programs."""

    def __init__(self, folder: Path, site: SiteProcess, crawled: Crawled) -> None:
        self.folder, self.site, self.crawled = folder, site, crawled
        self.environment = as_installed(folder / "byte code")

    def crawl(self, name: str, pages: int, when: str, strategy: str = BASELINE) -> Measured:
        """Crawl into a folder of that name."""
        spec = spec_text(self.site, pages, when, None, strategy, self.crawled)
        return crawl_by(spec, self.folder / name, self.environment)


def crawl_by(spec: str, folder: Path, environment: Mapping[str, str]) -> Measured:
    """Crawl as a spec says, as a program."""
    folder.mkdir()
    path = folder / "crawl.toml"
    path.write_text(spec, encoding="utf-8")
    arguments = ["crawl", str(path), "--out", str(folder / "collection"), "--json"]
    return measured_crawl([sys.executable, "-W", "ignore", "-m", "lycosa", *arguments], environment)


def as_installed(folder: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment of a program that finds its byte code in a folder, once a first run has put it there.

    What pip has installed is compiled, and so are other crawlers; a source tree may not be, least of all where
    PYTHONDONTWRITEBYTECODE is set. Every process would compile all that it imports.
    """
    kept = {name: value for name, value in environment.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder)}


def _has(python: str, package: str) -> bool:
    """Whether a Python has a package."""
    test = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return subprocess.run([python, "-c", test], check=False).returncode == 0


def _peer(python: str, peer: str, site: SiteProcess, crawled: Crawled, pages: int) -> Measured:
    command = [python, "-W", "ignore", "-m", PEERS[peer], " ".join(crawled.starts)]
    ours = str(Path(lycosa.__file__).parents[1])
    return measured_crawl(
        [*command, str(site.port), str(pages), str(CONCURRENCY)], os.environ | {"PYTHONPATH": ours}
    )


def measured_crawl(command: list[str], environment: Mapping[str, str] = os.environ) -> Measured:
    """Run a program; its CPU time includes that of the processes it waited for."""
    begun = time.monotonic()
    process: subprocess.Popen[bytes] | None = None
    try:
        with uninterrupted():
            process = subprocess.Popen(command, stdout=subprocess.PIPE, process_group=0, env=environment)
        assert process.stdout is not None
        output = process.stdout.read()
    except BaseException:
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        raise
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begun
    # On the last line: what a peer says before is not for us.
    pages = (
        int(jsonlib.loads(output.strip().rpartition(b"\n\n")[2])["pages"]) if process.returncode == 0 else 0
    )
    return Measured(pages, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def inline_crawl(directory: Path, text: str, watch: Callable[[Any], None] = lambda _: None) -> None:
    """Crawl by a spec in this process."""
    import asyncio

    from lycosa.engine.session import run_crawl
    from lycosa.engine.start.request import CrawlRequest
    from lycosa.methods.lookup import all_settings
    from lycosa.spec.reading import parse_spec

    asyncio.run(
        run_crawl(
            CrawlRequest(parse_spec(text, all_settings()), text, directory.parent, directory), watch=watch
        )
    )


def _stages(
    directory: Path, site: SiteProcess, crawled: Crawled, pages: int, strategy: str = BASELINE
) -> dict[str, float]:
    """CPU milliseconds a page of each stage, all in one process; the rest is fetching and the loop."""
    from lycosa.engine.loop import Crawl

    spent: dict[str, float] = defaultdict(float)

    def watch(crawl: Crawl) -> None:
        conclusions = crawl.conclusions
        crawl.frontier = conclusions.frontier = Timed(crawl.frontier, "frontier", spent)
        crawl.store = conclusions.store = Timed(crawl.store, "store", spent)
        conclusions.strategy = Timed(conclusions.strategy, "strategy", spent)
        conclusions.admission = Timed(conclusions.admission, "admission", spent)  # type: ignore[assignment]
        crawl.visits.analyser = TimedAnalyser(crawl.visits.analyser, spent)

    begun = time.process_time()
    inline_crawl(directory, spec_text(site, pages, "now", 0, strategy, crawled), watch)
    total = time.process_time() - begun
    spent["fetch and loop"] = total - sum(spent.values())
    return {name: 1000 * seconds / pages for name, seconds in sorted(spent.items())}


class Timed:
    """An object whose methods add their CPU time to an account; context managers count at both ends."""

    def __init__(self, inner: Any, name: str, spent: dict[str, float]) -> None:
        self._inner = inner
        self._name = name
        self._spent = spent

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if not callable(value):
            return value
        if name in ("commit", "together"):
            return lambda: self._both_ends(value())
        return lambda *args, **named: self._call(value, args, named)

    def _call(self, method: Callable[..., Any], args: Any, named: Any) -> Any:
        begun = time.thread_time()
        try:
            return method(*args, **named)
        finally:
            self._spent[self._name] += time.thread_time() - begun

    @contextmanager
    def _both_ends(self, inner: AbstractContextManager[None]) -> Iterator[None]:
        self._call(inner.__enter__, (), {})
        try:
            yield
        finally:
            self._call(inner.__exit__, (None, None, None), {})


class TimedAnalyser:
    """An analyser that accounts for its CPU time; for one that works inline."""

    def __init__(self, inner: Any, spent: dict[str, float]) -> None:
        self._inner = inner
        self._spent = spent

    async def analyse(self, fetched: Any) -> Any:
        """As the inner one."""
        begun = time.thread_time()
        result = await self._inner.analyse(fetched)
        self._spent["analysis"] += time.thread_time() - begun
        return result

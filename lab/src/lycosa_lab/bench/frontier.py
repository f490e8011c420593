"""Speed, memory and disk use of the frontier on disk.

The work is that of a crawl: take a URL, end it, add the links of its page, commit every few pages.
"""

from __future__ import annotations

import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from lycosa import urls
from lycosa.evidence.topic import TopicEvidence
from lycosa.frontier import Policy, Weigh
from lycosa.frontier.sqlite import SqliteFrontier
from lycosa.learn.judges.kinds import EveryPage
from lycosa.methods.lookup import fitted
from lycosa.methods.preparation import Preparation
from lycosa.methods.strategy import BaseStrategy
from lycosa.values import Decision, Judgement, Link, Outcome, Page, Touch

WINDOW = 1000  # pages averaged per figure
FILLED_AT_ONCE = 300  # pages per commit outside the measured part
PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "cache_size = -64000", "wal_autocheckpoint = 4000")


def measure(
    url_count: int = 100_000,
    host_count: int = 1_000,
    *,
    links_per_page: int = 90,
    new_share: float = 0.4,
    own_host_share: float = 0.7,
    pages_per_commit: int = 30,
    at: tuple[int, ...] = (),
    weigh: Weigh | None = None,
    with_records: bool = False,
    filled_by: float | None = None,
    folder: Path | None = None,
    note: Callable[[Mapping[str, float]], None] = lambda _: None,
) -> dict[str, object]:
    """Grow a frontier to `url_count` known URLs; the cost at the sizes in `at` and at the end.

    Times are CPU microseconds, of the system too: per link added, per URL taken and ended, and per
    page for the commits. With records every URL carries what `fused` knows of it, is scored by it, and the
    neighbours of each page are scored again; making the records counts as adding. Between the sizes that are measured the
    share of new links is `filled_by`, where that is given, and nothing is journalled: a large frontier is there sooner.
    `note` hears of each size.
    """
    started = time.process_time()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "frontier.db"
        with closing(sqlite3.connect(path)) as connection:
            for pragma in PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            work = _Work(
                connection, weigh, host_count, links_per_page, new_share, own_host_share, with_records
            )
            sizes = []
            for size in (*sorted(at), url_count):
                if filled_by is not None:
                    work.fill(size, filled_by)
                sizes.append(work.window(size, pages_per_commit))
                note({**sizes[-1], "max_rss_mb": _max_rss_mb(), "disk_bytes": path.stat().st_size})
            disk = path.stat().st_size
    return {
        "sizes": sizes,
        "hosts": host_count,
        "disk_bytes_per_url": round(disk / url_count),
        "max_rss_mb": _max_rss_mb(),
        "cpu_s": round(time.process_time() - started, 1),
    }


class _Work:
    """A synthetic web of hosts and the frontier it fills."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        weigh: Weigh | None,
        hosts: int,
        links: int,
        new_share: float,
        own_host_share: float,
        with_records: bool,
    ) -> None:
        self.connection = connection
        self.strategy = _fused() if with_records else None
        records = self.strategy.records if self.strategy else None
        policy = Policy(max_waiting=100_000_000, weigh=weigh, records=records)
        self.frontier = SqliteFrontier(connection, policy, now=0.0, restart_rest_s=1.0)
        self.random = random.Random(7)
        self.found = [1] * hosts  # URLs known so far, host by host
        self.links, self.new_share, self.own_host_share = links, new_share, own_host_share
        self.now = 1.0
        self.rest = min(1.0, 0.005 * hosts)  # at one page per 0.01 s some host is always available
        self.frontier.add([self._decision(host, 0) for host in range(hosts)])

    def fill(self, size: int, new_share: float) -> None:
        """Grow to just below `size` URLs, without durability."""
        self.connection.commit()
        self.connection.execute("PRAGMA journal_mode = OFF")
        full, measured_by = self._before(size), self.new_share
        self.new_share = new_share
        while self._known() < full:
            self._pages(FILLED_AT_ONCE)
        self.new_share = measured_by
        self.connection.execute(f"PRAGMA {PRAGMAS[0]}")

    def window(self, size: int, pages_per_commit: int) -> dict[str, float]:
        """Grow to `size` URLs and measure the last pages."""
        while self._known() < self._before(size):
            self._pages(pages_per_commit)
        spent = [0.0, 0.0, 0.0]
        pages = 0
        while self._known() < size or not pages:
            spent = [old + more for old, more in zip(spent, self._pages(pages_per_commit), strict=True)]
            pages += pages_per_commit
        adding, taking, committing = (1e6 * seconds / pages for seconds in spent)
        return {
            "urls": self._known(),
            "add_us_per_link": round(adding / self.links, 2),
            "take_done_us_per_url": round(taking, 1),
            "commit_us_per_page": round(committing, 1),
        }

    def _pages(self, count: int) -> tuple[float, float, float]:
        frontier, clock = self.frontier, time.process_time
        adding = taking = 0.0
        for _ in range(count):
            self.now += 0.01
            began = clock()
            link = frontier.take(self.now)
            taking += clock() - began
            assert link is not None
            decisions = self._links_of(link)
            began = clock()
            frontier.done(link, Outcome(rest_until=self.now + self.rest))
            taking += clock() - began
            began = clock()
            self._add(link, decisions)
            adding += clock() - began
        began = clock()
        self.connection.commit()
        return adding, taking, clock() - began

    def _add(self, link: Link, decisions: list[Decision]) -> None:
        """Add the links of a page, with records if the strategy keeps them."""
        if self.strategy is None:
            self.frontier.add(decisions)
            return
        judgement = Judgement(False, self.random.random())
        page = Page(link, link.url, links=tuple({d.link.key: d.link for d in decisions}.values()))
        steps = self.strategy.rank(page, judgement)
        self.strategy.learn(link, judgement, {})
        self.frontier.add([step for step in steps if isinstance(step, Decision)], self.strategy.merge)
        for step in steps:
            if isinstance(step, Touch):
                self.frontier.touch(step.keys)

    def _before(self, size: int) -> int:
        """Return the number of URLs at which measuring for `size` starts."""
        return size - int(WINDOW * self.links * self.new_share)

    def _known(self) -> int:
        counts = self.frontier.counts()
        return counts.waiting + counts.taken + counts.done

    def _links_of(self, link: Link) -> list[Decision]:
        draw = self.random.random
        own = int(urls.host_of(link.url).split(".")[1][1:])
        decisions = []
        for _ in range(self.links):
            host = own if draw() < self.own_host_share else self.random.randrange(len(self.found))
            if draw() < self.new_share:
                page = self.found[host]
                self.found[host] += 1
            else:
                page = self.random.randrange(self.found[host])
            decisions.append(self._decision(host, page, link.key))
        return decisions

    def _decision(self, host: int, page: int, parent: int = 0) -> Decision:
        url = f"http://www.s{host}.example/stories/2024/{page % 12}/a-headline-of-some-words-{page}.html"
        link = Link(url, urls.hash_of(url), "a headline of some words", depth=3, parent=parent)
        return Decision(link, priority=self.random.random())


def _max_rss_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _fused() -> BaseStrategy:
    """Return the strategy that keeps records, untrained."""
    return fitted("fused", {}, Preparation(EveryPage(), TopicEvidence({"owl": 1.0})))

"""What `fused` loses, and where: writes its part of docs/strategies/fused.md. In: a folder of webs. Out: a table.

Command line: python -m research.fused_losses ../shared/webs KEPT
Expected time: not measured on an idle machine; some five minutes of CPU.

The same crawls are made again by crawlers that know a part of the truth: the oracle's first 50 pages, every label in
place of the judgements, or which of the waiting URLs are relevant. What each gains is what `fused` loses there. And
of the relevant pages that it did not fetch it is counted which waited, and what their links said.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa.lab.cache import CachedWeb
from lycosa.lab.grid import LOOK_AHEAD, ORACLE, Laboratory, Variant, chosen_topics
from lycosa.lab.progress import Bar
from lycosa.lab.protocol import distances
from lycosa.lab.run import CountingStore, Crawled, Run, make_crawl
from lycosa.lab.web import VirtualWeb
from lycosa.methods.fused.record import EXTRAS, RECORD
from lycosa.methods.fused.strategy import Fused, Ranking
from lycosa.methods.strategy import Step
from lycosa.values import Decision, Fact, Floats, Judgement, Link, Page
from research.measured import ROOT, Case, commit_of, cpu_s, mean, number, table, write_part

PAGE = ROOT / "docs" / "strategies" / "fused.md"
CASE = Case("wikischools", ("fused",), 200, 2)
FIRST = 50
AT_KEY = RECORD.fields["extra"][1]  # type: ignore[index]
KEY_BYTES = 2 * EXTRAS
"""Of a URL's key that go with its record, in the place of what methods say of links, which is nothing here: enough to
tell the pages of a web apart."""
ABOVE = 2.0
"""Added to the priority of what the truth says to take: those of `fused` are below 1."""
EVERYTHING = 10_000_000

FUSED, LABELS, BEGUN, SEEN = (
    "fused",
    "labels in place of judgements",
    f"the oracle's first {FIRST} pages, then fused",
    "every relevant page as soon as it waits",
)


class Missed(msgspec.Struct, frozen=True):
    """What became of the relevant pages of a crawl, and what is known of those that still wait."""

    targets: int
    fetched: int
    waiting: int
    one_parent: int
    silent: int
    """Anchors and contexts both say less than those of half of all URLs that wait."""


class Losses(msgspec.Struct, frozen=True):
    """All that was measured."""

    commit: str
    cpu_s: float
    runs: dict[str, list[Run]]
    missed: list[Missed]


class Truth:
    """What a crawler may know: the relevant pages, and how far each page is from one."""

    def __init__(self, targets: Collection[int], relevant: Collection[int], away: Mapping[int, int]) -> None:
        self.targets = {short(key) for key in targets}
        self.relevant = relevant
        self.away = {short(key): distance for key, distance in away.items()}


def short(key: int) -> bytes:
    """The part of a key that goes with a record."""
    return key.to_bytes(8, "little", signed=True)[:KEY_BYTES]


def keyed(record: bytes, key: bytes = bytes(KEY_BYTES)) -> bytes:
    """A record with a key, or without."""
    return record[:AT_KEY] + key + record[AT_KEY + KEY_BYTES :]


def key_in(record: bytes) -> bytes:
    """The key that goes with a record."""
    return record[AT_KEY : AT_KEY + KEY_BYTES]


class KnowingRanking:
    """Records with their keys: the truth is asked beside what was learned."""

    def __init__(self, inner: Ranking, above: Callable[[bytes], float]) -> None:
        self.inner = inner
        self.above = above

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> list[bytes]:
        """As `fused` does; the keys stay."""
        return list(map(keyed, self.inner.merge(known, offered), map(key_in, known)))

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, list[bytes]]:
        """As `fused` does, with what the truth puts above all others."""
        keys = list(map(key_in, records))
        scores, kept = self.inner.scored(list(map(keyed, records)))
        above = np.array([self.above(key) for key in keys])
        return scores + above, list(map(keyed, kept, keys))


class Knowing(Fused):
    """`fused` with a part of the truth; it remembers what the links to each URL said."""

    truth: Truth
    rescore: Callable[[int], int]
    way: str = FUSED

    def know(self, truth: Truth, way: str) -> Knowing:
        """Begin with this part of the truth."""
        self.truth, self.way = truth, way
        self.pages_ = 0
        self.said_: dict[int, list[tuple[float, float]]] = {}
        self.records = KnowingRanking(self.ranking_, self._above)
        return self

    def _above(self, key: bytes) -> float:
        if self.way == SEEN:
            return ABOVE if key in self.truth.targets else 0.0
        if self.way == BEGUN and self.pages_ < FIRST:
            return ABOVE + 1 / (1 + self.truth.away.get(key, 1_000))
        return 0.0

    def learn(self, link: Link, judgement: Judgement, evidence: Mapping[str, Fact]) -> None:
        """From what the page is taken for, or what it is."""
        super().learn(link, self._judged(link, judgement), {} if self.way == LABELS else evidence)

    def rank(self, page: Page, judgement: Judgement) -> list[Step]:
        """As `fused` does, with the keys in the records."""
        evidence = {} if self.way == LABELS else page.evidence
        judged = self._judged(page.link, judgement)
        self.pages_ += page.link.key not in self.ranking_.known.pages
        if self.way == BEGUN and self.pages_ == FIRST:
            self.rescore(EVERYTHING)
        anchors, contexts, _ = self._numbers(page)
        for link, anchor, context in zip(page.links, anchors, contexts, strict=True):
            self.said_.setdefault(link.key, []).append((anchor, context))
        steps = super().rank(msgspec.structs.replace(page, evidence=evidence), judged)
        return [self._keyed(step) if isinstance(step, Decision) else step for step in steps]

    def _keyed(self, decision: Decision) -> Decision:
        link = decision.link
        known = msgspec.structs.replace(link, record=keyed(link.record, short(link.key)))
        return msgspec.structs.replace(decision, link=known)

    def _judged(self, link: Link, judgement: Judgement) -> Judgement:
        if self.way != LABELS:
            return judgement
        return Judgement(link.key in self.truth.relevant, float(link.key in self.truth.relevant), "label")

    def missed(self, targets: Collection[int], fetched: Collection[int]) -> Missed:
        """What became of the relevant pages."""
        waiting = {key: np.mean(said, axis=0) for key, said in self.said_.items() if key not in fetched}
        middle = np.median(list(waiting.values()), axis=0)
        left = [key for key in targets if key in waiting]
        return Missed(
            len(targets),
            sum(key in fetched for key in targets),
            len(left),
            sum(len(self.said_[key]) == 1 for key in left),
            sum(bool((waiting[key] < middle).all()) for key in left),
        )


def crawled_knowing(strategy: Knowing, web: CachedWeb, laboratory: Laboratory) -> Crawled:
    """Crawl as the lab does, with a strategy that can have everything scored again when its knowledge ends."""
    store = CountingStore(laboratory.draw.excluded, laboratory.options.pages)
    crawl = make_crawl(strategy, web, store)
    store.crawl, strategy.rescore = crawl, crawl.conclusions.frontier.rescore
    asyncio.run(crawl.run([Link(web.url(key), key, priority=1.0) for key in laboratory.draw.seeds]))
    return Crawled(crawl, store, strategy, laboratory.topic, laboratory.draw, laboratory.options)


def measure(web: Path, case: Case = CASE, topics: Sequence[str] = ()) -> Losses:
    """All ways on all topics and draws, and the oracles beside them."""
    before, pages = cpu_s(), CachedWeb(VirtualWeb.open(web))
    tasks = [(topic, seed) for topic in chosen_topics(pages.web, topics) for seed in range(1, case.runs + 1)]
    runs: dict[str, list[Run]] = {way: [] for way in (FUSED, LABELS, BEGUN, SEEN, ORACLE, LOOK_AHEAD)}
    missed = []
    with Bar("crawls that know") as bar:
        for done, (topic, seed) in enumerate(tasks):
            bar.update(done, len(tasks))
            laboratory = Laboratory(pages, topic, seed, case.options)
            laboratory.prepare(case.strategies)
            draw = laboratory.draw
            truth = Truth(draw.targets, laboratory.topic.relevant(), distances(pages.graph, draw.targets))
            for way in (FUSED, LABELS, BEGUN, SEEN):
                strategy = Knowing().fit(laboratory.preparations[case.strategies[0]]).know(truth, way)
                found = crawled_knowing(strategy, pages, laboratory)
                runs[way].append(found.measured(way, {}, seed))
                if way == FUSED:
                    fetched = {link.key for link in found.store.counted}
                    missed.append(strategy.missed(draw.targets, fetched | draw.excluded))
            for name in (ORACLE, LOOK_AHEAD):
                runs[name].append(laboratory.run(Variant(name)))
    return Losses(commit_of(ROOT), round(cpu_s() - before, 1), runs, missed)


def figures(losses: Losses) -> str:
    """A row for each part of the truth, and a sentence on the pages that were missed."""
    ours = sum(run.auc for run in losses.runs[FUSED])
    rows = []
    for way, runs in losses.runs.items():
        gain = (sum(run.auc for run in runs) - ours) / len(runs)
        cells = [mean([getattr(run, measure) for run in runs]) for measure in ("recall", "auc")]
        rows.append([way, *cells, "" if way == FUSED else number(gain)])
    return f"{table(['crawler', 'recall', 'AUC', 'more AUC than fused'], rows)}\n\n{told(losses)}"


def told(losses: Losses) -> str:
    """What became of the relevant pages, in words."""
    every = losses.missed
    targets, fetched, waiting = (
        sum(getattr(one, name) for one in every) for name in ("targets", "fetched", "waiting")
    )
    unseen = targets - fetched - waiting
    one, silent = (
        sum(getattr(each, name) for each in every) / max(1, waiting) for name in ("one_parent", "silent")
    )
    return (
        f"In {len(every)} crawls: of {targets:,} relevant pages {fetched:,} were fetched, {waiting} still waited in the end, and {unseen} were "
        f"never seen. Of those that waited {one:.0%} had one link only, and {silent:.0%} links that say nothing: anchor "
        "and context both below the median of all that waits. "
        f"Measured at {losses.commit}; {losses.cpu_s / 60:.0f} minutes of CPU."
    )


def main(webs: Path, kept: Path) -> None:
    """Measure what is not kept yet, and write the table."""
    kept.mkdir(parents=True, exist_ok=True)
    path = kept / "losses.json"
    if not path.exists():
        path.write_bytes(msgspec.json.encode(measure(webs / CASE.web)))
    write_part(PAGE, "losses", figures(msgspec.json.decode(path.read_bytes(), type=Losses)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Measure how sharding changes the focus of a crawl, in virtual time: with the price, and without.

In a round all shards together fetch 16 pages (one each if there are more shards) and learn of the others' pages only
afterwards. N = 1 is the same with one shard. A source belongs to one shard. In a web with fewer sources than shards
each page counts as a source.

Command line: nice -n 10 python -m research.shard_focus --web ../shared/webs/webkb --kept DIR, also for others; then --kept DIR --write
Expected time: a minute of CPU for each topic and draw, when the lab has parsed the web before.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import msgspec

from lycosa.cluster.division import Division
from lycosa.methods.lookup import fitted
from lycosa.urls import authority_of, hash_of, source_of
from lycosa.values import Link
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.runs.in_shards import crawl_in_lab
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, table, write_part

SIZES = (1, 2, 4, 8, 16, 64)


class DealtPages(Division, frozen=True):
    """The division of a web whose pages are dealt to shards one by one."""

    def owner_of(self, url: str) -> int:
        return hash_of(url) % self.shards


def sources_of(web: CachedWeb) -> set[str]:
    """The sources of a web."""
    return {source_of(authority_of(url)) for url in web.web.archive.urls()}


def fetched_by(
    lab: Laboratory, strategy: str, shards: int, *, is_priced: bool, is_dealt: bool = False
) -> list[Link]:
    """Pages that this many shards fetch, in order: as many as the options say, and the seeds."""
    strategies = [fitted(strategy, {}, lab.preparations[strategy]) for _ in range(shards)]
    seeds = [Link(lab.web.url(key), key, priority=1.0) for key in lab.draw.seeds]
    pages, division = lab.options.pages + len(seeds), (DealtPages if is_dealt else Division)(shards)
    return asyncio.run(
        crawl_in_lab(strategies, lab.web, seeds, pages, is_priced=is_priced, division=division)
    )


def harvest(lab: Laboratory, strategy: str, shards: int, *, is_priced: bool, is_dealt: bool = False) -> float:
    """Share of the fetched pages that is relevant by the labels, without training pages."""
    order = fetched_by(lab, strategy, shards, is_priced=is_priced, is_dealt=is_dealt)
    counted = [link for link in order if link.key not in lab.draw.excluded]
    return sum(link.key in lab.draw.targets for link in counted) / max(1, len(counted))


def beside_one(values: Sequence[float], alone: Sequence[float]) -> str:
    """A mean, and how far it is from that of one shard.

    >>> beside_one([0.2, 0.4], [0.25, 0.35]), beside_one([0.3, 0.298], [0.3, 0.3])
    ('0.300 (+0.0 %)', '0.299 (-0.3 %)')
    """
    return f"{mean(values):.3f} ({100 * (mean(values) / mean(alone) - 1):+.1f} %)"


class Found(msgspec.Struct, frozen=True):
    """Results on one web: harvest of each topic and draw by number of shards, with the price and without."""

    web: str
    sources: int
    is_dealt: bool
    strategy: str
    pages: int
    crawls: tuple[str, ...]  # topic and draw of each
    commit: str
    priced: dict[int, list[float]]
    unpriced: dict[int, list[float]]


def found_on(path: Path, topics: Sequence[str], draws: int, pages: int, strategy: str) -> Found:
    """Crawl a web for its topics, all or named, with all numbers of shards."""
    web = CachedWeb(VirtualWeb.open(path))
    commit, sources, topics = commit_of(ROOT), len(sources_of(web)), topics or sorted(web.web.topics)
    is_dealt = sources < max(SIZES)
    priced: dict[int, list[float]] = {size: [] for size in SIZES}
    unpriced: dict[int, list[float]] = {
        size: [] for size in SIZES[1:]
    }  # one shard has no others for comparison
    crawls = list[str]()
    for topic in topics:
        for seed in range(1, draws + 1):
            crawls.append(f"{topic} {seed}")
            lab = Laboratory(web, topic, seed, Options(pages=pages))
            lab.prepare([strategy])
            for is_priced, shares in ((True, priced), (False, unpriced)):
                for size, found in shares.items():
                    found.append(harvest(lab, strategy, size, is_priced=is_priced, is_dealt=is_dealt))
            print(path.name, topic, seed, priced, unpriced, file=sys.stderr, flush=True)
    return Found(path.name, sources, is_dealt, strategy, pages, tuple(crawls), commit, priced, unpriced)


def figures(webs: Sequence[Found]) -> str:
    """A row for each web and way, a column for each number of shards: means over topics and draws."""
    rows, told = [], []
    for web in webs:
        alone = web.priced[1]
        about = f"{web.web}, {'pages dealt one by one' if web.is_dealt else f'{web.sources} sources'}"
        for shares, way in ((web.priced, "with the price"), (web.unpriced, "without")):
            row = [beside_one(shares[size], alone) for size in SIZES[1:]]
            rows.append([about, way, f"{mean(alone):.3f}", *row])
        told.append(
            f"{web.web}: {web.strategy}, {web.pages} pages, topics and draws {', '.join(web.crawls)}, commit {web.commit}"
        )
    heads = ["web", "", *(f"{size} shards" if size > 1 else "1 shard" for size in SIZES)]
    return f"{table(heads, rows)}\n\n({'; '.join(told)}.)"


def main() -> None:
    """Measure a web, and print the table of all measured webs, or write it."""
    parser = arguments(__doc__)
    parser.add_argument("--web", type=Path, help="default: none is crawled")
    parser.add_argument("--topic", action="append", default=[], help="default: all that the web has")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--kept", type=Path, required=True, help="where the figures of webs are kept")
    parser.add_argument("--write", action="store_true", help="write the table into research/shards.md")
    options = parser.parse_args()
    if options.web:
        found = found_on(options.web, options.topic, options.draws, options.pages, options.strategy)
        options.kept.mkdir(parents=True, exist_ok=True)
        (options.kept / f"{found.web}.json").write_bytes(msgspec.json.encode(found))
    kept = sorted(options.kept.glob("*.json"))
    text = figures([msgspec.json.decode(path.read_bytes(), type=Found) for path in kept])
    if options.write:
        write_part(NOTEBOOKS / "shards.md", "focus", text)
    print(text)


if __name__ == "__main__":
    main()

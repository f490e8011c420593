"""What dividing a crawl into shards does to its focus, in virtual time: with the price, and without.

Command line: nice -n 15 python -m tools.shard_focus --web ../shared/webs/webkb --web ../shared/webs/news --topics 2
Expected time: about two minutes a web on a quiet core, when the lab has parsed it before.

Every shard fetches four pages a round; in a round nobody hears of what the others find in it. N = 1 is the same with one shard.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from lycosa.cluster.in_lab import crawl_in_lab
from lycosa.lab.cache import CachedWeb
from lycosa.lab.grid import Laboratory
from lycosa.lab.protocol import Options
from lycosa.lab.web import VirtualWeb
from lycosa.methods.lookup import fitted
from lycosa.values import Link
from tools.measured import ROOT, commit_of, write_part

SIZES = (1, 2, 4, 8, 16, 64)


def fetched_by(lab: Laboratory, strategy: str, shards: int, *, is_priced: bool) -> list[Link]:
    """The pages that as many shards fetch, in order: as many as the options say, and the seeds."""
    strategies = [fitted(strategy, {}, lab.preparation) for _ in range(shards)]
    seeds = [Link(lab.web.url(key), key, priority=1.0) for key in lab.draw.seeds]
    pages = lab.options.pages + len(seeds)
    return asyncio.run(crawl_in_lab(strategies, lab.web, seeds, pages, is_priced=is_priced))


def harvest(lab: Laboratory, strategy: str, shards: int, *, is_priced: bool) -> float:
    """The share of the pages fetched that is relevant by the labels; pages that were trained on do not count."""
    order = fetched_by(lab, strategy, shards, is_priced=is_priced)
    counted = [link for link in order if link.key not in lab.draw.excluded]
    return sum(link.key in lab.draw.targets for link in counted) / max(1, len(counted))


def table(webs: list[Path], topics: int, draws: int, pages: int, strategy: str) -> str:
    """A row for each web and way, a column for each number of shards: means over topics and draws."""
    lines = ["| web | | " + " | ".join(f"{size} shards" if size > 1 else "1 shard" for size in SIZES) + " |"]
    lines.append("|---|---|" + "---|" * len(SIZES))
    for path in webs:
        web = CachedWeb(VirtualWeb.open(path))
        labs = []
        for topic in sorted(web.web.topics)[:topics]:
            for seed in range(1, draws + 1):
                lab = Laboratory(web, topic, seed, Options(pages=pages))
                lab.prepare([strategy])
                labs.append(lab)
        for is_priced, way in ((True, "with the price"), (False, "without")):
            means = [
                sum(harvest(lab, strategy, size, is_priced=is_priced) for lab in labs) / len(labs)
                for size in SIZES
            ]
            lines.append(f"| {path.name} | {way} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, action="append", required=True)
    parser.add_argument("--topics", type=int, default=2)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--write", action="store_true", help="write the table into docs/shards.md")
    options = parser.parse_args()
    text = (
        f"{table(options.web, options.topics, options.draws, options.pages, options.strategy)}\n\n"
        f"({options.strategy}, {options.pages} pages, {options.topics} topics and {options.draws} draws a web, commit "
        f"{commit_of(ROOT)}.)"
    )
    if options.write:
        write_part(ROOT / "docs" / "shards.md", "focus", text)
    print(text)


if __name__ == "__main__":
    main()

"""Compare the URL order of `lycosa crawl --web` with that of the lab, and open the crawl's export.

Command line: python -m research.archived_order [--webs FOLDER] [--names WEB…] [--pages N] [--write];  --write: put the table into research/archives.md
Expected time: a minute for each crawl, and once five minutes to parse the larger web.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from lycosa.collection.collection import Collection
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.archive.warc_files import warc_files
from lycosa.spec.sections import ProcessSpec
from lycosa.spec.writing import as_run
from lycosa.urls import key_of
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.grids.variants import Variant
from lycosa_lab.runs.given import Given
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.user import user_spec
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb
from research.measured import ROOT, arguments, table, write_part

STRATEGIES = ("best-first", "fused")
WEBS = ("news", "wikischools")
SHARED = ROOT.parent / "shared" / "webs"


def lab_and_crawl(
    folder: Path, topic: str, strategy: str, out: Path, pages: int
) -> tuple[list[int], list[int]]:
    """Return the keys that the lab fetched, and those that a crawl of the same archive into `out` fetched."""
    options = Options(pages=pages, given=Given(keywords=True, examples=3))
    web = CachedWeb(VirtualWeb.open(folder))
    laboratory = Laboratory(web, topic, 1, options)
    laboratory.prepare([strategy])
    in_lab = list(map(key_of, laboratory.run(Variant(strategy)).fetched))
    spec = user_spec(web, laboratory.topic, laboratory.draw, options, 1)
    spec = spec.model_copy(
        update={
            "strategy": strategy,
            "fetch": spec.fetch.model_copy(update={"web": (str(folder),)}),
            "process": ProcessSpec(workers=0),
            "scope": spec.scope.model_copy(update={"avoid_traps": False}),  # the lab follows every link
        }
    )
    asyncio.run(run_crawl(CrawlRequest(spec, as_run(spec), Path(), out)))
    with Collection.open(out) as collection:
        judged = [page.link.key for page in collection.pages() if page.judgement]
    return in_lab, [key for key in judged if key not in laboratory.draw.excluded]


def _row(folder: Path, strategy: str, pages: int, out: Path) -> list[str]:
    topic = min(VirtualWeb.open(folder).topics)
    in_lab, crawled = lab_and_crawl(folder, topic, strategy, out, pages)
    same = next(
        (at for at, pair in enumerate(zip(in_lab, crawled, strict=False)) if pair[0] != pair[1]), len(crawled)
    )
    wacz = out.with_suffix(".wacz")
    with Collection.open(out) as collection:
        exported = collection.export(wacz)
    opens = len(ArchiveFetcher(warc_files([wacz])))
    return [
        folder.name,
        topic,
        strategy,
        str(len(in_lab)),
        str(len(crawled)),
        str(same),
        f"{opens} of {exported}",
    ]


def main() -> None:
    """Print the table, or write it."""
    options = arguments(__doc__)
    options.add_argument("--webs", type=Path, default=SHARED)
    options.add_argument("--names", nargs="+", default=WEBS, metavar="WEB")
    options.add_argument("--pages", type=int, default=100)
    options.add_argument("--write", action="store_true", help="put the table into research/archives.md")
    chosen = options.parse_args()
    there = [chosen.webs / name for name in chosen.names if (chosen.webs / name).is_dir()]
    if not there:
        sys.exit(
            f"skipped: none of {', '.join(chosen.names)} is in {chosen.webs}. Name another folder with --webs."
        )
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for folder in there:
            for strategy in STRATEGIES:
                rows.append(
                    _row(folder, strategy, chosen.pages, Path(temporary) / f"{folder.name}-{strategy}")
                )
                print(rows[-1], flush=True)
    heads = [
        "web",
        "topic",
        "strategy",
        "lab, pages",
        "`--web`, pages",
        "the same up to",
        "URLs that its WACZ answers",
    ]
    figures = table(heads, rows)
    print(figures)
    if chosen.write:
        write_part(ROOT / "research" / "archives.md", "order", figures)


if __name__ == "__main__":
    main()

"""One web crawled to its end by 2, 4 and 8 shards on Ray: the same pages, links and judgements as by one process?

Command line: nice -n 5 python -m research.shard_web --write
Expected time: half a minute for each number of shards on two quiet cores

Every URL is to be asked for once, every host by one shard, and every gap between two requests to a host is to be its delay at least.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.crawling import crawl, small_web

from lycosa.testing import Site
from research.cluster_faults import DELAY_S, compared, spec_for
from research.measured import ROOT, commit_of, table, write_part

PAGE = ROOT / "docs" / "shards.md"
HEADS = [
    "shards",
    "pages",
    "the same pages, links and judgements",
    "URLs asked for again",
    "hosts of several shards",
]


def crawled(root: Path, site: Site, shards: int) -> dict[str, Any]:
    """What as many shards found, beside one process."""
    shutil.rmtree(root / "web", ignore_errors=True)
    site.log.clear()
    command = [
        sys.executable,
        "-m",
        "lycosa",
        "crawl",
        str(root / "crawl.toml"),
        "--shards",
        str(shards),
        "--quiet",
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return compared(root, shards, site)


def row(shards: int, found: dict[str, Any]) -> list[str]:
    """A line of the table."""
    same = found["same pages, links and judgements"]
    return [
        str(shards),
        str(found["pages"]),
        "yes"
        if all(same.values())
        else "no: " + ", ".join(part for part, is_same in same.items() if not is_same),
        str(found["asked again"]),
        str(found["hosts of several shards"]),
        f"{found['smallest gap, s']:.3f} s",
        str(found["WARC records read"]),
    ]


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shards", type=int, action="append", help="default: 2, 4 and 8")
    parser.add_argument("--hosts", type=int, default=24)
    parser.add_argument("--pages", type=int, default=12, help="of each host")
    parser.add_argument("--write", action="store_true", help="write the table into docs/shards.md")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="web-") as folder,
        Site(small_web(options.hosts, options.pages)) as site,
    ):
        root, text = Path(folder), spec_for(site)
        (root / "crawl.toml").write_text(text, encoding="utf-8")
        crawl(text.replace(f"per_host_delay_s = {DELAY_S}", "per_host_delay_s = 0"), root / "one")
        rows = []
        for shards in options.shards or (2, 4, 8):
            rows.append(row(shards, crawled(root, site, shards)))
            print(rows[-1], file=sys.stderr, flush=True)
    heads = [*HEADS, f"smallest gap (delay {DELAY_S:g} s)", "WARC records, all read"]
    text = f"{table(heads, rows)}\n\n(Commit {commit_of(ROOT)}.)"
    if options.write:
        write_part(PAGE, "web", text)
    print(text)


if __name__ == "__main__":
    main()

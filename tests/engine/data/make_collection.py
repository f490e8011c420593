"""Makes `collection-0.1.tar.xz`: a small collection, stopped half way, of the version before the house was rebuilt.

Run once, with that version on the path: PYTHONPATH=…/src python tests/engine/data/make_collection.py OUT
The test that opens it serves the same web and goes on with the same spec. Made anew only for another version.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from random import Random

from lycosa.testing import Page, Site, html, redirect, status, with_etag

KEYWORDS = ("granite", "summit", "glacier", "ridge")
NAME = "mountains"
PAGES = 12
LIMIT = 8
LABELLED = "http://h0.test/p1"
"""It is full of the words of the topic; a person says that it is not relevant."""
SPEC = """name = "mountains"
strategy = "best-first"
[seeds]
urls = ["http://h0.test/", "http://h1.test/moved"]
[topic]
keywords = ["granite", "summit", "glacier", "ridge"]
[judge]
kind = "topic"
threshold = 0.4
[limits]
pages = {pages}
[fetch]
per_host_delay_s = 0
concurrency = 1
connect_to = {connect_to}
allow_private = ["*.test"]
[index]
genre = "never"
[process]
workers = 0
"""


def web() -> dict[str | tuple[str, str], Page]:
    """Two hosts of six pages with more or fewer words of the topic; a redirect, an error, and two of the same text."""
    found: dict[str | tuple[str, str], Page] = {
        ("h1.test", "/moved"): redirect("/"),
        ("h1.test", "/gone"): status(404),
    }
    for number in range(PAGES):
        host, path = f"h{number % 2}.test", f"/p{number // 2}" if number // 2 else "/"
        found[host, path] = with_etag(_page(number)) if path == "/" else html(_page(number))
    return found


def spec_text(port: int, pages: int) -> str:
    """The crawl.toml for a site that listens on a port."""
    connect_to = f'{{"*.test" = "127.0.0.1:{port}"}}'
    return SPEC.format(pages=pages, connect_to=connect_to)


def _page(number: int) -> str:
    says = 4 if number == 10 else number  # two pages say the same, under different titles
    chance = Random(f"page {says}")
    words = [f"w{chance.randrange(400)}" for _ in range(30)] + chance.choices(KEYWORDS, k=says % 3 * 6)
    chance.shuffle(words)
    targets = sorted({(says * 2 + 1) % PAGES, (says * 2 + 2) % PAGES, (says + 5) % PAGES})
    anchors = "".join(
        f'<li><a href="http://h{to % 2}.test/{f"p{to // 2}" if to // 2 else ""}">{" ".join(words[:2])}</a>'
        for to in targets
    )
    tail = '<a href="http://h1.test/gone">gone</a>' if number == 0 else ""
    return f"<title>Page {number}</title><p>{' '.join(words)}<ul>{anchors}</ul>{tail}"


def _main(out: str) -> None:
    folder = Path(out)
    folder.mkdir(parents=True)
    with Site(web()) as site:
        (folder / "crawl.toml").write_text(spec_text(site.port, LIMIT), encoding="utf-8")
        command = [sys.executable, "-m", "lycosa", "crawl", str(folder), "--quiet", "--json"]
        done = subprocess.run(command, env=os.environ, capture_output=True, check=True)
    print(json.loads(done.stdout))
    # What a person said of one page lies beside the catalogue.
    from lycosa.collection.labels import Label, set_label
    from lycosa.urls import key_of

    set_label(folder / NAME, Label(key_of(LABELLED), LABELLED, False, 1.8e9))
    with tarfile.open(folder / "collection.tar.xz", "w:xz", preset=9) as tar:
        for path in sorted((folder / NAME).rglob("*")):
            if path.is_file() and path.suffix not in (".log", ".sock") and path.name != "lock":
                tar.add(path, path.relative_to(folder))


if __name__ == "__main__":
    _main(*sys.argv[1:])

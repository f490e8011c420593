"""Tables 1-3 and figures 10-17 of Zhang and Nasraoui, on a web with page types.

Table 1 on ten pages of each type; tables 2 and 3 are the co-tags of two topics; figures 10-17 are harvest over
detail pages, capture ratio and blocks of pages of the profile crawler, OPIC and breadth-first.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import msgspec

from lycosa.errors import InputError
from lycosa.evidence.profile.cotags import co_tags, write_table
from lycosa.evidence.profile.page_types import PageTypes
from lycosa.evidence.profile.schema import differentiation
from lycosa.lab.cache import CachedWeb
from lycosa.lab.measure_profile import accuracy, confusion, crawl_site, lab_settings, trained_site
from lycosa.lab.web import VirtualWeb
from lycosa.train.page_types import TYPES

TOPICS = 2
MOST_PAGES = 10_000
POINTS = 10

Say = Callable[[str], None]


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Write table1.csv, table2.csv, table3.csv, figures.csv and runs.json."""
    cached = CachedWeb(VirtualWeb.open(web))
    if not cached.web.page_types:
        raise InputError(f"{web} has no page types. This paper needs a web with page-types.csv.")
    out.mkdir(parents=True, exist_ok=True)
    site = trained_site(cached)
    say(f"Page types from three examples each: {accuracy(confusion(cached, site)):.2%} right.")
    _write(out / "table1.csv", ("type", "T", "S", "V", "US", "UV", "INT"), _table_1(cached))
    typed = {name for name, topic in cached.web.topics.items() if topic.tags}
    names = sorted(typed, key=lambda name: -len(cached.web.topics[name].relevant()))[:TOPICS]
    types = PageTypes(site)
    tag_sets = [
        types.read(document.outline, document.url, document.links).texts("tags")
        for key, kind in cached.web.page_types.items()
        if kind == "detail" and (document := cached.document(key))
    ]
    for number, name in enumerate(names, start=2):
        write_table(out / f"table{number}.csv", co_tags(tag_sets, cached.web.topics[name].tags[0]))
    pages = min(MOST_PAGES, len(cached.web.page_types) // 2)
    step = max(1, pages // POINTS)
    rows, runs = [], []
    for name in names:
        topic = cached.web.topics[name]
        for strategy in ("profile", "opic", "breadth-first"):
            say(f"{name}: {strategy}, {pages} pages …")
            run = crawl_site(
                strategy, cached, topic, pages, lab_settings(cached, topic) if strategy == "profile" else {}
            )
            runs.append(run)
            blocks = run.blocks(step)
            for i, at in enumerate(range(step, len(run.types) + 1, step)):
                rows.append(
                    (name, strategy, at, *(f"{x:.4f}" for x in (run.harvest(at), run.capture(at), blocks[i])))
                )
    _write(out / "figures.csv", ("topic", "strategy", "pages", "harvest", "capture", "block"), rows)
    (out / "runs.json").write_bytes(msgspec.json.encode(runs))


def _table_1(web: CachedWeb) -> Iterable[tuple[object, ...]]:
    chance = Random("table 1")
    for kind in TYPES:
        keys = sorted(key for key, each in web.web.page_types.items() if each == kind and key in web.pages)
        drawn = [web.document(key) for key in chance.sample(keys, min(10, len(keys)))]
        row = differentiation([document.outline for document in drawn if document])
        yield (kind, *(f"{value:.4g}" for value in msgspec.structs.astuple(row)))


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])

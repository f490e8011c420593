"""Tables 1-3 and figures 10-17 of Zhang and Nasraoui, on a web with page types, with an ablation.

Table 1 uses ten pages of each type. Tables 2 and 3 are the co-tags of each topic. Figures 10-17 show harvest over
detail pages, capture ratio and blocks of pages of the profile crawler, OPIC and breadth-first.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.methods.profile.cotags import co_tags
from lycosa.methods.profile.cotags import write_table as write_cotags
from lycosa.methods.profile.site.page_types import PageTypes
from lycosa.methods.profile.site.type_training import TYPES
from lycosa.values import Say
from lycosa_lab.papers.output import write_table
from lycosa_lab.papers.profile.crawls import (
    ProfileRun,
    accuracy,
    confusion,
    crawl_site,
    lab_settings,
    trained_site,
)
from lycosa_lab.papers.profile.differentiation import differentiation
from lycosa_lab.papers.profile.figures import draw_figures
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import Topic, VirtualWeb

TOPICS = 3
MAX_PAGES = 10_000
POINTS = 10
BASELINES = ("opic", "breadth-first")
VARIANTS: dict[str, dict[str, Any]] = {
    "profile": {},
    "profile, strangers = 0": {"strangers": 0.0},
    "profile, strangers = 1": {"strangers": 1.0},
    "profile, inner only": {"alpha": 1.0, "beta": 0.0},
    "profile, inter only": {"alpha": 0.0, "beta": 1.0},
    "profile, refused below": {"below_threshold": "refuse"},
    "profile, as in the paper": {
        "below_threshold": "refuse",
        "order": "fifo",
        "topic_lists": False,
        "prior_items": -1.0,
    },
}
"""The defaults, both ends of the trade of harvest for capture, the two ranks alone, and the paper's own way."""


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Write the tables as CSV, all crawls as runs.json, and the figures."""
    cached = CachedWeb(VirtualWeb.open(web))
    if not cached.web.page_types:
        raise InputError(f"{web} has no page types. This paper needs a web with page-types.csv.")
    topics = _topics(cached)
    if not topics:
        raise InputError(f"{web} has no topic with tags. Write [topics.NAME] tags = [...] in its web.toml.")
    out.mkdir(parents=True, exist_ok=True)
    site = trained_site(cached)
    say(f"Page types from three examples each: {accuracy(confusion(cached, site)):.2%} right.")
    write_table(out / "table-1.csv", ("type", "T", "S", "V", "US", "UV", "INT"), _table_1(cached))
    _write_co_tags(cached, PageTypes(site), topics, out)
    runs = _crawls(cached, topics, say)
    step = max(1, _pages(cached) // POINTS)
    write_table(
        out / "figures.csv",
        ("topic", "strategy", "pages", "harvest", "capture", "block"),
        [row for run in runs for row in _rows(run, step)],
    )
    write_table(
        out / "summary.csv",
        ("topic", "strategy", "relevant", "found", "pages", "95 % of these after"),
        [
            (
                r.topic,
                r.name,
                len(cached.web.topics[r.topic].relevant()),
                sum(r.relevant),
                len(r.types),
                r.pages_for(),
            )
            for r in runs
        ],
    )
    (out / "runs.json").write_bytes(msgspec.json.encode(runs))
    draw_figures(runs, step, out)


def _topics(web: CachedWeb) -> list[Topic]:
    """The largest topics that have tags."""
    tagged = [topic for topic in web.web.topics.values() if topic.tags]
    return sorted(tagged, key=lambda topic: (-len(topic.relevant()), topic.name))[:TOPICS]


def _pages(web: CachedWeb) -> int:
    return min(MAX_PAGES, len(web.web.page_types) // 2)


def _crawls(web: CachedWeb, topics: list[Topic], say: Say) -> list[ProfileRun]:
    runs: list[ProfileRun] = []
    for topic in topics:
        given = lab_settings(web, topic)
        for name, settings in {**dict.fromkeys(BASELINES), **VARIANTS}.items():
            if settings is None and runs and runs[0].topic != topic.name:
                # A baseline knows no topic: the same crawl, counted for another one.
                runs.append(next(run for run in runs if run.name == name).about(topic))
            else:
                whole = {} if settings is None else given | settings
                strategy = name if settings is None else "profile"
                runs.append(crawl_site(strategy, web, topic, _pages(web), whole, name=name))
            last = len(runs[-1].types)
            say(f"{topic.name}: {name}: harvest {runs[-1].harvest(last):.2f} after {last:,} pages")
    return runs


def _rows(run: ProfileRun, step: int) -> Iterable[tuple[object, ...]]:
    blocks = run.blocks(step)
    for i, at in enumerate(range(step, len(run.types) + 1, step)):
        yield (run.topic, run.name, at, *(f"{x:.4f}" for x in (run.harvest(at), run.capture(at), blocks[i])))


def _write_co_tags(web: CachedWeb, types: PageTypes, topics: Iterable[Topic], out: Path) -> None:
    tag_sets = [
        types.read(document.outline, document.url, document.links).texts("tags")
        for key, kind in web.web.page_types.items()
        if kind == "detail" and (document := web.document(key))
    ]
    for number, topic in enumerate(topics, start=2):
        write_cotags(out / f"table-{number}-{topic.name}.csv", co_tags(tag_sets, topic.tags[0]))


def _table_1(web: CachedWeb) -> Iterable[tuple[object, ...]]:
    chance = Random("table 1")
    for kind in TYPES:
        keys = sorted(key for key, each in web.web.page_types.items() if each == kind and key in web.pages)
        drawn = [web.document(key) for key in chance.sample(keys, min(10, len(keys)))]
        row = differentiation([document.outline for document in drawn if document])
        yield (kind, *(f"{value:.4g}" for value in msgspec.structs.astuple(row)))

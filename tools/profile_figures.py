"""What the profile crawler gains. In: a sharing site, or what `lab reproduce profile` wrote. Out: tables of docs/strategies/profile.md.

`topics`: ten tags that web.toml does not name are topics too; an item is of one if a tag of it has the word. Profile against
OPIC and breadth-first, after 1,000 pages, paired by topic. `reproduced`: harvest, capture and all variants of the web's own topics.

Command line: python -m tools.profile_figures topics ../shared/webs/media
    python -m tools.profile_figures reproduced DIR     (DIR: the --out of `lycosa lab reproduce profile`)
Expected time: topics two minutes of CPU, and one more to parse the web for the first time; reproduced a second.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.web import Topic, VirtualWeb
from lycosa.methods.profile.page_types import PageTypes
from lycosa.methods.profile.paper.crawls import ProfileRun, crawl_site, lab_settings, trained_site
from tools.measured import ROOT, chance, commit_of, mean, number, table, write_part

PAGE = ROOT / "docs" / "strategies" / "profile.md"
OURS = "profile"
BASELINES = ("opic", "breadth-first")
PAGES = 1_000
TOPICS = 10
LEAST = 150
"""A tag on fewer items makes no topic."""
STEP = 1_000
SHOWN = (1_000, 2_000, 4_000, 6_000, 10_000)


def other_topics(web: CachedWeb) -> list[Topic]:
    """The words that most items have among their tags, but for those of the web's own topics."""
    types = PageTypes(trained_site(web))
    words_of = {
        key: {word for tag in tags for word in tag.lower().split()}
        for key, tags in _tags_of_items(web, types)
    }
    own = {word for topic in web.web.topics.values() for tag in topic.tags for word in tag.lower().split()}
    counts = Counter(word for words in words_of.values() for word in words if word.isalpha())
    common = [word for word, items in counts.most_common() if items >= LEAST and word not in own]
    return [
        Topic(word, {key: 2 for key, words in words_of.items() if word in words}, tags=(word,))
        for word in common[:TOPICS]
    ]


def _tags_of_items(web: CachedWeb, types: PageTypes) -> Iterator[tuple[int, Sequence[str]]]:
    for key, kind in web.web.page_types.items():
        if kind == "detail" and (document := web.document(key)):
            yield key, types.read(document.outline, document.url, document.links).texts("tags")


def compared(runs: dict[str, list[ProfileRun]], topics: Sequence[Topic]) -> str:
    """Harvest, capture and what was found of each strategy, and how sure it is that ours differs."""
    rows = []
    for name, made in runs.items():
        cells = [f"**{name}**" if name == OURS else name]
        for measure in (_harvest, _capture, partial(_found, topics=topics)):
            ours, values = ([measure(run) for run in one] for one in (runs[OURS], made))
            cells += [mean(values), "" if name == OURS else chance(metrics.paired_test(ours, values))]
        rows.append(cells)
    heads = ["strategy", "harvest", "p", "capture", "p", "share of the topic found", "p"]
    return table(heads, rows)


def _harvest(run: ProfileRun) -> float:
    return run.harvest(PAGES)


def _capture(run: ProfileRun) -> float:
    return run.capture(PAGES)


def _found(run: ProfileRun, topics: Sequence[Topic]) -> float:
    relevant = next(topic.relevant() for topic in topics if topic.name == run.topic)
    return sum(run.relevant[:PAGES]) / len(relevant)


def topics_table(path: Path) -> str:
    """Crawl for the ten topics, and compare."""
    commit, web = commit_of(ROOT), CachedWeb(VirtualWeb.open(path))
    topics = other_topics(web)
    runs = {
        OURS: [crawl_site(OURS, web, topic, PAGES, lab_settings(web, topic), name=OURS) for topic in topics]
    }
    for name in BASELINES:  # they know no topic: one crawl, counted for each
        crawled = crawl_site(name, web, topics[0], PAGES, {}, name=name)
        runs[name] = [crawled.about(topic) for topic in topics]
    names = ", ".join(f"{topic.name} ({len(topic.relevant()):,})" for topic in topics)
    return f"{compared(runs, topics)}\n\nTopics, and how many items they have: {names}. Measured at {commit}."


def curves(runs: Sequence[ProfileRun], measure: str, names: Sequence[str]) -> str:
    """A share after each thousand pages."""
    at = range(STEP, 10 * STEP + 1, STEP)
    rows = [
        [run.topic, run.name, *(number(getattr(run, measure)(pages)) for pages in at)]
        for run in runs
        if run.name in names
    ]
    return table(["topic", "strategy", *(f"{pages // STEP}k" for pages in at)], rows)


def variants(runs: Sequence[ProfileRun], relevant: dict[str, int]) -> str:
    """Harvest / capture of all that were crawled; a dot where the crawl had ended."""
    rows = []
    for run in runs:
        done = len(run.types)
        cells = [
            f"{number(run.harvest(pages))} / {number(run.capture(pages))}" if pages <= done else "·"
            for pages in SHOWN
        ]
        ended = f" in {done:,}" if done < SHOWN[-1] else ""
        found = f"{sum(run.relevant):,} of {relevant[run.topic]:,}{ended}"
        rows.append([run.topic, run.name.removeprefix("profile, "), *cells, found, f"{run.pages_for():,}"])
    heads = ["topic", "strategy", *(f"{pages // STEP}k" for pages in SHOWN), "found", "95 % of these after"]
    return table(heads, rows)


def write_reproduced(folder: Path) -> None:
    """The tables of the web's own topics."""
    runs = msgspec.json.decode((folder / "runs.json").read_bytes(), type=list[ProfileRun])
    with (folder / "summary.csv").open(encoding="utf-8", newline="") as file:
        relevant = {row["topic"]: int(row["relevant"]) for row in csv.DictReader(file)}
    write_part(PAGE, "harvest", curves(runs, "harvest", (OURS, *BASELINES)))
    ends = ("profile, strangers = 0", "profile, strangers = 1")
    write_part(PAGE, "capture", curves(runs, "capture", (OURS, *ends, *BASELINES)))
    write_part(PAGE, "variants", variants(runs, relevant))


if __name__ == "__main__":
    part, given = sys.argv[1], Path(sys.argv[2])
    if part == "topics":
        write_part(PAGE, "topics", topics_table(given))
    else:
        write_reproduced(given)

"""Compare profile with OPIC and breadth-first on a sharing site with page types, after 1,000 pages, paired by topic.

Ten tags that web.toml does not name are topics too: an item is relevant if one of its tags has the word.

Command line: python -m research.profile_figures ../shared/webs/media
Expected time: half a minute of CPU, and one more to parse the web for the first time.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.web import Topic, VirtualWeb
from lycosa.methods.profile.page_types import PageTypes
from lycosa.methods.profile.paper.crawls import ProfileRun, crawl_site, lab_settings, trained_site
from research.measured import NOTEBOOKS, ROOT, chance, commit_of, mean, table, write_part

PAGE = NOTEBOOKS / "profile.md"
OURS = "profile"
BASELINES = ("opic", "breadth-first")
PAGES = 1_000
TOPICS = 10
LEAST = 150
"""A tag on fewer items makes no topic."""


def other_topics(web: CachedWeb) -> list[Topic]:
    """The most frequent words of tags, without those of the web's own topics."""
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
    """Harvest, capture and share found of each strategy, with p values."""
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
    for name in BASELINES:  # they ignore the topic: one crawl, counted for each
        crawled = crawl_site(name, web, topics[0], PAGES, {}, name=name)
        runs[name] = [crawled.about(topic) for topic in topics]
    names = ", ".join(f"{topic.name} ({len(topic.relevant()):,})" for topic in topics)
    return f"{compared(runs, topics)}\n\nTopics, and how many items they have: {names}. Measured at {commit}."


if __name__ == "__main__":
    write_part(PAGE, "topics", topics_table(Path(sys.argv[1])))

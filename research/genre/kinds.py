"""A topic and a wanted kind of page. In: WebKB, the web of news, and the demo web. Out: webs of such topics, crawls of them with
`genre.want`, and the tables of docs/strategies/genre.md.

"Course pages about databases" (and pages of teachers): a page of WebKB is of such a topic if the web's own types call it
course or faculty, and its words are the subject's (in its title, or MIN_WORDS times in its text). "News about owls, no
encyclopaedia" (and the other way round): a page of the demo web that is about the topic, on a site of that kind. Pages
about the subject that are of another kind are what the wanted kind has to keep out. "Reports about an event": the events of
the web of news, whose pages are all news, so that the wanted kind can only keep out lists, and what is not taken for news.

Command line: python -m research.genre.kinds ../shared/webs OUT [--kind K] [--draw N]… [--pages N]
    Runs are kept in OUT, so that a second call only writes. Draws are those that chose nothing (DRAWS), unless others are named.
Expected time: five minutes of CPU for parsing the webs, and one to three seconds for each of 400 crawls.
"""

from __future__ import annotations

import asyncio
import csv
import re
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from lycosa.demo import demo_web
from lycosa.demo.plan import sites
from lycosa.lab import metrics
from lycosa.lab.comparing import compare
from lycosa.lab.given import Given
from lycosa.lab.protocol import Options
from lycosa.lab.run import Run
from lycosa.lab.web import VirtualWeb
from lycosa.page.document import Document
from lycosa.page.response import document_of
from lycosa.spec.writing import toml
from lycosa.urls import host_of, key_of
from lycosa.values import Fetched, Link
from research.measured import ROOT, chance, commit_of, mean, table, write_part

SUBJECTS: Mapping[str, tuple[str, ...]] = {
    "databases": ("database", "databases", "relational", "sql", "query", "queries", "transaction"),
    "operating-systems": ("operating", "kernel", "scheduling", "unix", "processes", "deadlock"),
    "artificial-intelligence": ("intelligence", "ai", "reasoning", "planning", "lisp", "learning"),
    "networks": ("network", "networks", "networking", "tcp", "protocols", "routing", "internet"),
    "compilers": ("compiler", "compilers", "parsing", "grammar", "syntax", "semantics"),
    "architecture": ("architecture", "cache", "pipelining", "processor", "instruction", "memory"),
    "graphics": ("graphics", "rendering", "shading", "animation", "opengl", "image"),
    "algorithms": ("algorithms", "complexity", "np", "graph", "sorting", "automata"),
}
"""What a user would type, from common knowledge; the first words are looked for in titles."""
IN_TITLE = 2
MIN_WORDS = 6
EVENTS = "reports"
MIN_PAGES = {"course": 12, "faculty": 12, "news": 8, "wiki": 8, EVENTS: 1}
"""A topic with fewer pages says nothing of crawls; by kind."""
DRAWS = {"course": (3, 4), "faculty": (3,), "news": (1, 2, 3), "wiki": (1, 2, 3), EVENTS: (2,)}
"""Draws of examples (of the demo web also the web itself) by kind: the others were looked at while the ranking was made."""
LOOKS = {"news": "paper", "wiki": "wiki"}
"""Kinds of pages, and how the demo web calls sites of them."""
OURS = "genre"
PAGE = ROOT / "docs" / "strategies" / "genre.md"

Labels = dict[str, list[str]]
"""URLs of pages by topic."""


def is_about(title: str, text: str, words: Sequence[str]) -> bool:
    """Whether a page's words are those of a subject.

    >>> is_about("Introduction to Databases", "", SUBJECTS["databases"]), is_about("My page", "sql", SUBJECTS["databases"])
    (True, False)
    """
    said = re.findall(r"[a-z]+", title.lower())
    if any(word in said for word in words[:IN_TITLE]):
        return True
    found = re.findall(r"[a-z]+", text.lower()[:50_000])
    counts = [found.count(word) for word in words]
    return sum(counts) >= MIN_WORDS and sum(count > 0 for count in counts) >= 2


def labels_of_universities(web: VirtualWeb, kind: str) -> Labels:
    """The pages of a type by subject."""
    urls = {key_of(url, web.folding): url for url in web.archive.urls()}
    found: Labels = {}
    for key in sorted(web.topics[kind].relevant() & urls.keys()):
        fetched = asyncio.run(web.archive.fetch(Link(urls[key], key)))
        document = document_of(fetched, folding=web.folding) if isinstance(fetched, Fetched) else None
        for subject, words in SUBJECTS.items() if isinstance(document, Document) else ():
            if is_about(document.title, document.text, words):  # type: ignore[union-attr]
                found.setdefault(f"{kind}-{subject}", []).append(urls[key])
    return found


def labels_of_demo(labels: Iterable[tuple[str, str, int]], kind: str) -> Labels:
    """The pages about each topic that are on a site of a kind."""
    hosts = {site.host for site in sites() if site.look == LOOKS[kind]}
    found: Labels = {}
    for url, topic, grade in labels:
        if grade == 2 and host_of(url) in hosts:
            found.setdefault(f"{kind}-{topic}", []).append(url)
    return found


def write_topics(
    folder: Path, labels: Labels, keywords: Mapping[str, Sequence[str]], start: Iterable[str]
) -> list[str]:
    """Make these the topics of the web in a folder; a topic is a kind and a subject, which has the keywords."""
    kept = {topic: urls for topic, urls in labels.items() if len(urls) >= MIN_PAGES[topic.partition("-")[0]]}
    with (folder / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [(url, topic, 2) for topic, urls in kept.items() for url in urls]
        csv.writer(file, lineterminator="\n").writerows([("url", "topic", "grade"), *rows])
    lines = [f"title = {toml('Kinds and subjects')}", f"start = {toml(list(start))}"]
    for topic in kept:
        lines += [f"[topics.{topic}]", f"keywords = {toml(list(keywords[topic.partition('-')[2]]))}"]
    (folder / "web.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(kept)


def university_web(webkb: Path, kind: str, folder: Path) -> list[str]:
    """Write WebKB with the topics of a kind; their names."""
    web = VirtualWeb.open(webkb)
    folder.mkdir(parents=True, exist_ok=True)
    for archive in webkb.glob("*.warc.gz"):
        if not (folder / archive.name).exists():
            (folder / archive.name).symlink_to(archive.resolve())
    return write_topics(folder, labels_of_universities(web, kind), SUBJECTS, web.start)


def news_web(random_seed: int, kind: str, folder: Path) -> list[str]:
    """Write a demo web with the topics of a kind; their names."""
    web = demo_web(random_seed)
    web.write(folder)
    (folder / "page-types.csv").unlink()  # of the sharing site, which is no part of this
    (folder / "events.csv").unlink()
    keywords = {name: topic.keywords for name, topic in web.topics.items()}
    return write_topics(folder, labels_of_demo(web.labels, kind), keywords, web.start)


class Kept(msgspec.Struct, frozen=True):
    """The runs of one draw by strategy, and the commit that they were made at."""

    commit: str
    runs: dict[str, list[Run]]


def crawls(web: Path, topics: Sequence[str], want: str, options: Options, random_seed: int) -> Kept:
    """Crawls with a kind wanted or any."""
    commit = commit_of(ROOT)
    found: dict[str, list[Run]] = {}
    for note, strategies, changes in (
        ("", [OURS, "best-first", "fused"], [f"genre.want={want}"]),
        (", any kind", ["best-first"], []),
    ):
        made = compare(
            web, strategies, topics=topics, changes=changes, options=options, runs=1, random_seed=random_seed
        )
        for run in made.runs:
            found.setdefault(f"{run.strategy.partition(' ')[0]}{note}", []).append(run)
    return Kept(commit, found)


def draw_of(kind: str, draw: int, webs: Path, out: Path, pages: int) -> Kept:
    """The crawls of one draw: from keywords and three examples, for events from the examples alone."""
    few = Options(pages=pages // 2, start_from="both", given=Given(keywords=True, examples=3))
    if kind == EVENTS:
        web = webs / "news"
        given = replace(few, given=Given(keywords=False, examples=3))
        return crawls(web, list(VirtualWeb.open(web).topics), "news", given, draw)
    if kind in LOOKS:  # the demo web is small
        folder = out / f"demo-{draw}-{kind}"
        return crawls(folder, news_web(draw, kind, folder), kind, few, draw)
    topics = university_web(webs / "webkb", kind, out / kind)
    return crawls(out / kind, topics, kind, replace(few, pages=pages), draw)


def compared(made: Mapping[str, Sequence[Run]]) -> str:
    """A line for each strategy, with how sure it is that ours differs from it, paired by topic and draw."""
    rows = []
    for name, runs in made.items():
        cells = [f"**{name}**" if name == OURS else name]
        for measure in ("recall", "auc", "precision", "f1"):
            values = [float(getattr(run, measure)) for run in runs]
            ours = [float(getattr(run, measure)) for run in made[OURS]]
            cells += [mean(values), "" if name == OURS else chance(metrics.paired_test(ours, values))]
        rows.append(cells)
    heads = [head for measure in ("recall", "AUC", "precision kept", "F1 kept") for head in (measure, "p")]
    return table(["strategy", *heads], rows)


def main() -> None:
    """Make the webs, crawl them where that is not done yet, and write the tables."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("webs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--draw", type=int, action="append")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--kind", action="append", choices=list(MIN_PAGES))
    given = parser.parse_args()
    for kind in given.kind or MIN_PAGES:
        made: dict[str, list[Run]] = {}
        commits: dict[str, None] = {}
        for draw in given.draw or DRAWS[kind]:
            path = given.out / f"{kind}-{given.pages}-{draw}.json"
            if not path.exists():
                path.write_bytes(msgspec.json.encode(draw_of(kind, draw, given.webs, given.out, given.pages)))
            kept = msgspec.json.decode(path.read_bytes(), type=Kept)
            commits[kept.commit] = None
            for name, runs in kept.runs.items():
                made.setdefault(name, []).extend(runs)
        ours = made[OURS]
        drawn = ", ".join(map(str, given.draw or DRAWS[kind]))
        about = f"Measured at {', '.join(commits)}, {len(ours)} crawls each, {ours[0].budget} pages, draws {drawn}."
        print(f"{kind}\n\n{compared(made)}\n\n{about}\n", flush=True)
        write_part(PAGE, kind, f"{compared(made)}\n\n{about}")


if __name__ == "__main__":
    main()

"""Topics that images tell: pages that show a map, a flag, a diagram or a portrait. In: a web with images.
Out: a web of the same pages with these topics, crawls of it with image evidence and with text alone, and the table of
docs/strategies/multimedia.md.

Labels are made by this program from what pages say of their images (the text that stands for an image), not by looking:
a page is of a topic if an archived image that it shows, large enough to be classified, is described by its words.

Command line: python -m research.images.picture_topics ../shared/webs/wikischools OUT [--runs N] [--pages N] [--topic T]
Expected time: parsing the web (4 minutes of CPU) and half a minute for each topic and draw.
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lycosa.lab.cache import CachedWeb
from lycosa.lab.metrics import mean_and_error, paired_test
from lycosa.lab.run import Run
from lycosa.lab.web import VirtualWeb
from lycosa.methods.multimedia.paper.comparison import TEXT_ONLY, VARIANTS, Compared, compare, len_relevant
from lycosa.page.image_size import is_small
from lycosa.spec.writing import toml
from lycosa.urls import key_of
from research.measured import ROOT, chance, commit_of, table, write_part

TOPICS: Mapping[str, re.Pattern[str]] = {
    "maps": re.compile(r"\bmaps?\b|\blocation of\b|\blocator\b", re.I),
    "flags": re.compile(r"\bflags?\b", re.I),
    "diagrams": re.compile(r"\bdiagrams?\b|\bschematic\b|\bstructure of\b|\bcross.section\b|\bgraph\b", re.I),
    "portraits": re.compile(r"\bportraits?\b|\bbust of\b|\bself.portrait\b", re.I),
}
"""What descriptions say."""
KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "maps": ("country", "region", "river", "island", "border", "area"),
    "flags": ("country", "flag", "capital", "population", "government"),
    "diagrams": ("structure", "function", "process", "system", "theory"),
    "portraits": ("born", "died", "king", "life", "portrait"),
}
"""What a user would type."""
PAGE = ROOT / "docs" / "strategies" / "multimedia.md"
MIN_PAGES = 30
"""A topic with fewer says nothing of crawls."""


def topics_of(description: str) -> list[str]:
    """The topics that the description of an image names.

    >>> topics_of("Location of Malta (map)"), topics_of("A garden")
    (['maps'], [])
    """
    return [topic for topic, words in TOPICS.items() if words.search(description)]


def labels(web: CachedWeb) -> Iterator[tuple[str, str]]:
    """(URL, topic) of every page that shows such an image, as far as the image is archived."""
    archived = {key_of(url, web.web.folding) for url in web.web.archive.urls()}
    for key in sorted(web.pages):
        document = web.document(key)
        shown = [image for image in (document.images if document else ()) if image.key in archived]
        described = [image.alt for image in shown if not is_small(image.width, image.height)]
        found = {topic for description in described for topic in topics_of(description)}
        yield from ((web.url(key), topic) for topic in sorted(found))


def write_web(web: CachedWeb, out: Path) -> dict[str, int]:
    """Write a web of the same pages with these topics; how many pages each has."""
    out.mkdir(parents=True, exist_ok=True)
    rows = [(url, topic, 2) for url, topic in labels(web)]
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("url", "topic", "grade"), *rows])
    counts = Counter(topic for _, topic, _ in rows)
    lines = [f"title = {toml(f'{web.web.title}: what images tell')}", f"start = {toml(web.web.start)}"]
    for topic in sorted(counts):
        lines += [f"[topics.{topic}]", f"keywords = {toml(KEYWORDS[topic])}"]
    (out / "web.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for archive in web.web.path.glob("*.warc.gz"):
        if not (out / archive.name).exists():
            (out / archive.name).symlink_to(archive.resolve())
    return dict(sorted(counts.items()))


def compared(found: Compared, pages: int, commit: str) -> str:
    """Relevant pages by crawler and topic, and how sure it is that a crawler differs from text alone, over all draws."""
    topics = list(dict.fromkeys(topic for topic, _ in found))
    text = _counts(found, topics, TEXT_ONLY)
    rows = []
    for variant in VARIANTS:
        ours = _counts(found, topics, variant)
        p = "" if variant == TEXT_ONLY else chance(paired_test(ours, text))
        cells = [_cell(found[topic, variant], pages) for topic in topics]
        rows.append([variant, *cells, f"{sum(ours) / len(ours):.1f}", p])
    heads = [f"{topic} ({found[topic, TEXT_ONLY][0].targets})" for topic in topics]
    told = table(["crawler", *heads, "all", "p"], rows)
    draws = len(found[topics[0], TEXT_ONLY])
    return f"{told}\n\nMeasured at {commit}, {pages} pages, draws: {draws} of each topic."


def _counts(found: Compared, topics: Sequence[str], variant: str) -> list[float]:
    return [len_relevant(run) for topic in topics for run in found[topic, variant]]


def _cell(runs: Sequence[Run], pages: int) -> str:
    """Mean and standard error of the relevant pages, and how many pages were fetched if the links ran out."""
    found = mean_and_error([len_relevant(run) for run in runs])
    fetched = sum(len(run.fetched) for run in runs) / len(runs)
    ended = f" (ends after {fetched:.0f})" if round(fetched) < pages else ""
    return f"{found.mean:.1f} ± {found.se:.1f}{ended}"


def main() -> None:
    """Make the web, crawl it with and without images, and write what images brought."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("web", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--topic", action="append", choices=sorted(TOPICS))
    given = parser.parse_args()
    counts = write_web(CachedWeb(VirtualWeb.open(given.web)), given.out)
    print("Pages by topic:", counts)
    topics = [topic for topic in given.topic or counts if counts[topic] >= MIN_PAGES]
    commit = commit_of(ROOT)
    found = compare(given.out, given.out / "compared", print, topics, given.runs, given.pages)
    write_part(PAGE, "picture topics", compared(found, given.pages, commit))


if __name__ == "__main__":
    main()

"""A topic and a wanted kind of page: "course pages about databases". In: a web with page types, subjects as words.
Out: a web of such topics, crawls of it with `genre.want`, and the table of docs/strategies/genre.md.

Labels are made by this program: a page is of a topic if the web's own types call it so (WebKB: course, faculty) and
its words are the subject's (in its title, or MIN_WORDS times in its text). Pages of the subject that are of
another type are what the wanted kind has to keep out.

Command line: python -m tools.genre.kinds WEB OUT [--runs N] [--pages N]
Expected time: ten minutes on one busy core.
"""

from __future__ import annotations

import csv
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lycosa.lab.cache import CachedWeb
from lycosa.lab.comparing import compare
from lycosa.lab.given import Given
from lycosa.lab.protocol import Options
from lycosa.lab.run import Run
from lycosa.lab.web import VirtualWeb
from lycosa.spec.writing import toml

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
MIN_PAGES = 12
KINDS = ("course", "faculty")


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


def labels(web: CachedWeb) -> Iterator[tuple[str, str]]:
    """(URL, topic) of every page of a kind and a subject."""
    for kind in KINDS:
        for key in sorted(web.web.topics[kind].relevant()):
            document = web.document(key)
            for subject, words in SUBJECTS.items() if document else ():
                if is_about(document.title, document.text, words):  # type: ignore[union-attr]
                    yield web.url(key), f"{kind}-{subject}"


def write_web(web: CachedWeb, out: Path) -> list[str]:
    """Write a web of the same pages with these topics; those with too few pages are left out."""
    out.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[str]] = {}
    for url, topic in labels(web):
        found.setdefault(topic, []).append(url)
    topics = {topic: urls for topic, urls in found.items() if len(urls) >= MIN_PAGES}
    with (out / "labels.csv").open("w", newline="", encoding="utf-8") as file:
        rows = [(url, topic, 2) for topic, urls in topics.items() for url in urls]
        csv.writer(file, lineterminator="\n").writerows([("url", "topic", "grade"), *rows])
    lines = [f"title = {toml(f'{web.web.title}: kinds and subjects')}", f"start = {toml(web.web.start)}"]
    for topic in topics:
        lines += [f"[topics.{topic}]", f"keywords = {toml(SUBJECTS[topic.partition('-')[2]])}"]
    (out / "web.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for archive in web.web.path.glob("*.warc.gz"):
        if not (out / archive.name).exists():
            (out / archive.name).symlink_to(archive.resolve())
    return list(topics)


def crawls(web: Path, topics: Sequence[str], kind: str, *, runs: int, pages: int, want: bool) -> list[Run]:
    """Best-first, genre and fused from keywords and three examples, with the kind wanted or any."""
    wanted = [topic for topic in topics if topic.startswith(f"{kind}-")]
    options = Options(pages=pages, start_from="both", given=Given(keywords=True, examples=3))
    changes = [f"genre.want={kind}"] if want else []
    strategies = ["best-first", "genre", "fused"]
    return list(compare(web, strategies, topics=wanted, changes=changes, options=options, runs=runs).runs)


def table(made: Mapping[str, Sequence[Run]]) -> str:
    """A line for each strategy, and what it gains on best-first with the same judge, paired by topic and draw."""
    from scipy.stats import wilcoxon

    base = {(run.topic, run.random_seed): run for run in made["best-first"]}
    lines = [
        "| strategy | recall | AUC | precision kept | F1 kept | AUC against best-first | p |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, runs in made.items():
        pairs = [(run.auc, base[run.topic, run.random_seed].auc) for run in runs]
        gain = sum(a - b for a, b in pairs) / len(pairs)
        p = wilcoxon([a - b for a, b in pairs]).pvalue if any(a != b for a, b in pairs) else 1.0
        means = [
            sum(getattr(run, of) for run in runs) / len(runs) for of in ("recall", "auc", "precision", "f1")
        ]
        told = " | ".join(f"{mean:.3f}" for mean in means)
        lines.append(f"| {name} | {told} | {gain:+.3f} | {'' if name == 'best-first' else f'{p:.4f}'} |")
    return "\n".join(lines)


def by_strategy(runs: Sequence[Run], note: str = "") -> dict[str, list[Run]]:
    """The runs of each strategy."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(f"{run.strategy.partition(' ')[0]}{note}", []).append(run)
    return found


def main() -> None:
    """Make the web and print the tables."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("web", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--kind", action="append", choices=KINDS)
    given = parser.parse_args()
    topics = write_web(CachedWeb(VirtualWeb.open(given.web)), given.out)
    print("Topics:", ", ".join(topics))
    for kind in given.kind or KINDS:
        wanted = crawls(given.out, topics, kind, runs=given.runs, pages=given.pages, want=True)
        any_kind = crawls(given.out, topics, kind, runs=given.runs, pages=given.pages, want=False)
        print(
            f"\n{kind}: {len({run.topic for run in wanted})} subjects, {given.runs} draws, {given.pages} pages\n"
        )
        print(table({**by_strategy(wanted), **by_strategy(any_kind, ", any kind")}))


if __name__ == "__main__":
    main()

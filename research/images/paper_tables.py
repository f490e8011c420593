"""The multimedia crawler on demo webs and on an encyclopaedia. In: a web with images. Out: parts of docs/strategies/multimedia.md.

OUT has all that `lycosa lab reproduce multimedia` writes, of the demo web in OUT/demo and of the other in OUT/web; where that
is there already, only the page is written.

Command line: python -m research.images.paper_tables ../shared/webs/wikischools OUT
Expected time: three minutes of CPU for the demo webs; for the encyclopaedia two, and four more to parse it for the first time.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from lycosa.demo.environment import environment_part
from lycosa.lab.metrics import paired_test
from lycosa.lab.run import Run
from lycosa.methods.multimedia.paper.comparison import TEXT_ONLY, Compared, len_relevant
from lycosa.methods.multimedia.paper.crawls import (
    LENIENT,
    STRICT,
    WEBS,
    Collected,
    CrawlsBySetting,
    mean_pages,
    pooled,
    precision,
    recall,
)
from lycosa.methods.multimedia.paper.reproduce import TEXT_ONLY as TEXT
from lycosa.methods.multimedia.paper.reproduce import best_of, by_web, text_at
from lycosa.methods.multimedia.paper.trials import below, candidates, tenths
from research.images.picture_topics import PAGE, compared
from research.measured import chance, mean, number, reproduced, rows_in, show_pictures, table, write_part

PICTURES = {
    "multimedia-figure-8.png": "figure-8-exploration.png",
    "multimedia-figure-9.png": "figure-9-either-with-exploration.png",
    "multimedia-beyond.png": "beyond.png",
}
PAPERS = {
    0.2: {0.0: 0.303, 0.1: 0.263, 1.0: 0.265},
    0.4: {0.0: 0.339, 0.1: 0.169, 0.2: 0.173, 0.3: 0.171, 1.0: 0.171},
    0.6: {0.0: 0.416, 0.1: 0.196, 0.2: 0.203, 0.3: 0.204, 0.5: 0.194, 1.0: 0.188},
    0.8: {0.0: 0.426, 0.1: 0.230, 0.2: 0.241, 0.3: 0.243, 0.5: 0.229, 1.0: 0.161},
    0.9: {0.0: 0.451, 0.1: 0.287, 0.2: 0.307, 0.3: 0.311, 0.5: 0.300, 1.0: 0.212},
}
"""Strict precision in the paper's table 3 by t1 and t2; at 1 of text alone. Only these cells are shown."""
SKIP_ONE = "f_S, skip-one with f'_E"


class Crawls(msgspec.Struct, frozen=True, rename={"chosen_on": "chosen on"}):
    """What each setting collected: on the webs that settings are chosen on, and the chosen ones on fresh webs."""

    chosen_on: dict[str, list[Collected]]
    fresh: dict[str, list[Collected]]

    def chosen(self) -> dict[str, str]:
        """Of each group of settings the best."""
        return {name: best_of(group, self.chosen_on) for name, group in candidates().items()}


def strict_table(found: CrawlsBySetting) -> str:
    """Table 3, with the paper's own figures in brackets."""
    strict, across = precision(found, STRICT), sorted({t2 for row in PAPERS.values() for t2 in row} - {1.0})
    rows = []
    for t1, theirs in PAPERS.items():
        names = [*(f"fS {t1} {t2}" if t2 in theirs else "" for t2 in across), text_at(t1)]
        papers = [theirs.get(t2, 0.0) for t2 in (*across, 1.0)]
        cells = [
            f"{number(strict(name))} ({number(of_paper)})" if name else ""
            for name, of_paper in zip(names, papers, strict=True)
        ]
        rows.append([str(t1), *cells])
    return table(["t1", *(f"t2 = {t2:g}" for t2 in across), "text only at t1"], rows)


def best_table(found: CrawlsBySetting) -> str:
    """The best of each kind among all settings, strict and lenient, and over the pages of all crawls together."""
    kinds = {
        "f' (text only)": [text_at(t1) for t1 in tenths()],
        "f_S, t2 = 0": [f"fS {t1} 0.0" for t1 in tenths()],
        "f_S, any t2": [f"fS {t1} {t2}" for t1 in tenths() for t2 in below(t1)],
    }
    rows = []
    for kind, names in kinds.items():
        cells = []
        for value in (value(found, least) for value in (precision, pooled) for least in (STRICT, LENIENT)):
            best = max(names, key=value)
            cells.append(f"{number(value(best))} ({setting_of(best)})")
        rows.append([kind, *cells])
    heads = ["strict", "lenient", "strict, all pages together", "lenient, all pages together"]
    return table(["the best of", *heads], rows)


def links_table(rows: Sequence[Mapping[str, str]]) -> str:
    """By T: links of a web on pages with such an image and on others, and what the weakest of them are."""
    found = {(row["page shows such an image"], row["T from"]): row for row in rows}
    cells = []
    for tenth in dict.fromkeys(row["T from"] for row in rows):
        line = [f"{tenth} to {float(tenth) + 0.1:.1f}"]
        for shows in ("yes", "no"):
            row = found.get((shows, tenth))
            line += [row["links of a web"], row["strict"]] if row else ["0", ""]
        cells.append(line)
    heads = ["T", "links on pages with such an image", "lead to data", "links on other pages", "lead to data"]
    weak = [row for row in rows if row["page shows such an image"] == "yes" and float(row["T from"]) < 0.2]
    counts = [float(row["links of a web"]) for row in weak]
    data, some = (
        sum(count * float(row[name]) for count, row in zip(counts, weak, strict=True))
        for name in ("strict", "lenient")
    )
    return (
        f"{table(heads, cells)}\n\nOf the {sum(counts):.0f} links below 0.2 that an image opens on a web, about {data:.0f} lead to "
        f"data, {some - data:.0f} to pages *about* measuring (grade 1), and {sum(counts) - some:.0f} to others."
    )


def exploration_table(found: CrawlsBySetting) -> str:
    """Lenient precision of text alone with skip-one and without."""
    rows = []
    for t1 in tenths(6):
        with_it, without = f"f' {t1} text 0.2", text_at(t1)
        values = [
            number(value(found, LENIENT)(name))
            for value in (precision, pooled)
            for name in (with_it, without)
        ]
        looked = sum(one.explored for one in found[with_it]) / len(found[with_it])
        pages = [f"{mean_pages(found)(name):.0f}" for name in (with_it, without)]
        rows.append([str(t1), *values, *pages, f"{looked:.0f}"])
    heads = ["t1", "skip-one", "without", "skip-one, all pages together", "without", "pages", "without"]
    return table([*heads, "looked through"], rows)


def fresh_table(crawls: Crawls) -> str:
    """What was chosen of each group, on webs that chose nothing; p against text alone, paired by web."""
    chosen, fresh = crawls.chosen(), crawls.fresh
    rows = []
    for group, name in chosen.items():
        row = [group, setting_of(name)]
        for least in (STRICT, LENIENT):
            row += [
                mean(_by_web(fresh[name], least)),
                "" if group == TEXT else chance(_p(crawls, group, least)),
            ]
        counts = [(len(one.pages), one.explored, one.images) for one in fresh[name]]
        means = [f"{sum(column) / len(counts):.0f}" for column in zip(*counts, strict=True)]
        rows.append([*row, number(recall(fresh, STRICT)(name)), *means])
    heads = ["crawler", "chosen", "strict precision", "p", "lenient precision", "p"]
    return table([*heads, "strict recall", "pages", "looked through", "images"], rows)


def _by_web(crawls: Sequence[Collected], least: int) -> list[float]:
    return by_web([one.precision(least) for one in crawls])


def _p(crawls: Crawls, group: str, least: int) -> float:
    chosen = crawls.chosen()
    ours, text = (_by_web(crawls.fresh[chosen[one]], least) for one in (group, TEXT))
    return paired_test(ours, text)


def setting_of(name: str) -> str:
    """A setting as the page writes it, from the name that the lab has for it.

    >>> setting_of("fS 0.9 0.5 text 0.2"), setting_of("f' 0.7 parent 0.5"), setting_of("fS 0.8 0.0 fade 3.0")
    ('t1 = 0.9, t2 = 0.5, t3 = 0.2', 't1 = 0.7, parent = 0.5', 't1 = 0.8, t2 = 0, fade = 3')
    """
    rule, *rest = name.replace("text", "t3").split()
    named = ["t1", *(["t2"] if rule == "fS" else [])]
    values = " ".join(
        [f"{one} {value}" for one, value in zip(named, rest, strict=False)] + rest[len(named) :]
    )
    return ", ".join(f"{one} = {float(value):g}" for one, value in re.findall(r"(\S+) (\S+)", values))


def gained(crawls: Crawls, elsewhere: Compared, pages: int) -> str:
    """The opening of the page: what images brought, on which webs, and where they did not."""
    fresh, chosen = crawls.fresh, crawls.chosen()

    def strict(group: str) -> str:
        value = number(precision(fresh, STRICT)(chosen[group]))
        return value if group == TEXT else f"{value} (p {chance(_p(crawls, group, STRICT))})"

    def collected(group: str) -> str:
        return f"{mean_pages(fresh)(chosen[group]):.0f}"

    images = "f_S, t1 = 0.1, t2 = 0"
    ours, text = (
        [len_relevant(run) for (_, variant), runs in elsewhere.items() if variant == name for run in runs]
        for name in (images, TEXT_ONLY)
    )
    means = [f"{sum(values) / len(values):.1f}" for values in (ours, text)]
    tried = len({variant for _, variant in elsewhere}) - 1
    return (
        f"- On {len(_by_web(fresh[chosen[TEXT]], STRICT))} fresh webs of the demo generator (p is Wilcoxon's test, paired by web) "
        f"the strict precision of text alone is {strict(TEXT)}, in {collected(TEXT)} pages. With images it is {strict('f_S')} "
        f"in {collected('f_S')} pages, with images and skip-one {strict(SKIP_ONE)} in {collected(SKIP_ONE)}; with the defaults "
        f"{strict('the defaults')} in {collected('the defaults')}.\n"
        f"- With t2 = 0 and nothing else it is {strict('f_S, t2 = 0')} on these webs.\n"
        f"- On the Schools Wikipedia images find {means[0]} relevant pages among {pages}, text alone {means[1]} "
        f"(p {chance(paired_test(ours, text))}, one of {tried} comparisons)."
    )


def read_comparison(path: Path) -> Compared:
    """The runs of a comparison, by topic and crawler."""
    found = msgspec.json.decode(path.read_bytes(), type=dict[str, list[Run]])
    return {
        (topic, variant): runs
        for (topic, _, variant), runs in ((k.partition(": "), v) for k, v in found.items())
    }


def demo_parts(crawls: Crawls, links: Sequence[Mapping[str, str]], commit: str) -> dict[str, str]:
    """The tables of the demo webs, by their marks on the page."""
    found = crawls.chosen_on
    grades = [[grade for _, _, grade in environment_part(web).labels] for web in WEBS]
    pages, good = (
        sum(values) / len(WEBS) for values in (map(len, grades), (one.count(STRICT) for one in grades))
    )
    made = sum(map(len, found.values())) + sum(map(len, crawls.fresh.values()))
    return {
        "table 3": f"{strict_table(found)}\n\nA web has {pages:.0f} pages, {good / pages:.0%} of them highly relevant.",
        "best settings": best_table(found),
        "links by T": links_table(links),
        "skip-one": exploration_table(found),
        "fresh webs": f"{fresh_table(crawls)}\n\nMeasured at {commit}, {made:,} crawls with those of the tables above.",
    }


def main(web: Path, out: Path) -> None:
    """Reproduce, unless that is done, and write tables and pictures."""
    demo, other = out / "demo", out / "web"
    commit = reproduced("multimedia", None, demo)
    crawls = msgspec.json.decode((demo / "crawls.json").read_bytes(), type=Crawls)
    parts = demo_parts(crawls, rows_in(demo / "links-by-score.csv"), commit)
    show_pictures(demo, PICTURES)
    commit = reproduced("multimedia", web, other)
    elsewhere = read_comparison(other / "comparison.json")
    pages = next(iter(elsewhere.values()))[0].budget
    parts["encyclopaedia"] = compared(elsewhere, pages, commit)
    parts["gained"] = gained(crawls, elsewhere, pages)
    for name, made in parts.items():
        write_part(PAGE, name, made)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

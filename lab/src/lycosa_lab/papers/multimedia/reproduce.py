"""Tables 3-6 and figures 5-9 of Tsikrika et al. on demo webs, and settings beyond the paper on fresh ones.

Settings are chosen on five generator seeds and measured on ten others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from lycosa.errors import InputError
from lycosa.values import Say
from lycosa_lab.demo_web.environment import TOPIC
from lycosa_lab.grids.progress import Bar
from lycosa_lab.metrics import mean_and_error, paired_test
from lycosa_lab.papers.multimedia.crawls import (
    BASE,
    LENIENT,
    RELEVANCE,
    STRICT,
    TRAINING,
    WEBS,
    Bench,
    Collected,
    CrawlsBySetting,
    Trial,
    Value,
    benches,
    f1,
    mean_pages,
    measure,
    pooled,
    precision,
    recall,
)
from lycosa_lab.papers.multimedia.figures import draw_figures
from lycosa_lab.papers.multimedia.trials import below, candidates, papers_trials, tenths
from lycosa_lab.papers.output import write_table
from lycosa_lab.webs.web import VirtualWeb

FRESH_WEBS = tuple(range(6, 16))
"""Chosen settings are measured once more on these."""
FEWEST_PAGES = 20
"""A setting that collects fewer pages (of some 100 good ones) is not chosen: one page decides its precision."""
TEXT_ONLY = "f' (text only)"


def reproduce(web: Path, out: Path, say: Say) -> None:
    """Write the tables and figures of demo webs."""
    if TOPIC not in VirtualWeb.open(web).topics:
        raise InputError(
            f"{web} has no topic {TOPIC!r}. This paper is reproduced on demo webs; compare the strategy on other webs with: "
            "lycosa lab run"
        )
    groups = candidates()
    trials = papers_trials() | {name: trial for group in groups.values() for name, trial in group.items()}
    found, links = crawls(trials, WEBS, f"demo webs {WEBS[0]}-{WEBS[-1]}")
    out.mkdir(parents=True, exist_ok=True)
    write_tables(found, out)
    _write(out / "links-by-score.csv", links_table(links))
    draw_figures(found, out)
    chosen = {name: best_of(group, found) for name, group in groups.items()}
    wanted = {BASE: trials[BASE]} | {name: trials[name] for name in chosen.values()}
    fresh, _ = crawls(wanted, FRESH_WEBS, f"fresh demo webs {FRESH_WEBS[0]}-{FRESH_WEBS[-1]}")
    _write(out / "fresh-webs.csv", fresh_table(chosen, fresh))
    told = f"{findings(found)}\n{told_fresh(chosen, fresh)}"
    (out / "findings.txt").write_text(told + "\n", encoding="utf-8")
    (out / "crawls.json").write_bytes(msgspec.json.encode({"chosen on": found, "fresh": fresh}))
    say(told)


def crawls(
    trials: Mapping[str, Trial], webs: Sequence[int], what: str
) -> tuple[dict[str, list[Collected]], Counter[tuple[bool, int, int]]]:
    """All trials on all webs, and the links of these webs by their scores, with a bar meanwhile."""
    links: Counter[tuple[bool, int, int]] = Counter()

    def counted(bench: Bench) -> Bench:
        links.update(bench.links_by_score())
        return bench

    total, done = len(trials) * len(webs) * len(TRAINING), 0
    with Bar(f"Crawls of {what}") as bar:

        def one_more() -> None:
            nonlocal done
            done += 1
            bar.update(done, total)

        return measure(trials, map(counted, benches(webs)), one_more), links


# ------------------------------------------------------------------ tables


def write_tables(found: CrawlsBySetting, out: Path) -> None:
    """The paper's tables 3-6, recall of the whole web, and all of figures 8 and 9 as numbers."""
    number = 3
    for relevance, least in RELEVANCE.items():
        for name, value_of in (("precision", precision), ("f1", f1)):
            _write(out / f"table-{number}-{name}-{relevance}.csv", table(value_of(found, least)))
            number += 1
        _write(out / f"recall-of-the-whole-web-{relevance}.csv", table(recall(found, least)))
    pages = mean_pages(found)
    explored = [name for name in found if " text " in name or " visual " in name or " both " in name]
    rows = [["setting", "strict precision", "lenient precision", "strict F1", "pages", "looked through"]]
    for name in explored:
        values = [precision(found, STRICT), precision(found, LENIENT), f1(found, STRICT)]
        looked = np.mean([one.explored for one in found[name]])
        rows.append(
            [
                name,
                *(f"{value(name):.3f}" for value in values),
                f"{pages(name):.0f}",
                f"{looked:.0f}",
            ]
        )
    _write(out / "figures-8-9.csv", rows)


def table(value: Value) -> list[list[str]]:
    """t1 down, t2 across; the last column is text-only at t1, the last row text-only at t2."""
    across = tenths(0, 8)
    rows = [["t1 \\ t2", *map(str, across), "text only at t1"]]
    for t1 in tenths():
        cells = [f"{value(f'fS {t1} {t2}'):.3f}" if t2 < t1 else "" for t2 in across]
        rows.append([str(t1), *cells, f"{value(text_at(t1)):.3f}"])
    rows.append(["text only at t2", "", *(f"{value(text_at(t2)):.3f}" for t2 in across[1:]), ""])
    return rows


def links_table(links: Counter[tuple[bool, int, int]]) -> list[list[str]]:
    """By T, for pages with and without such an image: how many links a crawl has, and how good they are."""
    rows = [["page shows such an image", "T from", "links of a web", "strict", "lenient"]]
    for visual in (True, False):
        for tenth in range(10):
            counts = [links[visual, tenth, grade] for grade in (0, 1, 2)]
            if total := sum(counts):
                of_a_web = total / len(WEBS) / len(TRAINING)
                shares = f"{counts[2] / total:.2f}", f"{(counts[1] + counts[2]) / total:.2f}"
                rows.append(["yes" if visual else "no", str(tenth / 10), f"{of_a_web:.0f}", *shares])
    return rows


def findings(found: CrawlsBySetting) -> str:
    """The paper's two main findings, with our figures and the paper's."""
    strict, lenient, pages = precision(found, STRICT), precision(found, LENIENT), mean_pages(found)
    all_strict, all_lenient = pooled(found, STRICT), pooled(found, LENIENT)
    text = max(map(text_at, tenths()), key=strict)
    either = max((f"fS {t1} 0.0" for t1 in tenths()), key=strict)
    any_t2 = max((f"fS {t1} {t2}" for t1 in tenths() for t2 in below(t1)), key=strict)
    lines = [
        f"strict precision, f_S with t2 = 0: {strict(either):.3f} ({either}) against {strict(text):.3f} "
        f"of text-only's best ({text}); the paper: 0.451 against 0.265; all pages together: "
        f"{max(all_strict(f'fS {t1} 0.0') for t1 in tenths()):.3f} against "
        f"{max(map(all_strict, map(text_at, tenths()))):.3f}",
        f"strict precision, f_S with any t2: {strict(any_t2):.3f} ({any_t2})",
    ]
    for t1 in tenths(6):
        explored = f"f' {t1} text 0.2"
        fetches = np.mean([one.explored for one in found[explored]])
        lines.append(
            f"lenient precision at t1 = {t1}: {lenient(explored):.3f} with skip-one, f'_E, t3 = 0.2 "
            f"(and {fetches:.0f} pages looked through) against {lenient(text_at(t1)):.3f} without; all pages "
            f"together: {all_lenient(explored):.3f} against {all_lenient(text_at(t1)):.3f}; "
            f"pages {pages(explored):.0f} against {pages(text_at(t1)):.0f}"
        )
    return "\n".join(lines)


# ------------------------------------------------------------------ fresh webs


def best_of(group: Mapping[str, Trial], found: CrawlsBySetting) -> str:
    """The setting of the best strict precision among those that collect enough pages."""
    pages = mean_pages(found)
    enough = [name for name in group if pages(name) >= FEWEST_PAGES]
    return max(enough or group, key=precision(found, STRICT))


def by_web(values: Sequence[float]) -> list[float]:
    """Means over the training webs of each web.

    >>> by_web([1.0, 3.0, 5.0, 7.0])
    [2.0, 6.0]
    """
    return [float(mean) for mean in np.reshape(values, (-1, len(TRAINING))).mean(axis=1)]


def fresh_table(chosen: Mapping[str, str], fresh: CrawlsBySetting) -> list[list[str]]:
    """What was chosen of each group, on webs that chose nothing; p against text-only, by web."""
    rows = [
        [
            "crawler",
            "chosen",
            "strict precision",
            "se",
            "p",
            "lenient precision",
            "se",
            "p",
            "strict F1",
            "strict recall of the web",
            "pages",
            "looked through",
            "images",
        ]
    ]
    for group, name in chosen.items():
        row = [group, name]
        for least in RELEVANCE.values():
            mine = by_web([one.precision(least) for one in fresh[name]])
            text = by_web([one.precision(least) for one in fresh[chosen[TEXT_ONLY]]])
            mean = mean_and_error(mine)
            row += [f"{mean.mean:.3f}", f"{mean.se:.3f}", f"{paired_test(mine, text):.3f}"]
        row += [f"{value(fresh, STRICT)(name):.3f}" for value in (f1, recall)]
        counts = [(len(one.pages), one.explored, one.images) for one in fresh[name]]
        rows.append([*row, *(f"{count:.0f}" for count in np.mean(counts, axis=0))])
    return rows


def told_fresh(chosen: Mapping[str, str], fresh: CrawlsBySetting) -> str:
    """The fresh table in words."""
    header, *rows = fresh_table(chosen, fresh)
    lines = [f"On {len(FRESH_WEBS)} fresh webs, settings chosen on webs {WEBS[0]}-{WEBS[-1]}:"]
    for row in rows:
        cell = dict(zip(header, row, strict=False))
        lines.append(
            f"{cell['crawler']} ({cell['chosen']}): strict precision {row[2]} ± {row[3]} (p {row[4]} against text only), "
            f"lenient {row[5]} ± {row[6]}, strict F1 {cell['strict F1']}, {cell['pages']} pages"
        )
    return "\n".join(lines)


def text_at(t1: float) -> str:
    """The name of the text-only crawler at a threshold."""
    return f"f' {t1}"


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    write_table(path, rows[0], rows[1:])

"""Tables 3-6 and figures 5-9 of Tsikrika et al., on demo webs of several generator seeds.

On another web: the multimedia crawler against the same one without images, topic by topic.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.lab.demo.environment import TOPIC
from lycosa.lab.measure_multimedia import Collected, measure, tenths
from lycosa.lab.plots import COLOURS, figure_library, save
from lycosa.lab.web import VirtualWeb

Found = Mapping[str, Sequence[Collected]]
Value = Callable[[str], float]
"""A figure of a setting, by its name: the mean over the webs."""

STRICT, LENIENT = 2, 1
BASE = "fS 0.1 0.0"
"""Whose relevant pages are the paper's recall base."""


def reproduce(web: Path, out: Path, say: Callable[[str], None]) -> None:
    """Write the tables and figures; on a web without air quality, a comparison."""
    if TOPIC not in VirtualWeb.open(web).topics:
        from lycosa.lab.compare_multimedia import compare

        compare(web, out, say)
        return
    links, found = measure(say=say)
    draw(found, out)
    say(f"Link classifier, held out: F1 {links.metadata['cross_validation']['f1']:.3f}")
    say(findings(found))


def draw(found: Found, out: Path) -> None:
    """All tables and figures of what was found."""
    out.mkdir(parents=True, exist_ok=True)
    number = 3
    for measure_name, value_of in (("precision", precision), ("f1", f1)):
        for relevance, least in (("strict", STRICT), ("lenient", LENIENT)):
            _write(out / f"table-{number}-{measure_name}-{relevance}.csv", table(value_of(found, least)))
            number += 1
    _pages(found, out / "figure-5-pages")
    _by_depth(found, out / "figure-6-text-only-by-depth")
    _exclusive(found, out / "figure-7-exclusive-pages")
    _explored(found, out / "figure-8-exploration")
    _both(found, out / "figure-9-either-with-exploration")
    (out / "findings.txt").write_text(findings(found) + "\n", encoding="utf-8")


def text_at(t1: float) -> str:
    """The name of the text-only crawler at a threshold."""
    return f"f' {t1}"


def precision(found: Found, least: int) -> Value:
    """Mean precision of a setting over the webs."""
    return lambda name: float(np.mean([one.precision(least) for one in found[name]]))


def f1(found: Found, least: int) -> Value:
    """Mean F1 on the paper's recall base."""

    def mean(name: str) -> float:
        pairs = zip(found[name], found[BASE], strict=True)
        return float(np.mean([one.quality(least, base.graded(least)).f1 for one, base in pairs]))

    return mean


def table(value: Value) -> list[list[str]]:
    """t1 down, t2 across; the last column is text-only at t1, the last row text-only at t2."""
    across = tenths(0, 8)
    rows = [["t1 \\ t2", *map(str, across), "text only at t1"]]
    for t1 in tenths():
        cells = [f"{value(f'fS {t1} {t2}'):.3f}" if t2 < t1 else "" for t2 in across]
        rows.append([str(t1), *cells, f"{value(text_at(t1)):.3f}"])
    rows.append(["text only at t2", "", *(f"{value(text_at(t2)):.3f}" for t2 in across[1:]), ""])
    return rows


def findings(found: Found) -> str:
    """The paper's two main findings, with our figures beside its own."""
    strict, lenient = precision(found, STRICT), precision(found, LENIENT)
    text = max(map(text_at, tenths()), key=strict)
    either = max((f"fS {t1} 0.0" for t1 in tenths()), key=strict)
    lines = [
        f"strict precision, f_S with t2 = 0: {strict(either):.3f} ({either}) against {strict(text):.3f} "
        f"of text-only's best ({text}); the paper: 0.451 against 0.265",
    ]
    for t1 in tenths(6):
        explored = f"f' {t1} text 0.2"
        fetches = np.mean([one.explored for one in found[explored]])
        lines.append(
            f"lenient precision at t1 = {t1}: {lenient(explored):.3f} with skip-one, f'_E, t3 = 0.2 "
            f"(and {fetches:.0f} pages looked through) against {lenient(text_at(t1)):.3f} without; "
            f"pages {_mean_pages(found[explored]):.0f} against {_mean_pages(found[text_at(t1)]):.0f}"
        )
    return "\n".join(lines)


def _mean_pages(runs: Sequence[Collected]) -> float:
    return float(np.mean([len(run.pages) for run in runs]))


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def _axes(columns: int = 1) -> tuple[Any, list[Any]]:
    plt = figure_library()
    figure, axes = plt.subplots(1, columns, figsize=(5.5 * columns, 4.2), squeeze=False)
    return figure, list(axes[0])


def _lines(
    axes: Any, title: str, lines: Mapping[str, Callable[[float], float | None]], over: Sequence[float]
) -> None:
    for colour, (label, value) in zip(COLOURS, lines.items(), strict=False):
        points = [(x, y) for x in over if (y := value(x)) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, color=colour, label=label)
    axes.set_xlabel("t1")
    axes.set_ylabel(title)
    axes.legend(frameon=False, fontsize=8)


def _pages(found: Found, path: Path) -> None:
    figure, (axes,) = _axes()
    of = {"f'": "f' {}", "f_S, t2 = 0": "fS {} 0.0", "f'''": "f''' {}"}
    lines = {label: (lambda t1, name=name: _mean_pages(found[name.format(t1)])) for label, name in of.items()}
    _lines(axes, "pages collected", lines, tenths())
    save(figure, path)


def _by_depth(found: Found, path: Path) -> None:
    figure, both = _axes(2)
    names = {1: "f' {} depth 1", 2: "f' {} depth 2", 3: "f' {}"}
    for axes, (relevance, least) in zip(both, (("strict", STRICT), ("lenient", LENIENT)), strict=True):
        value = precision(found, least)
        lines = {
            f"depth {depth}": (lambda t1, name=name, value=value: value(name.format(t1)))
            for depth, name in names.items()
        }
        _lines(axes, f"precision, {relevance}", lines, tenths())
    save(figure, path)


def _exclusive(found: Found, path: Path) -> None:
    """Relevant pages crawled at t1 = x and at no higher one, by depth."""
    figure, both = _axes(2)
    for axes, (relevance, least) in zip(both, (("strict", STRICT), ("lenient", LENIENT)), strict=True):
        bottom = np.zeros(9)
        for depth in (1, 2, 3):
            counts = np.array([_only_at(found, number, depth, least) for number in range(1, 10)])
            axes.bar(range(1, 10), counts, bottom=bottom, color=COLOURS[depth - 1], label=f"depth {depth}")
            bottom += counts
        axes.set_xticks(range(1, 10), [str(t1) for t1 in tenths()])
        axes.set_xlabel("t1")
        axes.set_ylabel(f"pages only at this t1, {relevance}")
        axes.legend(frameon=False, fontsize=8)
    save(figure, path)


def _only_at(found: Found, number: int, depth: int, least: int) -> float:
    counts = []
    for web, here in enumerate(found[text_at(number / 10)]):
        above = [found[text_at(other / 10)][web].pages for other in range(number + 1, 10)]
        counts.append(
            sum(
                grade >= least and at == depth and not any(url in pages for pages in above)
                for url, (grade, at) in here.pages.items()
            )
        )
    return float(np.mean(counts))


def _explored(found: Found, path: Path) -> None:
    figure, both = _axes(2)
    for axes, (relevance, least) in zip(both, (("strict", STRICT), ("lenient", LENIENT)), strict=True):
        value = precision(found, least)
        lines = {"f', no exploration": _if_there(found, value, "f' {}")}
        for rule, t3s in (("text", (0.1, 0.2, 0.4)), ("visual", (0.1,)), ("both", (0.1, 0.2))):
            for t3 in t3s:
                label = f"with {rule}" + ("" if rule == "visual" else f", t3 = {t3}")
                lines[label] = _if_there(found, value, f"f' {{}} {rule} {t3}")
        _lines(axes, f"precision, {relevance}", lines, tenths())
    save(figure, path)


def _both(found: Found, path: Path) -> None:
    figure, both = _axes(2)
    for axes, (relevance, least) in zip(both, (("strict", STRICT), ("lenient", LENIENT)), strict=True):
        value = precision(found, least)
        lines = {f"t2 = {t2}": _if_there(found, value, f"fS {{}} {t2} text 0.2") for t2 in tenths(3, 8)}
        _lines(axes, f"precision, {relevance}", lines, tenths(4))
    save(figure, path)


def _if_there(found: Found, value: Value, name: str) -> Callable[[float], float | None]:
    return lambda t1: value(name.format(t1)) if name.format(t1) in found else None

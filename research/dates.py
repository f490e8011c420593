"""Measure how often publication dates are right, on the labelled pages of ../shared/data/dates.

Rules were developed on the hosts of the `dev` half; `test` holds hosts that no rule was written for.

Command line: python -m research.dates        (writes the figures of research/dates.md)
Expected time: 15 seconds.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
import time
from collections import Counter
from datetime import date
from pathlib import Path
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from lycosa.page.dates.publication_date import DOUBTFUL, publication_date
from lycosa.urls import host_of
from research.measured import NOTEBOOKS, number, table, write_part

PAGE = NOTEBOOKS / "dates.md"
SHARED_DATES = Path("../shared/data/dates/dates-htmldate-default.tar.xz")


class DateScore(NamedTuple):
    """Results of one half: pages, shares with the right and with a wrong day, CPU ms a page."""

    pages: int
    exact: float
    wrong: float
    ms: float
    how: dict[str, tuple[int, int]]  # by step: found, right
    htmldate: float = 0.0  # the share that htmldate alone gets right, where it was asked


def half_of(url: str) -> str:
    """`dev` or `test`, by a hash of the host without www."""
    host = host_of(url).removeprefix("www.")
    return "dev" if hashlib.sha1(host.encode()).digest()[0] % 2 == 0 else "test"


def measure(archive: Path = SHARED_DATES, today: date = date(2024, 6, 1)) -> dict[str, DateScore]:
    """Scores of both halves of a labelled archive (`labels.jsonl`, `html/`) and of `all`.

    Parsing is not counted: a crawl has done it before. `today` is when the pages were collected.
    """
    pages, labels = _read(archive)
    publication_date(LexborHTMLParser("<p>"), "<p>", "http://warm.example/", today)
    found = {"dev": Counter[str](), "test": Counter[str](), "all": Counter[str]()}
    spent = dict.fromkeys(found, 0.0)
    for name, (url, day) in labels.items():
        tree = LexborHTMLParser(pages[name])
        started = time.process_time()
        result = publication_date(tree, pages[name], url, today)
        elapsed = time.process_time() - started
        for half in (half_of(url), "all"):
            spent[half] += elapsed
            how = result.how if result else "none"
            found[half].update((f"found {how}", "pages"))
            if result:
                found[half].update(
                    (f"right {how}", "right") if result.date.isoformat() == day else ("wrong",)
                )
    return {half: _score(found[half], spent[half]) for half in found}


def _read(archive: Path) -> tuple[dict[str, bytes], dict[str, tuple[str, str]]]:
    pages: dict[str, bytes] = {}
    labels: dict[str, tuple[str, str]] = {}
    with tarfile.open(archive) as files:
        for member in files:
            stream = files.extractfile(member)
            if stream is None:
                continue
            if member.name.endswith("labels.jsonl"):
                rows = [json.loads(line) for line in stream.read().splitlines()]
                labels = {row["file"]: (row["url"], row["date"]) for row in rows}
            else:
                pages[Path(member.name).name] = stream.read()
    return pages, labels


def _score(counts: Counter[str], seconds: float) -> DateScore:
    pages = max(counts["pages"], 1)
    steps = sorted(key.removeprefix("found ") for key in counts if key.startswith("found "))
    how = {step: (counts[f"found {step}"], counts[f"right {step}"]) for step in steps}
    return DateScore(pages, counts["right"] / pages, counts["wrong"] / pages, 1000 * seconds / pages, how)


def htmldate_alone(archive: Path = SHARED_DATES, today: date = date(2024, 6, 1)) -> dict[str, float]:
    """Results of htmldate with its own settings, for both halves and for `all`."""
    from htmldate import find_date

    pages, labels = _read(archive)
    right: dict[str, list[bool]] = {"dev": [], "test": [], "all": []}
    for name, (url, day) in labels.items():
        found = find_date(
            pages[name].decode("utf-8", "replace"), original_date=True, url=url, max_date=today.isoformat()
        )
        for half in (half_of(url), "all"):
            right[half].append(found == day)
    return {half: sum(each) / max(1, len(each)) for half, each in right.items()}


def figures(scores: dict[str, DateScore]) -> str:
    """Both tables of research/dates.md."""
    words = {"dev": "hosts on which the weights were fitted", "test": "other hosts", "all": "all"}
    halves = [
        [
            words[half],
            str(one.pages),
            number(one.exact),
            number(one.wrong),
            number(one.htmldate),
            f"{one.ms:.1f}",
        ]
        for half, one in scores.items()
    ]
    places = [
        [how, "doubtful" if how in DOUBTFUL else "", str(found), number(right / found) if found else ""]
        for how, (found, right) in sorted(scores["all"].how.items(), key=lambda item: -item[1][0])
        if how != "none"
    ]
    heads = ["pages of", "pages", "right day", "wrong day", "htmldate alone: right", "ms a page"]
    return f"{table(heads, halves)}\n\nBy the place that named the day:\n\n" + table(
        ["place", "", "pages", "right"], places
    )


if __name__ == "__main__":
    alone = htmldate_alone()
    write_part(
        PAGE,
        "figures",
        figures({half: one._replace(htmldate=alone[half]) for half, one in measure().items()}),
    )

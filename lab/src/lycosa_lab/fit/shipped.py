"""Fit the coefficients that Lycosa ships, measure them on topics and webs left out, and write both down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import msgspec
import numpy as np

from lycosa.errors import InputError
from lycosa.files import write_file
from lycosa.learn.judges.signals import COEFFICIENTS, Coefficients, shipped
from lycosa.values import Floats
from lycosa_lab.fit.crawls import JudgedCrawl, Quality, crawls_of, quality
from lycosa_lab.fit.events import WITH_PAGES, event_crawls
from lycosa_lab.fit.weights import ALONE, GUESSED, SIGNALS, Step, fitted_on, left_out, other_webs
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

GIVEN = {
    "both": "keywords,examples:3",
    "keywords": "keywords",
    "sentence": "description",
    "examples": "examples:3",
}
EVENTS = (WITH_PAGES, ALONE, GUESSED)
EVENT_SIZES = (50, 150, 300)
HEADS = (
    "given",
    "web",
    "pages",
    "left out",
    "crawls",
    "average precision",
    "F1",
    "precision",
    "fetched ones kept",
    "abs(reported − true)",
)


def refit(
    webs: Sequence[Path], kinds: Sequence[str], draws: Sequence[int], sizes: Sequence[int], step: Step
) -> tuple[dict[str, Coefficients], str]:
    """Coefficients of these kinds of requests, and a Markdown table of what they do where they were not fitted."""
    if unknown := sorted(set(kinds) - SIGNALS.keys()):
        raise InputError(f"--kind {unknown[0]}: choose from {', '.join(SIGNALS)}.")
    opened = [CachedWeb(VirtualWeb.open(path)) for path in webs]
    found: dict[str, Coefficients] = {}
    rows: list[list[str]] = []
    events: Mapping[str, list[JudgedCrawl]] | None = None
    for kind in kinds:
        step(f"{kind}: crawling")
        if kind in EVENTS:
            events = events or _of_events(opened, draws)
            crawls = events[kind]
        else:
            plain = [web for web in opened if not _has_events(web)]
            crawls = [crawl for web in plain for crawl in crawls_of(web, _given(kind), draws, sizes)]
        if not crawls:
            raise InputError(f"{kind}: none of the webs has topics for it. Name one that has.")
        step(f"{kind}: fitting on {len(crawls)} crawls")
        found |= fitted_on(crawls, kind)
        for how, judged in (("topic", left_out(crawls, kind, step)), ("web", other_webs(crawls, kind, step))):
            rows += _rows(kind, how, crawls, judged)
    return found, _table(rows)


def write_coefficients(
    found: Mapping[str, Coefficients], webs: Sequence[Path], draws: int, sizes: Sequence[int]
) -> Path:
    """Put coefficients in the place of the shipped ones of the same kinds, with what they were fitted on."""
    names = ", ".join(path.name for path in webs)
    pages = " and ".join(map(str, sizes))
    told = f"lycosa lab fit, {date.today():%Y-%m-%d}: {', '.join(found)} on {names} (all topics, {draws} draws, {pages} pages)"
    before = msgspec.json.decode(COEFFICIENTS.read_bytes())
    provenance = before["provenance"] | dict.fromkeys(found, told)
    given = {**shipped(), **found}
    write_file(
        COEFFICIENTS,
        msgspec.json.format(msgspec.json.encode({"provenance": provenance, "given": given}), indent=1),
    )
    return COEFFICIENTS


def _given(kind: str) -> str:
    name, _, meaning = kind.partition(", ")
    return GIVEN[name] + ("," + meaning if meaning else "")


def _has_events(web: CachedWeb) -> bool:
    return any(topic.is_event for topic in web.web.topics.values())


def _of_events(opened: Sequence[CachedWeb], draws: Sequence[int]) -> Mapping[str, list[JudgedCrawl]]:
    found: dict[str, list[JudgedCrawl]] = {kind: [] for kind in EVENTS}
    for web in filter(_has_events, opened):
        for kind, crawls in event_crawls(web, draws, EVENT_SIZES).items():
            found[kind] += crawls
    return found


def _rows(
    kind: str, how: str, crawls: Sequence[JudgedCrawl], judged: Mapping[int, Floats]
) -> list[list[str]]:
    groups: dict[tuple[str, int], list[Quality]] = {}
    for at, told in judged.items():
        crawl = crawls[at]
        groups.setdefault((crawl.web, crawl.size), []).append(quality(crawl, told))
    return [
        [kind, web, str(size), how, str(len(some)), *(f"{value:.3f}" for value in np.mean(some, axis=0))]
        for (web, size), some in sorted(groups.items())
    ]


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (HEADS, ["---"] * len(HEADS), *rows))

"""The events of the demo web: two whales in two rivers, reported by five newspapers.

`texts/happenings.toml` holds reports, follow-ups and an anniversary piece. Both events share nearly all words: only the
place and the day tell them apart.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from lycosa.testing import CannedResponse, data
from lycosa_lab.demo_web import prose
from lycosa_lab.demo_web.part import DemoEvent, DemoTopic, Part
from lycosa_lab.demo_web.plan import slug

START = ("http://www.harbourwire.test/",)
ELSEWHERE = "http://www.morningledger.test/"
MODEL_PAGES = 2
"""Reports that a user would show: the first ones."""


@dataclass(frozen=True)
class Report:
    """A page of a newspaper, before it has links."""

    id: str
    site: str
    date: datetime.date
    title: str
    text: str
    links: tuple[str, ...]
    event: str = ""
    grade: int = 0

    def url(self, dated: str) -> str:
        """Where it is; sites that date pages by their URL say so there."""
        folder = f"{self.date:%Y/%m/%d}" if dated == "url" else "news"
        return f"http://{self.site}/{folder}/{slug(self.title)}"


def happenings_part(_random_seed: int) -> Part:
    """All pages, labels and events of this part; every seed has the same, as each text was written whole."""
    words = prose.bank("happenings")
    sites = {site["host"]: site for site in words["sites"]}
    reports = {row["id"]: Report(**{**row, "links": tuple(row["links"])}) for row in words["pages"]}
    where = {name: report.url(sites[report.site]["dated"]) for name, report in reports.items()}
    pages: dict[str, CannedResponse] = {}
    for name, report in reports.items():
        page = _page(report, sites[report.site], [(where[to], reports[to].title) for to in report.links])
        pages[where[name]] = data(page.encode(), "text/html; charset=utf-8")
    for host, site in sites.items():
        own = sorted(
            (one for one in reports.values() if one.site == host), key=lambda one: one.date, reverse=True
        )
        listed = [(where[one.id], one.title) for one in own]
        home = _home(site["title"], listed, [f"http://{other}/" for other in sites if other != host])
        pages[f"http://{host}/"] = data(home.encode(), "text/html; charset=utf-8")
    topics = {
        row["name"]: _topic(row, [where[one.id] for one in _of(reports, row["name"])])
        for row in words["events"]
    }
    return Part(pages, tuple(_labels(reports, where, [*topics])), topics, START)


def _of(reports: Mapping[str, Report], event: str) -> list[Report]:
    return sorted((one for one in reports.values() if one.event == event), key=lambda one: one.date)


def _topic(row: Mapping[str, object], urls: Sequence[str]) -> DemoTopic:
    event = DemoEvent(str(row["date"]), str(row["place"]), float(str(row["lat"])), float(str(row["lon"])))
    keywords = tuple(str(word) for word in row["keywords"])  # type: ignore[attr-defined]
    return DemoTopic(
        str(row["title"]), keywords, str(row["sentence"]), tuple(urls[:MODEL_PAGES]), event=event
    )


def _labels(
    reports: Mapping[str, Report], where: Mapping[str, str], events: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Reports are relevant to their own event; those of the other one, which look alike, are labelled as not."""
    for name, report in reports.items():
        if report.event:
            for event in events:
                yield where[name], event, report.grade if event == report.event else 0


def _page(report: Report, site: Mapping[str, str], related: Sequence[tuple[str, str]]) -> str:
    head, line = _dated(report, site["dated"])
    paragraphs = "\n".join(f"<p>{escape(part, quote=False)}</p>" for part in report.text.strip().split("\n"))
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)} | {escape(site["title"])}</title>
{head}</head>
<body><header><a href="/">{escape(site["title"])}</a></header>
<article><h1>{escape(report.title, quote=False)}</h1>
{line}{paragraphs}</article>
<aside><h2>Read on</h2><ul>
{_items(related)}
</ul></aside></body></html>
"""


def _dated(report: Report, dated: str) -> tuple[str, str]:
    """The day in the markup of the head, or in a line below the heading, as the site does it."""
    day = report.date
    if dated == "jsonld":
        about = {"@context": "https://schema.org", "@type": "NewsArticle", "datePublished": str(day)}
        return f'<script type="application/ld+json">{json.dumps(about)}</script>\n', ""
    if dated == "meta":
        return f'<meta property="article:published_time" content="{day}T06:00:00+00:00">\n', ""
    if dated == "time":
        return "", f'<p><time datetime="{day}">{day.day} {day:%B %Y}</time></p>\n'
    return ("", f"<p>{day.day} {day:%B %Y}</p>\n") if dated == "text" else ("", "")


def _home(title: str, listed: Sequence[tuple[str, str]], others: Sequence[str]) -> str:
    around = [(url, url.split("/")[2].split(".")[1].capitalize()) for url in (*others, ELSEWHERE)]
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>
<body><h1>{escape(title)}</h1><ul>
{_items(listed)}
</ul><footer><ul>
{_items(around)}
</ul></footer></body></html>
"""


def _items(links: Sequence[tuple[str, str]]) -> str:
    return "\n".join(
        f'<li><a href="{escape(url)}">{escape(words, quote=False)}</a></li>' for url, words in links
    )

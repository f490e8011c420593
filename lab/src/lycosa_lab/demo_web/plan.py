"""Draft the pages of the first part of the demo web, from `sites.toml` and the sentence banks.

A draft has text, date, labels and picture; `linking` adds the links.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from random import Random

from lycosa_lab.demo_web import prose
from lycosa_lab.demo_web.prose import FOREIGN, TOPICS, Text

GRADES = {"article": 2, "news": 2, "question": 1, "near": 0}
"""How relevant a text of this kind is to its topic."""
PAGE_SIZE = 12  # a section's list has further pages beyond this


@dataclass(frozen=True)
class Section:
    """A folder of a site: `source` says what its pages are about."""

    path: str
    title: str
    source: str
    pages: int


@dataclass(frozen=True)
class SitePlan:
    """A host and its habits (sites.toml explains the fields)."""

    host: str
    title: str
    look: str
    dated: str
    own: int
    topic: int
    away: int
    blank: float
    sections: tuple[Section, ...]
    menu: int = 0
    extra: tuple[tuple[str, str], ...] = ()
    prints: bool = False
    secrets: int = 0
    hidden: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """The language of the site's own words."""
        bank = self.sections[0].source.partition(".")[0]
        return FOREIGN[bank][0] if bank in FOREIGN else "en"

    @property
    def home(self) -> str:
        """The URL of the site's home page."""
        return f"http://{self.host}/"


@dataclass(frozen=True)
class Draft:
    """A page before it has links: where it is, what it says, what it is about."""

    url: str
    site: SitePlan
    section: Section
    text: Text
    topic: str = ""  # a topic, 'mixed', or '' for noise
    labels: tuple[tuple[str, int], ...] = ()  # (topic, grade)
    date: datetime.date | None = None
    picture: str = ""  # path of its image
    language: str = "en"
    hub: bool = False

    @property
    def hidden(self) -> bool:
        """Whether only strangers link to it."""
        return self.section.path in self.site.hidden

    @property
    def print_url(self) -> str:
        """Where its print version is; '' if it has none."""
        prints = self.site.prints and self.topic and not self.hub
        return f"{self.site.home}print/{self.url.rpartition('/')[2]}" if prints else ""

    @property
    def teaser(self) -> str:
        """Its first sentence."""
        return self.text.paragraphs[0].split(". ")[0].rstrip(".") + "."


def sites() -> tuple[SitePlan, ...]:
    """The sites of sites.toml."""
    table = tomllib.loads((resources.files(__package__) / "sites.toml").read_text("utf-8"))
    return tuple(
        SitePlan(**{**row, "sections": tuple(Section(*each) for each in row["sections"])})
        for row in table["sites"]
    )


def drafts(site: SitePlan, random_seed: int) -> Iterator[Draft]:
    """The leaf pages of a site, each from a random source of its own."""
    used: set[str] = set()
    for section in site.sections:
        for number in range(section.pages):
            rng = Random(f"{random_seed} {site.host} {section.path} {number}")
            yield _draft(site, section, number, rng, used)


def _draft(site: SitePlan, section: Section, number: int, rng: Random, used: set[str]) -> Draft:
    bank, _, kind = section.source.partition(".")
    topic = topic_of(section)
    text = _text(site, section, number, rng)
    date = datetime.date(2015, 1, 1) + datetime.timedelta(days=rng.randrange(3600))
    is_hub = bank == "hub"
    illustrated = not is_hub and rng.random() < (0.4 if topic else 0.15)
    return Draft(
        url=f"http://{site.host}{_path(site, section, text.title, date, number, used)}",
        site=site,
        section=section,
        text=text,
        topic="" if kind == "near" else topic,
        labels=_labels(site, section, GRADES.get(kind, 1)),
        date=None if site.dated == "none" or is_hub else date,
        picture=f"/pictures/{section.path}-{number}.png" if illustrated else "",
        language=FOREIGN[bank][0] if bank in FOREIGN else "en",
        hub=is_hub,
    )


def topic_of(section: Section) -> str:
    """The topic that a section's pages are on or next to; 'mixed' for hubs of all; '' for noise."""
    bank, _, kind = section.source.partition(".")
    if bank in FOREIGN:
        return FOREIGN[bank][1]
    if bank == "hub":
        return kind if kind in (*TOPICS, "mixed") else ""
    return bank if bank in TOPICS else ""


def _labels(site: SitePlan, section: Section, grade: int) -> tuple[tuple[str, int], ...]:
    # What robots.txt closes is not labelled: a polite crawler cannot be measured by it.
    topic = topic_of(section)
    return ((topic, grade),) if topic in TOPICS and section.path not in site.closed else ()


def _text(site: SitePlan, section: Section, number: int, rng: Random) -> Text:
    bank, _, kind = section.source.partition(".")
    if bank == "noise":
        return prose.noise(kind, rng)
    if bank == "hub":
        title = f"{section.title}, list {number + 1}" if section.pages > 1 else section.title
        return Text(title, section.title, (f"What {site.title} has found under {section.title}.",))
    if kind == "near":
        return prose.near_miss(bank, rng, number)
    if bank in FOREIGN:
        return prose.foreign(bank, rng, number)
    shift = Random(f"{site.host} {section.path}").randrange(12)  # sites begin with different subjects
    return prose.article(bank, rng, number + shift, kind)


def listings(site: SitePlan, leaves: Sequence[Draft]) -> Iterator[tuple[Draft, tuple[Draft, ...]]]:
    """The home page and the section lists of a site, each with the pages that it lists."""
    open_leaves = [leaf for leaf in leaves if not leaf.hidden]
    topics = {leaf.topic for leaf in leaves}
    about = topics.pop() if len(topics) == 1 else ""
    newest = sorted(open_leaves, key=lambda leaf: (leaf.date or datetime.date.min, leaf.url), reverse=True)
    home = Section("", site.title, "", 1)
    yield _listing(site, home, site.home, f"Welcome to {site.title}.", about), tuple(newest[:8])
    for section in site.sections:
        listed = [leaf for leaf in open_leaves if leaf.section is section]
        for start in range(0, len(listed), PAGE_SIZE):
            some = tuple(listed[start : start + PAGE_SIZE])
            topic = "" if section.source.endswith(".near") else topic_of(section)
            url = list_url(site, section, start // PAGE_SIZE)
            yield _listing(site, section, url, f"{section.title} at {site.title}.", topic), some


def list_url(site: SitePlan, section: Section, page: int = 0) -> str:
    """The URL of a section's list, and of its further pages."""
    return f"{site.home}{section.path}/" + (f"?page={page + 1}" if page else "")


def _listing(site: SitePlan, section: Section, url: str, intro: str, topic: str) -> Draft:
    labels = ((topic, 1),) if topic in TOPICS and section.path not in site.closed else ()
    text = Text(section.title, section.title, (intro,))
    return Draft(url, site, section, text, topic, labels, language=site.language, hub=True)


def slug(title: str) -> str:
    """A title as a part of a path.

    >>> slug("Comet Harrow: what to expect")
    'comet-harrow-what-to-expect'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60]


def _path(
    site: SitePlan, section: Section, title: str, date: datetime.date, number: int, used: set[str]
) -> str:
    name = slug(title)
    path = {
        "blog": f"/{date:%Y/%m}/{name}",
        "paper": f"/{section.path}/{date:%Y%m%d}-{name}.html",
        "old": f"/{section.path}/page{number + 1:02}.html",
        "wiki": f"/wiki/{name.replace('-', '_').capitalize()}",
        "forum": f"/{section.path}/thread?id={1000 + number}",
        "shop": f"/{section.path}/{name}-{number + 100}",
    }[site.look]
    if section.path in (*site.hidden, *site.closed):
        path = f"/{section.path}/{name}"
    while path in used:
        path += "-2"
    used.add(path)
    return path

"""What stands where in the first part of the demo web. In: sites.toml and the sentence banks.

Out: every page as a draft, with its text, date, labels and picture, but no links yet.
"""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import resources
from random import Random

from lycosa.lab.demo import prose
from lycosa.lab.demo.prose import TOPICS, Text

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
    secrets: int = 0
    hidden: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()

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
    grade: int | None = None  # for its topic; None: not labelled
    date: datetime.date | None = None
    picture: str = ""  # path of its image
    language: str = "en"
    hub: bool = False
    labels: tuple[tuple[str, int], ...] = field(default=())

    @property
    def hidden(self) -> bool:
        """Whether only strangers link to it."""
        return self.section.path in self.site.hidden

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
    subject, _, kind = section.source.partition(".")
    text = _text(subject, kind, rng, number, site, section)
    date = datetime.date(2015, 1, 1) + datetime.timedelta(days=rng.randrange(3600))
    path = _path(site, section, text.title, date, number, used)
    topic = subject if subject in TOPICS else kind if subject == "hub" and kind in (*TOPICS, "mixed") else ""
    illustrated = subject != "hub" and rng.random() < (0.5 if topic else 0.25)
    if subject == "hub":
        grade = 1 if kind in TOPICS else None
    else:
        grade = GRADES[kind] if topic and section.path not in site.closed else None
    return Draft(
        url=f"http://{site.host}{path}",
        site=site,
        section=section,
        text=text,
        topic="" if kind == "near" else topic,
        date=None if site.dated == "none" or subject == "hub" else date,
        picture=f"/pictures/{section.path}-{number}.png" if illustrated else "",
        hub=subject == "hub",
        labels=((topic, grade),) if grade is not None else (),
    )


def _text(subject: str, kind: str, rng: Random, number: int, site: SitePlan, section: Section) -> Text:
    if subject == "noise":
        return prose.noise(kind, rng)
    if subject == "hub":
        title = f"{section.title}, list {number + 1}" if section.pages > 1 else section.title
        return Text(title, section.title, (f"What {site.title} has found under {section.title}.",))
    if kind == "near":
        return prose.near_miss(subject, rng, number)
    shift = Random(f"{site.host} {section.path}").randrange(12)  # sites begin with different subjects
    return prose.article(subject, rng, number + shift, kind)


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

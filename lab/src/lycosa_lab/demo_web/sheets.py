"""Pages of the environmental part while they are made: what they say, show and link to, and as HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from random import Random

from lycosa.testing import CannedResponse, data
from lycosa_lab.demo_web.prose import bank, fill

MENU = (("Contact", "contact"), ("Imprint", "imprint"), ("Help", "help"))


@dataclass
class Sheet:
    """A page while it is made: what it says, shows and links to. `about` names its sentences."""

    url: str
    title: str
    about: str
    grade: int
    region: str
    city: str
    pictures: list[str] = field(default_factory=list)
    links: list[tuple[str, str, str]] = field(default_factory=list)  # (text before, anchor, URL)

    def link(self, anchor: str, target: Sheet, before: str = "") -> None:
        """Link to another page, with a few words before the anchor."""
        self.links.append((before, anchor, target.url))


class Sheets:
    """The pages of one random seed while they are made, and their pictures. Sites are the business of a subclass."""

    def __init__(self, random_seed: int) -> None:
        self.rng = Random(f"environment {random_seed}")
        self.words = bank("environment")
        self.sheets: dict[str, Sheet] = {}
        self.pictures: dict[str, bytes] = {}
        self.homes: dict[str, list[Sheet]] = {}
        self.trails: list[Sheet] = []

    def sheet(
        self, host: str, path: str, title: str, about: str, grade: int, region: str, city: str = ""
    ) -> Sheet:
        """A new page."""
        city = city or self.rng.choice(self.words["regions"][region])
        made = Sheet(f"http://{host}{path}", title, about, grade, region, city)
        self.sheets[made.url] = made
        return made

    def picture(self, host: str, name: str, draw: Callable[[Random], bytes]) -> str:
        """A drawn picture of a site, by its path."""
        path = f"/img/{name}.png"
        self.pictures[f"http://{host}{path}"] = draw(Random(self.rng.getrandbits(48)))
        return path

    def regions(self, count: int) -> list[str]:
        """Some regions, drawn anew."""
        return self.rng.sample(sorted(self.words["regions"]), count)

    def home(self, kind: str, sheet: Sheet) -> Sheet:
        """Register the front page of a site."""
        self.homes.setdefault(kind, []).append(sheet)
        return sheet

    def furniture(self, host: str, home: Sheet, region: str) -> None:
        """Contact, imprint and help pages, linked from every page of the site."""
        extras = [
            self.sheet(host, f"/{path}.html", f"{name}: {home.title}", "office", 0, region)
            for name, path in MENU
        ]
        for sheet in self.of_host(host):
            for (name, _), extra in zip(MENU, extras, strict=True):
                if sheet is not extra and self.rng.random() < 0.6:
                    sheet.link(name, extra)
            if sheet is not home:
                sheet.link(self.rng.choice(("Home", "Start", home.title)), home)

    def of_host(self, host: str) -> list[Sheet]:
        """The pages of a host so far."""
        return [sheet for sheet in self.sheets.values() if sheet.url.startswith(f"http://{host}/")]

    def fill(self, template: str, region: str, city: str) -> str:
        """A sentence with its slots filled."""
        rng, words = self.rng, self.words
        slots = {"pollutant": words["pollutants"], "day": words["days"], "topic": words["topics"]}
        names = {
            "region": region,
            "city": city,
            "number": str(rng.randint(12, 190)),
            "small": str(rng.randint(2, 9)),
        }
        return fill(template, rng, slots, names)

    def render(self, sheet: Sheet) -> CannedResponse:
        """A page as HTML."""
        sentences = self.words[sheet.about]["sentences"]
        said = [
            self.fill(line, sheet.region, sheet.city)
            for line in self.rng.sample(sentences, min(4, len(sentences)))
        ]
        pictures = "".join(f'<p><img src="{path}" alt=""></p>\n' for path in sheet.pictures)
        items = "".join(
            f'<li>{escape(before)} <a href="{escape(target)}">{escape(anchor)}</a></li>\n'
            for before, anchor, target in sheet.links
        )
        table = self._table() if sheet.about == "data" else ""
        return data(
            f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(sheet.title)}</title></head>
<body><h1>{escape(sheet.title)}</h1>
{pictures}<p>{escape(" ".join(said[:2]))}</p>
{table}<ul>
{items}</ul>
<p>{escape(" ".join(said[2:]))}</p></body></html>
""".encode(),
            "text/html; charset=utf-8",
        )

    def _table(self) -> str:
        rows = "".join(
            f"<tr><td>{hour}:00</td><td>{self.rng.randint(5, 180)}</td><td>{self.rng.randint(5, 80)}</td></tr>"
            for hour in range(6, 18, 3)
        )
        return f"<table><tr><th>Hour</th><th>O3</th><th>PM10</th></tr>{rows}</table>\n"

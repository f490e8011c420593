"""Measure how many pages crawler traps take, in a generated web of good pages and eleven traps.

Every trap is linked from good pages and about the topic. The crawl has the default settings except for the delays.
`--pages` above the number of good pages shows what happens when these run out.

Command line: python -m research.traps [--good 4000] [--pages 2000] [--runs 1] [--note]
Expected time: four minutes of CPU in full; the tests run a tenth of it
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from lycosa.collection.collection import Collection
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.testing import Request, Site, html, text
from lycosa.testing.responses import CannedResponse
from lycosa.values import Reason
from research.measured import NOTEBOOKS, ROOT, arguments, commit_of, table, write_part

TOPIC = ("granite", "summit", "glacier", "ridge")
SITES = 40
MIRRORS = 50
_SYLLABLES = "ka lo mi nu pe ra so ti va ze bri dul fen gor hax jin".split()
WORDS = [
    first + second + third
    for first in _SYLLABLES
    for second in _SYLLABLES
    for third in ("n", "st", "r", "lm")
]
MONTHS = 12

Answer = Callable[[Request, Random], CannedResponse]


def _prose(chance: Random, count: int) -> str:
    words = chance.choices(WORDS, k=count) + chance.choices(TOPIC, k=max(1, count // 12))
    chance.shuffle(words)
    return " ".join(words)


def _page(title: str, body: str, links: list[str]) -> CannedResponse:
    anchors = "".join(
        f'<li><a href="{link}">{" ".join(TOPIC[:2])} {number}</a>' for number, link in enumerate(links)
    )
    return html(f"<title>{title}</title><h1>{title}</h1><p>{body}</p><ul>{anchors}</ul>")


def _token(chance: Random) -> str:
    return f"{chance.getrandbits(64):016x}"


FIXED = {
    name: _prose(Random(name), 80)
    for name in ("calendar", "sessions", "soft", "chain", "growing", "variants", "search")
}
"""The common part of each trap's pages."""
ITEMS = [_prose(Random(f"item {number}"), 15) for number in range(60)]


def wild_hosts(_: Request, chance: Random) -> CannedResponse:
    """Every name under the domain is a host with a new text and links to five more."""
    return _page("Wild", _prose(chance, 120), [f"http://h{_token(chance)}.wild.test/" for _ in range(5)])


def calendar(request: Request, _: Random) -> CannedResponse:
    """A calendar without end and without entries."""
    found = re.fullmatch(r"/cal/(\d+)/(\d+)", request.path)
    at = int(found[1]) * MONTHS + int(found[2]) if found else 2026 * MONTHS
    around = [
        f"/cal/{month // MONTHS}/{month % MONTHS}" for month in (at - 1, at + 1, at - MONTHS, at + MONTHS)
    ]
    return _page(
        f"Events in month {at % MONTHS} of {at // MONTHS}", f"No events. {FIXED['calendar']}", around
    )


def path_sessions(request: Request, chance: Random) -> CannedResponse:
    """A session in every path: the same twenty pages under new names each time."""
    item = int(request.path.rpartition("/")[2] or 0) if request.path[-1:].isdigit() else 0
    return _page(
        f"Item {item}",
        f"{ITEMS[item]} {FIXED['sessions']}",
        [f"/{_token(chance)}/item/{n}" for n in range(20)],
    )


def sort_orders(request: Request, chance: Random) -> CannedResponse:
    """One list, in every order and with its parameters in every order."""
    del request
    items = ITEMS.copy()
    chance.shuffle(items)
    links = []
    for _ in range(10):
        asked = {
            "sort": chance.choice(WORDS),
            "order": chance.choice(("up", "down")),
            "view": chance.choice(WORDS),
        }
        names = chance.sample(list(asked), k=3)
        links.append("/list?" + "&".join(f"{name}={asked[name]}" for name in names))
    return _page("All items", ". ".join(items), links)


def facets(request: Request, chance: Random) -> CannedResponse:
    """A shop with filters in any combination."""
    del request
    shown = chance.sample(ITEMS, k=40)
    names = ("colour", "size", "brand", "price", "year")
    links = []
    for _ in range(10):
        chosen = chance.sample(names, k=chance.randint(1, 4))
        links.append("/shop?" + "&".join(f"{name}={chance.choice(WORDS)}" for name in chosen))
    return _page("Shop", ". ".join(shown), links)


def soft_404(_: Request, chance: Random) -> CannedResponse:
    """Answers any path with a page and more paths."""
    return _page(
        "Welcome",
        f"We have something else for you. {FIXED['soft']}",
        [f"/{_prose(chance, 1).replace(' ', '-')}" for _ in range(8)],
    )


def number_chain(request: Request, _: Random) -> CannedResponse:
    """Numbered records without end."""
    number = int(request.path.rpartition("/")[2] or 0) if request.path[-1:].isdigit() else 0
    return _page(
        f"Record {number}",
        f"This is record {number}. {FIXED['chain']}",
        [f"/record/{number + step}" for step in (1, 2, 10)],
    )


def growing_paths(request: Request, chance: Random) -> CannedResponse:
    """Relative links that make every path longer."""
    return _page(
        "Deeper",
        f"On the way. {FIXED['growing']}",
        [f"{request.path.rstrip('/')}/{chance.choice(WORDS)}" for _ in range(3)],
    )


def variants(_: Request, chance: Random) -> CannedResponse:
    """One page in variants for printing, sharing and sending."""
    return _page(
        "An article",
        f"{FIXED['variants']} {FIXED['variants'][::-1]}",
        [f"/article?id=7&view={chance.choice(WORDS)}&from={_token(chance)}" for _ in range(6)],
    )


def search_terms(request: Request, chance: Random) -> CannedResponse:
    """Searches that suggest more searches."""
    asked = request.query.get("q", "")
    return _page(
        f"Results for {asked}",
        f"Nothing was found for {asked}. {FIXED['search']}",
        [f"/search?q={'+'.join(chance.choices(WORDS, k=2))}" for _ in range(8)],
    )


TRAPS: dict[str, Answer] = {
    "wild": wild_hosts, "cal": calendar, "sessions": path_sessions, "orders": sort_orders, "facets": facets,
    "soft": soft_404, "chain": number_chain, "growing": growing_paths, "variants": variants, "search": search_terms,
}  # fmt: skip
"""Traps by the name of their domain; the mirrors are the eleventh."""


class TrapWeb:
    """A web of good pages on forty sites, and the traps."""

    def __init__(self, good: int) -> None:
        self.per_site = good // SITES

    def __call__(self, request: Request) -> CannedResponse:
        """The answer to any request; the same page for the same URL."""
        if request.path == "/robots.txt":
            return text("")
        chance = Random(request.url)
        domain = request.host.split(".")[-2]
        if trap := TRAPS.get(domain):
            return trap(request, chance)
        site = int(domain[1:])
        return self._mirrored(request, site) if domain.startswith("m") else self._good(request.path, site)

    def _good(self, path: str, site: int) -> CannedResponse:
        number = int(path[2:]) if path.startswith("/p") else 0
        chance = Random(f"good {site} {number}")
        near = [f"/p{(number * 2 + step) % self.per_site}" for step in (1, 2)] + [
            f"/p{(number + 1) % self.per_site}"
        ]
        far = [f"http://g{chance.randrange(SITES)}.test/" for _ in range(2)]
        lures = [self._lure(chance)] if number % 3 == 0 else []
        return _page(f"Page {number} of {site}", _prose(chance, 150), near + far + lures)

    def _lure(self, chance: Random) -> str:
        trap = chance.choice((*TRAPS, "mirror"))
        if trap == "mirror":
            return f"http://m{chance.randrange(MIRRORS)}.test/p{chance.randrange(self.per_site)}"
        return f"http://{trap}.test/"

    def _mirrored(self, request: Request, site: int) -> CannedResponse:
        original = self._good(request.path, 0)
        body = original.body.decode().replace(" of 0<", f" of {request.host}<")
        return html(body)


@dataclass(frozen=True)
class Waste:
    """Result of a crawl: all pages, good pages, copies fetched first, pages of each trap, and good URLs refused as traps."""

    pages: int
    good: int
    first_copies: int
    traps: dict[str, int]
    refused: int
    ended: str

    @property
    def worst(self) -> float:
        """Largest share of the pages that one trap took."""
        return max(self.traps.values(), default=0) / self.pages

    @property
    def share(self) -> float:
        """Share that all traps took."""
        return sum(self.traps.values()) / self.pages


def measure(good: int, pages: int, **sections: dict[str, Any]) -> Waste:
    """Crawl the web of traps with default settings except for the delays."""
    with Site(TrapWeb(good)) as site, TemporaryDirectory() as folder:
        fetch: dict[str, Any] = {
            "per_host_delay_s": 0,
            "per_ip_concurrency": 64,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        }
        tables: dict[str, dict[str, Any]] = {
            "seeds": {"urls": [f"http://g{number}.test/" for number in range(5)]},
            "topic": {"keywords": list(TOPIC)},
            "limits": {"pages": pages},
            "fetch": fetch,
        }
        tables |= sections
        written = "\n".join(
            f"[{name}]\n" + "\n".join(f"{key} = {_toml(value)}" for key, value in table.items())
            for name, table in tables.items()
        )
        out = Path(folder) / "out"
        summary = asyncio.run(
            run_crawl(CrawlRequest(parse_spec(written, all_settings()), written, Path(folder), out))
        )
        return _waste(out, summary.pages, summary.ended)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def _waste(out: Path, pages: int, ended: str) -> Waste:
    fetched: Counter[str] = Counter()
    refused: set[str] = set()
    with Collection.open(out) as collection:
        for page in collection.reader.pages():
            if page.judgement is not None:
                owner = _owner(page.link.url)
                # The first copy of a page is worth as much as the page.
                is_first = owner == "mirrors" and not page.near_duplicate_of
                fetched["first copies" if is_first else owner] += 1
            refused |= {
                link.url
                for link in collection.reader.links(page.id)
                if link.refusal and link.refusal.reason is Reason.TRAP and _owner(link.url) == "good"
            }
    good, copies = fetched.pop("good", 0), fetched.pop("first copies", 0)
    return Waste(pages, good, copies, dict(fetched.most_common()), len(refused), ended)


def _owner(url: str) -> str:
    domain = url.split("/")[2].split(".")[-2]
    return domain if domain in TRAPS else "mirrors" if domain.startswith("m") else "good"


def main() -> None:
    """Measure and print."""
    parser = arguments(__doc__)
    parser.add_argument("--good", type=int, default=4000)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=1, help="requests end in another order each time")
    parser.add_argument("--note", action="store_true", help="write the figures into research/endurance.md")
    asked = parser.parse_args()
    found = [measure(asked.good, asked.pages) for _ in range(asked.runs)]
    figures = _figures(found, asked.good)
    print(figures)
    if asked.note:
        write_part(NOTEBOOKS / "endurance.md", "traps", f"{figures}\n\nCommit {commit_of(ROOT)}.")


def _figures(found: list[Waste], good: int) -> str:
    """A row for each run."""
    heads = [
        "pages",
        "good",
        "first copies",
        "wasted on all",
        "at most on one",
        "good URLs refused",
        "worst traps",
    ]
    rows = [
        [
            f"{waste.pages:,}",
            f"{waste.good:,} of {good:,}",
            str(waste.first_copies),
            f"{waste.share:.1%}",
            f"{waste.worst:.1%}",
            str(waste.refused),
            ", ".join(f"{trap} {taken}" for trap, taken in list(waste.traps.items())[:4]),
        ]
        for waste in found
    ]
    return table(heads, rows)


if __name__ == "__main__":
    main()

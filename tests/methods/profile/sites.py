"""Sharing sites in many templates, made for tests: each knows what is true of its pages."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

WORDS = (
    "kite lantern basket clock boat willow brass candle bamboo gear rigging wind festival reed dial".split()
)
NAMES = "ada bent cora dirk edda finn gesa hugo ilse jorn kaja lars mina nils".split()
SETS = (
    "Spring fair",
    "At the pond",
    "Work in progress",
    "For sale",
    "Old ones",
    "Best of",
    "With Bob",
    "Try-outs",
)
PAGE_SIZE = 6
MARKUP: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("templates.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Item:
    """Something shared."""

    number: int
    title: str
    owner: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Person:
    """Somebody who shares."""

    name: str
    items: tuple[Item, ...]
    contacts: tuple[str, ...]
    tags: tuple[str, ...]
    sets: tuple[str, ...]


@dataclass
class Made:
    """A site: pages, their types, and what they say."""

    pages: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of details and profiles
    uploaders: dict[str, str] = field(default_factory=dict)  # detail -> profile
    contacts: dict[str, tuple[str, ...]] = field(default_factory=dict)  # profile -> profiles
    sets: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of profiles that show them
    turns: dict[str, tuple[str, ...]] = field(default_factory=dict)  # list -> lists that it turns to


class Template:
    """A plain site. Others differ in their addresses, and in the markup of each type of page."""

    host = "http://share.test"

    def __init__(self, name: str = "plain") -> None:
        known = MARKUP.get(name, {})
        like = MARKUP.get(known.get("like", ""), {})
        self.markup = {key: text.replace("\n", "") for key, text in (MARKUP["plain"] | like | known).items()}

    def detail(self, item: Item) -> str:
        """The address of an item."""
        return f"{self.host}/piece/{item.number}"

    def profile(self, name: str) -> str:
        """The address of a person."""
        return f"{self.host}/maker/{name}"

    def listing(self, what: str, page: int) -> str:
        """The address of a page of a list."""
        return f"{self.host}/{what}" + (f"?p={page}" if page > 1 else "")

    def turns_by(self, text: str) -> bool:
        """Whether lists have links with this text to other pages of the list."""
        return True

    def frame(self, title: str, body: str, number: int) -> str:
        """What is on all pages."""
        return self.markup["frame"].format(title=title, body=body)

    def others(self) -> dict[str, tuple[str, str]]:
        """Pages of no type, by path: what is in their frame. Each site has them."""
        words = "".join(f'<a href="/of/{word}">{word}</a> ' for word in WORDS)
        return {
            "": ("Share", '<p class="hello">What do you make?</p><a href="/recent">Look</a>'),
            "about": ("About", "<p>We like things.</p><p>They are <b>ours</b>.</p>"),
            "help": (
                "Help",
                f"<h1>How to share</h1>{'<h2>Why?</h2><p>Because we like to.</p>' * 3}<ul><li>So.</li></ul>",
            ),
            "login": (
                "Sign in",
                '<h1>Sign in</h1><form><label>Name <input name="n"></label><button>Go</button></form>',
            ),
            "missing": ("Not found", '<h1>404</h1><p>There is nothing here. Go <a href="/">home</a>.</p>'),
            "words": ("All tags", f'<h1>All tags</h1><div class="cloud">{words}</div>'),
        }

    def shows(self, item: Item, k: int = 0) -> dict[str, object]:
        """What markup can say of an item, the k-th of its page."""
        said: dict[str, object] = {
            "title": item.title, "owner": item.owner, "number": item.number, "views": item.number * 13,
            "detail": self.detail(item), "profile": self.profile(item.owner), "day": k + 1,
        }  # fmt: skip
        return said | {"thumb": self.markup["thumb"].format(**said), "by": self.markup["by"].format(**said)}

    def cell(self, item: Item, k: int) -> str:
        """An item of a list."""
        return self.markup["cell"].format(**self.shows(item, k))

    def turn(self, url: str, text: str) -> str:
        """A link to another page of a list."""
        return self.markup["turn"].format(url=url, text=text)

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        """A list page."""
        cells = "".join(self.cell(item, k) for k, item in enumerate(items))
        pages = "".join(self.turn(url, text) for text, url in turns)
        return self.markup["wall"].format(title=title, cells=cells, pages=pages, count=len(items))

    def commenters(self, item: Item) -> list[str]:
        """Names of those who comment on an item."""
        return Random(item.number).sample(NAMES, item.number % 3)

    def piece(self, item: Item, others: list[Item]) -> str:
        """A detail page."""
        said = self.shows(item)
        return self.markup["piece"].format(
            **said,
            tags=each(self.markup["tag"], ({"t": t, "owner": item.owner} for t in item.tags)),
            others=each(self.markup["other"], map(self.shows, others)),
            comments=each(
                self.markup["comment"],
                (said | {"n": n, "profile": self.profile(n)} for n in self.commenters(item)),
            ),
        )

    def person(self, person: Person) -> str:
        """A profile page."""
        name = person.name
        guests = [{"n": n, "profile": self.profile(n), "name": name, "k": k} for k, n in enumerate(NAMES[:2])]
        return self.markup["person"].format(
            name=name,
            letters=len(name),
            count=len(person.items),
            listing=self.listing(f"by/{name}", 1),
            tags=each(self.markup["word"], ({"t": t, "owner": name} for t in person.tags)),
            friends=each(
                self.markup["friend"], ({"n": n, "profile": self.profile(n)} for n in person.contacts)
            ),
            sets=each(self.markup["set"], ({"k": k, "s": s} for k, s in enumerate(person.sets))),
            own=each(self.markup["own"], map(self.shows, person.items[:4])),
            guests=each(self.markup["guest"], guests),
        )


def each(markup: str, rows: Iterable[dict[str, object]]) -> str:
    """The markup filled with each row; a comma stands between, not behind them."""
    return "".join(markup.format(**row) for row in rows).removesuffix(", ")


def made(template: Template, seed: str) -> Made:
    """The site in a template. One person never tags, one has no contacts, one a single item; one profile needs a login."""
    chance, site = Random(seed), Made()
    people = list(_people(chance))
    items = [item for person in people for item in person.items]
    chance.shuffle(items)
    put = _Putting(template, site)
    for path, (title, body) in template.others().items():
        put(f"{template.host}/{path}", "other", title, body)
    lists = {"recent": items}
    lists |= {f"of/{word}": [i for i in items if word in i.tags] for word in WORDS[:6]}
    lists |= {f"by/{person.name}": list(person.items) for person in people}
    for what, shown in lists.items():
        if shown:
            _put_list(put, template, site, what, shown)
    for item in items:
        url = template.detail(item)
        put(url, "detail", item.title, template.piece(item, chance.sample(items, 3)))
        site.tags[url], site.uploaders[url] = item.tags, template.profile(item.owner)
    for person in people:
        url = template.profile(person.name)
        if person is people[-1]:
            put(url, "other", "Sign in", '<form class="login"><p>Members only.</p><input name="who"></form>')
            continue
        put(url, "profile", person.name, template.person(person))
        site.tags[url] = person.tags
        site.contacts[url] = tuple(template.profile(name) for name in person.contacts)
        if any(name in site.pages[url] for name in person.sets):
            site.sets[url] = person.sets
    return site


class _Putting:
    """Puts pages into a site, each in the template's frame."""

    def __init__(self, template: Template, site: Made) -> None:
        self.template, self.site = template, site

    def __call__(self, url: str, kind: str, title: str, body: str) -> None:
        self.site.pages[url] = self.template.frame(title, body, len(self.site.pages))
        self.site.types[url] = kind


def _put_list(put: _Putting, template: Template, site: Made, what: str, shown: list[Item]) -> None:
    last = max(1, -(-len(shown) // PAGE_SIZE))
    for page in range(1, last + 1):
        turns = [(str(n), template.listing(what, n)) for n in range(1, last + 1) if n != page]
        if page < last:
            turns.append(("Next »", template.listing(what, page + 1)))
        if page > 1:
            turns.append(("« Previous", template.listing(what, page - 1)))
        url = template.listing(what, page)
        items = shown[PAGE_SIZE * (page - 1) : PAGE_SIZE * page]
        put(url, "list", f"All {what}", template.wall(f"All of {what}", items, turns))
        site.turns[url] = tuple(dict.fromkeys(turn for text, turn in turns if template.turns_by(text)))


def _people(chance: Random) -> Iterator[Person]:
    number = 100
    for position, name in enumerate(NAMES):
        about = chance.sample(WORDS, 6)
        items = []
        for _ in range(1 if position == 2 else chance.randrange(4, 9)):
            number += 1
            tags = () if position == 0 else tuple(chance.sample(about, chance.randrange(2, 5)))
            title = f"{chance.choice(['Small', 'Old', 'Blue', 'Late'])} thing {number}"
            items.append(Item(number, title, name, tags))
        known = {1: 0, 3: 1}.get(position, 4)
        contacts = tuple(chance.sample([n for n in NAMES if n != name], known))
        tags = () if position == 0 else tuple(about)
        yield Person(name, tuple(items), contacts, tags, tuple(chance.sample(SETS, 2)))

"""Generate pages of genres that are rare among the labelled pages.

They train and never test: a forest learns from them the shape of such a page. Addresses, generators and types are
those of common programs (phpBB, MediaWiki, Sphinx, shops); words come from `made-pages.toml`, by language, and
addresses, players and tags from `made-forms.toml`, by genre.

Command line: none; `research.genre.examples` and the tests import it.
Expected time: under a second.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

ENGLISH_SHARE = 0.5


class MadePage(NamedTuple):
    """A generated page."""

    url: str
    html: str
    genre: str


class Parts(NamedTuple):
    """Characteristics of a genre. `host`: a word in its name, or ''; `said`: og:type or generator tags."""

    path: str
    title: str
    body: str
    host: str = ""
    said: str = ""


class Writer:
    """A random source, and the words of a language."""

    def __init__(self, chance: Random, language: str) -> None:
        self.chance = chance
        self.language = language
        self._words = _languages()[language]

    def noun(self) -> str:
        """A word."""
        return self.chance.choice(self._words["nouns"])

    def slug(self, words: int) -> str:
        """Words for an address; these are always English."""
        return "-".join(self.chance.choice(_languages()["en"]["nouns"]) for _ in range(words))

    def said(self, genre: str) -> str:
        """A phrase that is typical of a genre."""
        return self.chance.choice(self._words[genre])

    def some(self, genre: str, count: int) -> str:
        """Several such phrases, one per line."""
        known = self._words[genre]
        return "".join(f"<div>{said}</div>" for said in self.chance.sample(known, min(count, len(known))))

    def prose(self, least: int, most: int) -> str:
        """A paragraph with this many sentences."""
        form = self._words["sentence"][0]
        return " ".join(
            form.format(a=self.noun(), b=self.noun(), c=self.noun(), d=self.noun())
            for _ in range(self.chance.randint(least, most))
        )

    def form(self, genre: str, part: str, **values: object) -> str:
        """A path, player or tag that is common in a genre, with these values."""
        form = self.chance.choice(_forms()[genre][part])
        return form.format(**values) if values else form

    def menu(self) -> str:
        """Links to the same site."""
        names = self.chance.sample(self._words["menu"], 6)
        return "".join(f'<li><a href="/m{number}">{name}</a></li>' for number, name in enumerate(names))

    def repeat(self, least: int, most: int, one: Callable[[int], str]) -> str:
        """Several similar items."""
        return "".join(one(number) for number in range(self.chance.randint(least, most)))


@cache
def _languages() -> Mapping[str, Mapping[str, Sequence[str]]]:
    text = Path(__file__).with_name("made-pages.toml").read_text(encoding="utf-8")
    return {
        language: {
            name: [said] if name == "sentence" else said.split() if name == "nouns" else said.split("|")
            for name, said in of.items()
        }
        for language, of in tomllib.loads(text).items()
    }


@cache
def _forms() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(Path(__file__).with_name("made-forms.toml").read_text(encoding="utf-8"))


def made_pages(per_genre: int, random_seed: int = 0) -> Iterator[MadePage]:
    """Generate pages of each rare genre, half of them in English; each has a site of its own."""
    others = [language for language in _languages() if language != "en"]
    for genre, parts_of in _GENRES.items():
        for number in range(per_genre):
            chance = Random(f"{random_seed}/{genre}/{number}")
            language = "en" if chance.random() < ENGLISH_SHARE else chance.choice(others)
            writer = Writer(chance, language)
            parts = parts_of(writer)
            host = f"{parts.host}{writer.slug(1)}{number}-{genre[:2]}.example"
            yield MadePage(f"http://{host}/{parts.path}", _page(writer, parts), genre)


def _page(writer: Writer, parts: Parts) -> str:
    return (
        f"<html lang={writer.language}><head><title>{parts.title}</title>{parts.said}</head>"
        f"<body><ul>{writer.menu()}</ul>{parts.body}<ul>{writer.menu()}</ul></body></html>"
    )


def _image(writer: Writer) -> Parts:
    name, pick = writer.slug(2), writer.chance.choice
    thumbs = writer.repeat(
        3, 60, lambda i: f'<a href="/photo/{i}"><img src="/t/{i}.jpg" alt="{writer.noun()}"></a>'
    )
    place = writer.form("image", "place")
    said = writer.form("image", "said")
    body = f"{writer.some('image', 3)}{thumbs}<p>{writer.prose(0, 2)}</p>"
    return Parts(f"{place}{name}", f"{name} - {writer.said('image')}", body, pick(("", "", "photos.")), said)


def _video(writer: Writer) -> Parts:
    name, pick = writer.slug(3), writer.chance.choice
    player = writer.form("video", "player")
    more = writer.repeat(
        5,
        30,
        lambda i: f'<a href="/watch?v={i}"><img src="/s/{i}.jpg"> {writer.noun()} {writer.noun()} {i}:12</a>',
    )
    path = writer.form("video", "path", name=name)
    said = writer.form("video", "said")
    body = f"{player}<p>{writer.chance.randint(2, 9000)} {writer.said('video')}</p>{writer.some('video', 3)}"
    body += f"<p>{writer.prose(0, 4)}</p>{more}"
    return Parts(path, f"{name} - {pick(('Video', 'Watch', 'TV', writer.noun()))}", body, said=said)


def _forum(writer: Writer) -> Parts:
    name, pick = writer.slug(3), writer.chance.choice
    number = writer.chance.randint(1, 9999)
    posts = writer.repeat(
        1,
        20,
        lambda i: (
            f'<div><a href="/user/{i}">{writer.noun()}{i}</a> {writer.some("forum", 3)} 12.05.2014, 17:{i + 10}'
            f'<p>{writer.prose(1, 5)}</p><a href="/reply/{i}">{writer.said("forum")}</a></div>'
        ),
    )
    topics = writer.repeat(
        8,
        40,
        lambda i: f'<li><a href="/t/{i}">{writer.noun()} {writer.noun()}?</a> {writer.some("forum", 2)}</li>',
    )
    path = writer.form("forum", "path", name=name, number=number)
    said = writer.form("forum", "said")
    host = pick(("", "", "forum.", "forums.", "community.", "board.", "foren."))
    title = f"{writer.noun()} {writer.noun()} - {pick(('Forum', 'Community', 'Board', writer.noun()))}"
    return Parts(path, title, f"{writer.some('forum', 4)}{pick((posts, posts, topics))}", host, said)


def _shop(writer: Writer) -> Parts:
    name, pick = writer.slug(2), writer.chance.choice
    sign = pick(("$ {}.99", "{},99 €", "€ {}.50", "£{}.00", "{} EUR"))
    items = writer.repeat(
        1,
        30,
        lambda i: (
            f'<a href="/product/{i}"><img src="/p/{i}.jpg"> {writer.noun()} {writer.noun()}</a> {sign.format(i + 3)} '
            f"<button>{writer.said('shop')}</button>"
        ),
    )
    path = writer.form(
        "shop",
        "path",
        first=writer.chance.randint(1000, 9999),
        second=writer.chance.randint(1000, 9999),
        name=name,
    )
    said = writer.form("shop", "said")
    body = f"{writer.some('shop', 6)}<p>{writer.prose(1, 6)}</p>{items}{writer.some('shop', 4)}"
    return Parts(
        path,
        f"{name} | {pick(('Shop', 'Store', 'Online-Shop', writer.noun()))}",
        body,
        pick(("", "", "shop.", "store.")),
        said,
    )


def _documentation(writer: Writer) -> Parts:
    name, pick = writer.slug(1), writer.chance.choice
    parts = writer.repeat(
        2,
        15,
        lambda i: (
            f"<h2>{name}_{i}()</h2>{writer.some('documentation', 3)}<p>{writer.prose(1, 4)}</p>"
            f"<pre>{writer.slug(1)}(argument, {i})</pre>"
        ),
    )
    path = writer.form("documentation", "path", name=name)
    said = writer.form("documentation", "said")
    contents = writer.repeat(0, 40, lambda i: f'<li><a href="{name}{i}.html">{writer.noun()}</a></li>')
    title = f"{name} - {pick(('Documentation', 'Manual', 'Reference', 'API', writer.said('documentation')))}"
    return Parts(
        path, title, f"<ul>{contents}</ul>{parts}", pick(("", "", "docs.", "developer.", "help.")), said
    )


def _wiki(writer: Writer) -> Parts:
    name, pick = writer.slug(1).title(), writer.chance.choice
    linked = writer.repeat(4, 14, lambda i: f'<a href="/wiki/{writer.slug(1)}{i}">{writer.noun()}</a> ')
    parts = writer.repeat(
        2,
        12,
        lambda _: f"<h2>{writer.noun()} {writer.said('wiki')}</h2><p>{writer.prose(3, 12)} {linked}</p>",
    )
    path = writer.form("wiki", "path", letter=name[0].lower(), name=name)
    said = writer.form("wiki", "said")
    title = f"{name} - {pick(('Wiki', writer.said('wiki'), name))}"
    return Parts(path, title, f"{parts}{writer.some('wiki', 6)}", pick(("", "", "wiki.")), said)


def _index(writer: Writer) -> Parts:
    pick = writer.chance.choice
    inside = writer.chance.random() < 0.5
    groups = writer.repeat(
        2,
        14,
        lambda group: (
            f"<h3>{writer.noun()}</h3><ul>"
            + writer.repeat(
                4,
                15,
                lambda i: (
                    f'<li><a href="{"" if inside else f"http://{writer.slug(2)}.example"}/{group}/{i}">{writer.noun()} {writer.noun()}</a>'
                ),
            )
            + "</ul>"
        ),
    )
    path = writer.form("index", "path", name=writer.slug(1))
    said = writer.form("index", "said")
    body = f"{writer.some('index', 3)}<p>{writer.prose(0, 2)}</p>{groups}"
    return Parts(path, pick((writer.said("index"), f"{writer.noun()} {writer.noun()}")), body, said=said)


_GENRES: dict[str, Callable[[Writer], Parts]] = {
    "image": _image,
    "video": _video,
    "forum": _forum,
    "shop": _shop,
    "documentation": _documentation,
    "wiki": _wiki,
    "index": _index,
}

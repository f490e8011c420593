"""The third part of the demo web: Tinderbox, a small site where makers share pictures of what they made.

Users, their tags and friendships follow from the random seed; makers of one circle befriend each other and
tag alike. Lists, details and profiles have templates of their own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from random import Random

from lycosa.testing import CannedResponse
from lycosa_lab.demo_web.part import DemoTopic, Part

HOST = "http://tinderbox.test"
PAGE_SIZE = 12
MAKERS = 36

CIRCLES = {
    "kites": ("kite", "stunt kite", "paper kite", "wind", "bamboo", "ripstop", "meadow", "tail"),
    "lanterns": ("lantern", "paper lantern", "candle", "glass", "night", "festival", "copper", "glow"),
    "baskets": ("basket", "willow", "weaving", "reed", "handle", "market", "rush", "craft"),
    "clocks": ("clock", "brass", "pendulum", "gear", "escapement", "walnut", "repair", "dial"),
    "boats": ("boat", "model boat", "sail", "harbour", "varnish", "pine", "rigging", "pond"),
}
EVERYBODY = ("new", "workshop", "gift", "summer", "favourite")
ADJECTIVES = "small tall blue crooked patient borrowed Sunday windproof second garden spare striped".split()
NAMES = (
    "ada bent cora dirk edda finn gesa hugo ilse jorn kaja lars mina nils olga paul rike sven tilda udo vera "
    "wim xenia yorick zora anke bodo clara dora emil frida gustav hanne ivo jette knut"
).split()


@dataclass(frozen=True)
class Maker:
    """A user: what they make, whom they know, and their items as (number, title, tags)."""

    name: str
    circle: str
    friends: tuple[str, ...]
    items: tuple[tuple[int, str, tuple[str, ...]], ...]

    @property
    def tags(self) -> list[str]:
        """What he tags with, most used first."""
        counts = Counter(tag for _, _, tags in self.items for tag in tags)
        return sorted(counts, key=lambda tag: (-counts[tag], tag))


def sharing_part(random_seed: int) -> Part:
    """The pages of the site, their labels and their types."""
    makers = _makers(Random(f"{random_seed} tinderbox"))
    pages: dict[str, str] = {}
    types: list[tuple[str, str]] = []

    def put(path: str, kind: str, title: str, body: str) -> None:
        pages[HOST + path] = _page(title, body)
        types.append((HOST + path, kind))

    everything = [(maker, *item) for maker in makers for item in maker.items]
    newest = sorted(everything, key=lambda each: -each[1])
    tags = sorted({tag for _, _, _, tags in everything for tag in tags})
    put("/", "other", "Tinderbox", _home(tags))
    for path, title, shown in (
        ("/fresh", "Fresh from the bench", newest),
        *((f"/about/{_slug(t)}", f"Everything tagged {t}", [e for e in newest if t in e[3]]) for t in tags),
        *(
            (f"/bench/{m.name}", f"The bench of {m.name}", [e for e in newest if e[0] is m])
            for m in makers[:-1]
        ),
    ):
        for start in range(0, len(shown), PAGE_SIZE):
            page = start // PAGE_SIZE + 1
            last = start + PAGE_SIZE >= len(shown)
            where = path if page == 1 else f"{path}?p={page}"
            onward = "" if last else f'<nav class="turn"><a href="{path}?p={page + 1}">Older</a></nav>'
            put(where, "list", title, _wall(title, shown[start : start + PAGE_SIZE]) + onward)
    for maker, number, title, own in everything:
        put(f"/piece/{number}", "detail", title, _piece(maker, number, title, own))
    answers = {}
    for maker in makers[:-1]:
        put(f"/maker/{maker.name}", "profile", maker.name, _profile(maker))
    closed = makers[-1].name  # wants visitors to sign in first
    put(
        "/enter", "other", "Please sign in", "<form class='enter'><p>Members only, for this maker.</p></form>"
    )
    answers[f"{HOST}/maker/{closed}"] = CannedResponse(status=302, headers=(("Location", f"{HOST}/enter"),))
    for number in range(12):
        answers[f"{HOST}/thumb/{number}.svg"] = _thumb(number)
    return Part(
        pages={**{url: CannedResponse(html.encode()) for url, html in pages.items()}, **answers},
        labels=tuple(
            (f"{HOST}/piece/{number}", circle, 2)
            for circle in ("kites", "lanterns")
            for _, number, _, own in everything
            if any(CIRCLES[circle][0] in tag.split() for tag in own)
        ),
        topics={
            circle: DemoTopic(
                title=f"Handmade {circle}",
                keywords=CIRCLES[circle][:3],
                description=f"Pictures of {circle} that members of Tinderbox made.",
                seeds=(f"{HOST}/about/{_slug(CIRCLES[circle][0])}",),
                tags=(CIRCLES[circle][0],),
            )
            for circle in ("kites", "lanterns")
        },
        start=(f"{HOST}/", f"{HOST}/fresh"),
        page_types=tuple(types),
    )


def _makers(chance: Random) -> list[Maker]:
    circles = {name: list(CIRCLES)[i % len(CIRCLES)] for i, name in enumerate(NAMES[:MAKERS])}
    makers, number = [], 100
    for name, circle in circles.items():
        fellows = [each for each in circles if circles[each] == circle and each != name]
        strangers = [each for each in circles if circles[each] != circle]
        friends = (*chance.sample(fellows, 3), *chance.sample(strangers, 1))
        items = []
        for _ in range(chance.randrange(5, 15)):
            number += 1
            about = circle if chance.random() < 0.7 else chance.choice(list(CIRCLES))
            first = chance.choices(CIRCLES[about][:3], (5, 2, 2))[0]
            more = chance.sample(CIRCLES[about][3:], 2)
            title = f"{chance.choice(ADJECTIVES)} {first} no. {chance.randrange(2, 40)}".capitalize()
            items.append((number, title, (first, *more, chance.choice(EVERYBODY))))
        makers.append(Maker(name, circle, friends, tuple(items)))
    makers[0] = Maker(
        makers[0].name, makers[0].circle, makers[0].friends, tuple((n, t, ()) for n, t, _ in makers[0].items)
    )
    return makers  # the first one never tags anything


def _page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - Tinderbox</title></head>'
        '<body><header class="bar"><a class="brand" href="/">Tinderbox</a> <a class="go" href="/fresh">Fresh</a></header>'
        f'<main class="sheet">{body}</main>'
        '<footer class="bar">Shared by those who made it.</footer></body></html>\n'
    )


def _home(tags: list[str]) -> str:
    cloud = " ".join(f'<a href="/about/{_slug(tag)}">{escape(tag)}</a>' for tag in tags)
    return f'<section class="welcome"><h2>What are you making?</h2><div class="words">{cloud}</div></section>'


def _wall(title: str, shown: list[tuple[Maker, int, str, tuple[str, ...]]]) -> str:
    cards = "".join(
        f'<figure class="card{" first" if i == 0 else ""}"><a href="/piece/{number}">'
        f'<img alt="" src="/thumb/{number % 12}.svg" width="90" height="90"></a>'
        f'<figcaption class="small"><a href="/piece/{number}">{escape(name)}</a> made by '
        f'<a class="maker" href="/maker/{maker.name}">{maker.name}</a></figcaption></figure>'
        for i, (maker, number, name, _) in enumerate(shown)
    )
    return f'<h2 class="wall-title">{escape(title)}</h2><div class="wall">{cards}</div>'


def _piece(maker: Maker, number: int, title: str, tags: tuple[str, ...]) -> str:
    chips = "".join(f'<a class="chip" href="/about/{_slug(tag)}">{escape(tag)}</a> ' for tag in tags)
    return (
        f'<article class="piece"><h2>{escape(title)}</h2><img class="large" alt="" src="/thumb/{number % 12}.svg" width="480">'
        f'<p class="credit">Made by <a href="/maker/{maker.name}">{maker.name}</a></p>'
        f'<p class="chips">{chips}</p></article>'
    )


def _profile(maker: Maker) -> str:
    words = "".join(f'<li class="chip">{escape(tag)}</li>' for tag in maker.tags)
    friends = "".join(f'<li><a href="/maker/{name}">{name}</a></li>' for name in maker.friends)
    return (
        f'<section class="card-big"><h2 class="who">{maker.name}</h2><a class="bench" href="/bench/{maker.name}">All pieces</a>'
        f'<h3>Tags</h3><ol class="word-list">{words}</ol><h3>Friends</h3><ul class="friends">{friends}</ul></section>'
    )


def _thumb(number: int) -> CannedResponse:
    colour = f"hsl({number * 30} 60% 55%)"
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90"><rect width="90" height="90" fill="#f4f1ea"/>'
        f'<circle cx="45" cy="45" r="{20 + number}" fill="{colour}"/></svg>\n'
    )
    return CannedResponse(svg.encode(), headers=(("Content-Type", "image/svg+xml"),))


def _slug(tag: str) -> str:
    return tag.replace(" ", "-")

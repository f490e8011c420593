"""Made-up pages of the genres that are rare among labelled ones. In: a random seed. Out: HTML and URLs.

They only train, and never test: what a forest learns of them is the shape of such a page (how many
images, links and players, which words), which is all that the features look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

_NOUNS = (
    "river lamp garden bridge signal market coffee winter stone engine paper harbour piano mountain "
    "window letter forest camera bottle circle planet ticket basket meadow violin ladder copper island"
).split()
_VERBS = "shows keeps finds opens carries changes follows needs makes leaves turns joins".split()
_SECTIONS = "Home About Contact Explore Help Terms Privacy Search Login Popular Recent Archive".split()


class MadePage(NamedTuple):
    """A generated page."""

    url: str
    html: str
    genre: str


def made_pages(per_genre: int, random_seed: int = 0) -> Iterator[MadePage]:
    """So many pages of each rare genre; each is of a made-up site of its own."""
    for genre, body in _BODIES.items():
        for number in range(per_genre):
            chance = Random(f"{random_seed}/{genre}/{number}")
            host = f"{_phrase(chance, 1)}{number}-{genre[:2]}.example"
            path, title, inner = body(chance)
            yield MadePage(f"http://{host}/{path}", _page(chance, title, inner), genre)


def _page(chance: Random, title: str, inner: str) -> str:
    menu = "".join(f'<a href="/{name.lower()}">{name}</a> ' for name in chance.sample(_SECTIONS, 6))
    return f"<html lang=en><head><title>{title}</title></head><body><nav>{menu}</nav>{inner}</body></html>"


def _phrase(chance: Random, words: int) -> str:
    return "-".join(chance.choice(_NOUNS) for _ in range(words))


def _prose(chance: Random, sentences: int) -> str:
    return " ".join(
        f"The {chance.choice(_NOUNS)} {chance.choice(_VERBS)} the {chance.choice(_NOUNS)} "
        f"and the {chance.choice(_NOUNS)}."
        for _ in range(sentences)
    )


def _image(chance: Random) -> tuple[str, str, str]:
    name = _phrase(chance, 2)
    thumbs = "".join(
        f'<a href="/photo/{i}"><img src="/t/{i}.jpg" alt="{chance.choice(_NOUNS)}"></a>'
        for i in range(chance.randint(4, 60))
    )
    said = chance.choice(("photo by someone", "image gallery", "album", "more images", "wallpaper"))
    place = chance.choice(("photos/", "gallery/", "album/", "pictures/", ""))
    return f"{place}{name}", f"{name} - {chance.choice(('Photos', 'Gallery', 'Images'))}", said + thumbs


def _video(chance: Random) -> tuple[str, str, str]:
    name = _phrase(chance, 3)
    player = chance.choice(
        (
            "<video src=v.mp4></video>",
            '<iframe src="//player.example/embed/1"></iframe>',
            "<object data=v.swf></object><embed src=v.swf>",
        )
    )
    more = "".join(
        f'<a href="/watch?v={i}"><img src="/s/{i}.jpg"> {_phrase(chance, 3)} video {i}:12</a>'
        for i in range(chance.randint(5, 30))
    )
    said = f"<p>{chance.randint(2, 9000)} views. {_prose(chance, chance.randint(0, 4))}</p>"
    path = chance.choice((f"watch?v={name}", f"video/{name}", f"videos/{name}.html", f"v/{name}"))
    return path, f"{name} - {chance.choice(('Video', 'Watch', 'TV'))}", player + said + more


def _forum(chance: Random) -> tuple[str, str, str]:
    name = _phrase(chance, 3)
    posts = "".join(
        f'<div><a href="/user/{i}">{chance.choice(_NOUNS)}{i}</a> Registered member, Posts: {i * 7} '
        f"joined 2014<p>I {chance.choice(_VERBS)} my {chance.choice(_NOUNS)}. {_prose(chance, 2)}</p>"
        f'<a href="/reply/{i}">Reply</a> <a href="/quote/{i}">Quote</a></div>'
        for i in range(chance.randint(2, 20))
    )
    path = chance.choice(
        (f"viewtopic.php?t={chance.randint(1, 999)}", f"threads/{name}.12/", f"forum/topic/{name}")
    )
    return path, f"{name} - {chance.choice(('Forum', 'Community Forums', 'Board'))}", f"Thread {posts}"


def _shop(chance: Random) -> tuple[str, str, str]:
    name = _phrase(chance, 2)
    items = "".join(
        f'<a href="/product/{i}"><img src="/p/{i}.jpg"> {_phrase(chance, 2)}</a> $ {i + 3}.99 '
        "<button>add to cart</button>"
        for i in range(chance.randint(1, 24))
    )
    about = f"<p>price in stock , shipping free. {_prose(chance, chance.randint(1, 5))}</p>"
    path = chance.choice((f"product/{name}", f"shop/{name}.html", f"store/item/{name}", f"products/{name}"))
    return path, f"Buy {name} | {chance.choice(('Shop', 'Store', 'Online'))}", f"cart checkout {about}{items}"


def _documentation(chance: Random) -> tuple[str, str, str]:
    name = _phrase(chance, 1)
    parts = "".join(
        f"<h2>{chance.choice(_NOUNS)}()</h2><p>This function returns a {chance.choice(_NOUNS)}. Usage and "
        f"example: install the parameter reference. {_prose(chance, 2)}</p>"
        f"<pre>{chance.choice(_NOUNS)}(argument)</pre>"
        for _ in range(chance.randint(2, 15))
    )
    path = chance.choice((f"docs/{name}.html", f"manual/{name}", f"en/latest/api/{name}", f"tutorial/{name}"))
    return path, f"{name} - {chance.choice(('Documentation', 'Manual', 'Reference'))}", parts


def _wiki(chance: Random) -> tuple[str, str, str]:
    name = chance.choice(_NOUNS).title()
    linked = " ".join(f'<a href="/wiki/{word}">{word}</a>' for word in chance.sample(_NOUNS, 12))
    parts = "".join(
        f"<h2>{chance.choice(_NOUNS)} [edit]</h2><p>{_prose(chance, chance.randint(4, 12))} {linked}</p>"
        for _ in range(chance.randint(2, 12))
    )
    end = "<h2>References</h2> retrieved 2014. Category article encyclopedia"
    path = chance.choice((f"wiki/{name}", f"w/index.php?title={name}", f"{name}", f"lexikon/{name}.html"))
    return path, f"{name} - {chance.choice(('Wiki', 'the free encyclopedia', name))}", parts + end


def _index(chance: Random) -> tuple[str, str, str]:
    groups = "".join(
        f"<h3>{chance.choice(_NOUNS)}</h3><ul>"
        + "".join(
            f'<li><a href="http://{_phrase(chance, 2)}.example/">{_phrase(chance, 3)}</a>'
            for _ in range(chance.randint(4, 15))
        )
        + "</ul>"
        for _ in range(chance.randint(2, 12))
    )
    path = chance.choice(("", "links.html", "directory/", "index.html", f"~{_phrase(chance, 1)}/links"))
    return path, chance.choice(("Links", "Home page", "Directory", "Portal", "Archive")), groups


_BODIES: dict[str, Callable[[Random], tuple[str, str, str]]] = {
    "image": _image,
    "video": _video,
    "forum": _forum,
    "shop": _shop,
    "documentation": _documentation,
    "wiki": _wiki,
    "index": _index,
}

"""Features that hint at a page's genre, as named numbers.

The first nine are those of Fiol-Roig et al. as Qian et al. use them; the others are ours, for more genres and to
separate news from blogs. All are pure functions of the document, bounded on long pages.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from lycosa import urls
from lycosa.errors import InputError
from lycosa.files import read_file
from lycosa.page.document import Document
from lycosa.page.text.terms import terms_of

FIRST, LAST = 2_000, 1_000
"""How many characters at the beginning and at the end of a text are searched for words: menu and start of
the matter, comments and foot; the rest of a long page repeats its genre."""
HEAD_BYTES = 10_000
"""How much of a page's source is searched for types, feeds and dates: as bytes, which is twice as fast."""
TYPES = 50
UNSPACED = ("ja", "zh")
META_CHARS = 200
MAX_MERGED = 200

Words = Mapping[str, Mapping[str, tuple[str, ...]]]
"""List name -> language -> words; the list `says` has genres in place of languages."""

_METAS = ("generator", "og:site_name", "og:type")
_TYPE = re.compile(rb'\s*+:\s*+\[?\s*+"(\w{1,40})"')
_DAY = re.compile(r"[/-](?:19|20)\d\d(?:[/-]\d\d?|\d{4}|\b)|\b20\d{6}\b")
_ANCHOR = attrgetter("anchor")
_URL = attrgetter("url")
_PLATFORMS = (
    "wordpress",
    "blogger",
    "jekyll",
    "hugo",
    "ghost",
    "pelican",
    "typepad",
    "serendipity",
    "livejournal",
)


@cache
def built_in_words() -> Words:
    """The word lists that come with the package."""
    text = resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8")
    return _checked(tomllib.loads(text), "words.toml")


def read_words(path: Path) -> Words:
    """The built-in lists with the user's words added: a TOML file of the same form."""
    try:
        added = _checked(tomllib.loads(read_file(path).decode()), str(path))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read as word lists ({error}). See docs/strategies/genre.md for the form."
        ) from None
    merged = {name: dict(lists) for name, lists in built_in_words().items()}
    for name, lists in added.items():
        if name not in merged:
            raise InputError(f"{path}: there is no list [{name}]. Known are: {', '.join(merged)}.")
        for language, words in lists.items():
            merged[name][language] = tuple(dict.fromkeys((*merged[name].get(language, ()), *words)))
    return merged


def _checked(raw: dict[str, Any], where: str) -> Words:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, lists in raw.items():
        if not isinstance(lists, dict) or not all(_is_list_of_words(words) for words in lists.values()):
            raise InputError(f'{where}: [{name}] must hold lists of words, such as en = ["blog"].')
        found[name] = {language: tuple(word.lower() for word in words) for language, words in lists.items()}
    return found


def _is_list_of_words(words: Any) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) and word.strip() for word in words)


class Signs:
    """A document, prepared for counting: each part is looked at once."""

    def __init__(self, document: Document, words: Words) -> None:
        self.document = document
        self.says_words = words["says"]
        self.lists = _lists(words, document.language, document.stem_language)
        text = document.text
        self.text = (text if len(text) <= FIRST + LAST else f"{text[:FIRST]}\n{text[-LAST:]}").lower()
        self.elements = document.linked.elements
        self.internal = _internal(document)
        self.head = document.body[:HEAD_BYTES]
        meta = {name: document.meta.get(name, "")[:META_CHARS] for name in _METAS}
        self.generator = meta["generator"].lower()
        said = (document.url[:500], document.title, meta["og:site_name"], meta["og:type"])
        self.said = "\n".join((*said, *_schema_types(self.head))).lower()

    def occurrences(self, name: str) -> int:
        """How often the words of a list occur in the text, within longer words too."""
        return sum(map(self.text.count, self.lists.written[name]))

    def count(self, name: str) -> int:
        """How often the words of a list occur in the text as whole words."""
        if self.lists.unspaced:
            return self.occurrences(name)
        return sum(filter(None, map(self.document.terms.get, self.lists.terms[name])))

    def different(self, name: str) -> int:
        """How many of the words of a list occur in the text."""
        if self.lists.unspaced:
            return sum(word in self.text for word in self.lists.written[name])
        return sum(map(self.document.terms.__contains__, self.lists.terms[name]))

    def says(self, genre: str) -> int:
        """How often the page calls itself that: in address, title, site name and types."""
        return sum(map(self.said.count, self.says_words.get(genre, ())))


class _Lists(NamedTuple):
    """The words of every list for a language, as they are written and as terms of a page."""

    written: Mapping[str, tuple[str, ...]]
    terms: Mapping[str, tuple[str, ...]]
    unspaced: bool  # a language without blanks between words


_merged: dict[tuple[int, str, str], tuple[Words, _Lists]] = {}


def _lists(words: Words, language: str, stem_language: str) -> _Lists:
    """The English words of every list with those of a language: merged once, and not for every page."""
    key = id(words), language, stem_language
    known = _merged.get(key)
    if known is None or known[0] is not words:
        written = {
            name: tuple(dict.fromkeys((*lists.get("en", ()), *lists.get(language, ()))))
            for name, lists in words.items()
        }
        # Pages are counted in terms anyway: looking words up there costs nothing more.
        terms = {
            name: tuple(dict.fromkeys(terms_of(" ".join(of), stem_language))) for name, of in written.items()
        }
        if len(_merged) >= MAX_MERGED:
            _merged.clear()
        lists = _Lists(defaultdict(tuple, written), defaultdict(tuple, terms), language in UNSPACED)
        known = _merged[key] = (words, lists)
    return known[1]


def _internal(document: Document) -> int:
    """Links to the page's own registrable domain.

    Looking up a registrable domain is slow, so it is done only for hosts that end like the page's own.
    """
    authority, host = urls.authority_of(document.url), urls.host_of(document.url)
    same, below = f"{authority}/", "." + host.removeprefix("www.")
    elsewhere = [url for url in map(_URL, document.links) if not url.startswith(same)]
    internal = len(document.links) - len(elsewhere)
    ending = ".".join(host.rsplit(".", 2)[-2:])
    for url in elsewhere:
        if ending in url:
            other = urls.authority_of(url)
            internal += ending in other and (
                f".{urls.host_of(other)}".endswith(below)
                or urls.source_of(other) == urls.source_of(authority)
            )
    return internal


def _schema_types(head: bytes) -> list[str]:
    # Splitting finds the few places in a long page five times as fast as a regular expression.
    places = head.split(b'"@type"', TYPES)[1:]
    return [found[1].decode("ascii") for place in places if (found := _TYPE.match(place))]


def text_length(signs: Signs) -> int:
    """Characters of the visible text."""
    return len(signs.document.text)


def internal_links(signs: Signs) -> int:
    """Links to the page's own registrable domain."""
    return signs.internal


def external_links(signs: Signs) -> int:
    """Links to any other registrable domain."""
    return len(signs.document.links) - signs.internal


def video_words(signs: Signs) -> int:
    """Occurrences of words such as "video"."""
    return signs.occurrences("video")


def multimedia(signs: Signs) -> int:
    """Elements that play something: video, audio, object, embed, and frames, where players live."""
    return sum(signs.elements.get(tag, 0) for tag in ("video", "audio", "object", "embed", "iframe"))


def image_words(signs: Signs) -> int:
    """Occurrences of words such as "image"."""
    return signs.occurrences("image")


def images(signs: Signs) -> int:
    """`img` elements."""
    return len(signs.document.linked.images)


def blog_words(signs: Signs) -> int:
    """Occurrences of words such as "blog"."""
    return signs.occurrences("blog")


def news_words(signs: Signs) -> int:
    """Occurrences of words such as "news"."""
    return signs.occurrences("news")


def personal_words(signs: Signs) -> float:
    """Occurrences of "I" and its forms in a thousand characters: diaries have a first person."""
    return 1000 * signs.occurrences("personal") / (len(signs.text) + 1)


def quoting_words(signs: Signs) -> float:
    """Occurrences of words that attribute ("said", "according to") in a thousand characters."""
    return 1000 * signs.count("quoted") / (text_length(signs) + 1)


def section_words(signs: Signs) -> int:
    """How many different sections of a newspaper ("politics", "sport") it names: its menu does."""
    return signs.different("section")


def blogging_words(signs: Signs) -> int:
    """How many different things that surround a blog's entry ("archives", "posted") it names."""
    return signs.different("blogging")


def course_words(signs: Signs) -> int:
    """How many different things that belong to a course ("syllabus", "homework") it names."""
    return signs.different("course")


def faculty_words(signs: Signs) -> int:
    """How many different things that people at a university say of themselves ("publications") it names."""
    return signs.different("faculty")


def link_text(signs: Signs) -> float:
    """Share of the text that is anchors of links, at most 1: lists of links are little else."""
    anchors = sum(map(len, map(_ANCHOR, signs.document.links)))
    return min(1.0, anchors / max(1, text_length(signs)))


def dated_address(signs: Signs) -> int:
    """Whether the URL has a year or a day in it."""
    url = signs.document.url[:500]
    return int(("20" in url or "19" in url) and _DAY.search(url) is not None)


def address_depth(signs: Signs) -> int:
    """Folders of the URL's path."""
    return len([part for part in signs.document.url.split("?")[0].split("/")[3:] if part])


def address_words(signs: Signs) -> int:
    """Hyphens in the last part of the path: addresses made of a headline have many."""
    return signs.document.url.rstrip("/").rpartition("/")[2].count("-")


def prices(signs: Signs) -> int:
    """Signs of money."""
    return signs.text.count("€") + signs.text.count("$")


def feeds(signs: Signs) -> int:
    """RSS feeds that the page offers: blogs and publications have them."""
    return signs.head.count(b"application/rss+xml")


def years(signs: Signs) -> int:
    """Years of this century in the text: news, blogs and forums are dated, other pages seldom."""
    return sum(map(signs.text.count, (" 20", ".20", "/20", "-20")))


def published(signs: Signs) -> int:
    """How often the head says that the page was published, as it does with dates."""
    return signs.head.count(b"ublished")


def wordpress(signs: Signs) -> int:
    """Whether its files are where WordPress has them."""
    return int(b"/wp-" in signs.head)


def blog_platform(signs: Signs) -> int:
    """Whether the page was made by a program for blogs."""
    return int(any(platform in signs.generator for platform in _PLATFORMS))


def _counted(name: str) -> Callable[[Signs], float]:
    return lambda signs: signs.count(name)


def _said(genre: str) -> Callable[[Signs], float]:
    return lambda signs: signs.says(genre)


def _elements(tag: str) -> Callable[[Signs], float]:
    return lambda signs: signs.elements.get(tag, 0)


PAPER: dict[str, Callable[[Signs], float]] = {
    "text_length": text_length,
    "internal_links": internal_links,
    "external_links": external_links,
    "video_words": video_words,
    "multimedia": multimedia,
    "image_words": image_words,
    "images": images,
    "blog_words": blog_words,
    "news_words": news_words,
}
"""The nine features of the paper."""

FEATURES: dict[str, Callable[[Signs], float]] = {
    **PAPER,
    "personal_words": personal_words,
    "quoting_words": quoting_words,
    "section_words": section_words,
    "blogging_words": blogging_words,
    **{f"{name}_words": _counted(name) for name in ("comment", "forum", "shop", "documentation", "wiki")},
    "course_words": course_words,
    "faculty_words": faculty_words,
    "link_text": link_text,
    **{f"{tag}_elements": _elements(tag) for tag in ("pre", "article")},
    "dated_address": dated_address,
    "address_depth": address_depth,
    "address_words": address_words,
    "blog_platform": blog_platform,
    "prices": prices,
    "feeds": feeds,
    "wordpress": wordpress,
    "years": years,
    "published": published,
    **{
        f"says_{genre}": _said(genre)
        for genre in (
            "news",
            "blog",
            "video",
            "image",
            "forum",
            "shop",
            "documentation",
            "wiki",
            "index",
            "static",
            "course",
            "faculty",
        )
    },
}
"""All features, by name and in the order of a feature vector."""


def genre_features(document: Document, words: Words | None = None) -> dict[str, float]:
    """All features of a page."""
    signs = Signs(document, built_in_words() if words is None else words)
    return {name: feature(signs) for name, feature in FEATURES.items()}

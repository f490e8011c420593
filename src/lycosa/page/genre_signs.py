"""What of a page hints at its genre. In: a Document. Out: a number for each named feature.

The first nine are those of Fiol-Roig et al. as Qian et al. use them; the others are ours, for the
genres that the paper does not have and for telling news from blogs. All are pure functions of the
document; counting is bounded, however long the page is.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lycosa import urls
from lycosa.errors import InputError

if TYPE_CHECKING:
    from lycosa.page.document import Document

SEARCHED_CHARS = 3_000
"""So much of a text is searched for words: the rest of a long page repeats its genre."""
TYPED_CHARS = 40_000
TYPES = 50
MOST_MERGED = 200

Words = Mapping[str, Mapping[str, tuple[str, ...]]]
"""List name -> language -> words; the list `says` has genres in place of languages."""

_TYPE = re.compile(r'\s*:\s*\[?\s*"(\w{1,40})"')
_DAY = re.compile(r"[/-](?:19|20)\d\d(?:[/-]\d\d?|\d{4}|\b)|\b20\d{6}\b")
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
    text = resources.files("lycosa.page").joinpath("data/genre_words.toml").read_text(encoding="utf-8")
    return _checked(tomllib.loads(text), "genre_words.toml")


def read_words(path: Path) -> Words:
    """The built-in lists with the user's words added: a TOML file of the same form."""
    try:
        added = _checked(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
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
        self.language = document.language
        self.lists, whole = _lists(words, self.language)
        self.text = document.text[:SEARCHED_CHARS].lower()
        self.tokens = Counter(filter(whole.__contains__, self.text.split()))
        self.elements = document.linked.elements
        self.internal = _internal(document)
        meta = document.meta
        said = (
            document.url[:500],
            document.title,
            meta.get("og:site_name", ""),
            meta.get("og:type", ""),
            *_schema_types(document.html),
        )
        self.said = "\n".join(said).lower()
        self.generator = meta.get("generator", "").lower()

    def occurrences(self, name: str) -> int:
        """How often the words of a list occur in the text, within longer words too."""
        return sum(map(self.text.count, self.lists[name]))

    def count(self, name: str) -> int:
        """How often the words of a list occur in the text as whole words."""
        if self.language == "ja":  # which puts no blanks between words
            return self.occurrences(name)
        return sum(map(self.tokens.__getitem__, self.lists[name]))

    def says(self, genre: str) -> int:
        """How often the page calls itself that: in address, title, site name and types."""
        return sum(map(self.said.count, self.says_words.get(genre, ())))


Lists = tuple[dict[str, tuple[str, ...]], frozenset[str]]
_merged: dict[tuple[int, str], tuple[Words, Lists]] = {}


def _lists(words: Words, language: str) -> Lists:
    """The English words of every list with those of a language, and all of them together.

    Merged once for a language and not for every page.
    """
    known = _merged.get((id(words), language))
    if known is None or known[0] is not words:
        merged = {
            name: tuple(dict.fromkeys((*lists.get("en", ()), *lists.get(language, ()))))
            for name, lists in words.items()
        }
        if len(_merged) >= MOST_MERGED:
            _merged.clear()
        together = frozenset(word for of in merged.values() for word in of)
        known = _merged[id(words), language] = (words, (defaultdict(tuple, merged), together))
    return known[1]


def _internal(document: Document) -> int:
    authority = urls.authority_of(document.url)
    same = f"{authority}/"
    elsewhere = [link.url for link in document.links if not link.url.startswith(same)]
    internal = len(document.links) - len(elsewhere)
    own = urls.source_of(authority)
    for other, count in Counter(map(urls.authority_of, elsewhere)).items():
        if urls.source_of(other) == own:
            internal += count
    return internal


def _schema_types(html: str) -> list[str]:
    # Splitting finds the few places in a long page five times as fast as a regular expression.
    places = html[:TYPED_CHARS].split('"@type"', TYPES)[1:]
    return [found[1] for place in places if (found := _TYPE.match(place))]


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
    return 1000 * signs.count("personal") / (len(signs.text) + 1)


def quoting_words(signs: Signs) -> float:
    """Occurrences of words that attribute ("said", "according to") in a thousand characters."""
    return 1000 * signs.count("quoted") / (len(signs.text) + 1)


def link_text(signs: Signs) -> float:
    """Share of the text that is anchors of links, at most 1: lists of links are little else."""
    anchors = sum(len(link.anchor) for link in signs.document.links)
    return min(1.0, anchors / max(1, text_length(signs)))


def dated_address(signs: Signs) -> int:
    """Whether the URL has a year or a day in it."""
    return int(_DAY.search(signs.document.url[:500]) is not None)


def address_depth(signs: Signs) -> int:
    """Folders of the URL's path."""
    return len([part for part in signs.document.url.split("?")[0].split("/")[3:] if part])


def address_words(signs: Signs) -> int:
    """Hyphens in the last part of the path: addresses made of a headline have many."""
    return signs.document.url.rstrip("/").rpartition("/")[2].count("-")


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
    **{f"{name}_words": _counted(name) for name in ("comment", "forum", "shop", "documentation", "wiki")},
    "link_text": link_text,
    **{f"{tag}_elements": _elements(tag) for tag in ("pre", "article")},
    "dated_address": dated_address,
    "address_depth": address_depth,
    "address_words": address_words,
    "blog_platform": blog_platform,
    **{
        f"says_{genre}": _said(genre)
        for genre in ("news", "blog", "video", "image", "forum", "shop", "documentation", "wiki", "index")
    },
}
"""All features, by name and in the order of a feature vector."""


def genre_features(document: Document, words: Words | None = None) -> dict[str, float]:
    """All features of a page."""
    signs = Signs(document, built_in_words() if words is None else words)
    return {name: feature(signs) for name, feature in FEATURES.items()}

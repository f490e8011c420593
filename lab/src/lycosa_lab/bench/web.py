"""The benchmark's web: generated pages that cost as much to fetch, parse and score as real ones.

A page has about 45 KB, 90 links, realistic markup and words with a Zipf-like distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from lycosa.testing import CannedResponse, Page, Pages, html, text

PAGES, HOSTS = 2000, 20
VOCABULARY = 30_000
BLOCK = 200_000  # words drawn at once
TOPIC_SHARE = 0.25  # of the pages
TOPIC_DENSITY = 0.06  # of the words of a page on the topic
LINKS = {"menu": 24, "text": 24, "cards": 34, "footer": 6}  # beside home, two children and the next page

COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they "
    "which one you were all her she there would their we him been has when who will no more if out so up said "
    "what its about than into them can only other time new some could these two may first then do any like my "
    "now over such our man me even most made after also did many off before must well back through years much "
    "where your way down should because long each just state those people too mr how little good world make"
).split()
KEYWORDS = (
    "lighthouse lantern keeper lens beacon foghorn fresnel lamp tower reef headland beam signal mariners shoal "
    "landfall buoy harbour gallery oil wick clockwork flash coastguard rock storm ship pilot channel vigil"
).split()
"""The words of the benchmark's topic."""

_ONSETS = "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl sp st t th tr v w".split()
_VOWELS = "a e i o u ai ea ee io ou".split()
_CODAS = "l m n nd ng nt r rd rk s sk st t th x".split()


class _Words:
    """Draw words by frequency, in blocks for speed."""

    def __init__(self, random_seed: int) -> None:
        self.rng = Random(random_seed)
        self._numbers = np.random.default_rng(random_seed)
        self._all = np.array(vocabulary(VOCABULARY, self.rng), dtype=object)
        weights = 1 / (np.arange(VOCABULARY) + 2.7)
        self._cumulated = np.cumsum(weights / weights.sum())
        self._block: list[str] = []
        self._at = 0

    def draw(self, count: int) -> list[str]:
        if self._at + count > len(self._block):
            places = np.searchsorted(self._cumulated[:-1], self._numbers.random(BLOCK))
            self._block, self._at = self._all[places].tolist(), 0
        self._at += count
        return self._block[self._at - count : self._at]

    def phrase(self, count: int) -> str:
        return " ".join(self.draw(count)).capitalize()


def host(number: int) -> str:
    """The name of the number-th host; each has a registrable domain of its own."""
    return f"www.{_ONSETS[number % len(_ONSETS)]}{_VOWELS[number % len(_VOWELS)]}ton{number}.test"


def start() -> str:
    """Return the page that reaches all others."""
    return f"http://{host(0)}/"


def is_on_topic(number: int) -> bool:
    """Whether the number-th page is about the keywords."""
    return number % round(1 / TOPIC_SHARE) == 1


def url_of(number: int, hosts: int) -> str:
    """The URL of the number-th page."""
    if number == 0:
        return start()
    section = ("news", "archive", "guides", "people", "notes")[number % 5]
    return f"http://{host(number % hosts)}/{section}/{2000 + number % 25}/item-{number}.html"


def bench_pages(pages: int = PAGES, hosts: int = HOSTS, random_seed: int = 1) -> Pages:
    """Every page and robots.txt by (host, path), with plain and gzipped bytes ready to send."""
    words = _Words(random_seed)
    titles = [_title(words, number) for number in range(pages)]
    made: dict[str | tuple[str, str], Page] = {}
    for number in range(pages):
        made[_key(url_of(number, hosts))] = _page(words, number, titles, hosts).prepared()
    robots = text("User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: /\n").prepared()
    return made | {(host(number), "/robots.txt"): robots for number in range(hosts)}


def vocabulary(size: int, rng: Random) -> list[str]:
    """Common English words first, then pronounceable made-up ones, all distinct.

    >>> words = vocabulary(1000, Random(1))
    >>> len(set(words)), words[0]
    (1000, 'the')
    """
    words = dict.fromkeys(COMMON)
    while len(words) < size:
        parts = [rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(rng.randint(1, 3))]
        words["".join(parts) + rng.choice(_CODAS)] = None
    return list(words)[:size]


def _key(url: str) -> tuple[str, str]:
    host_name, _, path = url.removeprefix("http://").partition("/")
    return host_name, "/" + path


def _title(words: _Words, number: int) -> str:
    title = words.phrase(6)
    return f"{title} {words.rng.choice(KEYWORDS)}" if is_on_topic(number) else title


def _page(words: _Words, number: int, titles: Sequence[str], hosts: int) -> CannedResponse:
    pages = len(titles)
    # The children of a binary tree, so that every page is reachable; other links are random.
    tree = [child for child in (2 * number + 1, 2 * number + 2, (number + 1) % pages) if child < pages]
    count = LINKS["text"] + LINKS["cards"] + LINKS["footer"]
    drawn = [words.rng.randrange(pages) for _ in range(count)]
    own = [(number % hosts) + hosts * step for step in range(LINKS["menu"])]
    menu = [target % pages for target in own]
    in_text, cards = drawn[: LINKS["text"]], tree + drawn[LINKS["text"] : -LINKS["footer"]]
    body = "\n".join(
        [
            _head(titles[number], number),
            _menu(menu, titles, hosts),
            _article(words, number, in_text, titles, hosts),
            _cards(words, cards, titles, hosts),
            _footer(drawn[-LINKS["footer"] :], titles, hosts),
        ]
    )
    return html(body)


def _head(title: str, number: int) -> str:
    styles = "\n".join(
        f".c-{block}__{part}{{margin:0 auto;padding:{block % 7}px {block % 5}px;color:#{block * 1111 % 4096:03x}}}"
        for block in range(24)
        for part in ("inner", "title")
    )
    return f"""<!DOCTYPE html>
<html lang="en" class="no-js theme-light">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{title}, number {number} of a series">
<meta property="og:title" content="{title}"><meta property="og:type" content="article">
<meta property="article:published_time" content="20{number % 25:02}-0{number % 9 + 1}-1{number % 10}T09:30:00Z">
<link rel="stylesheet" href="/static/css/main.3f9a1c.css"><link rel="icon" href="/static/favicon.ico">
<style>
{styles}
</style>
<script>window.dataLayer=window.dataLayer||[];window.page={{"id":{number},"kind":"article","flags":["a","b"]}};</script>
</head>
<body class="page page--article" data-page-id="{number}">"""


def _menu(targets: Sequence[int], titles: Sequence[str], hosts: int) -> str:
    items = "\n".join(
        f'<li class="c-nav__item c-nav__item--level-1"><a class="c-nav__link" href="{url_of(target, hosts)}" '
        f'data-track="nav|{target}">{titles[target][:24]}</a></li>'
        for target in targets
    )
    return f"""<header class="c-header" role="banner"><div class="c-header__inner">
<a class="c-logo" href="/" aria-label="Home"><img src="/static/img/logo.svg" width="120" height="40" alt="Home"></a>
<nav class="c-nav" role="navigation" aria-label="Main"><ul class="c-nav__list">
{items}
</ul></nav></div></header>"""


def _article(words: _Words, number: int, targets: Sequence[int], titles: Sequence[str], hosts: int) -> str:
    paragraphs = []
    for at, target in enumerate(targets):
        sentences = [_sentence(words, number) for _ in range(6)]
        anchor = f'<a class="c-link c-link--inline" href="{url_of(target, hosts)}">{titles[target]}</a>'
        sentences.insert(at % 5 + 1, f"{words.phrase(4)} {anchor} {' '.join(words.draw(5))}.")
        paragraphs.append(f'<p class="c-text" id="p{at}">{" ".join(sentences)}</p>')
        if at % 6 == 5:
            paragraphs.append(f'<h2 class="c-text__title">{words.phrase(4)}</h2>')
            paragraphs.append(
                f'<figure class="c-figure"><img src="/static/img/{number}-{at}.jpg" width="640" height="360" '
                f'alt="{words.phrase(5)}" loading="lazy"><figcaption>{words.phrase(8)}.</figcaption></figure>'
            )
    return f"""<main class="l-main" id="content"><article class="c-article">
<h1 class="c-article__title">{titles[number]}</h1>
<p class="c-byline">By <span class="c-byline__name">{words.phrase(2).title()}</span></p>
{chr(10).join(paragraphs)}
</article>"""


def _sentence(words: _Words, number: int) -> str:
    drawn = words.draw(words.rng.randrange(8, 20))
    if is_on_topic(number):
        drawn = [words.rng.choice(KEYWORDS) if words.rng.random() < TOPIC_DENSITY else word for word in drawn]
    return " ".join(drawn).capitalize() + "."


def _cards(words: _Words, targets: Sequence[int], titles: Sequence[str], hosts: int) -> str:
    cards = "\n".join(
        f"""<div class="c-card c-card--small" data-id="{target}"><div class="c-card__media">
<img class="c-card__image" src="/static/thumbs/{target}.jpg" width="96" height="64" alt=""></div>
<h3 class="c-card__title"><a class="c-card__link" href="{url_of(target, hosts)}">{titles[target]}</a></h3>
<p class="c-card__text">{words.phrase(9)}.</p></div>"""
        for target in targets
    )
    return f'<aside class="l-side" aria-label="More"><div class="c-cards">\n{cards}\n</div></aside></main>'


def _footer(targets: Sequence[int], titles: Sequence[str], hosts: int) -> str:
    items = "".join(
        f'<li><a href="{url_of(target, hosts)}" rel="bookmark">{titles[target]}</a></li>'
        for target in targets
    )
    return f"""<footer class="c-footer" role="contentinfo"><ul>{items}</ul><p>&copy; The benchmark</p></footer>
<script src="/static/js/app.7c21.js" defer></script>
</body>
</html>
"""

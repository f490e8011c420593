"""Learn which features of a link predict a page of a wanted kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import exp, log

from lycosa import urls
from lycosa.values import Link

MAX_SIGNS = 12
"""Signs kept per link until it is fetched."""
MAX_KNOWN = 50_000
"""Signs counted; beyond that, those seen once are dropped."""
STRENGTH = 2.0
"""Weight of the overall share, in links."""
FIRST_GUESS = 0.3
"""The share of links to a wanted kind before any was followed."""
FURTHEST = 4.0
"""Maximum log odds: signs of one link are correlated, so their sum is over-confident."""
_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]{2,30}|\d+")


def signs_of(link: Link, genre: str = "") -> tuple[str, ...]:
    """The signs of a link: genre of its page, site, URL pattern, and words of URL and anchor with numbers by length.

    >>> signs_of(Link("http://cs.example.edu/~ann/cs186/", 1, anchor="CS 186: Databases"), "index")
    ('on index', 'site example.edu', 'like ~w/w#/', '/ann', '/cs', '/###', 'cs', '###', 'databases')
    """
    path = link.url.partition("://")[2].partition("/")[2]
    words = [f"/{word}" for word in _words(path)]
    anchor = _words(link.anchor[:200])
    found_on = (f"on {genre}",) if genre else ()
    site = f"site {urls.source_of(link.url)}"
    return tuple(dict.fromkeys((*found_on, site, _pattern(path), *words[-6:], *anchor)))[:MAX_SIGNS]


def _pattern(path: str) -> str:
    """The end of a URL without its words, the only thing home pages of people share."""
    return f"like {_DIGITS.sub('#', _LETTERS.sub('w', path[-100:]))[-24:]}"


def _words(text: str) -> list[str]:
    return ["#" * min(len(word), 4) if word.isdigit() else word for word in _WORD.findall(text.lower())]


class LinkSigns:
    """Counts signs of followed links and their results: the confidence that the page is of a wanted kind."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[float, int]] = {}
        self._wanted = 0.0
        self._links = 0

    def learn(self, signs: Sequence[str], wanted: float) -> None:
        """Count the result of a link."""
        self._wanted += wanted
        self._links += 1
        for sign in signs:
            good, all_ = self._counts.get(sign, (0.0, 0))
            self._counts[sign] = (good + wanted, all_ + 1)
        if len(self._counts) > MAX_KNOWN:
            self._counts = {sign: seen for sign, seen in self._counts.items() if seen[1] > 1}

    def chance(self, signs: Sequence[str]) -> float:
        """The probability that a link with these signs leads to a wanted kind (naive Bayes, each sign shrunk to the mean).

        >>> known = LinkSigns()
        >>> for _ in range(9): known.learn(["/courses"], 1.0); known.learn(["/papers"], 0.0)
        >>> known.chance(["/courses"]) > 0.8, known.chance(["/papers"]) < 0.2
        (True, True)
        """
        base = (self._wanted + STRENGTH * FIRST_GUESS) / (self._links + STRENGTH)
        odds = log(base / (1 - base))
        for sign in signs:
            if sign in self._counts:
                good, links = self._counts[sign]
                share = (good + STRENGTH * base) / (links + STRENGTH)
                odds += log(share / (1 - share)) - log(base / (1 - base))
        return 1 / (1 + exp(-min(FURTHEST, max(-FURTHEST, odds))))

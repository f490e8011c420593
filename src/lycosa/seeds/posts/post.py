"""A post of social media: its date, language and URLs."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from email.utils import parsedate
from functools import lru_cache

import msgspec

FIRST_DAY = datetime.date(1991, 8, 6)
"""The Web's first day: nothing that links to it is older."""
MAX_URL_CHARS = 2000
MAX_URLS = 100
"""URLs taken from one post."""

_URL = re.compile(r"https?://[^\s<>\"'“”«»|\\^`{}]+", re.IGNORECASE)
_TRAILING = ".,;:!?'*_~)]’"
_CUT = ("…", "...")
_MONTHS = {name: at for at, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
_NUMBERS = re.compile(r"(\d{1,4})[/.](\d{1,2})[/.](\d{1,4})(?:\D.*)?", re.DOTALL)
_KEPT_DAYS = 50_000


class Mention(msgspec.Struct, frozen=True, gc=False):
    """A URL in a post: as written there, and what it leads to where the post itself says so."""

    url: str
    expanded: str = ""


class Post(msgspec.Struct, frozen=True):
    """A post. `language` is an ISO code or ''; `date` is None where none, or an impossible one, is given."""

    text: str
    date: datetime.date | None = None
    language: str = ""
    urls: tuple[Mention, ...] = ()
    id: str = ""
    impossible_date: bool = False


class Days:
    """Days out of what posts call dates; none later than `latest` or before the Web is believed."""

    def __init__(self, latest: datetime.date) -> None:
        self.latest = latest
        self._known: dict[str, datetime.date | None] = {}

    def __call__(self, said: object) -> datetime.date | None:
        """The day, or None. Of ISO and Twitter dates the time is not looked at, nor is it checked.

        >>> day = Days(datetime.date(2026, 1, 1))
        >>> str(day("Wed Jan 07 11:07:51 +0000 2015")), str(day("2015-01-07T11:07:51Z"))
        ('2015-01-07', '2015-01-07')
        >>> day("2015-02-30"), day("2031-01-01"), str(day(1420628871)), str(day("1/31/2015"))
        (None, None, '2015-01-07', '2015-01-31')
        """
        text = str(said)[:60].strip() if said else ""
        if text[4:5] == "-":
            text = text[:10]
        elif len(text) == 30:
            text = text[4:11] + text[26:]
        try:
            return self._known[text]
        except KeyError:
            if len(self._known) >= _KEPT_DAYS:
                self._known.clear()
            day = _day(text)
            believed = day if day is not None and FIRST_DAY <= day <= self.latest else None
            return self._known.setdefault(text, believed)


def _day(text: str) -> datetime.date | None:
    try:
        if text[4:5] == "-":
            return datetime.date.fromisoformat(text)
        if len(text) == 11 and text[:3].lower() in _MONTHS:
            return datetime.date(int(text[7:]), _MONTHS[text[:3].lower()], int(text[4:6]))
        if re.fullmatch(r"[0-9]{8}", text):
            return datetime.date.fromisoformat(text)
        if re.fullmatch(r"[0-9]{9,16}(\.[0-9]+)?", text):
            return _since_epoch(float(text))
        if parts := _NUMBERS.fullmatch(text):
            return _of_numbers(int(parts[1]), int(parts[2]), int(parts[3]))
        mail = parsedate(text)
        return datetime.date(*mail[:3]) if mail else None
    except (ValueError, OverflowError, IndexError, TypeError):
        return None


def _since_epoch(number: float) -> datetime.date:
    """Seconds, milliseconds or microseconds: whichever gives a day of this age."""
    while number > 1e11:
        number /= 1000
    return datetime.datetime.fromtimestamp(number, datetime.UTC).date()


def _of_numbers(first: int, second: int, third: int) -> datetime.date:
    """Year first, or year last; then the month comes first unless that cannot be."""
    if first > 31:
        return datetime.date(first, second, third)
    month, day = (second, first) if first > 12 else (first, second)
    return datetime.date(third, month, day)


def post_of(
    text: str, urls: tuple[Mention, ...], said: object, days: Days, language: object, name: object
) -> Post:
    """A post of what its platform says of it: `said` is its date, `name` its id."""
    day = days(said)
    code = language_code(language) if isinstance(language, str) else ""
    return Post(text, day, code, urls, str(name or "")[:100], impossible_date=day is None and bool(said))


@lru_cache(maxsize=4096)
def language_code(said: str | None) -> str:
    """The primary code of a language tag; '' for what means "unknown" (Twitter's und, qme, zxx, …).

    >>> language_code("pt-BR"), language_code("und"), language_code("qme"), language_code("<b>")
    ('pt', '', '', '')
    """
    code = (said or "").strip().replace("_", "-").partition("-")[0].lower()
    known = code.isascii() and code.isalpha() and len(code) in (2, 3)
    # Codes from qaa to qtz are private: Twitter means "only media", "only hashtags" by them.
    private = len(code) == 3 and "qa" <= code[:2] <= "qt"
    return code if known and not private and code not in ("und", "zxx", "mul", "mis") else ""


def urls_in(text: str) -> tuple[Mention, ...]:
    """The URLs in a text, each once, in order. One that the text cuts off ("http://t.c…") is none.

    >>> [m.url for m in urls_in("See (http://a.example/b), http://c.example/d_(e) and http://t.c…")]
    ['http://a.example/b', 'http://c.example/d_(e)']
    """
    if "://" not in text:
        return ()
    return mentions((url, "") for url in map(_trimmed, _URL.findall(text)) if url)


def without_urls(text: str) -> str:
    """The text without its URLs: they are in no language.

    >>> without_urls("Water rises http://a.example/b again")
    'Water rises  again'
    """
    return _URL.sub("", text)


def _trimmed(url: str) -> str:
    if url.endswith(_CUT):
        return ""
    while url and url[-1] in _TRAILING:
        if url[-1] == ")" and url.count("(") >= url.count(")"):
            break
        url = url[:-1]
    return url


def mentions(pairs: Iterable[tuple[str, str]]) -> tuple[Mention, ...]:
    """Mentions of (URL, what it leads to or ''), each URL once; what is too long or empty is left out."""
    found: dict[str, Mention] = {}
    for url, expanded in pairs:
        if 0 < len(url) <= MAX_URL_CHARS and url not in found:
            known = expanded if len(expanded) <= MAX_URL_CHARS and expanded != url else ""
            found[url] = Mention(url, known)
            if len(found) == MAX_URLS:
                break
    return tuple(found.values())

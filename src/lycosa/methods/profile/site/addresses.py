"""URL patterns of a type of page, learned from example URLs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

ANY = "*"
NUMBER = "#"
"""Stands for a part that is a number in all examples."""

Pattern = tuple[str, ...]


@lru_cache(maxsize=1 << 14)
def url_parts(url: str) -> Pattern:
    """Host, path segments and query parameters of a URL.

    >>> url_parts("http://a.test/photos/ann/7?page=2")
    ('a.test', '/photos', '/ann', '/7', '?page=2')
    """
    split = urlsplit(url)
    segments = [f"/{unquote(each)}" for each in split.path.split("/") if each]
    query = [f"?{name}={value}" for name, value in sorted(parse_qsl(split.query)[:20])]
    return (split.netloc.lower(), *segments, *query)


def patterns_of(urls: Iterable[str]) -> tuple[Pattern, ...]:
    """Patterns for the URLs: one for each way they are built, with a star (or # for numbers) where they differ.

    >>> patterns_of(["http://a.test/by/ann", "http://a.test/by/bob", "http://a.test/show?id=7"])
    (('a.test', '/by', '*'), ('a.test', '/show', '?id=#'))
    >>> patterns_of(["http://ann.a.test/1", "http://bob.a.test/2"])
    (('*.a.test', '#'),)
    """
    groups: dict[object, list[Pattern]] = {}
    for url in dict.fromkeys(urls):
        parts = url_parts(url)
        groups.setdefault((len(parts), *(_name(part) for part in parts if part[0] == "?")), []).append(parts)
    return tuple(pattern for group in groups.values() for pattern in _merged(group))


def fits(url: str, patterns: Iterable[Pattern]) -> bool:
    """Whether a URL is built like one of the patterns.

    >>> fits("http://a.test/by/zoe", [("a.test", "/by", "*")]), fits("http://a.test/in/zoe", [("a.test", "/by", "*")])
    (True, False)
    >>> fits("http://a.test/by/7", [("a.test", "/by", "#")]), fits("http://a.test/by/zoe", [("a.test", "/by", "#")])
    (True, False)
    """
    parts = url_parts(url)
    return any(
        len(parts) == len(pattern) and all(_part_fits(*each) for each in zip(parts, pattern, strict=True))
        for pattern in patterns
    )


def is_below(url: str, profile: str) -> bool:
    """Whether an address names what the address of a profile ends with.

    >>> is_below("http://a.test/by/ann?p=2", "http://a.test/who/Ann"), is_below("http://a.test/by/bob", "http://a.test/who/ann")
    (True, False)
    """
    name = _said(url_parts(profile)[-1])
    return any(_said(part) == name for part in url_parts(url))


def _said(part: str) -> str:
    return part.lower().lstrip("/?").rpartition("=")[2]


def _part_fits(part: str, want: str) -> bool:
    if want in (part, ANY):
        return True
    if want == NUMBER:
        return part[0] == "/" and part[1:].isdigit()
    if want.startswith("*."):
        return part.endswith(want[1:])
    if part[0] == "?" == want[0] and _name(part) == _name(want):
        value = want.partition("=")[2]
        return value == ANY or (value == NUMBER and part.partition("=")[2].isdigit())
    return False


def _merged(group: Sequence[Pattern]) -> list[Pattern]:
    """Patterns of URLs with the same number of parts; those that agree in nothing but the host stay apart."""
    if len(group) == 1:
        return [_from_one(group[0])]
    agree = [len({parts[i] for parts in group}) == 1 for i in range(len(group[0]))]
    if len(agree) > 2 and not any(agree[1:]):
        firsts = dict.fromkeys(parts[1] for parts in group)
        if len(firsts) < len(group):
            return [p for first in firsts for p in _merged([parts for parts in group if parts[1] == first])]
    return [
        tuple(
            parts[0] if same else _star(parts)
            for parts, same in zip(zip(*group, strict=True), agree, strict=True)
        )
    ]


def _from_one(parts: Pattern) -> Pattern:
    # With one example, what looks like a name or number is taken for one: all but the first segment.
    return tuple(part if i < 2 and part[0] != "?" else _star((part,)) for i, part in enumerate(parts))


def _star(parts: Sequence[str]) -> str:
    """What stands for parts that differ."""
    if parts[0][0] not in "/?":
        labels = [part.split(".") for part in parts]
        same = 0
        while all(len(each) > same + 1 and each[-same - 1] == labels[0][-same - 1] for each in labels):
            same += 1
        return f"*.{'.'.join(labels[0][-same:])}" if same else ANY
    values = [part.partition("=")[2] if part[0] == "?" else part[1:] for part in parts]
    star = NUMBER if all(value.isdigit() for value in values) else ANY
    return f"?{_name(parts[0])}={star}" if parts[0][0] == "?" else star


def _name(part: str) -> str:
    return part[1:].partition("=")[0]

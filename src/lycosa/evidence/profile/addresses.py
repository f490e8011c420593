"""What the URLs of one type of page have in common. In: example URLs. Out: patterns, and whether a URL fits one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

ANY = "*"

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
    """Patterns for the URLs: one for each way they are built, with a star where they differ.

    >>> patterns_of(["http://a.test/by/ann", "http://a.test/by/bob", "http://a.test/show?id=7"])
    (('a.test', '/by', '*'), ('a.test', '/show', '?id=*'))
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
    """
    parts = url_parts(url)
    return any(
        len(parts) == len(pattern)
        and all(
            want in (part, ANY) or (want[0] == "?" and want == f"?{_name(part)}={ANY}")
            for part, want in zip(parts, pattern, strict=True)
        )
        for pattern in patterns
    )


def _merged(group: Sequence[Pattern]) -> list[Pattern]:
    """Patterns of URLs with the same number of parts; those that agree in nothing but the host stay apart."""
    if len(group) == 1:
        return [_from_one(group[0])]
    agree = [len({parts[i] for parts in group}) == 1 for i in range(len(group[0]))]
    if len(agree) > 2 and not any(agree[1:]):
        firsts = dict.fromkeys(parts[1] for parts in group)
        if len(firsts) < len(group):
            return [p for first in firsts for p in _merged([parts for parts in group if parts[1] == first])]
    return [tuple(part if same else _starred(part) for part, same in zip(group[0], agree, strict=True))]


def _from_one(parts: Pattern) -> Pattern:
    # With one example, what looks like a name or number is taken for one: all but the first segment.
    return tuple(part if i < 2 and part[0] != "?" else _starred(part) for i, part in enumerate(parts))


def _starred(part: str) -> str:
    return f"?{_name(part)}={ANY}" if part[0] == "?" else ANY


def _name(part: str) -> str:
    return part[1:].partition("=")[0]

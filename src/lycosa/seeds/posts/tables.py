"""Read posts and search results from CSV rows and JSON objects of any origin, by the names of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lycosa.seeds.posts.post import Days, Mention, Post, mentions, post_of, urls_in

NAMES: Mapping[str, tuple[str, ...]] = {
    "text": tuple(
        "text tweet_text full_text tweet post_text post content message body status title name snippet description".split()
    ),
    "date": tuple(
        "created_at date datetime timestamp time created createdat published published_at posted_at tweet_date".split()
    ),
    "language": ("lang", "language", "langs", "languages"),
    "url": tuple("url urls link links href uri short_url tweet_urls".split()),
    "expanded": tuple(
        "expanded_url expanded_urls expanded expandedurl unwound_url long_url final_url resolved_url".split()
    ),
    "id": ("id", "id_str", "tweet_id", "post_id", "status_id", "tweetid"),
}
"""Field names that are understood, best first; case, spaces and hyphens do not count."""

MAX_DEPTH = 8
"""Levels of a JSON document that are searched for objects with URLs."""


def columns_of(header: Sequence[str]) -> dict[str, int]:
    """Which column is which; {} where neither text nor a URL is among them.

    >>> columns_of(["Tweet ID", " Tweet Text", "lang"])
    {'text': 1, 'language': 2, 'id': 0}
    """
    plain = [re.sub(r"[\s-]+", "_", name.strip().lstrip("\ufeff").lower()) for name in header]
    found = {}
    for field, names in NAMES.items():
        places = [plain.index(name) for name in names if name in plain]
        if places:
            found[field] = places[0]
    return found if found.keys() & {"text", "url", "expanded"} else {}


def row_post(row: Sequence[str], columns: Mapping[str, int], days: Days) -> Post:
    """The post of a CSV row; missing cells are empty."""
    cells = {field: row[at] for field, at in columns.items() if at < len(row)}
    return _post(cells, days)


def object_posts(value: object, days: Days, depth: int = 0) -> Iterator[Post]:
    """The posts of decoded JSON: every object that has a text or a URL, and every string that is a URL.

    An object with neither is a wrapper: `{"items": [...]}`, `{"webPages": {"value": [...]}}`, ….
    """
    if isinstance(value, str):
        if depth and value.startswith(("http://", "https://")):
            yield Post("", urls=mentions([(value, "")]))
    elif depth > MAX_DEPTH:
        return
    elif isinstance(value, list):
        for item in value:
            yield from object_posts(item, days, depth + 1)
    elif isinstance(value, dict):
        fields = _fields(value)
        if fields.keys() & {"url", "expanded"} or isinstance(fields.get("text"), str):
            yield _post(fields, days)
        else:
            for item in value.values():
                if isinstance(item, list | dict):
                    yield from object_posts(item, days, depth + 1)


def _fields(value: Mapping[str, object]) -> dict[str, object]:
    names = list(value)
    fields = {field: value[names[at]] for field, at in columns_of(names).items()}
    for field in ("url", "expanded"):
        # A wrapper may have a list by the name of "links": only what holds URLs makes a post.
        if field in fields and not _urls(fields[field]) and not isinstance(fields.get("text"), str):
            del fields[field]
    return fields


def _post(fields: Mapping[str, object], days: Days) -> Post:
    text = fields.get("text")
    text = text if isinstance(text, str) else ""
    language = fields.get("language")
    if isinstance(language, list):
        language = next(iter(language), "")
    # A list, even an empty one, is complete: other URLs in the text are those of pictures.
    urls = _mentions(fields) or (() if isinstance(fields.get("url"), list) else urls_in(text))
    return post_of(text, urls, fields.get("date"), days, language, fields.get("id"))


def _mentions(fields: Mapping[str, object]) -> tuple[Mention, ...]:
    found, long = _urls(fields.get("url")), _urls(fields.get("expanded"))
    if len(found) == len(long):
        return mentions((short, end or known) for (short, known), (end, _) in zip(found, long, strict=True))
    return mentions(long or found)


def _urls(value: object) -> list[tuple[str, str]]:
    """(URL, expanded or '') of a cell, a list of URLs, or a list of objects like Twitter's."""
    if isinstance(value, str):
        return [(mention.url, "") for mention in urls_in(value)]
    if isinstance(value, list):
        return [pair for item in value if not isinstance(item, list) for pair in _urls(item)]
    if isinstance(value, dict):
        pairs = [(value.get("url"), value.get("unwound_url") or value.get("expanded_url"))]
        return [
            (short, long if isinstance(long, str) else "")
            for short, long in pairs
            if isinstance(short, str) and short.startswith("http")
        ]
    return []

"""Detect the format of a file of posts."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice

import msgspec

from lycosa.seeds.posts.lines import BROKEN
from lycosa.seeds.posts.tables import columns_of

SAMPLE_LINES = 50
DELIMITERS = ",;\t|"


class Form(StrEnum):
    """The formats that are read."""

    TWITTER = "twitter"
    MASTODON = "mastodon"
    BLUESKY = "bluesky"
    JSON = "json"
    CSV = "csv"
    TEXT = "text"


_PAGES = ("data", "statuses", "feed", "posts", "records", "orderedItems", "tweet", "post", "object")
_SIGNS: Mapping[Form, frozenset[str]] = {
    Form.TWITTER: frozenset(
        "entities id_str extended_tweet retweeted_status full_text edit_history_tweet_ids author_id "
        "referenced_tweets conversation_id possibly_sensitive delete".split()
    ),
    Form.MASTODON: frozenset("reblog spoiler_text visibility reblogs_count contentMap orderedItems".split()),
    Form.BLUESKY: frozenset(
        "$type createdAt langs facets embed cid record commit value did indexedAt".split()
    ),
}

_EMBEDDED = ("external", "images", "media", "record", "video", "$type")
"""What a post of Bluesky can have beside its text."""


def form_of(lines: Iterable[bytes]) -> Form:
    """The format that most of the first lines speak for."""
    first = list(islice(lines, SAMPLE_LINES))
    head = first[0].removeprefix(b"\xef\xbb\xbf").lstrip() if first else b""
    if head[:1] in (b"{", b"["):
        votes = Counter(filter(None, map(_vote, first)))
        return votes.most_common(1)[0][0] if votes else Form.JSON
    return Form.CSV if columns_of(_cells(head)) else Form.TEXT


def delimiter_of(header: str) -> str:
    """The character that parts the columns: of those with a meaning, the most frequent one.

    >>> delimiter_of("url;title;date")
    ';'
    """
    return max(DELIMITERS, key=header.count)


def _cells(line: bytes) -> list[str]:
    header = line.decode("utf-8", "replace")
    try:
        return next(csv.reader([header], delimiter=delimiter_of(header)), [])
    except csv.Error:
        return []


def _vote(line: bytes) -> Form | None:
    try:
        value = msgspec.json.decode(line)
    except BROKEN:
        return None
    signs = _signs(value) or _signs(_inner(value))
    return max(signs, key=lambda form: signs[form]) if signs else Form.JSON


def _signs(value: object) -> dict[Form, int]:
    """How many fields of an object speak for each format; those that none speaks for are left out."""
    if not isinstance(value, dict):
        return {}
    names = value.keys()
    found = {form: len(signs & names) for form, signs in _SIGNS.items()}
    if not names & {"text", "full_text", "delete", "tweet"}:
        found[Form.TWITTER] = 0
    found[Form.MASTODON] += _is_of_mastodon(value)
    if found[Form.BLUESKY] == 1 and not _is_of_bluesky(value):
        found[Form.BLUESKY] = 0
    return {form: number for form, number in found.items() if number}


def _is_of_mastodon(value: dict[str, object]) -> bool:
    """Whether an object is a status, also if it was cut down to what matters: text in HTML, a date or a card."""
    content, names = value.get("content"), value.keys()
    if not isinstance(content, str) or names & {"text", "title", "link"}:
        return False
    return "created_at" in names or content.startswith("<") or isinstance(value.get("card"), dict)


def _is_of_bluesky(value: dict[str, object]) -> bool:
    """Whether an object with one telling field is a post of Bluesky, also if it was cut down to what matters."""
    if str(value.get("uri")).startswith("at://") or str(value.get("$type")).startswith("app.bsky."):
        return True
    if "text" in value:
        embed = value.get("embed")
        return "facets" in value or (isinstance(embed, dict) and not embed.keys().isdisjoint(_EMBEDDED))
    commit = value.get("commit")
    inside = commit.get("record") if isinstance(commit, dict) else value.get("record") or value.get("value")
    return isinstance(inside, dict) and "text" in inside and not _SIGNS[Form.BLUESKY].isdisjoint(inside)


def _inner(value: object) -> object:
    """The first post of a page of posts; what is no page is returned as it is."""
    for _ in range(4):
        if isinstance(value, list) and value:
            value = value[0]
        elif isinstance(value, dict):
            inside = next((value[name] for name in _PAGES if isinstance(value.get(name), list | dict)), None)
            if not inside or "text" in value or "content" in value:
                return value
            value = inside
    return value

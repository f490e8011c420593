"""Mastodon statuses, from the API or an account's export (outbox.json). In: a line. Out: posts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import msgspec

from lycosa.seeds.posts.post import Days, Mention, Post, language_code, mentions, urls_in

_ANCHOR = re.compile(r"<a\s([^<>]{1,8000})>", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_NOT_OUT = re.compile(r"""\b(?:class|rel)\s*=\s*["'][^"']*\b(?:mention|hashtag|tag)\b""", re.IGNORECASE)
_BREAK = re.compile(r"</p>|<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


class _Card(msgspec.Struct):
    url: str | None = None


class _Status(msgspec.Struct):
    id: str | int | None = None
    created_at: str | None = None
    published: str | None = None  # in an export
    language: str | None = None
    contentMap: dict[str, str] | None = None  # in an export: text by language
    content: str | None = None
    card: _Card | None = None
    reblog: _Status | None = None


class _Activity(msgspec.Struct):
    object: _Status | str | None = None


class Line(_Status):
    """A status, an activity of an export, or a page of either."""

    object: _Status | str | None = None
    statuses: list[_Status] | None = None
    orderedItems: list[_Activity] | None = None


def posts(line: Line, days: Days) -> Iterator[Post]:
    """The posts of a line; of a boost, the content is that of the boosted status."""
    for status in _statuses(line):
        content = status.reblog or status
        if content.content is not None:
            yield _post(status, content, days)


def _statuses(line: Line) -> list[_Status]:
    if line.statuses is not None:
        return line.statuses
    found = [item.object for item in line.orderedItems] if line.orderedItems is not None else [line.object]
    written = [status for status in found if isinstance(status, _Status)]
    return written if written or line.orderedItems is not None else [line]


def _post(status: _Status, content: _Status, days: Days) -> Post:
    markup = content.content or ""
    said = status.created_at or status.published
    day = days(said)
    language = content.language or next(iter(content.contentMap or ()), None)
    return Post(
        text=_text(markup),
        date=day,
        language=language_code(language),
        urls=_urls(markup, content.card),
        id=str(status.id or ""),
        impossible_date=day is None and bool(said),
    )


def _urls(markup: str, card: _Card | None) -> tuple[Mention, ...]:
    found = []
    for attributes in _ANCHOR.findall(markup):
        href = _HREF.search(attributes)
        # Links to people and to hashtags lead to other posts, not out to the Web.
        if href and not _NOT_OUT.search(attributes):
            found.append(html.unescape(href[1] or href[2] or ""))
    if "<a" not in markup:
        found += [mention.url for mention in urls_in(_text(markup))]
    if card is not None and card.url:
        found.append(card.url)
    return mentions((url, "") for url in found)


def _text(markup: str) -> str:
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", markup))).strip()

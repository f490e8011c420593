"""Bluesky posts: bare records, API views, feeds, firehose events (AT protocol). In: a line. Out: posts."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lycosa.seeds.posts.post import Days, Mention, Post, language_code, mentions, urls_in


class _Feature(msgspec.Struct):
    uri: str | None = None


class _Facet(msgspec.Struct):
    features: list[_Feature] | None = None


class _External(msgspec.Struct):
    uri: str | None = None


class _Media(msgspec.Struct):
    external: _External | None = None


class _Embed(msgspec.Struct):
    external: _External | None = None
    media: _Media | None = None  # a quoted post with a link card


class _Record(msgspec.Struct):
    text: str | None = None
    createdAt: str | None = None
    langs: list[str] | None = None
    facets: list[_Facet] | None = None
    embed: _Embed | None = None


class _Commit(msgspec.Struct):
    rkey: str | None = None
    record: _Record | None = None


class _View(_Record):
    uri: str | None = None
    record: _Record | None = None  # as the API shows a post
    value: _Record | None = None  # as a repository lists it
    commit: _Commit | None = None  # as the firehose tells of it


class _Item(msgspec.Struct):
    post: _View | None = None


class Line(_View):
    """A post in any of its wrappers, or a page of them."""

    post: _View | None = None
    feed: list[_Item] | None = None
    posts: list[_View] | None = None
    records: list[_View] | None = None


def posts(line: Line, days: Days) -> Iterator[Post]:
    """The posts of a line; none for events such as likes and follows."""
    for view in _views(line):
        record = view.record or view.value or (view.commit.record if view.commit else None) or view
        if record.text is not None:
            name = view.uri or (view.commit.rkey if view.commit else None) or ""
            yield _post(name, record, days)


def _views(line: Line) -> list[_View]:
    if line.feed is not None:
        return [item.post for item in line.feed if item.post is not None]
    for several in (line.posts, line.records):
        if several is not None:
            return several
    return [line.post or line]


def _post(name: str, record: _Record, days: Days) -> Post:
    day = days(record.createdAt)
    text = record.text or ""
    return Post(
        text=text,
        date=day,
        language=language_code(record.langs[0]) if record.langs else "",
        urls=_urls(record) or urls_in(text),
        id=name,
        impossible_date=day is None and bool(record.createdAt),
    )


def _urls(record: _Record) -> tuple[Mention, ...]:
    found = [feature.uri for facet in record.facets or () for feature in facet.features or ()]
    if record.embed is not None:
        media = record.embed.media
        for card in (record.embed.external, media.external if media else None):
            found.append(card.uri if card else None)
    return mentions((uri, "") for uri in found if uri)

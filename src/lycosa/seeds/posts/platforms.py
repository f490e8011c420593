"""Read posts from the JSON of Twitter (API 1.1 and 2), Mastodon and Bluesky, in any of their wrappers."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from lycosa.seeds.posts.post import Days, Mention, Post, mentions, post_of, urls_in

Object = dict[str, Any]
T = TypeVar("T")

_ANCHOR = re.compile(r"<a\s([^<>]{1,8000})>", re.IGNORECASE)
_HREF = re.compile(r"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_NOT_OUT = re.compile(r"""\b(?:class|rel)\s*=\s*["'][^"']*\b(?:mention|hashtag|tag)\b""", re.IGNORECASE)
_BREAK = re.compile(r"</p>|<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


class ShapeError(ValueError):
    """A field does not have the type that its platform gives it."""


def _field(value: Object | None, name: str, kind: type[T]) -> T | None:
    """A field of an object; None if it is missing or null."""
    found = value.get(name) if value is not None else None
    if found is not None and not isinstance(found, kind):
        raise ShapeError(name)
    return found


def _text(value: Object | None, name: str) -> str | None:
    return _field(value, name, str)


def _object(value: Object | None, name: str) -> Object | None:
    return _field(value, name, dict)


def _objects(value: Object | None, name: str) -> list[Object] | None:
    found = _field(value, name, list)
    if found is not None and not all(isinstance(each, dict) for each in found):
        raise ShapeError(name)
    return found


def twitter_posts(line: Object, days: Days) -> Iterator[Post]:
    """The posts of a tweet, a tweet in a wrapper or a page of the API; none for notices of a stream."""
    included = {str(tweet.get("id")): tweet for tweet in _objects(_object(line, "includes"), "tweets") or ()}
    for tweet in _tweets(line):
        if _text(tweet, "text") is None and _text(tweet, "full_text") is None:
            continue
        # The text and URLs of a retweet are cut off: those of the original are whole.
        content = _object(tweet, "retweeted_status") or _retweeted(tweet, included) or tweet
        text, urls = _tweet_content(content)
        language = _text(tweet, "lang") or _text(content, "lang")
        name = _text(tweet, "id_str") or tweet.get("id")
        yield post_of(text, urls, _text(tweet, "created_at"), days, language, name)


def _tweets(line: Object) -> list[Object]:
    if isinstance(line.get("data"), dict):
        return [line["data"]]
    for several in (_objects(line, "data"), _objects(line, "statuses")):
        if several is not None:
            return several
    return [_object(line, "tweet") or line]


def _retweeted(tweet: Object, included: Mapping[str, Object]) -> Object | None:
    for reference in _objects(tweet, "referenced_tweets") or ():
        if reference.get("type") == "retweeted":
            return included.get(str(reference.get("id")))
    return None


def _tweet_content(tweet: Object) -> tuple[str, tuple[Mention, ...]]:
    whole = _object(tweet, "extended_tweet")
    text = _text(whole, "full_text") or _text(tweet, "full_text") or _text(tweet, "text") or ""
    entities = _object(whole, "entities") or _object(tweet, "entities")
    if entities is None:
        return text, urls_in(text)
    return text, mentions(map(_tweet_url, _objects(entities, "urls") or ()))


def _tweet_url(url: Object) -> tuple[str, str]:
    """The URL in the tweet, and the last one that Twitter followed it to."""
    end = (
        _text(url, "unwound_url") or _text(_object(url, "unwound"), "url") or _text(url, "expanded_url") or ""
    )
    return _text(url, "url") or end, end


def mastodon_posts(line: Object, days: Days) -> Iterator[Post]:
    """The posts of a status, an activity of an export, or a page of either; a boost has the content of its original."""
    for status in _statuses(line):
        content = _object(status, "reblog") or status
        markup = _text(content, "content")
        if markup is not None:
            said = _text(status, "created_at") or _text(status, "published")
            language = _text(content, "language") or next(iter(_object(content, "contentMap") or ()), None)
            urls = _linked_urls(markup, _text(_object(content, "card"), "url"))
            yield post_of(_text_of(markup), urls, said, days, language, status.get("id"))


def _statuses(line: Object) -> list[Object]:
    if (statuses := _objects(line, "statuses")) is not None:
        return statuses
    activities = _objects(line, "orderedItems")
    found = [item.get("object") for item in ([line] if activities is None else activities)]
    written = [status for status in found if isinstance(status, dict)]
    return written if written or activities is not None else [line]


def _linked_urls(markup: str, card: str | None) -> tuple[Mention, ...]:
    found = []
    for attributes in _ANCHOR.findall(markup):
        href = _HREF.search(attributes)
        # Links to people and hashtags lead to other posts, not to the Web.
        if href and not _NOT_OUT.search(attributes):
            found.append(html.unescape(href[1] or href[2] or ""))
    if "<a" not in markup:
        found += [mention.url for mention in urls_in(_text_of(markup))]
    return mentions((url, "") for url in [*found, card or ""])


def _text_of(markup: str) -> str:
    return html.unescape(_TAG.sub("", _BREAK.sub("\n", markup))).strip()


def bluesky_posts(line: Object, days: Days) -> Iterator[Post]:
    """The posts of a record, a view, a feed or an event of the firehose; none for likes and follows."""
    for view in _views(line):
        commit = _object(view, "commit")
        record = _object(view, "record") or _object(view, "value") or _object(commit, "record") or view
        text = _text(record, "text")
        if text is not None:
            languages = _field(record, "langs", list) or [None]
            name = _text(view, "uri") or _text(commit, "rkey")
            urls = _facet_urls(record) or urls_in(text)
            yield post_of(text, urls, _text(record, "createdAt"), days, languages[0], name)


def _views(line: Object) -> list[Object]:
    if (feed := _objects(line, "feed")) is not None:
        return [post for item in feed if (post := _object(item, "post")) is not None]
    for several in (_objects(line, "posts"), _objects(line, "records")):
        if several is not None:
            return several
    return [_object(line, "post") or line]


def _facet_urls(record: Object) -> tuple[Mention, ...]:
    embed = _object(record, "embed")
    facets = _objects(record, "facets") or ()
    features = [feature for facet in facets for feature in _objects(facet, "features") or ()]
    cards = [_object(embed, "external"), _object(_object(embed, "media"), "external")]
    return mentions((_text(each, "uri") or "", "") for each in [*features, *cards])

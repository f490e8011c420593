"""Tweets of the API's versions 1.1 and 2. In: a line with a tweet or a page of tweets. Out: posts.

Only the fields that are needed are decoded; all else in a line is skipped over.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lycosa.seeds.posts.post import Days, Mention, Post, language_code, mentions, urls_in


class _Unwound(msgspec.Struct):
    url: str | None = None


class _Url(msgspec.Struct):
    url: str | None = None
    expanded_url: str | None = None
    unwound_url: str | None = None  # version 2
    unwound: _Unwound | None = None  # version 1.1

    def pair(self) -> tuple[str, str]:
        """As it is in the tweet, and the furthest that Twitter followed it."""
        end = self.unwound_url or (self.unwound.url if self.unwound else None) or self.expanded_url or ""
        return self.url or end, end


class _Entities(msgspec.Struct):
    urls: list[_Url] | None = None


class _Extended(msgspec.Struct):
    full_text: str | None = None
    entities: _Entities | None = None


class _Reference(msgspec.Struct):
    type: str | None = None
    id: str | int | None = None


class _Tweet(msgspec.Struct):
    id: str | int | None = None
    id_str: str | None = None
    text: str | None = None
    full_text: str | None = None
    created_at: str | None = None
    lang: str | None = None
    entities: _Entities | None = None
    extended_tweet: _Extended | None = None
    retweeted_status: _Tweet | None = None
    referenced_tweets: list[_Reference] | None = None


class _Includes(msgspec.Struct):
    tweets: list[_Tweet] | None = None


class Line(_Tweet):
    """A tweet, a tweet in a wrapper (`tweet`), or a page of the API (`data` or `statuses`)."""

    tweet: _Tweet | None = None
    data: _Tweet | list[_Tweet] | None = None
    includes: _Includes | None = None
    statuses: list[_Tweet] | None = None


def posts(line: Line, days: Days) -> Iterator[Post]:
    """The posts of a line; none for the notices (deletions, limits) that streams are mixed with."""
    included = {}
    if line.includes is not None:
        included = {str(tweet.id): tweet for tweet in line.includes.tweets or ()}
    for tweet in _tweets(line):
        if tweet.text is not None or tweet.full_text is not None:
            yield _post(tweet, included, days)


def _tweets(line: Line) -> list[_Tweet]:
    if isinstance(line.data, _Tweet):
        return [line.data]
    for several in (line.data, line.statuses):
        if several is not None:
            return several
    return [line.tweet or line]


def _post(tweet: _Tweet, included: dict[str, _Tweet], days: Days) -> Post:
    # A retweet's own text and URLs are cut off at 140 characters: those of the original are whole.
    content = tweet.retweeted_status or _retweeted(tweet, included) or tweet
    text, urls = _content(content)
    day = days(tweet.created_at)
    return Post(
        text=text,
        date=day,
        language=language_code(tweet.lang or content.lang),
        urls=urls,
        id=tweet.id_str or str(tweet.id or ""),
        impossible_date=day is None and bool(tweet.created_at),
    )


def _retweeted(tweet: _Tweet, included: dict[str, _Tweet]) -> _Tweet | None:
    for reference in tweet.referenced_tweets or ():
        if reference.type == "retweeted":
            return included.get(str(reference.id))
    return None


def _content(tweet: _Tweet) -> tuple[str, tuple[Mention, ...]]:
    whole = tweet.extended_tweet
    text = (whole and whole.full_text) or tweet.full_text or tweet.text or ""
    entities = (whole and whole.entities) or tweet.entities
    if entities is None:
        return text, urls_in(text)
    if not entities.urls:
        return text, ()
    return text, mentions(url.pair() for url in entities.urls)

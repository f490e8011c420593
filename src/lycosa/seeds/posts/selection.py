"""Select seeds from posts, with statistics.

Event paper 7.3.1: group the URLs by source, rank the sources by their number of URLs, take the best K sources with one
URL each, or K/m sources with m URLs each.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.post import Post, language_code, without_urls
from lycosa.seeds.posts.reading import PostFile
from lycosa.seeds.posts.tally import SourceCount, UrlTally

LanguageOf = Callable[[str], str]
PostsRead = Callable[[int, PostFile], None]
"""Told every WATCH_EVERY posts: how many were read, and the file that is being read."""
WATCH_EVERY = 5_000


class PostFilter(msgspec.Struct, frozen=True):
    """Which posts and URLs count. Posts without date, and those whose language cannot be told, pass."""

    keywords: tuple[str, ...] = ()
    language: str = ""
    since: datetime.date | None = None
    until: datetime.date | None = None


class PostCounts(msgspec.Struct):
    """What the posts are like, before their URLs are looked at."""

    posts: int = 0
    with_urls: int = 0
    undated: int = 0
    impossible_dates: int = 0
    in_language: int = 0
    kept: int = 0  # in the language and the time wanted
    kept_with_urls: int = 0
    by_language: Counter[str] = msgspec.field(default_factory=Counter)
    by_day: Counter[datetime.date] = msgspec.field(default_factory=Counter)
    by_day_with_urls: Counter[datetime.date] = msgspec.field(default_factory=Counter)
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    forms: dict[str, str] = {}


class UrlCounts(msgspec.Struct, frozen=True):
    """What their URLs are like: the lower half of the paper's table 10."""

    unique_short: int
    unique_long: int
    platform: int
    not_expanded: int
    unusable: int
    sources: int
    sources_with_2: int
    sources_with_10: int
    deduplicated: int
    with_keywords: int


class Seed(msgspec.Struct, frozen=True):
    """A URL to start from, its source, and how often it was posted."""

    url: str
    source: str
    times: int


def count_posts(
    files: Iterable[PostFile],
    wanted: PostFilter,
    tally: UrlTally,
    *,
    language_of: LanguageOf = lambda _: "",
    watch: PostsRead = lambda _posts, _file: None,
) -> PostCounts:
    """Read all posts and count the URLs of those that are wanted.

    `language_of` guesses where a post does not say its language: only for posts with URLs, since
    others cannot give a seed.
    """
    counts = PostCounts(forms={})
    for file in files:
        counts.forms[str(file.path)] = file.form.value
        for post in file:
            _count(post, wanted, counts, tally, language_of)
            if counts.posts % WATCH_EVERY == 0:
                watch(counts.posts, file)
        for reason, number in file.skipped.items():
            counts.skipped[reason.value] += number
        watch(counts.posts, file)
    return counts


def _count(
    post: Post, wanted: PostFilter, counts: PostCounts, tally: UrlTally, language_of: LanguageOf
) -> None:
    counts.posts += 1
    language, day = post.language, post.date
    if wanted.language and post.urls and not language:
        language = language_code(language_of(without_urls(post.text)))
    counts.by_language[language] += 1
    fits = not wanted.language or not language or language == wanted.language
    counts.in_language += bool(wanted.language) and language == wanted.language
    if day is None:
        counts.undated += 1
        counts.impossible_dates += post.impossible_date
    else:
        counts.by_day[day] += 1
        fits = fits and (wanted.since is None or day >= wanted.since)
        fits = fits and (wanted.until is None or day <= wanted.until)
    counts.kept += fits
    if post.urls:
        counts.with_urls += 1
        if day is not None:
            counts.by_day_with_urls[day] += 1
        if fits:
            counts.kept_with_urls += 1
            tally.add(post.urls)


def count_urls(tally: UrlTally, keywords: Keywords) -> UrlCounts:
    """Settle the tally and say what is in it. Short URLs that should be expanded have been."""
    unique_short = tally.unique_mentions()
    settled = tally.settle(keywords)
    return UrlCounts(
        unique_short=unique_short,
        unique_long=tally.unique_long(),
        platform=settled.platform,
        not_expanded=settled.not_expanded,
        unusable=settled.unusable,
        sources=tally.sources_with(1),
        sources_with_2=tally.sources_with(2),
        sources_with_10=tally.sources_with(10),
        deduplicated=tally.pages(),
        with_keywords=tally.pages(about=True),
    )


def select(tally: UrlTally, top: int, per_source: int = 1) -> list[Seed]:
    """`top` seeds from the best sources, at most `per_source` of each, the most frequent ones.

    Where a source has fewer, the next sources make up for it, so that both selections of the paper
    give the same number of seeds.
    """
    seeds: list[Seed] = []
    for source in tally.top_sources():
        if len(seeds) >= top:
            break
        for url, times in tally.top_pages(source.source, min(per_source, top - len(seeds))):
            seeds.append(Seed(url, source.source, times))
    return seeds


def best_sources(tally: UrlTally, limit: int) -> list[SourceCount]:
    """The best sources, at most `limit` of them."""
    return [source for source, _ in zip(tally.top_sources(), range(limit), strict=False)]

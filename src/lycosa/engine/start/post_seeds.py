"""Finds seeds in posts: the layer that a notebook and the command line use.

Short URLs are expanded, and pages looked at, through the polite fetcher.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec

from lycosa import urls
from lycosa.clock import SystemClock
from lycosa.errors import InputError
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.polite.fetcher import PoliteReader
from lycosa.fetch.redirects import redirect_target
from lycosa.page.response import document_of
from lycosa.page.text.languages import language_of
from lycosa.seeds.posts.expansion import Expander
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.look import Look, SeedKind, look
from lycosa.seeds.posts.reading import PostFile
from lycosa.seeds.posts.selection import (
    PostCounts,
    PostFilter,
    PostsRead,
    Seed,
    UrlCounts,
    best_sources,
    count_posts,
    count_urls,
    select,
)
from lycosa.seeds.posts.tally import SourceCount, UrlTally
from lycosa.spec.sections import FetchSpec, ScopeSpec
from lycosa.values import NotFetched, Reason, Refusal

SHOWN_SOURCES = 50
AT_ONCE = 16
"""Shorteners (or sites) that are asked at the same time; each of them gets one request after another."""

Asked = Callable[[int, int], None]
"""Told after every answer: how many of how many URLs were asked for."""


class Finding(msgspec.Struct, frozen=True):
    """All that was found out about a collection of posts."""

    posts: PostCounts
    urls: UrlCounts
    sources: list[SourceCount]
    seeds: list[Seed]
    not_expanded: dict[str, int]  # by reason
    looks: dict[str, Look | str] = {}  # by URL; a string says why it could not be looked at


class Expansion(msgspec.Struct, frozen=True):
    """Expand short URLs: at most `limit`, the most frequent first. `cache` keeps the results."""

    fetch: FetchSpec
    cache: Path | None = None
    limit: int = 500


def find_seeds(
    files: Sequence[PostFile],
    wanted: PostFilter,
    top: int,
    per_source: int = 1,
    *,
    expansion: Expansion | None = None,
    watch: PostsRead = lambda _posts, _file: None,
    asked: Asked = lambda _done, _all: None,
) -> Finding:
    """Read the posts, expand short URLs (if an Expansion is given), and select seeds by source."""
    keywords = Keywords(wanted.keywords)
    with UrlTally() as tally:
        posts = count_posts(files, wanted, tally, language_of=language_of, watch=watch)
        failed: Counter[str] = Counter()
        if expansion is not None and (short := tally.short(expansion.limit)):
            ends, failed = asyncio.run(expand_all(short, expansion, asked))
            tally.expanded(ends.items())
        counts = count_urls(tally, keywords)
        return Finding(
            posts=posts,
            urls=counts,
            sources=best_sources(tally, SHOWN_SOURCES),
            seeds=select(tally, top, per_source),
            not_expanded=dict(failed.most_common()),
        )


async def expand_all(
    short: Iterable[str], expansion: Expansion, asked: Asked = lambda _done, _all: None
) -> tuple[dict[str, str], Counter[str]]:
    """(long URL by short URL, why others have none). Each shortener is asked politely, several at a time."""
    ends: dict[str, str] = {}
    failed: Counter[str] = Counter()
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in short:
        by_host[urls.host_of(urls.parse(url) or url)].append(url)
    total, turns = sum(map(len, by_host.values())), asyncio.Semaphore(AT_ONCE)
    async with _reader(expansion.fetch) as reader:
        with Expander(partial(hop, reader=reader), expansion.cache) as expander:

            async def one_host(waiting: list[str]) -> None:
                async with turns:
                    for url in waiting:
                        end = await expander.expand(urls.parse(url) or url)
                        if isinstance(end, Refusal):
                            failed[end.reason.value] += 1
                        else:
                            ends[url] = end
                        asked(len(ends) + failed.total(), total)

            await asyncio.gather(*map(one_host, by_host.values()))
    return ends, failed


async def hop(url: str, reader: PoliteReader) -> str | Refusal | None:
    """The redirect target of a URL, None without a redirect, or the reason of a failed request."""
    result = await reader.get_once(url)
    if isinstance(result, NotFetched):
        return result.refusal
    if result.status >= 400:
        return Refusal(Reason.HTTP_ERROR, str(result.status))
    return redirect_target(result)


async def look_at(
    seeds: Iterable[str], keywords: Keywords, fetch: FetchSpec, asked: Asked = lambda _done, _all: None
) -> dict[str, Look | str]:
    """The kind of each seed by a look at its page; a string says why there was nothing to look at."""
    waiting = list(seeds)
    looks: dict[str, Look | str] = {}
    async with _reader(fetch) as reader:
        for url in waiting:
            looks[url] = await _look(url, reader, keywords)
            asked(len(looks), len(waiting))
    return looks


async def _look(url: str, reader: PoliteReader, keywords: Keywords) -> Look | str:
    result = await reader.get(url)
    if isinstance(result, NotFetched):
        return str(result.refusal)
    if result.status != 200:
        return str(Refusal(Reason.HTTP_ERROR, str(result.status)))
    document = document_of(result)
    if isinstance(document, Refusal):
        return str(document)
    links = [(link.url, link.anchor) for link in document.links]
    return look(result.link.url, document.title, document.main_text, links, keywords)


def looked(
    finding: Finding, keywords: Keywords, fetch: FetchSpec, asked: Asked = lambda _done, _all: None
) -> Finding:
    """The finding after a look at each seed: rejects are gone, of the others the kind is known."""
    looks = asyncio.run(look_at([seed.url for seed in finding.seeds], keywords, fetch, asked))
    kept = [seed for seed in finding.seeds if not _is_reject(looks[seed.url])]
    return msgspec.structs.replace(finding, seeds=kept, looks=looks)


def _is_reject(seen: Look | str) -> bool:
    return isinstance(seen, Look) and seen.kind is SeedKind.REJECT


@asynccontextmanager
async def _reader(spec: FetchSpec) -> AsyncIterator[PoliteReader]:
    async with live_fetcher(spec, ScopeSpec().content_types) as fetcher:
        yield PoliteReader(fetcher, SystemClock(), spec.max_redirects)


def write_seeds(path: Path, finding: Finding) -> None:
    """One URL per line, best source first, as [seeds] files are read; what was seen of it is a comment."""
    lines = []
    for seed in finding.seeds:
        seen = finding.looks.get(seed.url)
        kind = f", {seen.kind.value}" if isinstance(seen, Look) else f", {seen}" if seen else ""
        lines.append(f"{seed.url} # {seed.source}, posted {seed.times} ×{kind}\n")
    try:
        path.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror}). Choose another file: --out."
        ) from None

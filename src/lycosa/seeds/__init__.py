"""Gather the seed URLs of a spec: from lists, files, sitemaps and feeds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa import urls
from lycosa.errors import InputError
from lycosa.files import read_file
from lycosa.seeds.lists import feed_urls, sitemap_urls, unpacked, urls_in_lines
from lycosa.values import Link, Refusal, Say

if TYPE_CHECKING:  # workers read lists too, and need no spec for that
    from lycosa.spec.sections import SeedsSpec

MAX_SITEMAPS = 200
"""Maximum number of sitemaps read of an index."""

IN_VAIN = 3
"""After this many failures in a row the other sitemaps are skipped: each costs the delay of its host."""
TOLD_EVERY = 10

MAX_COMPLAINTS = 5
"""Bad seeds that are listed; the others are only counted."""

Read = Callable[[str], Awaitable[bytes | Refusal]]
"""Fetches a list from the Web politely."""


async def gather(
    spec: SeedsSpec,
    folder: Path,
    read: Read,
    say: Say,
    given: Sequence[str] = (),
    folding: urls.Folding = urls.FOLDING,
) -> list[Link]:
    """All seeds of a spec, each once, in order. `say` hears of lists that could not be read.

    `given` are pages that say what the crawl is about: seeds too, unless the spec has `examples = false`.
    """
    links: dict[int, Link] = {}
    bad, first_bad = 0, ""
    async for url in _all(spec, folder, read, say, given if spec.examples else ()):
        parsed = urls.parse(url)
        if parsed is None:
            bad, first_bad = bad + 1, first_bad or url
            if bad <= MAX_COMPLAINTS:
                say(f"{url[:200]!r} is not an http(s) URL and was skipped.")
        else:
            link = Link(parsed, urls.key_of(parsed, folding), priority=1.0)
            links.setdefault(link.key, link)
    if bad > MAX_COMPLAINTS:
        say(f"{bad - MAX_COMPLAINTS} more lines are not http(s) URLs and were skipped.")
    if not links:
        passed_over = f" ({first_bad[:200]!r} is not an http(s) URL)" if first_bad else ""
        raise InputError(
            f"There are no seeds{passed_over}. Put URLs, files, sitemaps or feeds into [seeds] of the spec, or example pages "
            "into [topic] examples."
        )
    return list(links.values())


async def _all(
    spec: SeedsSpec, folder: Path, read: Read, say: Say, given: Sequence[str]
) -> AsyncIterator[str]:
    for url in (*spec.urls, *given):
        yield url
    for name in spec.files:
        for url in _first(urls_in_lines(_read(folder / name)), spec.max_per_list):
            yield url
    for where in spec.feeds:
        if (data := await _get(where, folder, read, say)) is not None:
            for url in _first(feed_urls(data, where), spec.max_per_list):
                yield url
    for where in spec.sitemaps:
        async for url in _sitemap(where, folder, read, say, spec.max_per_list):
            yield url


async def _sitemap(where: str, folder: Path, read: Read, say: Say, limit: int) -> AsyncIterator[str]:
    waiting, known = [where], {where}
    looked_at = in_vain = 0
    while waiting and limit > 0:
        if in_vain == IN_VAIN:
            say(
                f"{len(waiting):,} more sitemaps of {where} are skipped: the last {in_vain} could not be read."
            )
            return
        if looked_at and looked_at % TOLD_EVERY == 0:
            say(f"{looked_at:,} sitemaps of {where} are read, {len(waiting):,} are left …")
        data = await _get(waiting.pop(0), folder, read, say)
        looked_at += 1
        in_vain = in_vain + 1 if data is None else 0
        if data is None:
            continue
        pages, further = sitemap_urls(data)
        for url in map(urls.parse, further):
            # Only URLs: an index from the Web must not name files of this machine.
            if url and url not in known and len(known) < MAX_SITEMAPS:
                known.add(url)
                waiting.append(url)
        for url in pages[:limit]:
            yield url
        limit -= len(pages)


async def _get(where: str, folder: Path, read: Read, say: Say) -> bytes | None:
    """The bytes of a list; None (with a message) if its URL cannot be fetched."""
    if urls.parse(where) is None:
        return unpacked(_read(folder / where))
    result = await read(urls.parse(where) or where)
    if isinstance(result, Refusal):
        say(f"{where} could not be read: {result}.")
        return None
    return unpacked(result)


def _read(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{path}: {reason}. Paths in [seeds] are relative to the spec's folder.") from None


def _first(found: Iterable[str], limit: int) -> Iterator[str]:
    for _, url in zip(range(limit), found, strict=False):
        yield url

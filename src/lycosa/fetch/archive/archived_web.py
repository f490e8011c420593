"""The fetcher of an archived web. It answers at once, without robots.txt and rests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from lycosa.fetch.archive.archive import ArchiveFetcher
from lycosa.fetch.archive.warc_files import warc_files
from lycosa.fetch.content_types import is_wanted
from lycosa.urls import FOLDING, Folding, key_of
from lycosa.values import Fetched, Kind, Link, NotFetched, Reason, Refusal


class ArchivedWeb:
    """Answers from WARC and WACZ files, and refuses unwanted content types as `live_fetcher` does."""

    def __init__(self, paths: Sequence[Path], content_types: Sequence[str], max_bytes: int) -> None:
        self._archive = ArchiveFetcher(warc_files(paths))
        self._wanted = tuple(kind.lower() for kind in content_types)
        self._max_bytes = max_bytes

    @property
    def damage(self) -> list[str]:
        """The unreadable parts of the files, as messages."""
        return self._archive.damage

    async def fetch(self, link: Link) -> Fetched | NotFetched:
        """Return the archived response, if it is wanted for this kind of link."""
        result = await self._archive.fetch(link)
        return result if isinstance(result, NotFetched) else self._looked_at(link, result)

    async def fetch_for(self, link: Link) -> Fetched | NotFetched:
        """Return a requisite of a page."""
        return await self.fetch(link)

    async def links(self, folding: Folding = FOLDING) -> Iterator[Link]:
        """Return links to all archived URLs, in the order of the records, as pages or requisites."""
        return iter(
            [await self._link(Link(url, key_of(url, folding), priority=1.0)) for url in self._archive.urls()]
        )

    async def _link(self, link: Link) -> Link:
        result = await self._archive.fetch(link)
        is_page = isinstance(result, NotFetched) or self._is_wanted(link, result)
        return link if is_page else msgspec.structs.replace(link, kind=Kind.REQUISITE)

    def _looked_at(self, link: Link, fetched: Fetched) -> Fetched | NotFetched:
        if not self._is_wanted(link, fetched):
            return NotFetched(link, Refusal(Reason.CONTENT_TYPE, fetched.header("content-type")[:80]))
        if len(fetched.body) > self._max_bytes:
            return NotFetched(link, Refusal(Reason.TOO_LARGE, f"{len(fetched.body)} bytes"))
        return fetched

    def _is_wanted(self, link: Link, fetched: Fetched) -> bool:
        return fetched.status != 200 or is_wanted(link.kind, fetched.header("content-type"), self._wanted)

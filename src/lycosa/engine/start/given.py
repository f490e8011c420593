"""Pages that the user gave, examples and model pages: fetched once, to prepare the crawl, and part of it.

They are archived; where the crawl comes to them, their responses are answered from the archive.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import msgspec

from lycosa import urls
from lycosa.collection import Record
from lycosa.collection.archive.responses import response_of
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.start.opening import MAX_ANALYSED_AGAIN
from lycosa.fetch import CrawlFetcher
from lycosa.fetch.decode import decoded_body
from lycosa.fetch.polite.fetcher import PoliteReader
from lycosa.fetch.redirects import redirect_target
from lycosa.page.document import Document
from lycosa.page.response import document_of
from lycosa.spec.sections import Spec
from lycosa.values import (
    ANALYSIS_FAILED,
    EXAMPLE,
    Fetched,
    Judgement,
    Kind,
    Later,
    Link,
    NotFetched,
    Reason,
    Refusal,
)

MAX_REDIRECTS = 20


def given_verdicts(collection: CollectionWriter, given: Iterable[str]) -> dict[int, Judgement]:
    """Verdicts of the user on the given pages, by key; also under the target of a redirect."""
    found = (url for where in given if (url := urls.parse(where)))
    return {collection.reader.key_of(where): EXAMPLE for url in found for where, _ in _way(collection, url)}


def archived_page(collection: CollectionWriter, url: str) -> Fetched | None:
    """The archived response to a URL, redirects followed, if it is a good one."""
    *_, (_, response) = _way(collection, url)
    return response if response and response.status == 200 else None


def _way(collection: CollectionWriter, url: str) -> Iterator[tuple[str, Fetched | None]]:
    """A URL and those that it redirects to, as far as the archive goes, with its responses."""
    target: str | Refusal | None = url
    for _ in range(MAX_REDIRECTS):
        if not isinstance(target, str):
            return
        page = collection.reader.page(collection.reader.key_of(target))
        response = response_of(collection, page) if page else None
        yield target, response
        target = redirect_target(response) if response else None


class AlreadyFetched:
    """Around the fetcher of a crawl: neither a seed that was fetched to prepare it nor a page that an earlier run fetched
    and could not analyse is asked for again."""

    def __init__(self, fetcher: CrawlFetcher, collection: CollectionWriter) -> None:
        self.fetcher = fetcher
        self.collection = collection
        failed = collection.reader.refused_for(ANALYSIS_FAILED, MAX_ANALYSED_AGAIN)
        self._failed = {page.link.key for page in failed}

    async def fetch(self, link: Link) -> Fetched | NotFetched | Later:
        """The archived response to a link, where there is one that nobody has read; else what the fetcher says."""
        may_be_there = link.depth == 0 or link.key in self._failed
        self._failed.discard(link.key)  # its next turn, if there is one, is a revisit
        return (self._archived(link) if may_be_there else None) or await self.fetcher.fetch(link)

    def _archived(self, link: Link) -> Fetched | None:
        page = self.collection.reader.page(link.key)
        if link.kind is not Kind.PAGE or page is None or page.status >= 400:
            return None
        unread = page.refusal is not None and page.refusal.reason in ANALYSIS_FAILED
        if page.kind is not Kind.REQUISITE and not unread:
            return None
        response = response_of(self.collection, page)
        if response is None:
            return None
        captures = self.collection.reader.captures(page.id)
        started = next(
            (one.at for one in captures if one.capture.offset == page.capture.offset), response.started
        )
        return msgspec.structs.replace(response, link=link, started=started, archived=True)


class GivenReader:
    """Lists and examples from the Web, archived like everything that was fetched."""

    def __init__(self, reader: PoliteReader, collection: CollectionWriter, spec: Spec) -> None:
        self.reader = reader
        self.collection = collection
        self.spec = spec

    async def list(self, url: str) -> bytes | Refusal:
        """The bytes of a sitemap or feed."""
        result = await self._get(url, Kind.REQUISITE)
        if isinstance(result, NotFetched):
            return result.refusal
        return decoded_body(result, self.spec.fetch.max_decoded_bytes)

    async def document(self, url: str) -> Document | Refusal:
        """An example page: from the archive, if it was fetched before."""
        result = archived_page(self.collection, url) or await self._get(url, Kind.PAGE)
        if isinstance(result, NotFetched):
            return result.refusal
        language, finder = self.spec.topic.language, self.spec.index.place_finder
        return document_of(
            result, language=language, place_finder=finder, folding=self.collection.reader.folding
        )

    async def _get(self, url: str, kind: Kind) -> Fetched | NotFetched:
        result = await self.reader.get(url, kind, self._save)
        if isinstance(result, Fetched) and result.status != 200:
            return NotFetched(result.link, Refusal(Reason.HTTP_ERROR, str(result.status)))
        return result

    def _save(self, fetched: Fetched) -> None:
        """Keep a response as a requisite: it was fetched to prepare the crawl. An example may become a page of it."""
        link = msgspec.structs.replace(fetched.link, kind=Kind.REQUISITE)
        with self.collection.commit():
            self.collection.save(Record(time.time(), msgspec.structs.replace(fetched, link=link)))

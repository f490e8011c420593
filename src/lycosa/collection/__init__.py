"""The collection: what was fetched and why it was kept or not, archived and catalogued.

In: a Record for each URL that was settled. Out: a directory with WARC files and one SQLite
catalogue (`CollectionWriter`), or, for experiments, the order of URLs in memory (`MemoryStore`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from lycosa.collection.archive.warc import EarlierCapture
from lycosa.values import Decision, Fetched, Judgement, NotFetched, Page, PageTerms, Refusal


class Record(msgspec.Struct, frozen=True):
    """What became of one URL that was taken: a response, or the reason why there is none.

    `decisions` are what admission left of the strategy's: the i-th belongs to `page.links[i]`,
    further ones (images, requisites, a redirect's target) follow. `refusal` says why a response
    was not kept as a page.
    """

    at: float  # when it was settled, seconds since the epoch
    fetched: Fetched | None = None
    not_fetched: NotFetched | None = None
    page: Page | None = None
    judgement: Judgement | None = None
    refusal: Refusal | None = None
    decisions: tuple[Decision, ...] = ()
    explored: bool = False  # fetched only to be looked through: not part of the collection
    near_duplicate_of: int = 0  # key of the first page of its cluster
    elsewhere: EarlierCapture | None = (
        None  # another collection's capture of the same bytes: they are not archived again
    )
    digest: bytes = b""  # of the body (`warc.digest_of`), where it was needed before


class Conclusion(msgspec.Struct, frozen=True):
    """What the counts say of one URL: it counts once, however often it was fetched."""

    judged: bool = False
    relevant: bool = False  # and part of the collection, not only explored
    explored: bool = False
    refused: bool = False


class Counts(msgspec.Struct, frozen=True):
    """How much has been saved so far, over all runs: responses each time, conclusions once for each URL."""

    fetched: int = 0  # responses for pages, redirects and error statuses included
    judged: int = 0  # URLs whose page was analysed and judged
    relevant: int = 0  # of these, part of the collection
    explored: int = 0
    refused: int = 0  # URLs whose response was not kept
    others: int = 0  # responses for images and requisites
    failed: int = 0  # tries that got no response
    bytes: int = 0  # received bodies


class Rejudged(msgspec.Struct, frozen=True):
    """A page whose judgement was overwritten: it was this before, and is that now."""

    key: int
    source: str
    before: Judgement
    now: Judgement
    explored: bool = False


Judgements = Callable[[Sequence[int]], Mapping[int, Judgement]]
"""What some pages are to be judged as, by their keys, as far as anything is said of them."""
Hear = Callable[[Sequence[Rejudged]], None]
REJUDGED_AT_ONCE = 10_000
"""Pages that are judged anew at a time, all in one commit."""


class SetAside(msgspec.Struct, frozen=True):
    """Versions of the judge that are kept and do not judge: refused because they were worse, or undone.

    After an undo, `undone_with` tells the labels of that time: while they are the same, nothing is fitted.
    """

    versions: tuple[int, ...] = ()
    undone_with: str = ""


class Store(Protocol):
    """Where a crawl puts what it found. Readers are not part of it, but all stores have `counts`."""

    def commit(self) -> AbstractContextManager[None]:
        """All that happens inside is saved together, or, if it raises, not at all."""
        ...

    def save(self, record: Record) -> Conclusion:
        """Keep what became of a URL; inside `commit`. A page saved again keeps its place.

        Returns what was concluded of the URL before.
        """
        ...

    def settle(self, decisions: Sequence[Decision]) -> None:
        """Note what was decided on links that had been held; inside `commit`."""
        ...

    def promote(self, keys: Sequence[int]) -> int:
        """Pages that were only explored join the collection; inside `commit`.

        Returns how many of them are relevant.
        """
        ...

    def kept_page(self, digest: bytes) -> str | None:
        """The URL of the first page that was kept and whose body (not empty) has this `warc.digest_of`."""
        ...


class LearningStore(Store, Protocol):
    """A store that a judge learns from, and whose pages are judged anew when it has learned."""

    def page_terms(self, after: int, evidence: str) -> Iterator[PageTerms]:
        """The pages that were judged and kept, behind this id, with their terms and the value of this evidence."""
        ...

    def unindexed_terms(self, evidence: str) -> Iterator[PageTerms]:
        """The same of all pages that ask not to be indexed: nothing is learned from them, but they have a score."""
        ...

    def judge_anew(self, judgements: Judgements, version: int, hear: Hear = lambda _: None) -> None:
        """Overwrite the judgements of pages by those of a version of the judge; inside `commit`.

        `judgements` is asked for some pages at a time, and `hear` told what has changed of them.
        """
        ...

    def scores(self, keys: Collection[int]) -> dict[int, float]:
        """The scores of judged pages, by key."""
        ...

    def set_aside(self, version: int) -> None:
        """Note that a version of the judge was not applied; inside `commit`."""
        ...


def conclusion_of(record: Record, before: Conclusion | None = None) -> Conclusion:
    """What a record says of its URL, of which this was known before.

    A later response without a page (not modified, gone, broken) leaves what was judged as it is.
    """
    if before is not None and (record.fetched is None or (before.judged and record.page is None)):
        return before
    judged, explored = record.judgement is not None, record.explored
    relevant = record.judgement is not None and record.judgement.relevant and not explored
    return Conclusion(judged, relevant, explored, record.refusal is not None)


def add_to(counts: Counts, record: Record, before: Conclusion) -> Counts:
    """The counts after one more record on a URL of which this was known."""
    fetched = record.fetched
    if fetched is None:
        return msgspec.structs.replace(counts, failed=counts.failed + (record.not_fetched is not None))
    is_page = fetched.link.kind == "page"
    if fetched.archived:  # it was counted when it was fetched, as something that the crawl needed
        counts = msgspec.structs.replace(counts, fetched=counts.fetched + 1, others=counts.others - 1)
    else:
        counts = msgspec.structs.replace(
            counts,
            fetched=counts.fetched + is_page,
            others=counts.others + (not is_page),
            bytes=counts.bytes + len(fetched.body),
        )
    return concluded(counts, before, conclusion_of(record, before))


def concluded(counts: Counts, before: Conclusion, now: Conclusion) -> Counts:
    """The counts after another conclusion on a URL."""
    if before == now:
        return counts
    return msgspec.structs.replace(
        counts,
        judged=counts.judged - before.judged + now.judged,
        relevant=counts.relevant - before.relevant + now.relevant,
        explored=counts.explored - before.explored + now.explored,
        refused=counts.refused - before.refused + now.refused,
    )

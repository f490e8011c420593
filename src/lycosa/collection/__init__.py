"""The collection: what was fetched, why it was kept or not, archived and catalogued."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec

from lycosa.collection.archive.warc import EarlierCapture
from lycosa.values import Decision, Fetched, Judgement, NotFetched, Page, PageTerms, Refusal


class Record(msgspec.Struct, frozen=True):
    """What became of one taken URL: a response, or the reason why there is none.

    `decisions[i]` belongs to `page.links[i]`; those on images, requisites and the target of a redirect follow.
    `refusal` says why a response was not kept as a page.
    """

    at: float  # when it was concluded, seconds since the epoch
    fetched: Fetched | None = None
    not_fetched: NotFetched | None = None
    page: Page | None = None
    judgement: Judgement | None = None
    refusal: Refusal | None = None
    decisions: tuple[Decision, ...] = ()
    explored: bool = False  # fetched for its links only: not part of the collection
    near_duplicate_of: int = 0  # key of the first page of its cluster
    elsewhere: EarlierCapture | None = None  # another collection's capture of the same body
    digest: bytes = b""  # `warc.digest_of` of the body, if it is known already


class Conclusion(msgspec.Struct, frozen=True):
    """What one URL adds to the counts, however often it was fetched."""

    judged: bool = False
    relevant: bool = False  # and part of the collection, not only explored
    explored: bool = False
    refused: bool = False


class Counts(msgspec.Struct, frozen=True):
    """Totals over all runs. Responses count each time, conclusions once for each URL."""

    fetched: int = 0  # responses for pages, redirects and error statuses included
    judged: int = 0  # URLs with a judged page
    relevant: int = 0  # of these, part of the collection
    explored: int = 0
    refused: int = 0  # URLs whose response was not kept
    others: int = 0  # responses for images and requisites
    failed: int = 0  # attempts without a response
    bytes: int = 0  # received bodies


class Rejudged(msgspec.Struct, frozen=True):
    """A page whose judgement was overwritten."""

    key: int
    source: str
    before: Judgement
    now: Judgement
    explored: bool = False


Judgements = Callable[[Sequence[int]], Mapping[int, Judgement]]
"""Return the new judgements of some pages, by key; pages without one keep theirs."""
Hear = Callable[[Sequence[Rejudged]], None]
REJUDGED_AT_ONCE = 10_000
"""Pages in a batch of new judgements; all batches are one commit."""


class SetAside(msgspec.Struct, frozen=True):
    """Versions of the judge that were refused because they were worse, or undone.

    `undone_with` identifies the labels at the time of an undo: nothing is fitted until they change.
    """

    versions: tuple[int, ...] = ()
    undone_with: str = ""


class Sink(Protocol):
    """Where a URL goes when it is concluded. The collection's writer is one, the lab's memory another."""

    def commit(self) -> AbstractContextManager[None]:
        """Save all that happens inside in one transaction; nothing if it raises."""
        ...

    def save(self, record: Record) -> Conclusion:
        """Save what became of a URL and return its conclusion before; inside `commit`.

        A page saved again keeps its place.
        """
        ...

    def settle(self, decisions: Sequence[Decision]) -> None:
        """Save the decisions on links that had been held; inside `commit`."""
        ...

    def promote(self, keys: Sequence[int]) -> int:
        """Add explored pages to the collection and return how many of them are relevant; inside `commit`."""
        ...

    def kept_page(self, digest: bytes) -> str | None:
        """Return the URL of the first kept page whose body has this `warc.digest_of`; None for an empty body."""
        ...


class LearningSink(Sink, Protocol):
    """A sink that a judge learns from, and whose pages are judged again when it has learned."""

    def page_terms(self, after: int, evidence: str) -> Iterator[PageTerms]:
        """Return the kept, judged pages after this id, with their terms and the value of this evidence."""
        ...

    def unindexed_terms(self, evidence: str) -> Iterator[PageTerms]:
        """Return the pages that ask not to be indexed: nothing is learned from them, but they have a score."""
        ...

    def judge_anew(self, judgements: Judgements, version: int, hear: Hear = lambda _: None) -> None:
        """Overwrite the judgements of pages by those of a version of the judge; inside `commit`.

        Pages are judged in batches; `hear` receives the changes of each.
        """
        ...

    def scores(self, keys: Collection[int]) -> dict[int, float]:
        """Return the scores of judged pages, by key."""
        ...

    def kept(self) -> set[int]:
        """Return the keys of the kept pages, explored ones too."""
        ...

    def titles(self, keys: Collection[int]) -> dict[int, str]:
        """Return the titles of pages, or their URLs, by key."""
        ...

    def set_aside(self, version: int) -> None:
        """Note that a version of the judge was not applied; inside `commit`."""
        ...

    def note_jump(self, jump: bytes) -> None:
        """Remember the last large change of what is kept, encoded; b'' forgets it. Inside `commit`."""
        ...


def conclusion_of(record: Record, before: Conclusion | None = None) -> Conclusion:
    """Return the conclusion on a record's URL.

    A later response without a page (not modified, gone, broken) keeps the conclusion before.
    """
    if before is not None and (record.fetched is None or (before.judged and record.page is None)):
        return before
    judged, explored = record.judgement is not None, record.explored
    relevant = record.judgement is not None and record.judgement.relevant and not explored
    return Conclusion(judged, relevant, explored, record.refusal is not None)


def add_to(counts: Counts, record: Record, before: Conclusion) -> Counts:
    """Return the counts after one more record."""
    fetched = record.fetched
    if fetched is None:
        return msgspec.structs.replace(counts, failed=counts.failed + (record.not_fetched is not None))
    is_page = fetched.link.kind == "page"
    if fetched.archived:  # counted among `others` when it was fetched
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
    """Return the counts after a URL got another conclusion."""
    if before == now:
        return counts
    return msgspec.structs.replace(
        counts,
        judged=counts.judged - before.judged + now.judged,
        relevant=counts.relevant - before.relevant + now.relevant,
        explored=counts.explored - before.explored + now.explored,
        refused=counts.refused - before.refused + now.refused,
    )

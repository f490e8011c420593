"""A sink in memory: the order of URLs, judgements and counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec

from lycosa.collection import (
    REJUDGED_AT_ONCE,
    Conclusion,
    Counts,
    Hear,
    Judgements,
    Record,
    Rejudged,
    add_to,
    concluded,
    conclusion_of,
)
from lycosa.collection.archive.warc import digest_of
from lycosa.collection.catalogue.facts import kept_terms
from lycosa.urls import authority_of, source_of
from lycosa.values import WANTED_KIND, Decision, Judgement, Page, PageTerms, Score

NEW = Conclusion()


class MemorySink:
    """Keep what an experiment measures; bodies, texts and links are dropped."""

    def __init__(self) -> None:
        self.fetched: list[str] = []  # URLs in the order of their first response
        self.judgements: dict[int, Judgement] = {}
        self.explored: set[int] = set()
        self._conclusions: dict[int, Conclusion] = {}
        self._judged: list[Page] = []
        self._counts = Counts()
        self._kept: dict[bytes, str] = {}

    @contextmanager
    def commit(self) -> Iterator[None]:
        """No rollback: an error ends the experiment."""
        yield

    def save(self, record: Record) -> Conclusion:
        fetched = record.fetched
        if fetched is None:
            self._counts = add_to(self._counts, record, NEW)
            return NEW
        link = fetched.link
        before = self._conclusions.get(link.key, NEW)
        self._counts = add_to(self._counts, record, before)
        if link.key not in self._conclusions:
            self.fetched.append(link.url)
        self._conclusions[link.key] = conclusion_of(record, before)
        if record.judgement is not None:
            self.judgements[link.key] = record.judgement
        if record.explored:
            self.explored.add(link.key)
        is_kept = record.judgement is not None and record.refusal is None
        if record.page is not None and is_kept and not before.judged:
            self._judged.append(msgspec.structs.replace(record.page, links=(), text=""))
        if is_kept and fetched.body:
            self._kept.setdefault(record.digest or digest_of(fetched.body), link.url)
        return before

    def settle(self, decisions: Sequence[Decision]) -> None:
        """No-op: links are not stored."""

    def promote(self, keys: Sequence[int]) -> int:
        joined = self.explored.intersection(keys)
        self.explored -= joined
        relevant = 0
        for key in joined:
            before, judgement = self._conclusions[key], self.judgements.get(key)
            now = msgspec.structs.replace(
                before, explored=False, relevant=judgement is not None and judgement.relevant
            )
            self._conclusions[key] = now
            self._counts = concluded(self._counts, before, now)
            relevant += now.relevant
        return relevant

    def page_terms(self, after: int, evidence: str) -> Iterator[PageTerms]:
        for number, page in enumerate(self._judged[after:], start=after + 1):
            fact, key = page.evidence.get(evidence), page.link.key
            value = fact.value if isinstance(fact, Score) else 0.0
            kind = page.evidence.get(WANTED_KIND)
            wanted = kind.value if isinstance(kind, Score) else 1.0
            yield PageTerms(number, key, kept_terms(page.terms), key not in self.explored, value, wanted)

    def unindexed_terms(self, evidence: str) -> Iterator[PageTerms]:
        """Return nothing: refused pages are not stored."""
        return iter(())

    def judge_anew(self, judgements: Judgements, version: int, hear: Hear = lambda _: None) -> None:
        for first in range(0, len(self._judged), REJUDGED_AT_ONCE):
            pages = self._judged[first : first + REJUDGED_AT_ONCE]
            hear(self._judge_anew(pages, judgements([page.link.key for page in pages])))

    def _judge_anew(self, pages: Sequence[Page], judgements: Mapping[int, Judgement]) -> list[Rejudged]:
        changed = []
        for page in pages:
            key = page.link.key
            if (now := judgements.get(key)) is None:
                continue
            before, conclusion = self.judgements[key], self._conclusions[key]
            source = source_of(authority_of(page.link.url))
            changed.append(Rejudged(key, source, before, now, conclusion.explored))
            self.judgements[key] = now
            self._conclusions[key] = msgspec.structs.replace(
                conclusion, relevant=now.relevant and not conclusion.explored
            )
            self._counts = concluded(self._counts, conclusion, self._conclusions[key])
        return changed

    def scores(self, keys: Collection[int]) -> dict[int, float]:
        return {key: self.judgements[key].score for key in keys if key in self.judgements}

    def kept(self) -> set[int]:
        return {key for key, judgement in self.judgements.items() if judgement.relevant}

    def titles(self, keys: Collection[int]) -> dict[int, str]:
        return {page.link.key: page.title or page.link.url for page in self._judged if page.link.key in keys}

    def set_aside(self, version: int) -> None:
        """No-op: versions are not stored."""

    def note_jump(self, jump: bytes) -> None:
        """No-op: nobody is told."""

    def kept_page(self, digest: bytes) -> str | None:
        return self._kept.get(digest)

    def counts(self) -> Counts:
        """Return the totals so far."""
        return self._counts

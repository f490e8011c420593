"""A store without a disk, for the lab: the order of URLs, judgements and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from lycosa.store import Counts, Record, add_to
from lycosa.store.warc import EarlierCapture, digest_of
from lycosa.values import Decision, Judgement


class MemoryStore:
    """Keeps what an experiment measures, and forgets bodies, texts and links."""

    def __init__(self) -> None:
        self.fetched: list[str] = []  # URLs in the order of their first response
        self.judgements: dict[int, Judgement] = {}
        self.explored: set[int] = set()
        self._keys: set[int] = set()
        self._counts = Counts()
        self._digests: dict[bytes, EarlierCapture] = {}

    @contextmanager
    def commit(self) -> Iterator[None]:
        """Nothing outlives the process, so nothing is undone: an error ends the experiment."""
        yield

    def save(self, record: Record) -> None:
        self._counts = add_to(self._counts, record)
        fetched = record.fetched
        if fetched is None:
            return
        link = fetched.link
        if link.key not in self._keys:
            self._keys.add(link.key)
            self.fetched.append(link.url)
        if record.judgement is not None:
            self.judgements[link.key] = record.judgement
        if record.explored:
            self.explored.add(link.key)
        if fetched.status == 200 and fetched.body:
            digest = digest_of(fetched.body)
            self._digests.setdefault(digest, EarlierCapture(link.url, fetched.started, digest))

    def settle(self, decisions: Sequence[Decision]) -> None:
        """Links are not kept, so there is nothing to note."""

    def promote(self, keys: Sequence[int]) -> int:
        joined = self.explored.intersection(keys)
        self.explored -= joined
        self._counts = msgspec.structs.replace(self._counts, explored=self._counts.explored - len(joined))
        return sum(key in self.judgements and self.judgements[key].relevant for key in joined)

    def known_digest(self, digest: bytes) -> EarlierCapture | None:
        return self._digests.get(digest)

    def counts(self) -> Counts:
        """How much has been saved."""
        return self._counts

"""A 20-byte record of the scores of all links to a URL, and a priority computed from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from lycosa.values import Decision, Floats

_RECORD = Struct("<Idd")
_MOST = 2**32 - 1


class Said(NamedTuple):
    """How many links lead to a URL, the mean of what they say, and the most that one of them says."""

    links: int
    mean: float
    best: float


class LinksTo:
    """How the frontier merges what links say of a URL, and scores it by a function of that.

    >>> every = LinksTo(lambda said: said.mean)
    >>> (said,) = every.merge([record_of(0.25)], [record_of(0.75)])
    >>> read_record(said), every.scored([said])[0].tolist()
    (Said(links=2, mean=0.5, best=0.75), [0.5])
    """

    def __init__(self, priority: Callable[[Said], float]) -> None:
        self.priority = priority

    def merge(self, known: Sequence[bytes], offered: Sequence[bytes]) -> list[bytes]:
        """The records of URLs, each with what one link more says."""
        return [_merged(*map(read_record, pair)) for pair in zip(known, offered, strict=True)]

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
        """The priorities; the records stay as they are."""
        return np.array([self.priority(read_record(record)) for record in records]), records


def _merged(one: Said, other: Said) -> bytes:
    links = max(one.links + other.links, 1)
    mean = one.mean + (other.mean - one.mean) * other.links / links
    return _RECORD.pack(min(links, _MOST), mean, max(one.best, other.best))


def recorded(decision: Decision) -> Decision:
    """A decision whose link says its priority in a record."""
    return replace(decision, link=replace(decision.link, record=record_of(decision.priority)))


def record_of(score: float) -> bytes:
    """What one link says."""
    return _RECORD.pack(1, score, score)


def read_record(record: bytes) -> Said:
    """What a record holds; one of another strategy, nothing.

    >>> read_record(b"another")
    Said(links=0, mean=0.0, best=0.0)
    """
    return Said(*_RECORD.unpack(record)) if len(record) == _RECORD.size else Said(0, 0.0, 0.0)

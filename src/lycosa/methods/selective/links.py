"""What all links to a URL say of it. In: a chance a link. Out: a record of twenty bytes, and a priority of it."""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple

import numpy as np

from lycosa.values import Floats

_RECORD = Struct("<Idd")
_MOST = 2**32 - 1


class Said(NamedTuple):
    """How many links lead to a URL, the mean of what they say, and the most that one of them says."""

    links: int
    mean: float
    best: float

    @property
    def priority(self) -> float:
        """Half by the best link, half by all of them.

            priority(u) = (max score(h_i) + (1 / n) Σ score(h_i)) / 2   over the links h_i to u that were found so far

        By the best alone, one lucky link among many that say nothing lifts a URL; by the mean alone, a telling one is
        drowned by those of menus.
        """
        return (self.best + self.mean) / 2


class BestAndMean:
    """How the frontier merges and scores what links say of a URL.

    >>> said = BestAndMean().merge(record_of(0.25), record_of(0.75))
    >>> read_record(said), BestAndMean().scored([said])[0].tolist()
    (Said(links=2, mean=0.5, best=0.75), [0.625])
    """

    def merge(self, known: bytes, offered: bytes) -> bytes:
        """The record of a URL with one link more."""
        one, other = read_record(known), read_record(offered)
        links = max(one.links + other.links, 1)
        mean = one.mean + (other.mean - one.mean) * other.links / links
        return _RECORD.pack(min(links, _MOST), mean, max(one.best, other.best))

    def scored(self, records: Sequence[bytes]) -> tuple[Floats, Sequence[bytes]]:
        """The priorities; the records stay as they are."""
        return np.array([read_record(record).priority for record in records]), records


def record_of(score: float) -> bytes:
    """What one link says."""
    return _RECORD.pack(1, score, score)


def read_record(record: bytes) -> Said:
    """What a record holds; one of another strategy, nothing.

    >>> read_record(b"another")
    Said(links=0, mean=0.0, best=0.0)
    """
    return Said(*_RECORD.unpack(record)) if len(record) == _RECORD.size else Said(0, 0.0, 0.0)

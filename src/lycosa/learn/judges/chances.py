"""What a version of a judge says of many pages. In: a chance for each, by key. Out: the same, packed, and found again.

All pages of a crawl are judged anew by each version. As numbers in a row they take 16 bytes each, as Python objects ten
times as many: those are made of some at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.values import Floats

AT_ONCE = 10_000
"""Pages of which there are Python objects at a time."""

Told = tuple[int, float, float]
"""The key of a page, the chance that it is relevant, and how surely it is of a wanted kind."""


class Chances(msgspec.Struct, frozen=True, array_like=True):
    """What is told of pages, in the order in which they were packed.

    >>> chances = Chances.of([(7, 0.5, 1.0), (3, 0.25, 0.9)])
    >>> chances.by_key(), len(chances + chances)
    ({7: 0.5, 3: 0.25}, 4)
    """

    keys: bytes = b""  # 64 bits each, as the others
    relevant: bytes = b""
    wanted: bytes = b""  # nothing where all are

    @classmethod
    def of(cls, told: Iterable[Told]) -> Self:
        """Pack what is told of pages that come one after another."""
        keys, relevant, wanted = array("q"), array("d"), array("d")
        for key, chance, kind in told:
            keys.append(key)
            relevant.append(chance)
            wanted.append(kind)
        kinds = wanted.tobytes() if min(wanted, default=1.0) < 1.0 else b""
        return cls(keys.tobytes(), relevant.tobytes(), kinds)

    def __len__(self) -> int:
        return len(self.keys) // 8

    def __iter__(self) -> Iterator[Told]:
        for first in range(0, len(self), AT_ONCE):
            yield from self._at(np.arange(first, min(first + AT_ONCE, len(self))))

    def __add__(self, others: Chances) -> Chances:
        some = self.wanted or others.wanted
        wanted = self._kinds().tobytes() + others._kinds().tobytes() if some else b""
        return Chances(self.keys + others.keys, self.relevant + others.relevant, wanted)

    def batches(self) -> Iterator[list[int]]:
        """The keys, some at a time."""
        keys = np.frombuffer(self.keys, np.int64)
        return (keys[first : first + AT_ONCE].tolist() for first in range(0, len(self), AT_ONCE))

    def by_key(self) -> dict[int, float]:
        """The chance of each page."""
        return {key: chance for key, chance, _ in self}

    def finder(self) -> Callable[[Sequence[int]], list[Told]]:
        """What finds what is told of some pages, by their keys, as far as anything is; of one that is told of twice, the last.

        >>> Chances.of([(7, 0.5, 1.0), (3, 0.25, 0.9)]).finder()([3, 5])
        [(3, 0.25, 0.9)]
        """
        keys = np.frombuffer(self.keys, np.int64)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]

        def find(asked: Sequence[int]) -> list[Told]:
            if not len(ordered):
                return []
            wanted = np.array(asked, np.int64)
            places = np.maximum(np.searchsorted(ordered, wanted, side="right") - 1, 0)
            return self._at(order[places[ordered[places] == wanted]])

        return find

    def columns(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """The same, column by column."""
        return np.frombuffer(self.keys, np.int64), np.frombuffer(self.relevant), self._kinds()

    def _at(self, places: NDArray[np.intp]) -> list[Told]:
        keys, relevant, wanted = (column[places].tolist() for column in self.columns())
        return list(zip(keys, relevant, wanted, strict=True))

    def _kinds(self) -> Floats:
        return np.frombuffer(self.wanted) if self.wanted else np.broadcast_to(1.0, len(self))

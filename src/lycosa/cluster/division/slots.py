"""Map sources to slots, and slots to shards.

The number of slots is fixed, so a new number of shards moves whole slots and needs no look at single sources.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import msgspec

from lycosa.urls import authority_of, hash_of, source_of

SLOTS = 1024


def slot_of(source: str) -> int:
    """The slot of a source: the same for ever, on every machine.

    >>> slot_of("example.org"), slot_of("example.net")
    (837, 116)
    """
    return hash_of(source) % SLOTS


@lru_cache(maxsize=50_000)
def _slot_of_authority(authority: str) -> int:
    """Kept for those that were asked for last: every link is asked for, and most go to few hosts."""
    return slot_of(source_of(authority))


class Slots(msgspec.Struct, frozen=True):
    """The owner of each slot, by number: `owners[slot]` is a shard."""

    owners: tuple[int, ...]

    @classmethod
    def among(cls, shards: int) -> Slots:
        """As even a share for each shard as there can be.

        >>> [Slots.among(3).owners.count(shard) for shard in range(3)]
        [342, 341, 341]
        """
        return cls(tuple(slot % shards for slot in range(SLOTS)))

    @property
    def shards(self) -> int:
        """Number of shards."""
        return max(self.owners) + 1

    def owner_of(self, url: str) -> int:
        """The shard that a URL belongs to."""
        return self.owners[_slot_of_authority(authority_of(url))]

    def among_others(self, shards: int) -> Slots:
        """The same slots for another number of shards; as few as possible change hands.

        >>> grown = Slots.among(2).among_others(3)
        >>> sorted(Counter(grown.owners).values()), sum(a != b for a, b in zip(grown.owners, Slots.among(2).owners))
        ([341, 341, 342], 341)
        """
        even = Counter(Slots.among(shards).owners)
        owners: list[int | None] = []
        for owner in self.owners:
            keeps = even[owner] > 0
            even[owner] -= keeps
            owners.append(owner if keeps else None)
        wanting = iter(sorted(even.elements()))
        return Slots(tuple(next(wanting) if owner is None else owner for owner in owners))

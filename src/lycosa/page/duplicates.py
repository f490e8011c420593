"""Near duplicates. In: term counts and 64-bit fingerprints. Out: fingerprints, and the earlier near duplicate.

Fingerprints are signed 64-bit numbers, as SQLite stores them; 0 is the fingerprint of no text.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lycosa import urls

CACHED_HASHES = 100_000
BANDS = 4
BAND_BITS = 16
BAND_ENTRIES = 64
"""At most this many fingerprints that share a block are compared; a fuller block tells nothing."""

_MASK = (1 << 64) - 1
_BAND_MASK = (1 << BAND_BITS) - 1


class _Hashes(dict[str, int]):
    def __missing__(self, term: str) -> int:
        if len(self) >= CACHED_HASHES:
            self.clear()
        self[term] = found = urls.hash_of(term)
        return found


_hashes = _Hashes()


def simhash_of(counts: Mapping[str, int]) -> int:
    """The simhash of a bag of terms: near for texts that share most of their terms.

        bit_b = [ sum_t n_t · (2·h(t)_b − 1) > 0 ]          [Charikar 2002]

    >>> simhash_of({})
    0
    >>> hamming(simhash_of({"cat": 3, "dog": 1}), simhash_of({"cat": 3}))
    0
    """
    if not counts:
        return 0
    hashes = np.fromiter(map(_hashes.__getitem__, counts), dtype="<i8", count=len(counts))
    weights = np.fromiter(counts.values(), dtype=np.float32, count=len(counts))
    bits = np.unpackbits(hashes.view(np.uint8).reshape(-1, 8), axis=1)
    ones = weights @ bits.astype(np.float32)
    return int(np.packbits(ones * 2 > weights.sum()).view("<i8")[0]) or 1


def hamming(one: int, other: int) -> int:
    """In how many of 64 bits two fingerprints differ.

    >>> hamming(-1, 0), hamming(5, 6)
    (64, 2)
    """
    return ((one ^ other) & _MASK).bit_count()


class NearDuplicates:
    """Fingerprints seen so far, found again within `distance` bits by blocks that they share.

    Two fingerprints that differ in at most 3 bits agree in at least one of four blocks of 16.
    """

    def __init__(self, distance: int = BANDS - 1) -> None:
        self.distance = distance
        self._fingerprints: dict[int, int] = {}
        self._bands: tuple[dict[int, list[int]], ...] = tuple({} for _ in range(BANDS))

    def add(self, key: int, simhash: int) -> int | None:
        """The key of an earlier near duplicate, the nearest of those looked at; None if it is new.

        Only a new one is kept, so that a cluster is named by its first member. What is added again under its
        key replaces what was known of it: a page is no duplicate of itself.
        """
        self._fingerprints.pop(key, None)
        if not simhash:
            return None
        found = self.find(simhash)
        if found is None:
            self._fingerprints[key] = simhash
            for band, block in zip(self._bands, _blocks(simhash), strict=True):
                entries = band.setdefault(block, [])
                if len(entries) < BAND_ENTRIES and key not in entries:
                    entries.append(key)
        return found

    def find(self, simhash: int) -> int | None:
        """The key of the nearest fingerprint within the distance, without adding anything."""
        nearest, at = None, self.distance + 1
        for band, block in zip(self._bands, _blocks(simhash), strict=True):
            for key in band.get(block, ()):
                other = self._fingerprints.get(key)  # None: of a page that says something else by now
                if other is not None and (apart := hamming(simhash, other)) < at:
                    nearest, at = key, apart
        return nearest


def _blocks(simhash: int) -> tuple[int, ...]:
    return tuple((simhash >> (band * BAND_BITS)) & _BAND_MASK for band in range(BANDS))

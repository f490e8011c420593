"""Find near-duplicates of earlier pages.

The simhash of a page's terms finds candidates; the sketch of its shingles confirms them. Two long articles on one
subject may have the same simhash, because frequent words dominate it, but few shingles in common. Simhashes are signed
64-bit numbers, as in SQLite; 0 means no text.
"""

from __future__ import annotations

import math
import secrets
from array import array
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lycosa.page.text.tokens import EIGHT, PLAIN, Tokens, eights_of

BANDS = 4
BAND_BITS = 16
BAND_ENTRIES = 64
"""Maximum number of fingerprints compared per block; a fuller block is not selective."""

NONE = -1

SKETCH_BINS = 64
SHINGLE_BYTES = 24
"""Four or five words of English."""
SKETCHED_BYTES = 1_000_000
"""Longer texts are cut before they are sketched."""
RESEMBLING = 0.5
"""Minimum share of common shingles of near-duplicates, as in Broder 1997."""

_MASK = (1 << 64) - 1
# The golden ratio and the multipliers of SplitMix64.
_MIXERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_TOP_BITS = 64 - SKETCH_BINS.bit_length() + 1
_BAND_MASK = (1 << BAND_BITS) - 1
# Random per process, so that no site can choose URLs that all fall into one chain.
_SECRET = secrets.randbits(64) | 1


def simhash_of(hashes: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    """The simhash of terms, given their hashes and counts: close for texts that share most terms.

        bit_b = [ sum_t n_t · (2·h(t)_b − 1) > 0 ]          [Charikar 2002]

    >>> cat_and_dog = np.array([0x6A09E667F3BCC908, 0x3C6EF372FE94F82B])
    >>> hamming(simhash_of(cat_and_dog, np.array([3, 1])), simhash_of(cat_and_dog[:1], np.array([3])))
    0
    >>> simhash_of(np.array([], np.int64), np.array([], np.int64))
    0
    """
    if not len(hashes):
        return 0
    weights = counts.astype(np.float32)
    bits = np.unpackbits(hashes.astype("<i8").view(np.uint8)).reshape(-1, 64)
    ones = weights @ bits.astype(np.float32)
    return int(np.packbits(ones * 2 > weights.sum()).view("<i8")[0]) or 1


def hamming(one: int, other: int) -> int:
    """The number of bits in which two fingerprints differ.

    >>> hamming(-1, 0), hamming(5, 6)
    (64, 2)
    """
    return ((one ^ other) & _MASK).bit_count()


def sketch_of(text: str) -> bytes:
    """A sketch of a text's shingles: what it begins with at each word, 24 bytes of it, in lower case.

    The shingles are hashed into 64 bins, and one byte of the least hash of each bin is kept (0: an empty bin):
    one-permutation b-bit MinHash [Li, Owen and Zhang 2012].

    >>> len(sketch_of("The cat sat on the mat.")), sketch_of("")
    (64, b'')
    """
    return sketch_of_tokens(Tokens(text.encode("utf-8", "replace")[:SKETCHED_BYTES].translate(PLAIN)))


def sketch_of_tokens(tokens: Tokens) -> bytes:
    """The sketch of a text whose tokens are known."""
    if not len(tokens):
        return b""
    eights = eights_of(tokens.squeezed() + b" " * (2 * SHINGLE_BYTES))
    begins = np.zeros(len(tokens), np.intp)
    np.cumsum(tokens.sizes[:-1] + 1, out=begins[1:])
    hashes = np.zeros(len(begins), dtype=np.uint64)
    for at, mixer in zip(range(0, SHINGLE_BYTES, EIGHT), _MIXERS, strict=True):
        hashes ^= eights.take(begins + at)
        hashes *= np.uint64(mixer)
        hashes ^= hashes >> np.uint64(31)
    hashes *= np.uint64(_MIXERS[0])
    bins = (hashes >> np.uint64(_TOP_BITS)).astype(np.intp)
    least = np.full(SKETCH_BINS, _MASK, np.uint64)
    np.minimum.at(least, bins, hashes)
    is_filled = np.bincount(bins, minlength=SKETCH_BINS) > 0
    return np.where(is_filled, 1 + least % np.uint64(255), 0).astype(np.uint8).tobytes()


def resemblance(one: bytes, other: bytes) -> float:
    """An estimate, from their sketches, of the shingles that two texts share among all that they have.

        R = |A ∩ B| / |A ∪ B| ≈ bins that agree / bins that are not empty in both

    >>> resemblance(sketch_of("a b c d e f"), sketch_of("A, b: c d e f!"))
    1.0
    """
    if not one or not other:
        return 0.0
    mine, theirs = np.frombuffer(one, dtype=np.uint8), np.frombuffer(other, dtype=np.uint8)
    filled = (mine != 0) | (theirs != 0)
    return float((mine == theirs)[filled].mean())


class _Band:
    """Numbers of fingerprints by a block of 16 bits, in linked lists."""

    def __init__(self, limit: float = BAND_ENTRIES) -> None:
        self._limit = limit
        self._first = array("i", [NONE]) * (1 << BAND_BITS)
        self._next = array("i")

    def of(self, block: int) -> Iterator[int]:
        """The numbers in a block, the oldest first."""
        number = self._first[block]
        while number != NONE:
            yield number
            number = self._next[number]

    def add(self, block: int, number: int) -> None:
        """Append a number to its block, unless the block is full."""
        if number == len(self._next):
            self._next.append(NONE)
        others = list(self.of(block))
        if len(others) < self._limit:
            self._link(block, others[-1] if others else NONE, number)
            self._next[number] = NONE

    def remove(self, block: int, number: int) -> None:
        """Remove a number from its block, if it is there."""
        before = NONE
        for other in self.of(block):
            if other == number:
                self._link(block, before, self._next[number])
                return
            before = other

    def _link(self, block: int, before: int, number: int) -> None:
        if before == NONE:
            self._first[block] = number
        else:
            self._next[before] = number


class NearDuplicates:
    """Fingerprints seen so far: candidates within `distance` bits, found by blocks that they share, and confirmed.

    Two simhashes that differ in at most 3 bits agree in at least one of four blocks of 16. Arrays keep all pages of a
    crawl in 100 bytes each; Python objects would take five times as much.
    """

    def __init__(self, distance: int = BANDS - 1) -> None:
        self.distance = distance
        self._by_key = _Band(math.inf)
        self._keys, self._simhashes, self._sketches = array("q"), array("Q"), bytearray()
        self._bands = tuple(_Band() for _ in range(BANDS))
        self._free: list[int] = []  # numbers that can be reused

    def add(self, key: int, simhash: int, sketch: bytes) -> int | None:
        """The key of the nearest earlier near-duplicate; None if the page is new.

        Only new pages are kept, so that a cluster is named by its first member. A page that is added again
        replaces its old fingerprint: it is not a duplicate of itself.
        """
        self._forget(key)
        if not simhash:
            return None
        found = self.find(simhash, sketch)
        if found is None:
            self._keep(key, simhash, sketch)
        return found

    def find(self, simhash: int, sketch: bytes) -> int | None:
        """The key of the nearest page within the distance that resembles it, without adding anything."""
        candidates = {}
        for band, block in zip(self._bands, _blocks(simhash), strict=True):
            for number in band.of(block):
                if (apart := hamming(simhash, self._simhashes[number])) <= self.distance:
                    candidates[number] = apart
        for number in sorted(candidates, key=candidates.__getitem__):
            if resemblance(sketch, self._sketch(number)) >= RESEMBLING:
                return self._keys[number]
        return None

    def _keep(self, key: int, simhash: int, sketch: bytes) -> None:
        if not self._free:
            self._free.append(len(self._keys))
            self._keys.append(0)
            self._simhashes.append(0)
            self._sketches += bytes(SKETCH_BINS)
        number = self._free.pop()
        self._by_key.add(_block_of_key(key), number)
        self._keys[number], self._simhashes[number] = key, simhash & _MASK
        at = number * SKETCH_BINS
        self._sketches[at : at + SKETCH_BINS] = sketch.ljust(SKETCH_BINS, b"\0")
        for band, block in zip(self._bands, _blocks(simhash), strict=True):
            band.add(block, number)

    def _forget(self, key: int) -> None:
        block = _block_of_key(key)
        number = next((one for one in self._by_key.of(block) if self._keys[one] == key), None)
        if number is None:
            return
        self._by_key.remove(block, number)
        self._free.append(number)
        for band, block in zip(self._bands, _blocks(self._simhashes[number]), strict=True):
            band.remove(block, number)

    def _sketch(self, number: int) -> bytes:
        return bytes(self._sketches[number * SKETCH_BINS : (number + 1) * SKETCH_BINS])


def _blocks(simhash: int) -> tuple[int, ...]:
    return tuple((simhash >> (band * BAND_BITS)) & _BAND_MASK for band in range(BANDS))


def _block_of_key(key: int) -> int:
    return (key * _SECRET & _MASK) >> (64 - BAND_BITS)

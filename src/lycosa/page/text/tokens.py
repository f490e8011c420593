"""Split a text into tokens, and hash and look them up all at once on arrays."""

from __future__ import annotations

import secrets
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

EIGHT = 8
LONGEST = 40
"""Maximum bytes of a token that can be looked up."""
UNKNOWN = -(1 << 31)
COPIED = 1 << 20
"""Texts up to this many bytes have their eight-byte numbers copied, which is faster but takes eight times the memory."""

# One pass over the bytes: letters to lower case, digits kept, other ASCII to spaces, the rest kept.
PLAIN = bytes(
    byte if byte >= 128 else ord(chr(byte).lower()) if chr(byte).isalnum() else 32 for byte in range(256)
)
_SPACE = 32
_SMALLEST = 1 << 12
SPARSE = 4
"""Minimum slots of a table per number: with fewer, a look-up takes more passes over the arrays."""
# Masks that keep the first N of eight bytes.
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(EIGHT + 1)], np.uint64)
# Random per process, so that no page can contain words with colliding hashes.
_SECRETS = [np.uint64(secrets.randbits(64) | 1) for _ in range(LONGEST // EIGHT)]


def plain_of(text: str) -> bytes:
    """The text as bytes in lower case, with spaces for all ASCII that is no letter or digit.

    >>> plain_of("Owls, 2 of 10!").decode()
    'owls  2 of 10 '
    """
    return text.encode("utf-8", "replace").translate(PLAIN)


def eights_of(padded: bytes) -> NDArray[np.uint64]:
    """Eight bytes at every place but the last seven, read as one number each."""
    overlapping: NDArray[np.uint64] = np.ndarray(
        (len(padded) - EIGHT + 1,), dtype="<u8", buffer=padded, strides=(1,)
    )
    # Reading overlapping numbers is slow; copying those of a long text takes too much memory.
    return overlapping if len(padded) > COPIED else np.ascontiguousarray(overlapping)


class Tokens:
    """The tokens of a plain text: what stands between spaces."""

    def __init__(self, plain: bytes) -> None:
        self.plain = plain

    @cached_property
    def _is_word(self) -> NDArray[np.bool_]:
        """Whether each byte belongs to a token, with a space added before and after the text."""
        is_word = np.zeros(len(self.plain) + 2, np.bool_)
        np.not_equal(np.frombuffer(self.plain, np.uint8), _SPACE, out=is_word[1:-1])
        return is_word

    @cached_property
    def _edges(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_word[1:] != self._is_word[:-1])

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each begins.

        >>> Tokens(b" owls  of").starts.tolist()
        [1, 7]
        """
        return np.ascontiguousarray(self._edges[::2])

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """Where each ends."""
        return np.ascontiguousarray(self._edges[1::2])

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of bytes of each."""
        return self.ends - self.starts

    def squeezed(self) -> bytes:
        """The same with one space after each token, and none elsewhere.

        >>> Tokens(b" owls  of").squeezed()
        b'owls of '
        """
        bytes_of = np.frombuffer(self.plain + b" ", np.uint8)
        return bytes_of[self._is_word[1:] | self._is_word[:-1]].tobytes()

    def hashes(self) -> NDArray[np.uint64]:
        """A hash of the first LONGEST bytes of each, never 0; it differs between processes."""
        starts, sizes = self.starts, self.sizes
        eights = eights_of(self.plain + b" " * LONGEST)
        hashes = _mixed(eights.take(starts) & _MASKS.take(np.minimum(sizes, EIGHT)), _SECRETS[0])
        for step, secret in enumerate(_SECRETS[1:], 1):
            longer = np.flatnonzero(sizes > EIGHT * step)
            if not len(longer):
                break
            rest = np.minimum(sizes.take(longer) - EIGHT * step, EIGHT)
            more = eights.take(starts.take(longer) + EIGHT * step) & _MASKS.take(rest)
            hashes[longer] = _mixed(hashes.take(longer) ^ more, secret)
        return np.maximum(hashes, 1)

    def __getitem__(self, at: int) -> bytes:
        return self.plain[self.starts[at] : self.ends[at]]

    def some(self, places: NDArray[np.intp]) -> list[bytes]:
        """Those at some places.

        >>> Tokens(b" owls  of night").some(np.array([2, 0]))
        [b'night', b'owls']
        """
        starts, ends = self.starts.take(places).tolist(), self.ends.take(places).tolist()
        return [self.plain[start:end] for start, end in zip(starts, ends, strict=True)]

    def __len__(self) -> int:
        return len(self._edges) // 2


def _mixed(numbers: NDArray[np.uint64], secret: np.uint64) -> NDArray[np.uint64]:
    # One to one, so words of up to eight bytes never share a hash.
    numbers = (numbers ^ (numbers >> np.uint64(32))) * secret
    return numbers ^ (numbers >> np.uint64(29))


class TokenTable:
    """Numbers by hash, with open addressing on arrays: thousands of look-ups at once."""

    def __init__(self) -> None:
        self._room(_SMALLEST)

    def _room(self, slots: int) -> None:
        # Hash and number of each slot, side by side for the cache. 0: free.
        self._entries = np.zeros((slots, 2), np.int64)
        self._entries[:, 1] = UNKNOWN
        self._shift = np.uint64(64 - (slots.bit_length() - 1))
        self._size = 0

    def find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The number of each; UNKNOWN where it has none."""
        return self._looked_up(hashes)[1]

    def _looked_up(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Where each is, or would be, and its number."""
        wanted, last = hashes.view(np.int64), len(self._entries) - 1
        slots = (hashes >> self._shift).astype(np.intp)
        there = self._entries.take(slots, axis=0)
        numbers = there[:, 1].astype(np.int32)
        taken = np.flatnonzero(there[:, 0] != wanted)
        taken = taken[there[:, 0].take(taken) != 0]  # by another
        while len(taken):
            slots[taken] = further = (slots.take(taken) + 1) & last
            there = self._entries.take(further, axis=0)
            numbers[taken] = there[:, 1]
            taken = taken[(there[:, 0] != wanted.take(taken)) & (there[:, 0] != 0)]
        return slots, numbers

    def add(self, hashes: NDArray[np.uint64], numbers: NDArray[np.int32]) -> None:
        """Keep numbers of different hashes that are not known yet."""
        if SPARSE * (self._size + len(hashes)) > len(self._entries):
            known = self._entries[self._entries[:, 0] != 0]
            self._room(1 << (SPARSE * (self._size + len(hashes))).bit_length())
            self.add(known[:, 0].astype(np.uint64), known[:, 1].astype(np.int32))
        self._size += len(hashes)
        while len(hashes):
            slots, wanted = self._looked_up(hashes)[0], hashes.view(np.int64)
            self._entries[slots, 0] = wanted  # of several that want one slot, one gets it
            got = self._entries[slots, 0] == wanted
            self._entries[slots[got], 1] = numbers[got]
            hashes, numbers = hashes[~got], numbers[~got]

    def __len__(self) -> int:
        return self._size

"""The terms of a page as the catalogue stores them. In: counts by term. Out: a few kilobytes, and back."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest

import msgspec
import zstandard

MAX_TERMS = 2000
"""Different terms that are kept of a page, the most frequent: what is beyond says little of its topic."""
MAX_BYTES = 1_000_000

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(dict[str, int]).decode
_pack = zstandard.ZstdCompressor(level=3).compress
_unpack = zstandard.ZstdDecompressor().decompress


def packed_terms(terms: Mapping[str, int]) -> bytes:
    """The most frequent terms, packed.

    >>> unpacked_terms(packed_terms({"owl": 3, "night": 1}))
    {'owl': 3, 'night': 1}
    """
    return _pack(_encode(kept_terms(terms)))


def kept_terms(terms: Mapping[str, int]) -> dict[str, int]:
    """The most frequent terms.

    >>> len(kept_terms({f"w{n}": n for n in range(3000)}))
    2000
    """
    if len(terms) <= MAX_TERMS:
        return dict(terms)
    return dict(nlargest(MAX_TERMS, terms.items(), key=lambda item: item[1]))


def unpacked_terms(packed: bytes) -> dict[str, int]:
    """Counts by term."""
    return _decode(_unpack(packed, max_output_size=MAX_BYTES))

"""Pack and unpack the terms of a page, a few kilobytes each."""

from __future__ import annotations

import msgspec
import numpy as np
import zstandard

from lycosa.values import Terms

MAX_TERMS = 2000
"""Distinct terms kept of a page, the most frequent. Rarer ones say little about its topic."""
MAX_BYTES = 1_000_000


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    lines: str
    counts: bytes
    meaning: bytes = b""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Stored).decode
_pack = zstandard.ZstdCompressor(level=1).compress
_unpack = zstandard.ZstdDecompressor().decompress


def packed_terms(terms: Terms) -> bytes:
    """Pack terms for the catalogue.

    >>> unpacked_terms(packed_terms(Terms("owl\\nnight", np.array([3, 1], np.int32).tobytes()))).counted()
    {'owl': 3, 'night': 1}
    """
    return _pack(_encode(_Stored(terms.lines, terms.counts, terms.meaning)))


def kept_terms(terms: Terms) -> Terms:
    """Return the MAX_TERMS most frequent terms; of equally frequent ones, the first.

    >>> many = Terms("\\n".join(f"w{n}" for n in range(3000)), np.arange(3000, dtype=np.int32).tobytes())
    >>> kept_terms(many).lines[:11], len(kept_terms(many))
    ('w2999\\nw2998', 2000)
    """
    if len(terms) <= MAX_TERMS:
        return terms
    counts, lines = np.frombuffer(terms.counts, np.int32), terms.lines.split("\n")
    kept = np.argsort(-counts, kind="stable")[:MAX_TERMS]
    return Terms(
        "\n".join(map(lines.__getitem__, kept.tolist())), counts[kept].tobytes(), meaning=terms.meaning
    )


def unpacked_terms(packed: bytes) -> Terms:
    """Unpack terms and their counts, without hashes."""
    found = _decode(_unpack(packed, max_output_size=MAX_BYTES))
    return Terms(found.lines, found.counts, meaning=found.meaning)

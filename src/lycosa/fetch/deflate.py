"""Gzip by ISA-L, where it is installed, else by zlib: the same streams in half the time or less. In: bytes. Out: bytes."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any

try:
    _library: Any = import_module("isal.isal_zlib")
except ImportError:  # there is no wheel for every machine
    _library = zlib

LEVEL = 2
"""Of nine, or of ISA-L's three: with either the second makes records a few hundredths longer than the best."""
GZIP = 16
"""Added to the bits of a window: a gzip stream."""


def gzipped(data: bytes, window: int = zlib.MAX_WBITS, memory: int = 9) -> bytes:
    """Bytes as one gzip member, with a window of so many bits and so much memory.

    >>> zlib.decompress(gzipped(b"owl" * 99), GZIP + 15) == b"owl" * 99
    True
    """
    deflate = _library.compressobj(LEVEL, zlib.DEFLATED, GZIP + window, memory)
    done: bytes = deflate.compress(data) + deflate.flush()
    return done


def gunzipped(data: bytes, room: int) -> tuple[bytes, bytes] | None:
    """What a gzip member holds, and what follows it, if all of it is there, fits, and agrees with its check sum.

    None of any other: of a stream that is damaged, cut or too long, what can be had is zlib's to say. ISA-L takes some for
    sound that zlib refuses.

    >>> import gzip
    >>> member = gzip.compress(b"night")
    >>> gunzipped(member + b"x", 99), gunzipped(member, 3), gunzipped(member[:-1], 99), gunzipped(b"night", 99)
    ((b'night', b'x'), None, None, None)
    """
    inflate = _library.decompressobj(GZIP + zlib.MAX_WBITS)
    try:
        output: bytes = inflate.decompress(data, room)
    except _library.error:
        return None
    return (output, inflate.unused_data) if inflate.eof else None

"""Gzip with ISA-L if it is installed (twice as fast), else with zlib."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any

try:
    _library: Any = import_module("isal.isal_zlib")
except ImportError:  # not all platforms have a wheel
    _library = zlib

LEVEL = 2
"""Compression level, of zlib's nine or ISA-L's three."""
GZIP = 16
"""Added to the window bits to select the gzip format."""


def gzipped(data: bytes, window: int = zlib.MAX_WBITS, memory: int = 9) -> bytes:
    """Compress bytes into one gzip member.

    >>> zlib.decompress(gzipped(b"owl" * 99), GZIP + 15) == b"owl" * 99
    True
    """
    deflate = _library.compressobj(LEVEL, zlib.DEFLATED, GZIP + window, memory)
    done: bytes = deflate.compress(data) + deflate.flush()
    return done


def gunzipped(data: bytes, room: int) -> tuple[bytes, bytes] | None:
    """Return the content of a gzip member and the bytes after it, if it is complete, valid and fits into `room`.

    None otherwise: use zlib for damaged, cut and too long streams, because ISA-L accepts some invalid ones.

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

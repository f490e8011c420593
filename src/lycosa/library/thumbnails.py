"""Archived images, small. In: the bytes of strangers. Out: a JPEG of our own making, or nothing."""

from __future__ import annotations

import io

from PIL import Image

from lycosa.page.pictures import read_image
from lycosa.values import Refusal

SIDE = 320
"""Of a thumbnail, at most, in pixels."""
SOURCE_BYTES = 16 * 2**20
"""Larger files are not read for a thumbnail."""


def thumbnail(body: bytes) -> bytes | None:
    """A small JPEG of an image; None if it is none, or one that should not be decoded."""
    pixels = read_image(body)
    if isinstance(pixels, Refusal):
        return None
    small, out = Image.fromarray(pixels), io.BytesIO()
    small.thumbnail((SIDE, SIDE))
    small.save(out, "JPEG", quality=82)
    return out.getvalue()

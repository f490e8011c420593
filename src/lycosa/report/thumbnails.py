"""Archived images, small. In: the bytes of strangers. Out: a JPEG of our own making, or nothing."""

from __future__ import annotations

import io

from PIL import Image

from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.fetch.decode import decoded_body
from lycosa.page.images.pictures import read_image
from lycosa.values import Kind, Refusal

SIDE = 320
"""Of a thumbnail, at most, in pixels."""
SOURCE_BYTES = 16 * 2**20
"""Larger files are not read for a thumbnail."""


def thumbnail_of(collection: Collection, number: int) -> bytes | None:
    """A small JPEG of an archived image, by its number; None if there is no image that can be shown."""
    stored = collection.reader.page_by_id(number)
    if stored is None or stored.kind is Kind.PAGE:
        return None
    fetched = response_of(collection, stored, SOURCE_BYTES)
    body = decoded_body(fetched, SOURCE_BYTES) if fetched else b""
    return None if isinstance(body, Refusal) or not body else thumbnail(body)


def thumbnail(body: bytes) -> bytes | None:
    """A small JPEG of an image; None if it is none, or one that should not be decoded."""
    pixels = read_image(body)
    if isinstance(pixels, Refusal):
        return None
    small, out = Image.fromarray(pixels), io.BytesIO()
    small.thumbnail((SIDE, SIDE))
    small.save(out, "JPEG", quality=82)
    return out.getvalue()

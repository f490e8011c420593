"""Make small copies of archived images."""

from __future__ import annotations

import io

from PIL import Image

from lycosa.collection.archive.responses import response_of
from lycosa.collection.collection import Collection
from lycosa.fetch.decode import decoded_body
from lycosa.page.images.pictures import read_image
from lycosa.values import Kind, Refusal

SIDE = 320
"""Maximum side of a thumbnail in pixels."""
SOURCE_BYTES = 16 * 2**20
"""Maximum size of an image file."""


def thumbnail_of(collection: Collection, number: int) -> bytes | None:
    """Return a small JPEG of an archived image (by its id); None if it cannot be shown."""
    stored = collection.reader.page_by_id(number)
    if stored is None or stored.kind is Kind.PAGE:
        return None
    fetched = response_of(collection, stored, SOURCE_BYTES)
    body = decoded_body(fetched, SOURCE_BYTES) if fetched else b""
    return None if isinstance(body, Refusal) or not body else thumbnail(body)


def thumbnail(body: bytes) -> bytes | None:
    """Return a small JPEG of an image; None if it cannot be decoded safely."""
    pixels = read_image(body)
    if isinstance(pixels, Refusal):
        return None
    small, out = Image.fromarray(pixels), io.BytesIO()
    small.thumbnail((SIDE, SIDE))
    small.save(out, "JPEG", quality=82)
    return out.getvalue()

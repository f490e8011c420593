"""The images of pages: which of them are worth a request, and where each stands."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.page.images.image_size import is_small
from lycosa.values import Image, Link

HIT = 0.5
"""An image scored so by its model shows what is sought."""
IMAGES_FIRST = 2.0
"""The priority of images: above every page, because links wait for them."""


def candidates(images: Iterable[Image]) -> list[Image]:
    """The images that may be worth fetching, by what the markup says of them: no drawings, no small ones."""
    return [image for image in images if not _is_drawn(image) and not is_small(image.width, image.height)]


def _is_drawn(image: Image) -> bool:
    return image.url.lower().partition("?")[0].endswith((".svg", ".svgz", ".ico"))


def keys_of_image(image: Link) -> tuple[int, ...]:
    """The keys of an image: its own, and those of the URLs that redirected to it."""
    return (image.key, *image.notes.via)

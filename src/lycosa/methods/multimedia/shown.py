"""Choose the images of a page that are fetched."""

from __future__ import annotations

from collections.abc import Iterable

from lycosa.page.images.image_size import is_small
from lycosa.values import Image, Link

HIT = 0.5
"""Minimum score of an image that shows what is wanted."""
IMAGES_FIRST = 2.0
"""The priority of images: above every page, because links wait for them."""


def candidates(images: Iterable[Image]) -> list[Image]:
    """The images to fetch, judged by the markup: no drawings, no small ones."""
    return [image for image in images if not _is_drawn(image) and not is_small(image.width, image.height)]


def _is_drawn(image: Image) -> bool:
    return image.url.lower().partition("?")[0].endswith((".svg", ".svgz", ".ico"))


def keys_of_image(image: Link) -> tuple[int, ...]:
    """The keys of an image: its own, and those of the URLs that redirected to it."""
    return (image.key, *image.notes.via)

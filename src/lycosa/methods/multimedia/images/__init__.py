"""Classify the images of pages: bytes to pixels, pixels to descriptors, descriptors to a class."""

from __future__ import annotations

from lycosa.methods.multimedia.images.evidence import ImageEvidence
from lycosa.methods.multimedia.images.model import ImageModel
from lycosa.page.images.pictures import read_image

__all__ = ["ImageEvidence", "ImageModel", "read_image"]

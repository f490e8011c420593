"""What the images of a page show: bytes become pixels, pixels descriptors, descriptors a class.

In: the bytes of an image response. Out: a Fact (how surely it shows what is sought, and which class)
or a Refusal.
"""

from __future__ import annotations

from lycosa.methods.multimedia.images.evidence import ImageEvidence
from lycosa.methods.multimedia.images.model import ImageModel
from lycosa.page.images.pictures import read_image

__all__ = ["ImageEvidence", "ImageModel", "read_image"]

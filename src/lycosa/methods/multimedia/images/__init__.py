"""What the images of a page show: bytes become pixels, pixels descriptors, descriptors a class.

In: the bytes of an image response. Out: a Fact (how surely it shows what is sought, and which class)
or a Refusal. `size_of` tells from the first bytes whether an image is worth its download.
"""

from __future__ import annotations

from lycosa.methods.multimedia.images.evidence import ImageEvidence, is_small, refuse_small
from lycosa.methods.multimedia.images.model import ImageModel
from lycosa.methods.multimedia.images.reading import read_image
from lycosa.methods.multimedia.images.size import size_of

__all__ = ["ImageEvidence", "ImageModel", "is_small", "read_image", "refuse_small", "size_of"]

"""What a fitted image model says of an image that was fetched for a page's sake."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

from lycosa.evidence import Evidence, Need
from lycosa.methods.multimedia.images.model import ImageModel
from lycosa.methods.multimedia.images.size import size_of
from lycosa.values import Reason, Refusal, Score

MIN_WIDTH, MIN_HEIGHT = 100, 50
"""Smaller images are not looked at   [Tsikrika et al., 5.1]."""
REMEMBERED = 10_000
"""Of so many images the verdict is kept by their content: sites serve one picture under many URLs."""


def is_small(width: int, height: int) -> bool:
    """Whether an image is too small to show anything; 0 means that a side is not known.

    >>> is_small(100, 50), is_small(99, 400), is_small(0, 40), is_small(0, 0)
    (False, True, True, False)
    """
    return 0 < width < MIN_WIDTH or 0 < height < MIN_HEIGHT


def refuse_small(head: bytes) -> Refusal | None:
    """Why an image is not downloaded further, by its first bytes."""
    size = size_of(head)
    if size is None or not is_small(*size):
        return None
    return Refusal(Reason.SMALL_IMAGE, f"{size[0]} × {size[1]} pixels")


class ImageEvidence(Evidence):
    """`image`: how surely an image shows what is sought. Pages and their links say nothing: images are fetched one by one."""

    name = "image"
    needs = frozenset({Need.IMAGES})
    tells = Score

    def __init__(self, model: ImageModel) -> None:
        self.model = model
        self._seen: OrderedDict[bytes, Score | Refusal] = OrderedDict()

    def of_image(self, data: bytes) -> Score | Refusal:
        """The model's verdict; 0.5 and above: it shows what is sought."""
        digest = blake2b(data, digest_size=16).digest()
        if digest not in self._seen:
            self._seen[digest] = refuse_small(data[:65_536]) or self.model.judge(data)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        return self._seen[digest]

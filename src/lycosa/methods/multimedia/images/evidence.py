"""The verdict of an image model on a fetched image."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import blake2b

from lycosa.evidence import Evidence, Need
from lycosa.methods.multimedia.images.model import ImageModel
from lycosa.page.images.image_size import refuse_small
from lycosa.values import Refusal, Score

REMEMBERED = 10_000
"""Verdicts cached by content: sites serve one image under many URLs."""


class ImageEvidence(Evidence):
    """`image`: the confidence that an image shows what is wanted. Images are fetched one by one; pages and links have none."""

    name = "image"
    needs = frozenset({Need.IMAGES})
    tells = Score

    def __init__(self, model: ImageModel) -> None:
        self.model = model
        self._seen: OrderedDict[bytes, Score | Refusal] = OrderedDict()

    @property
    def digest(self) -> str:
        """A digest of the model."""
        model = self.model
        digest = blake2b(
            model.vectors.tobytes() + model.mean.tobytes() + model.scale.tobytes(), digest_size=8
        )
        digest.update(repr([model.rule, [(one.label, one.threshold) for one in model.classes]]).encode())
        return digest.hexdigest()

    def of_image(self, data: bytes) -> Score | Refusal:
        """The model's verdict; 0.5 and above: it shows what is sought."""
        digest = blake2b(data, digest_size=16).digest()
        if digest not in self._seen:
            self._seen[digest] = refuse_small(data[:65_536]) or self.model.judge(data)
            if len(self._seen) > REMEMBERED:
                self._seen.popitem(last=False)
        return self._seen[digest]

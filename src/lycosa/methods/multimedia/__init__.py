"""Multimedia evidence: link text and the images of a page (Tsikrika et al.)."""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.multimedia"

METHOD = Method(
    name="multimedia",
    strategies={"multimedia": f"{_HERE}.strategy:Multimedia"},
    guides={
        "multimedia": "whether a page that links to it shows such an image, and what such pages have led to"
    },
    models=f"{_HERE}.images.model:image_judge",
    train=f"{_HERE}.commands:register",
)

"""Multimedia evidence: link text and the images of a page [Tsikrika et al.]."""

from __future__ import annotations

from lycosa.methods.seam import Commands, Lazy, Method

METHOD = Method(
    name="multimedia",
    strategies={"multimedia": Lazy(f"{__name__}.strategy:Multimedia")},
    commands=Commands(
        train=Lazy(f"{__name__}.commands:register"), read_model=Lazy(f"{__name__}.images.model:image_judge")
    ),
)

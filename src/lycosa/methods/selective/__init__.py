"""Selective use of link context (Liu, Peng and Zuo)."""

from __future__ import annotations

from lycosa.methods.seam import Method

_HERE = "lycosa.methods.selective"

METHOD = Method(
    name="selective",
    strategies={"selective": f"{_HERE}.strategy:Selective"},
)

"""Selective use of link context [Liu, Peng and Zuo]."""

from __future__ import annotations

from lycosa.methods.seam import Lazy, Method

METHOD = Method(name="selective", strategies={"selective": Lazy(f"{__name__}.strategy:Selective")})

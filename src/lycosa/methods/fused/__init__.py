"""`fused`: rank URLs by a sum of all evidence, learned while crawling (ours)."""

from __future__ import annotations

from lycosa.methods.seam import Lazy, Method

METHOD = Method(name="fused", strategies={"fused": Lazy(f"{__name__}.strategy:Fused")})

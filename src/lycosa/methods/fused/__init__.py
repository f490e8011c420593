"""`fused`: all that is known of a URL in one sum, learned while crawling (ours)."""

from __future__ import annotations

from lycosa.methods.seam import Method

METHOD = Method(
    name="fused",
    strategies={"fused": "lycosa.methods.fused.strategy:Fused"},
    when={"fused": "a topic, given by keywords, a description or example pages: the default"},
)

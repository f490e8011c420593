"""The seam of browsers: a renderer makes a document of a fetched page by running its scripts."""

from __future__ import annotations

from typing import Protocol

import msgspec

from lycosa.values import Fetched, NotFetched


class Rendered(msgspec.Struct, frozen=True):
    """The document that scripts made of a page, or the URL they led to, or why there is neither."""

    html: bytes = b""
    moved_to: str = ""
    failed: str = ""
    exchanges: tuple[Fetched | NotFetched, ...] = ()  # requests besides the page itself
    elapsed_s: float = 0.0


class Renderer(Protocol):
    """Renders pages. Its only way to the network is the fetcher that it was made with."""

    async def start(self) -> None:
        """Get ready. Raise SpecError if that is not possible."""
        ...

    async def render(self, fetched: Fetched) -> Rendered:
        """Render a fetched page. A page that fails is reported in `failed` and does not affect the next one."""
        ...

    async def close(self) -> None:
        """End all processes. May be called at any time, also twice."""
        ...

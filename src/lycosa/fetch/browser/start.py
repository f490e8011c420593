"""Start the renderer that a spec asks for. The only module that names an implementation."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from lycosa.errors import SpecError
from lycosa.fetch.browser.chromium import ChromiumRenderer
from lycosa.fetch.browser.proxy import Ask
from lycosa.fetch.browser.renderer import Renderer
from lycosa.spec.sections import FetchSpec


@asynccontextmanager
async def renderer_for(
    spec: FetchSpec, ask: Ask, make: Callable[[FetchSpec, Ask], Renderer] = ChromiumRenderer
) -> AsyncIterator[Renderer | None]:
    """Run a renderer while the context lasts; None if the spec renders nothing."""
    if spec.render == "never":
        yield None
        return
    refuse_root(spec)
    renderer = make(spec, ask)
    try:
        await renderer.start()  # a missing browser is reported now, not hours later
        yield renderer
    finally:
        await renderer.close()


def refuse_root(spec: FetchSpec) -> None:
    """Raise SpecError if a browser would run as root, without its sandbox, and the spec does not allow that."""
    if spec.render != "never" and spec.browser_sandbox and hasattr(os, "geteuid") and os.geteuid() == 0:
        raise SpecError(
            "fetch.render: Chromium has no sandbox as root, so a hostile page could take over this machine. "
            "Run the crawl as another user; in a container with nothing to lose, set "
            "fetch.browser_sandbox = false."
        )

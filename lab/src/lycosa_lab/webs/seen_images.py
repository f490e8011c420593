"""Cache the evidence of a virtual web's images on disk."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import msgspec

from lycosa.engine.processes.analysis import Analyser
from lycosa.evidence import Evidence, Need
from lycosa.fetch.decode import decoded_body
from lycosa.files import cache_directory
from lycosa.urls import key_of
from lycosa.values import Fact, Fetched, Kind, Link, NotFetched, Page, Reason, Refusal
from lycosa_lab.webs.cache import CachedWeb, content_digest

MAX_BYTES = 50_000_000

Seen = dict[int, Fact | None]
"""What the images show, by key; None: too small, or no readable image."""


class SeeingWeb:
    """Analyses pages as the web does, and images by what is known of them."""

    def __init__(self, web: CachedWeb, looks: Evidence) -> None:
        self.web = web
        self.looks = looks
        self._seen: Seen | None = None

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page, or the image as a page without links."""
        if fetched.link.kind is not Kind.IMAGE:
            return await self.web.analyse(fetched)
        if self._seen is None:
            self._seen = await seen_images(self.web, self.looks)
        fact = self._seen.get(fetched.link.key)
        if fact is None:
            return Refusal(Reason.NOT_AN_IMAGE)
        return Page(fetched.link, fetched.link.url, evidence={self.looks.name: fact})


def seeing(web: CachedWeb) -> Analyser:
    """The web itself, or, where some evidence looks at images, one that sees."""
    looks = next((kind for kind in web.recipe.evidence if Need.IMAGES in kind.needs), None)
    return SeeingWeb(web, looks) if looks else web


async def seen_images(web: CachedWeb, looks: Evidence) -> Seen:
    """What an image model says of every image of a web: from memory, from disk, or by looking."""
    memory, name = in_memory(web.web.path), looks.digest
    if name not in memory:
        path = cache_directory() / "images" / f"{content_digest(web.web)}-{name}.facts"
        try:
            memory[name] = msgspec.msgpack.decode(path.read_bytes(), type=Seen)
        except (OSError, msgspec.MsgspecError):
            memory[name] = await _look(web, looks)
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{os.getpid()}")
            draft.write_bytes(msgspec.msgpack.encode(memory[name]))
            draft.replace(path)
    return memory[name]


@lru_cache(maxsize=16)
def in_memory(path: Path) -> dict[str, Seen]:  # noqa: ARG001  # the key under which it is kept
    """Return the verdicts of this process on a web, by model."""
    return {}


async def _look(web: CachedWeb, looks: Evidence) -> Seen:
    seen: Seen = {}
    for url in web.web.archive.urls():
        key = key_of(url, web.web.folding)
        if key in web.pages:
            continue
        fetched = await web.web.archive.fetch(Link(url, key, kind=Kind.IMAGE))
        if isinstance(fetched, NotFetched) or not fetched.header("content-type").startswith("image/"):
            continue
        body = decoded_body(fetched, MAX_BYTES)
        if not isinstance(body, Refusal):
            fact = looks.of_image(body)
            seen[key] = None if isinstance(fact, Refusal) else fact
    return seen

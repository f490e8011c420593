"""The fetcher of a crawl: of the live Web, or of archives instead ([fetch] web)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path

from lycosa.collection.writer import CollectionWriter
from lycosa.errors import CollectionError
from lycosa.fetch.archive.archived_web import ArchivedWeb
from lycosa.fetch.archive.warc_files import archives_of
from lycosa.fetch.live import live_fetcher
from lycosa.fetch.polite.fetcher import PoliteFetcher
from lycosa.fetch.polite.turns import AddressTurns
from lycosa.page.images.image_size import refuse_small
from lycosa.spec.sections import Spec
from lycosa.values import Say

_WEB = "web"
"""The catalogue's fact that says where its pages come from."""
_LIVE, _ARCHIVED = b"live", b"archived"


def without_waiting(spec: Spec) -> Spec:
    """The same crawl; one of archives without politeness.

    It takes one page at a time, so that pages come in the order of their scores, whatever the machine; if every page of
    the archive is wanted, several.
    """
    if not spec.fetch.web:
        return spec
    at_once = 2 * (os.cpu_count() or 1) if spec.seeds.archive else 1
    fetch = {
        "per_host_delay_s": 0.0,
        "retries": 0,
        "concurrency": at_once,
        "per_host_concurrency": at_once,
    }
    return spec.model_copy(update={"fetch": spec.fetch.model_copy(update=fetch)})


@asynccontextmanager
async def web_of(
    spec: Spec,
    folder: Path,
    collection: CollectionWriter,
    rests: MutableMapping[str, float],
    say: Say,
    turns: Callable[[AddressTurns], AddressTurns] = lambda limit: limit,
) -> AsyncIterator[PoliteFetcher | ArchivedWeb]:
    """A fetcher of the web that the spec means; a collection is of one web only.

    `rests`: until when hosts rest that were asked on behalf of others, durably. `turns` may share the limits of IP
    addresses with other processes.
    """
    _refuse_another_web(collection, _ARCHIVED if spec.fetch.web else _LIVE)
    types = spec.scope.content_types
    if not spec.fetch.web:
        robots, tdm = collection.robots(), "tdm" in spec.scope.respect
        async with live_fetcher(
            spec.fetch,
            types,
            robots_store=robots,
            rests=rests,
            tdm=tdm,
            glance=refuse_small,
            turns=turns,
        ) as fetcher:
            yield fetcher
        return
    archived = ArchivedWeb(archives_of(spec.fetch, folder), types, spec.fetch.max_bytes)
    for damage in archived.damage:
        say(f"{damage}. What is before that is used.")
    yield archived


def _refuse_another_web(collection: CollectionWriter, web: bytes) -> None:
    before = collection.catalogue.fact(_WEB) or (_LIVE if collection.reader.counts().fetched else web)
    if before == web:
        with collection.commit():
            collection.catalogue.set_fact(_WEB, web)
    elif before == _ARCHIVED:
        raise CollectionError(
            f"{collection.directory} was crawled from archives, and goes on only there: say --web ARCHIVE, or "
            "choose another directory with --out."
        )
    else:
        raise CollectionError(
            f"{collection.directory} was crawled from the live Web. Choose another directory with --out."
        )

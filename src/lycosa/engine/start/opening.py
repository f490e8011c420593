"""Opening the collection of a crawl."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from lycosa.collection import Counts
from lycosa.collection.writer import CollectionWriter, Hook
from lycosa.engine.start.request import CrawlRequest
from lycosa.errors import CodeError, InputError, ModelError, SpecError, StrategyError
from lycosa.fetch.http.headers import user_agent
from lycosa.spec.sections import Spec

REFUSALS = (SpecError, InputError, ModelError, StrategyError, CodeError)
"""Errors that the user has to correct before a crawl can begin."""


@contextmanager
def opened(request: CrawlRequest, spec: Spec, pause_points: Hook) -> Iterator[CollectionWriter]:
    """Open the collection of a crawl. A new one is removed again if the crawl is refused before anything is fetched."""
    directory = request.directory
    before = {*directory.iterdir()} if directory.is_dir() else None
    is_new, is_refused = request.is_new, False
    try:
        with CollectionWriter.create_or_open(
            directory,
            request.text,
            name=spec.name,
            warc_bytes=spec.archive.warc_bytes,
            info=_archive_info(spec),
            pause_points=pause_points,
        ) as collection:
            try:
                yield collection
            except REFUSALS:
                is_refused = is_new and collection.counts() == Counts()
                raise
    finally:
        if is_refused and before is None:
            shutil.rmtree(directory)
        elif is_refused and before is not None:
            for path in {*directory.iterdir()} - before:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _archive_info(spec: Spec) -> dict[str, str]:
    """Fields of the warcinfo records."""
    info = {
        "robots": "classic",
        "http-header-user-agent": spec.fetch.user_agent or user_agent(spec.fetch.contact),
    }
    if spec.fetch.web:
        return {"description": f"crawled from archives: {', '.join(spec.fetch.web)}"}
    return {**info, "operator": spec.fetch.contact} if spec.fetch.contact else info

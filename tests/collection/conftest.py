from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

with warnings.catch_warnings():  # fastwarc 1.1 warns of its own shims when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    import fastwarc.warc  # noqa: F401

from lycosa.collection.writer import CollectionWriter


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., CollectionWriter]]:
    """Opens the collection `tmp_path/storm`, as often as asked; closes what is left open."""
    open_ones: list[CollectionWriter] = []

    def open_it(**more) -> CollectionWriter:
        while open_ones:  # one lock, so one at a time
            open_ones.pop().close()
        spec = more.pop("spec_text", 'name = "storm"\n')
        one = CollectionWriter.create_or_open(tmp_path / "storm", spec, **{"name": "storm"} | more)
        open_ones.append(one)
        return one

    yield open_it
    for one in open_ones:
        one.close()

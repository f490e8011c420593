"""Models from strangers: whatever the file holds, it is a model or a ModelError with words."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.errors import ModelError
from lycosa.evidence.model_file import read_json
from lycosa.learn.topic import load_topic
from lycosa.methods.event.model import load_event
from lycosa.methods.genre.prior import GenrePrior
from lycosa.methods.profile.site.page_types import load_page_types

LOADERS: list[Callable[[Path], object]] = [load_event, GenrePrior.load, load_page_types, load_topic]
HOSTILE = {
    "empty": b"",
    "not utf-8": b'{"\xff": "\xff"}',
    "deep list": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "deep where it is skipped": b'{"nobody knows": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "pickle": b"\x80\x04cos\nsystem\n(S'touch /tmp/owned'\ntR.",
    "huge number": b'{"format": ' + b"9" * 100_000 + b"}",
    "too large a number": b'{"vector": {"a": 1e999}}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("load", LOADERS)
def test_hostile_models_are_refused_in_words(tmp_path, load, content):
    """Never a traceback, never code that runs; the message names the file."""
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.json"):
        load(path)


@pytest.mark.parametrize("load", LOADERS)
def test_what_is_no_file_is_refused(tmp_path, load):
    """A pipe would let us wait, a folder cannot be read."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        with pytest.raises(ModelError, match=str(path)):
            load(path)


def test_a_model_larger_than_any_is_not_read(tmp_path):
    """The size is looked at before anything is decoded."""
    path = tmp_path / "model.json"
    path.write_bytes(b"[" + b" " * 1000 + b"]")
    assert read_json(path, list) == []
    with pytest.raises(OSError, match="larger than"):
        read_json(path, list, max_bytes=1000)


@given(st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_model_or_refused(tmp_path, content):
    """Garbage of any kind."""
    path = tmp_path / "model.json"
    path.write_bytes(content)
    for load in LOADERS:
        with pytest.raises(ModelError):
            load(path)

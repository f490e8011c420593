"""Files that a collection needs are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.files import write_file


def test_the_content_is_safe_before_the_name(tmp_path, monkeypatch):
    """Else a power cut leaves an empty file under the right name."""
    path, synced = tmp_path / "topic.json", []

    def sync(handle):
        synced.append((str(Path(f"/proc/self/fd/{handle}").readlink()), path.exists()))

    monkeypatch.setattr(os, "fsync", sync)
    write_file(path, b"new")
    assert synced == [(f"{path}.draft", False), (str(tmp_path), True)]
    assert path.read_bytes() == b"new"
    assert [file.name for file in tmp_path.iterdir()] == ["topic.json"]


def test_what_fails_leaves_the_old_file(tmp_path, monkeypatch):
    """And the next attempt works, whatever is left of this one."""
    path = tmp_path / "topic.json"
    write_file(path, b"old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            write_file(path, b"new")
    assert path.read_bytes() == b"old"
    write_file(path, b"newer")
    assert path.read_bytes() == b"newer"


def test_a_link_in_the_place_of_the_draft_is_not_followed(tmp_path):
    """A stranger's collection cannot write outside itself."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    (tmp_path / "topic.json.draft").symlink_to(victim)
    write_file(tmp_path / "topic.json", b"new")
    assert victim.read_bytes() == b"mine"

"""Strategies of one's own in a spec: `FILE.py:Class`."""

from __future__ import annotations

from pathlib import Path


def in_file(name: str) -> bool:
    """Whether a name means a class in a file.

    >>> in_file("ideas/short.py:ShortPaths"), in_file("best-first")
    (True, False)
    """
    return ".py:" in name


def seen_from(folder: Path, name: str) -> str:
    """The name with the path to its file from anywhere, where it means a file in a folder."""
    return str((folder / name).absolute()) if in_file(name) else name

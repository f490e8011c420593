"""Small pages about owls, and about railways, in six languages, written for the tests."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Spoken(NamedTuple):
    """A language with its keywords, three texts about owls, two about railways, and a word to search for."""

    name: str
    code: str
    keywords: tuple[str, ...]
    owls: tuple[str, str, str]
    railways: tuple[str, str]
    word: str


LANGUAGES = tuple(
    Spoken(**{key: tuple(value) if isinstance(value, list) else value for key, value in table.items()})
    for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["language"]
)

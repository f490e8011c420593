"""Small pages about owls, and about railways, in six languages, written for the tests."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Spoken(NamedTuple):
    """A language with its keywords, three texts about owls, two about railways, and a word to search for."""

    name: str
    code: str
    keywords: tuple[str, ...]
    owls: tuple[str, ...]
    railways: tuple[str, ...]
    word: str


TABLES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))[
    "language"
]
LANGUAGES = tuple(
    Spoken(t["name"], t["code"], tuple(t["keywords"]), tuple(t["owls"]), tuple(t["railways"]), t["word"])
    for t in TABLES
)

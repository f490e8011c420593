"""Function words by language, which say nothing about a topic."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TEXT = files(__package__).joinpath("data", "stop_words.toml").read_text("utf-8")

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in tomllib.loads(_TEXT).items()
}
"""Lower case, not stemmed."""

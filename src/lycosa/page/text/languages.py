"""Identify the language of a text. Function words by language, which say nothing about a topic, help."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


import tomllib
from importlib.resources import files

_TEXT = files(__package__).joinpath("data", "stop_words.toml").read_text("utf-8")

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in tomllib.loads(_TEXT).items()
}
"""Lower case, not stemmed."""


SAMPLE_CHARS = 1_500
GUESS_CHARS = 600
MIN_CHARS = 40
MIN_WORDS = 40
ENGLISH_SHARE = 0.25
MIN_SHARE = 0.5
"""Minimum probability of the likeliest language among the expected ones."""
MIN_PROBABILITY = 0.1
"""Its minimum probability among all languages."""

STEMMED = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Codes and names of the languages whose words Snowball stems."""
UNSTEMMED = {
    "bg": "bulgarian", "bn": "bengali", "he": "hebrew", "hr": "croatian", "ja": "japanese", "ko": "korean",
    "sk": "slovak", "sl": "slovenian", "th": "thai", "uk": "ukrainian", "ur": "urdu", "vi": "vietnamese",
    "zh": "chinese",
}  # fmt: skip
"""Common languages without a stemmer: their words are compared as written."""
NAMES = STEMMED | UNSTEMMED
"""The languages that are expected on any page."""
IN_PAIRS = frozenset({"chinese", "japanese"})
"""Languages whose texts are split into pairs of characters, so that they need no stemmer."""

_CODES = {name: code for code, name in NAMES.items()}
_ENGLISH = STOP_WORDS["english"]


def code_of(name: str) -> str:
    """The code of a language by its name in a spec; '' for one without a code.

    >>> code_of("german"), code_of("porter")
    ('de', '')
    """
    return _CODES.get(name, "")


def name_of(code: str) -> str:
    """The English name of a language; the code itself if it has none.

    >>> name_of("de"), name_of("tlh")
    ('German', 'tlh')
    """
    return NAMES[code].capitalize() if code in NAMES else code


def language_of(text: str, expected: Iterable[str] = ()) -> str:
    """The language of a text, by a sample from its middle: one of NAMES, or of those `expected` beside them.

    >>> language_of("short"), language_of("Die Katze sitzt auf dem Dach und schaut den Vögeln nach.")
    ('', 'de')
    """
    start = max(0, min(len(text) // 3, len(text) - SAMPLE_CHARS))
    some = text[start : start + SAMPLE_CHARS]
    # No other language has this share of English function words, and to see that costs a tenth of a guess.
    low = some.lower().split()
    if len(low) >= MIN_WORDS and sum(map(_ENGLISH.__contains__, low)) >= ENGLISH_SHARE * len(low):
        return "en"
    sample = " ".join(some.split())
    return _likeliest(sample[:GUESS_CHARS], expected) if _signs(sample) >= MIN_CHARS else ""


def _signs(sample: str) -> int:
    """How long a sample is. Scripts beyond the alphabets say as much in a third of the characters."""
    return len(sample) if sample.isascii() else sum(3 if char > "\u2e7f" else 1 for char in sample)


def _likeliest(sample: str, expected: Iterable[str]) -> str:
    """The likeliest expected language; '' if none is clearly ahead.

    Only expected languages count: among 140, the rare ones win on lists of names, addresses and menus.
    """
    may_be = {*NAMES, *expected}
    ranked = [(code, share) for code, share in identifier().rank(sample) if code in may_be]
    code, share = ranked[0]
    total = sum(share for _, share in ranked)
    return str(code) if share >= MIN_PROBABILITY and share >= MIN_SHARE * total else ""


@lru_cache(maxsize=1)
def identifier() -> LanguageIdentifier:
    """Return the language model, loaded on first use."""
    # Only here: the model takes half a second to unpack and a tenth to load, and English pages do not need it.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    try:
        from lycosa.page.text.language_model import quick_identifier

        return quick_identifier()
    except Exception:  # another version has other files: the library's own loader knows, if it may keep one
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

"""The language of a text. In: text. Out: an ISO 639-1 code, or '' where there is too little to tell."""

from __future__ import annotations

from lycosa.page.stop_words import STOP_WORDS

SAMPLE_CHARS = 1_500
GUESS_CHARS = 600
LEAST_CHARS = 40
LEAST_WORDS = 40
ENGLISH_SHARE = 0.25

_ENGLISH = STOP_WORDS["english"]


def language_of(text: str) -> str:
    """The language of a text, by a sample from its middle.

    >>> language_of("short"), language_of("Die Katze sitzt auf dem Dach und schaut den Vögeln nach.")
    ('', 'de')
    """
    start = max(0, min(len(text) // 3, len(text) - SAMPLE_CHARS))
    words = text[start : start + SAMPLE_CHARS].split()
    sample = " ".join(words)
    if len(sample) < LEAST_CHARS:
        return ""
    # No other language has this many English function words, and seeing that costs a tenth of a guess.
    if len(words) >= LEAST_WORDS:
        common = sum(map(_ENGLISH.__contains__, sample.lower().split()))
        if common >= ENGLISH_SHARE * len(words):
            return "en"
    # Only here: the model takes a second to load, and English pages do not need it.
    import py3langid

    return str(py3langid.classify(sample[:GUESS_CHARS])[0])

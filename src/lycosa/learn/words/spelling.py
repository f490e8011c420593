"""Doubtful keywords: misspelt, or words of another language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from lycosa.learn.words.background import background_of, languages
from lycosa.page.text.terms import is_cjk, terms_of

CLOSE = 0.84
"""How like two stems are, as difflib has it, for one to be taken for the other misspelt: one letter of six or more."""
MIN_LETTERS = 5
"""Shorter stems are like many others."""
MIN_OF_ANOTHER = 2
"""With fewer words of another language it is chance: languages share names and loanwords."""
CLEARLY = 1.0
"""A word that is ten times as common in another language as in this one (in Zipf units) is a word of that one."""


def doubtful_keywords(keywords: Sequence[str], language: str) -> Iterator[str]:
    """What may be wrong with keywords of which nothing else is known: they are of another language, or misspelt.

    A name is in no table either; so a word is only doubted where one that is in the table looks nearly the same.

    >>> list(doubtful_keywords(["erruption", "lava", "Krakatoa"], "english"))
    ["the keyword 'erruption' is no common word of english, but like 'erupt…'. If it is misspelt, correct it."]
    >>> [said.partition(":")[0] for said in doubtful_keywords(["Vogel", "Gefieder", "Flügel", "Nest"], "english")]
    ['the keywords look like german (2 of 4), but topic.language is english']
    """
    known = background_of(language).table
    if not known:
        return
    foreign = {other: _commoner(keywords, other, language) for other in languages()}
    likely = max(sorted(foreign), key=lambda other: foreign[other])
    if foreign[likely] >= max(MIN_OF_ANOTHER, len(keywords) / 2):
        yield (
            f"the keywords look like {likely} ({foreign[likely]} of {len(keywords)}), but topic.language is {language}: "
            "pages in another language do not have them. Translate them, or set topic.language."
        )
        return
    for word in keywords:
        for term in terms_of(word, language):
            if len(term) >= MIN_LETTERS and term not in known and not is_cjk(term):
                for like in get_close_matches(term, known, n=1, cutoff=CLOSE):
                    yield (
                        f"the keyword {word!r} is no common word of {language}, but like '{like}…'. "
                        "If it is misspelt, correct it."
                    )


def _commoner(keywords: Sequence[str], there: str, here: str) -> int:
    """Number of keywords that are words of another language rather than of this one."""
    return sum(_zipf(word, there) > _zipf(word, here) + CLEARLY for word in keywords)


def _zipf(keyword: str, language: str) -> float:
    """Zipf frequency of a keyword's rarest word in a language."""
    background = background_of(language)
    return min((background.zipf(term) for term in terms_of(keyword, language)), default=background.unknown)

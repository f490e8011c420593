"""Turn terms back into words that a text contains: people read words, not stems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from lycosa.page.text.terms import terms_of_each

TEXT_CHARS = 200_000
"""Of a page, in which its words are looked for as they are written."""
_WORD = re.compile(r"\w+")


def as_written(terms: Collection[str], text: str, language: str) -> dict[str, str]:
    """The word that a page uses most for each of these terms, which are stems: those that its text has.

    >>> as_written(["hurrican", "damag", "owl"], "Hurricanes did damage; the hurricane damaged, the hurricane went.", "english")
    {'hurrican': 'hurricane', 'damag': 'damage'}
    """
    counts = Counter(_WORD.findall(text[:TEXT_CHARS].lower()))
    each = terms_of_each(list(counts), language)
    forms: dict[str, str] = {}
    for (word, count), found in zip(counts.items(), each, strict=True):
        # Of scripts without spaces a word is several terms, and these are written as they are.
        if len(found) == 1 and found[0] in terms and count > counts[forms.get(found[0], "")]:
            forms[found[0]] = word
    return forms

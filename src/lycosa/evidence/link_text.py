"""score_T of the multimedia paper: how promising a link is by its anchor and the characters around it.

Names of places are not terms; their number is one feature.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lycosa.evidence import Evidence
from lycosa.evidence.text import link_scores
from lycosa.evidence.text_model import TextModel
from lycosa.page.document import Document
from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.text.terms import terms_of, terms_of_each

PLACES = "#places"
"""The feature that counts the places a link names   [Tsikrika et al., 4.1]; no word can be called so."""
LONGEST_NAME = 4
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def link_terms(document: Document) -> list[dict[str, int]]:
    """For each link the terms of its anchor and windows; a URL that occurs several times has them all."""
    texts = [
        f"{before} {link.anchor} {after}"
        for link, (before, after) in zip(document.links, document.windows, strict=True)
    ]
    return terms_without_places(texts, document.stem_language)


def terms_without_places(texts: Sequence[str], language: str) -> list[dict[str, int]]:
    """The terms of short texts, where the words of places are one feature, their number.

    >>> terms_without_places(["Ozone forecast for Graz and New York"], "english")
    [{'ozon': 1, 'forecast': 1, '#places': 2}]
    """
    found = []
    for text, terms in zip(texts, terms_of_each(texts, language), strict=True):
        counts: dict[str, int] = Counter(terms)
        if places := places_in(text, language):
            for term in terms_of(" ".join(places), language):
                counts.pop(term, None)
            counts[PLACES] = len(places)
        found.append(dict(counts))
    return found


def places_in(text: str, language: str = "english") -> list[str]:
    """The names in a short text that the gazetteer has, the longest where one begins another.

    Plain look-up, as in the paper: an anchor is too short for the care that `page.places` takes with a
    text, where a lone name at the beginning of a sentence counts for nothing.

    >>> places_in("New York: ozone today"), places_in("Of bread")
    (['New York'], [])
    """
    names, words, found = gazetteer(), _WORD.findall(text), []
    at = 0
    while at < len(words):
        longest = min(names.longest.get(words[at], 1), LONGEST_NAME)
        for size in range(longest, 0, -1):
            name = " ".join(words[at : at + size])
            if (
                name[0].isupper()
                and name not in names.never
                and names.named(name)
                and terms_of(name, language)
            ):
                found.append(name)
                at += size - 1
                break
        at += 1
    return found


class LinkText(Evidence):
    """`link_text`: how likely each link leads to a relevant page, by its anchor and 50 characters each side."""

    name = "link_text"
    tells_of_links = float

    def __init__(self, model: TextModel) -> None:
        self.model = model

    def of_links(self, document: Document) -> list[float]:
        """One probability a link."""
        return link_scores(self.model, link_terms(document))

"""score_T of the multimedia paper: how promising a link is by its anchor and the characters around it.

In: a document. Out: for each link its terms, without the names of places, which are counted instead; and,
by a fitted classifier, a probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lycosa.evidence.text import link_scores
from lycosa.evidence.text_model import TextModel
from lycosa.page.document import Document
from lycosa.page.gazetteer import gazetteer
from lycosa.page.places import places_of_each
from lycosa.page.terms import terms_of, terms_of_each

PLACES = "#places"
"""The feature that counts the places a link names   [Tsikrika et al., 4.1]; no word can be called so."""


def link_terms(document: Document) -> list[dict[str, int]]:
    """For each link the terms of its anchor and windows; a URL that occurs several times has them all."""
    texts = [
        f"{before} {link.anchor} {after}"
        for link, (before, after) in zip(document.links, document.windows, strict=True)
    ]
    return terms_without_places(texts, document.stem_language)


def terms_without_places(texts: Sequence[str], language: str) -> list[dict[str, int]]:
    """The terms of short texts, where the words of places are one feature, their number.

    >>> terms_without_places(["Ozone forecast for Graz and Linz"], "english")
    [{'ozon': 1, 'forecast': 1, '#places': 2}]
    """
    found = []
    for terms, places in zip(terms_of_each(texts, language), places_of_each(texts, gazetteer()), strict=True):
        counts = Counter(terms)
        for place in places:
            for term in terms_of(place.name, language):
                counts.pop(term, None)
        if places:
            counts[PLACES] = sum(place.count for place in places)
        found.append(dict(counts))
    return found


class LinkText:
    """`link_text`: how likely each link leads to a relevant page, by its anchor and 50 characters each side."""

    name = "link_text"

    def __init__(self, model: TextModel) -> None:
        self.model = model

    def of_page(self, document: Document) -> None:
        """Says nothing of the page."""

    def of_links(self, document: Document) -> list[float]:
        """One probability a link."""
        return link_scores(self.model, link_terms(document))

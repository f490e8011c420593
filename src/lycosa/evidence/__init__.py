"""Evidence: named facts about a page, its links and its images.

Evidence is a pure function of the document and a fitted model, so it runs in worker processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from lycosa.page.document import Document
from lycosa.values import Fact, LinkClasses, LinkPartners, Refusal


class Need(StrEnum):
    """Parts of a Page that evidence needs. Other parts are not computed."""

    DATE = "date"
    PLACES = "places"
    ENTITIES = "entities"  # people and organisations
    IMAGES = "images"  # the page's list of images
    PATHS = "paths"  # path strings of the markup
    TERMS = "terms"  # counts of its terms


LinkFacts = Sequence[float] | LinkClasses | LinkPartners


class Evidence(Protocol):
    """One kind of evidence. Derive from it and write what applies: the rest says nothing.

    It declares what it tells: of a page or image a kind of Fact (for structured data, the struct that a Data
    holds), of links `float` (a number in [0, 1] each), LinkClasses or LinkPartners.
    """

    name: str
    needs: frozenset[Need] = frozenset()
    encoder: str = ""
    """The folder of a sentence encoder, if pages are to bring along what their lead means, beside their terms."""
    tells: type[msgspec.Struct] | None = None
    tells_of_links: type[float] | type[msgspec.Struct] | None = None

    @property
    def digest(self) -> str:
        """The identity of its image model, if it has one: the lab caches image evidence by it."""
        return ""

    def of_page(self, document: Document) -> Fact | None:
        """The fact of a page, or None."""
        return None

    def of_links(self, document: Document) -> LinkFacts | None:
        """A value for each of `document.links`, in their order; None without link evidence."""
        return None

    def of_image(self, data: bytes) -> Fact | Refusal | None:
        """The fact of an image, by the response's bytes; a Refusal if it is not worth keeping."""
        return None

"""Evidence of a sharing site's pages: type, tags, uploader, sets and contacts, and the kinds of links.

The catalogue stores it, and a resumed crawl ranks users from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from lycosa.evidence import Evidence, Need
from lycosa.methods.profile.cotags import clean_tag
from lycosa.methods.profile.site.addresses import is_below
from lycosa.methods.profile.site.link_kinds import LinkKind
from lycosa.methods.profile.site.page_types import PageTypes, Reading
from lycosa.page.document import Document
from lycosa.values import Category, Data, Fact, Link, LinkClasses, LinkPartners, Page

TYPE = "page-type"
UPLOADER = "uploader"
FIELDS = ("tags", "sets", "contacts")
VALUES = 200
VALUE_CHARS = 100
LINK_KINDS = tuple(kind.name.lower() for kind in LinkKind)


class Texts(msgspec.Struct, frozen=True, tag="profile.texts"):
    """What a field of a page says."""

    texts: tuple[str, ...]


class Person(NamedTuple):
    """A user, and the key of his profile's URL."""

    name: str
    profile: int


class People(msgspec.Struct, frozen=True, tag="profile.people"):
    """Whom a field of a page names."""

    people: tuple[Person, ...]


@lru_cache(maxsize=4)
def _reading(types: PageTypes, document: Document) -> Reading:
    # Four kinds of evidence look at the same page one after the other.
    return types.read(document.outline, document.url, document.links)


class PageTypeEvidence(Evidence):
    """`page-type`: the type, and the share of its path strings found; of each link its LinkKind."""

    needs = frozenset({Need.PATHS})
    tells = Category
    tells_of_links = LinkClasses

    def __init__(self, types: PageTypes) -> None:
        self.name = TYPE
        self.types = types

    def of_page(self, document: Document) -> Category:
        """The type of the page."""
        reading = _reading(self.types, document)
        return Category(reading.type, reading.share)

    def of_links(self, document: Document) -> LinkClasses:
        """The kind of each link."""
        return LinkClasses(LINK_KINDS, bytes(_reading(self.types, document).kinds))


class UploaderEvidence(Evidence):
    """`uploader`: of a detail page; of each link, the link to its uploader."""

    needs = frozenset({Need.PATHS})
    tells = People
    tells_of_links = LinkPartners

    def __init__(self, types: PageTypes) -> None:
        self.name = UPLOADER
        self.types = types

    def of_page(self, document: Document) -> Data | None:
        """The uploader of the page's item."""
        return _people(_reading(self.types, document), self.name, document)

    def of_links(self, document: Document) -> LinkPartners:
        """Where on the page the link to each link's uploader is."""
        return LinkPartners(_reading(self.types, document).uploaders)


class FieldEvidence(Evidence):
    """`tags`, `sets` or `contacts` of a page."""

    needs = frozenset({Need.PATHS})

    def __init__(self, types: PageTypes, name: str) -> None:
        self.name = name
        self.types = types
        self.tells = People if name == "contacts" else Texts

    def of_page(self, document: Document) -> Data | None:
        """What the field says."""
        reading = _reading(self.types, document)
        return _people(reading, self.name, document) if self.tells is People else _texts(reading, self.name)


def _texts(reading: Reading, field: str) -> Data | None:
    texts = reading.texts(field)[:VALUES] if reading.fields.get(field) else ()
    return Data.of(Texts(tuple(text[:VALUE_CHARS] for text in texts))) if texts else None


def _people(reading: Reading, field: str, document: Document) -> Data | None:
    values = reading.fields.get(field)
    if not values:
        return None
    found = (Person(text[:VALUE_CHARS], document.links[link].key) for text, link in values if link >= 0)
    return Data.of(People(tuple(islice(found, VALUES))))


def type_of(evidence: Mapping[str, Fact]) -> str:
    """The type of a page, from stored evidence; '' where it was not looked at."""
    fact = evidence.get(TYPE)
    return fact.label if isinstance(fact, Category) else ""


def texts_of(evidence: Mapping[str, Fact], field: str) -> tuple[str, ...]:
    """The texts of a field, from stored evidence."""
    fact = evidence.get(field)
    told = fact.read(Texts) if isinstance(fact, Data) else None
    return told.texts if told else ()


def people_of(evidence: Mapping[str, Fact], field: str) -> tuple[Person, ...]:
    """The people of a field, from stored evidence."""
    fact = evidence.get(field)
    told = fact.read(People) if isinstance(fact, Data) else None
    return told.people if told else ()


def is_of(link: Link, profile: Page) -> bool:
    """Whether a link on a profile page leads to more of that user: its address names him, and it is no tag."""
    is_tag = clean_tag(link.anchor) in map(clean_tag, texts_of(profile.evidence, "tags"))
    return not is_tag and is_below(link.url, profile.url)

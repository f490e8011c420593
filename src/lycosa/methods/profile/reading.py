"""What a sharing site's page says, as evidence: its type, tags, uploader, sets, contacts; the kinds of its links.

The labels are the profile store: they are in the catalogue, and a resumed crawl ranks the users from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec

from lycosa.evidence import Evidence, Need
from lycosa.methods.profile.page_types import PageTypes, Reading
from lycosa.page.document import Document
from lycosa.values import Fact

TYPE = "page-type"
UPLOADER = "uploader"
FIELDS = ("tags", "sets", "contacts")
VALUES = 200
VALUE_CHARS = 100
KINDS = 4.0

_words = msgspec.json.Decoder(list[str])
_people = msgspec.json.Decoder(list[tuple[str, int]])


@lru_cache(maxsize=4)
def _reading(types: PageTypes, document: Document) -> Reading:
    # Four kinds of evidence look at the same page one after the other.
    return types.read(document.outline, document.url, document.links)


class PageTypeEvidence(Evidence):
    """`page-type`: label is the type, value the share of its path strings found; per link LinkKind / 4."""

    needs = frozenset({Need.PATHS})

    def __init__(self, types: PageTypes) -> None:
        self.name = TYPE
        self.types = types

    def of_page(self, document: Document) -> Fact:
        """The type of the page."""
        reading = _reading(self.types, document)
        return Fact(reading.share, reading.type)

    def of_links(self, document: Document) -> list[float]:
        """The kind of each link."""
        return [kind / KINDS for kind in _reading(self.types, document).kinds]


class UploaderEvidence(Evidence):
    """`uploader`: of a detail page [[name, key of the profile]]; per link the position of its uploader's link, or -1."""

    needs = frozenset({Need.PATHS})

    def __init__(self, types: PageTypes) -> None:
        self.name = UPLOADER
        self.types = types

    def of_page(self, document: Document) -> Fact | None:
        """The uploader of the page's item."""
        return _fact(_reading(self.types, document), self.name, document, people=True)

    def of_links(self, document: Document) -> list[float]:
        """Where on the page the link to each link's uploader is."""
        return [float(uploader) for uploader in _reading(self.types, document).uploaders]


class FieldEvidence(Evidence):
    """`tags`, `sets` (texts) or `contacts` ([name, key of the profile]) of a page, as JSON in the label."""

    needs = frozenset({Need.PATHS})

    def __init__(self, types: PageTypes, name: str) -> None:
        self.name = name
        self.types = types

    def of_page(self, document: Document) -> Fact | None:
        """The texts of the field."""
        return _fact(_reading(self.types, document), self.name, document, people=self.name == "contacts")


def _fact(reading: Reading, field: str, document: Document, people: bool) -> Fact | None:
    values = reading.fields.get(field)
    if not values:
        return None
    if people:
        found = [(text[:VALUE_CHARS], document.links[link].key) for text, link in values if link >= 0][
            :VALUES
        ]
        return Fact(1.0, msgspec.json.encode(found).decode())
    texts = [text[:VALUE_CHARS] for text in reading.texts(field)[:VALUES]]
    return Fact(1.0, msgspec.json.encode(texts).decode())


def texts_of(evidence: Mapping[str, Fact], field: str) -> list[str]:
    """The texts of a field, from stored evidence."""
    fact = evidence.get(field)
    return _words.decode(fact.label) if fact else []


def people_of(evidence: Mapping[str, Fact], field: str) -> list[tuple[str, int]]:
    """The (name, key of the profile) of a field, from stored evidence."""
    fact = evidence.get(field)
    return _people.decode(fact.label) if fact else []

"""An example page, as training and strategies need it. In: a document. Out: plain data that can be saved."""

from __future__ import annotations

import msgspec

from lycosa.page.document import Document


class ExamplePage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is needed of a page: term counts, title, the anchors of its links by target, and where it is.

    `contexts` are the term counts of the text around each link, where they are kept: they are large.
    """

    key: int
    terms: dict[str, int]
    title: list[str] = []
    anchors: list[tuple[int, list[str]]] = []
    url: str = ""
    contexts: list[dict[str, int]] = []


def example_of(document: Document, key: int, *, contexts: bool = False) -> ExamplePage:
    """An example page from its document."""
    return ExamplePage(
        key,
        dict(document.terms),
        list(document.title_terms),
        list(zip((link.key for link in document.links), document.link_terms, strict=True)),
        document.url,
        document.whole_context_terms if contexts else [],
    )

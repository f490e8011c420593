"""Compute evidence once for each document, over all runs on a web."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lycosa.evidence import Evidence, LinkFacts
from lycosa.page.document import Document
from lycosa.values import Fact


class Remembered(Evidence):
    """Evidence with a memory, its own or one that several kinds share."""

    def __init__(self, kind: Evidence, known: dict[tuple[str, str, str], Any] | None = None) -> None:
        self.kind = kind
        self.name = kind.name
        self.needs = kind.needs
        self.tells = kind.tells
        self.tells_of_links = kind.tells_of_links
        self.known = {} if known is None else known

    def of_page(self, document: Document) -> Fact | None:
        """The fact of the page."""
        fact: Fact | None = self._once("page", document, self.kind.of_page)
        return fact

    def of_links(self, document: Document) -> LinkFacts | None:
        """The facts of the links."""
        facts: LinkFacts | None = self._once("links", document, self.kind.of_links)
        return facts

    def _once(self, what: str, document: Document, make: Callable[[Document], Any]) -> Any:
        place = (self.name, what, document.url)
        if place not in self.known:
            self.known[place] = make(document)
        return self.known[place]

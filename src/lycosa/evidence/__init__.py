"""Facts about a page and its links, each a number in [0, 1] with a name.

In: a lazy Document. Out: a Fact for the page and/or one number per link, in one batch. Evidence is
a pure function of the document and a fitted model, so it runs in worker processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lycosa.page.document import Document
from lycosa.values import Fact


class Evidence(Protocol):
    """One kind of evidence. What does not apply (page or links) returns None."""

    name: str

    def of_page(self, document: Document) -> Fact | None: ...

    def of_links(self, document: Document) -> Sequence[float] | None:
        """One number for each of `document.links`, in their order."""
        ...

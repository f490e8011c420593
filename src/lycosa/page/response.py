"""Make a Document of a response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lycosa.fetch.decode import decoded_body
from lycosa.page.document import PDF, Document
from lycosa.page.files.reading import is_office, is_pdf, read_office, read_pdf
from lycosa.urls import FOLDING, Folding
from lycosa.values import Fetched, Refusal

if TYPE_CHECKING:
    from lycosa.page.places.geocoding import Regions
    from lycosa.page.places.place_recognition import PlaceFinder

RENDERED = "text/html; charset=utf-8"
"""How a document is written that a browser has made."""
MAX_DECODED_BYTES = 50_000_000
"""Of a body after decompression, where a spec says nothing else."""


def document_of(
    fetched: Fetched,
    *,
    language: str = "english",
    max_decoded_bytes: int = MAX_DECODED_BYTES,
    folding: Folding = FOLDING,
    place_finder: str = "",
    about: Regions = frozenset(),
    expected_languages: Sequence[str] = (),
) -> Document | Refusal:
    """The document of a response, as a browser has made it where one did; a Refusal for a body that cannot be decoded or read."""
    body = fetched.rendered or decoded_body(fetched, max_decoded_bytes)
    if isinstance(body, Refusal):
        return body
    content_type, known = RENDERED if fetched.rendered else fetched.header("content-type"), None
    is_paper, is_file = is_pdf(body, content_type), is_office(content_type)
    if not fetched.rendered and (is_paper or is_file):
        paper = read_pdf(body) if is_paper else read_office(body)
        if isinstance(paper, Refusal):
            return paper
        content_type = PDF if is_paper else content_type.partition(";")[0].strip().lower()
        known = {"markup": paper.as_html(), "page_count": paper.page_count}
    return Document(
        body,
        fetched.link.url,
        content_type,
        language=language,
        folding=folding,
        robots_tag="\n".join(value for name, value in fetched.headers if name.lower() == "x-robots-tag"),
        place_finder=_finder(place_finder) if place_finder else None,
        about=about,
        expected_languages=expected_languages,
        known=known,
    )


def _finder(name: str) -> PlaceFinder | None:
    from lycosa.page.places.place_recognition import installed_finder  # only here: most crawls read no places

    return installed_finder(name)

"""Example pages as plain data, from documents, files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from lycosa.errors import InputError
from lycosa.files import read_file
from lycosa.page.document import Document
from lycosa.page.files.reading import is_pdf, read_pdf
from lycosa.page.places.place_recognition import PlaceFinder
from lycosa.urls import hash_of
from lycosa.values import Refusal

PLAIN = frozenset((".txt", ".md"))
READ_TOO = frozenset((".html", ".htm", ".xhtml", ".pdf"))
MAX_BYTES = 50_000_000


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
    lead: str = ""


def example_of(document: Document, key: int, *, contexts: bool = False) -> ExamplePage:
    """An example page from its document."""
    return ExamplePage(
        key,
        dict(document.terms),
        list(document.title_terms),
        list(zip((link.key for link in document.links), document.link_terms, strict=True)),
        document.url,
        document.whole_context_terms if contexts else [],
        document.lead,
    )


def example_pages(paths: Iterable[Path], language: str) -> list[ExamplePage]:
    """The pages in files, and in folders all files that look like pages."""
    return [example_of(document_in(path, language), hash_of(str(path))) for path in _files(paths)]


def documents_in(paths: Iterable[Path], language: str) -> list[Document]:
    """The documents of files, and of all files in folders that look like pages."""
    return [document_in(path, language) for path in _files(paths)]


def document_in(path: Path, language: str = "english", place_finder: PlaceFinder | None = None) -> Document:
    """A page from a file."""
    try:
        body = read_file(path, MAX_BYTES)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}). Name an HTML, text or PDF file; paths in a spec are relative to its folder."
        ) from None
    if is_pdf(body, ""):
        paper = read_pdf(body)
        if isinstance(paper, Refusal):
            raise InputError(f"{path}: {paper}. Name another file.")
        body, kind = paper.as_html().encode(), "text/html; charset=utf-8"
    else:
        kind = "text/plain" if path.suffix.lower() in PLAIN else "text/html"
    return Document(body, "http://example.invalid/", kind, language=language, place_finder=place_finder)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(file for file in path.rglob("*") if file.suffix.lower() in PLAIN | READ_TOO)
        if not found:
            raise InputError(f"{path} has no .html or .txt files. Name a folder of example pages.")
        yield from found

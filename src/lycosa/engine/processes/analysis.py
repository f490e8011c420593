"""From bytes to a Page: a pure function of a response and a recipe. `workers.py` runs it in processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

import msgspec

from lycosa.errors import MACHINE_FAULTS, MachineError
from lycosa.evidence import Evidence, Need
from lycosa.fetch.decode import decoded_body
from lycosa.page.document import LIST, Document
from lycosa.page.files.as_html import Section, TextLink, html_of
from lycosa.page.response import MAX_DECODED_BYTES, document_of
from lycosa.page.signs.needs_browser import NEEDS_BROWSER, RENDERED, gain_of, sign_of_need
from lycosa.page.signs.rights import RIGHTS, Rights, rights_of
from lycosa.page.signs.walls import wall_of
from lycosa.page.text.prose import prose_of
from lycosa.seeds.entries import listed_in
from lycosa.seeds.lists import unpacked
from lycosa.urls import FOLDING, Folding, key_of
from lycosa.values import (
    Count,
    Data,
    Fact,
    Fetched,
    Kind,
    Link,
    LinkClasses,
    LinkPartners,
    Page,
    Reason,
    Refusal,
    Score,
    Terms,
)

if TYPE_CHECKING:
    from lycosa.page.places.geocoding import Regions

PAGE_COUNT = "pages"
"""The evidence that holds the number of pages of a document, such as a PDF."""
EMBEDDED = "embedded data"
"""Noted as evidence on a page that shows hardly anything, and whose text was read from the data in its scripts: its words."""
READ = "read"
"""Noted as evidence on a page that was not read to its end: how much of it was."""
MAIN_TEXT = "main text"
"""Noted as evidence on a page that is too long to tell its main text from the rest: how much of its text counts as that."""
PLACES = 200
"""Maximum number of places per page; the least mentioned are dropped."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parts to compute of every page."""

    evidence: tuple[Evidence, ...] = ()
    language: str = "english"
    expected_languages: tuple[str, ...] = ()
    max_decoded_bytes: int = MAX_DECODED_BYTES
    date: bool = False
    places: bool = False
    place_finder: str = ""
    about: Regions = frozenset()
    entities: bool = False
    text: bool = False
    simhash: bool = False
    images: bool = False
    requisites: bool = False
    terms: bool = False
    encoder: str = ""
    folding: Folding = FOLDING

    def document_of(self, fetched: Fetched) -> Document | Refusal:
        """The lazy document of a response, read as this recipe says."""
        return document_of(
            fetched,
            language=self.language,
            max_decoded_bytes=self.max_decoded_bytes,
            folding=self.folding,
            place_finder=self.place_finder,
            about=self.about,
            expected_languages=self.expected_languages,
        )

    @property
    def looks_at_images(self) -> bool:
        """Whether some evidence does."""
        return any(Need.IMAGES in kind.needs for kind in self.evidence)


class Analyser(Protocol):
    """Analyses responses into Pages."""

    async def analyse(self, fetched: Fetched) -> Page | Refusal: ...


def analyse(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """Parse a response once and compute what the recipe asks for."""
    if fetched.link.kind is Kind.IMAGE:
        return image_of(fetched, recipe)
    if fetched.link.kind is Kind.LIST:
        return list_of(fetched, recipe)
    document = recipe.document_of(fetched)
    if isinstance(document, Refusal):
        return document
    if wall := wall_of(document, fetched):
        return Page(fetched.link, fetched.link.url, title=document.title, words=document.words, wall=wall)
    page, rights = page_of(document, fetched.link, recipe), rights_of(document, fetched)
    if fetched.rendered:
        page = _with_gain(page, document, fetched, recipe)
    if rights == Rights():
        return page
    return msgspec.structs.replace(page, evidence={**page.evidence, RIGHTS: Data.of(rights)})


def _with_gain(page: Page, document: Document, fetched: Fetched, recipe: Recipe) -> Page:
    """A rendered page with what that has gained; whether it needs a browser is no longer asked."""
    plain = recipe.document_of(msgspec.structs.replace(fetched, rendered=b""))
    if isinstance(plain, Refusal):
        return page
    evidence = {name: fact for name, fact in page.evidence.items() if name != NEEDS_BROWSER}
    evidence[RENDERED] = Data.of(gain_of(document, plain))
    return msgspec.structs.replace(page, evidence=evidence)


def image_of(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """The evidence of an image, as a Page without text or links."""
    body = decoded_body(fetched, recipe.max_decoded_bytes)
    if isinstance(body, Refusal):
        return body
    evidence = {}
    for kind in recipe.evidence:
        fact = kind.of_image(body)
        if isinstance(fact, Refusal):
            return fact
        if fact is not None:
            evidence[kind.name] = fact
    return Page(fetched.link, fetched.link.url, evidence=evidence)


def list_of(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """A sitemap or feed as a Page of its links, told by the titles and summaries that it gives; it has no text of its own."""
    body = decoded_body(fetched, recipe.max_decoded_bytes)
    if isinstance(body, Refusal):
        return body
    listed = listed_in(unpacked(body), fetched.link.url)
    if not listed.entries and not listed.further:
        return Refusal(Reason.NOT_A_PAGE, "no sitemap or feed")
    sections = [
        Section((f"{entry.title} {entry.summary}".strip(),), (TextLink(entry.url, entry.title),))
        for entry in listed.entries
    ]
    document = Document(
        b"",
        fetched.link.url,
        LIST,
        language=recipe.language,
        folding=recipe.folding,
        known={"markup": html_of(listed.title, sections)},
    )
    page = page_of(document, fetched.link, replace(recipe, text=False, simhash=False, terms=False))
    dated = tuple((key_of(entry.url, recipe.folding), entry.date) for entry in listed.entries if entry.date)
    return msgspec.structs.replace(page, lists=listed.further, changed_on=dated)


def page_of(document: Document, link: Link, recipe: Recipe) -> Page:
    """The frozen Page of a document."""
    found = document.links
    depth, parent = link.depth + 1, link.key
    links = tuple(
        Link(out.url, out.key, out.anchor, out.rel, out.position, depth=depth, parent=parent) for out in found
    )
    evidence: dict[str, Fact] = {}
    scores, classes, partners = {}, {}, {}
    if (share := document.share_read) < 1:
        evidence[READ] = Score(share, "the rest is too long or nested too deeply")
    if document.is_too_long:
        evidence[MAIN_TEXT] = Score(1.0, "the page is too long to leave navigation out")
    if document.page_count:
        evidence[PAGE_COUNT] = Count(document.page_count)
    if document.embedded:
        evidence[EMBEDDED] = Count(document.words)
    if sign := sign_of_need(document):
        evidence[NEEDS_BROWSER] = Score(1.0, sign)
    for kind in recipe.evidence:
        fact = kind.of_page(document)
        if fact is not None:
            evidence[kind.name] = fact
        told = kind.of_links(document)
        if isinstance(told, LinkClasses):
            classes[kind.name] = told
        elif isinstance(told, LinkPartners):
            partners[kind.name] = told
        elif told is not None:
            scores[kind.name] = tuple(told)
    dated = document.found_date if recipe.date else None
    day = dated.date.isoformat() if dated else ""
    return Page(
        link=link,
        url=link.url,
        title=document.title,
        language=document.language,
        date="" if dated and dated.is_doubtful else day,
        date_source=dated.how if dated else "",
        doubtful_date=day if dated and dated.is_doubtful else "",
        words=document.words,
        canonical=document.canonical,
        noindex=document.noindex,
        nofollow=document.nofollow,
        soft_404=document.soft_404,
        text=prose_of(document) if recipe.text else "",
        simhash=document.simhash if recipe.simhash else 0,
        sketch=document.sketch if recipe.simhash else b"",
        links=links,
        images=document.images if recipe.images or recipe.looks_at_images else (),
        requisites=document.requisites if recipe.requisites else (),
        lists=document.feeds,
        places=document.places[:PLACES] if recipe.places else (),
        entities=document.entities if recipe.entities else (),
        terms=_terms_of(document, recipe),
        evidence=evidence,
        link_evidence=scores,
        link_classes=classes,
        link_partners=partners,
    )


def _terms_of(document: Document, recipe: Recipe) -> Terms:
    """The terms of a page, with what its lead means where an encoder is asked."""
    if not recipe.terms:
        return Terms()
    if not recipe.encoder:
        return document.packed_terms
    from lycosa.learn.meaning.encoders import meaning_of  # few crawls use one

    vector = document.part("meaning", lambda page: meaning_of(page.lead, recipe.encoder))
    return msgspec.structs.replace(document.packed_terms, meaning=vector)


def guarded(fetched: Fetched, recipe: Recipe) -> Page | Refusal:
    """Like `analyse`; a page that breaks the analysis is refused, with what went wrong.

    Raises a MachineError where the machine is at fault: then every page would be refused.
    """
    try:
        return analyse(fetched, recipe)
    except Exception as error:  # whatever a hostile page provokes must cost only that page
        if isinstance(error, OSError) and error.errno in MACHINE_FAULTS:
            raise MachineError.of(error) from error  # some parts (language models) keep temporary files
        return Refusal(Reason.NOT_A_PAGE, f"{type(error).__name__}: {error}"[:300])


class InlineAnalyser:
    """Analysis in the calling process: for tests, the lab and debugging."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    async def analyse(self, fetched: Fetched) -> Page | Refusal:
        """The page, at once."""
        return guarded(fetched, self.recipe)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

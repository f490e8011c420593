"""A page, parsed once and lazily: each part is computed at most once, and only if something asks for it.

The parts that are plain data (`PLAIN`) can be stored, and a Document can be made of them without the bytes.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from selectolax.lexbor import LexborHTMLParser

from lycosa import urls
from lycosa.fetch.decode import decoded_text
from lycosa.page.embedded_state import embedded_markup, may_hold_data, shows_text
from lycosa.page.files.as_html import html_of_text
from lycosa.page.files.paper import OFFICE_TYPES
from lycosa.page.head import base_of, declared_language, find_feeds, forbids, meta_of, robots_metas, title_of
from lycosa.page.links import contexts
from lycosa.page.links.links import Attributes, Linked, ReferenceResolver, find_images, find_links, rel_of
from lycosa.page.links.paths import Outline, outline_of
from lycosa.page.links.requisites import find_requisites
from lycosa.page.parsed import Parsed
from lycosa.page.parser_limits import HTML_CHARS
from lycosa.page.shadow_dom import declares_shadow_tree, with_shadow_trees
from lycosa.page.signs import soft_404
from lycosa.page.text import languages
from lycosa.page.text.layout import Layout, Noted, lines_of, one_line, tag_ids, with_plain_spaces
from lycosa.page.text.main_text import extract, is_too_long
from lycosa.page.text.near_duplicates import SKETCHED_BYTES, simhash_of, sketch_of, sketch_of_tokens
from lycosa.page.text.terms import TermStream, packed, terms_of, terms_of_each, url_terms_of_each, words_of
from lycosa.values import Image, Link, PageEntity, PagePlace, Terms

if TYPE_CHECKING:  # days, places and names are read with many patterns, and most crawls do not ask for them
    from lycosa.page.dates.publication_date import FoundDate
    from lycosa.page.places.geocoding import Regions
    from lycosa.page.places.place_recognition import PlaceFinder

PDF = "application/pdf"
LIST = "application/xml"
TEXT_CHARS = 2_000_000
LEAD_CHARS = 1_500

T = TypeVar("T")

(META_ID,) = tag_ids("meta")
(BASE_ID,) = tag_ids("base")
(LINK_ID,) = tag_ids("link")


class stored(cached_property[T]):
    """A part of a page that is plain data: it can be stored, and given to a Document without the bytes."""


class Document:
    """One page. `body` has its content encoding undone; `robots_tag` is X-Robots-Tag, one header a line.

    No date is later than `today` (default: the current day). The language is one that is common on the Web, the declared
    one, or one of `expected_languages`.
    """

    page_count = 0
    """Pages of a PDF; 0 for other documents."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        *,
        language: str = "english",
        folding: urls.Folding = urls.FOLDING,
        robots_tag: str = "",
        today: datetime.date | None = None,
        place_finder: PlaceFinder | None = None,
        about: Regions = frozenset(),
        expected_languages: Sequence[str] = (),
        known: Mapping[str, Any] | None = None,
    ) -> None:
        self.body = body
        self.url = url
        self.content_type = content_type
        self.stem_language = language
        self.folding = folding
        self.robots_tag = robots_tag
        self.today = today
        self.place_finder = place_finder
        self.about = about
        self.expected_languages = expected_languages
        if known:
            self.__dict__.update(known)

    # The parse.

    @cached_property
    def markup(self) -> str:
        """The body as HTML, at most HTML_CHARS of it; plain text is converted."""
        text = self._text[:HTML_CHARS]
        return html_of_text(text) if self.is_plain_text else text

    @cached_property
    def html(self) -> str:
        """The markup with its declared shadow trees and the data of its scripts shown."""
        if self.is_all_text:
            return self.markup
        shown = with_shadow_trees(self.markup) if declares_shadow_tree(self._parsed.kinds) else self.markup
        return shown + self.embedded if self.embedded else shown

    @cached_property
    def embedded(self) -> str:
        """The data in its scripts as markup, if the page shows hardly any text itself; else ''."""
        if self.is_all_text or not may_hold_data(self._parsed.kinds):
            return ""
        shows = shows_text(self._parsed.kinds, self._parsed.layout)
        return "" if shows else embedded_markup(self.markup)

    @cached_property
    def _text(self) -> str:
        return decoded_text(self.body, self.content_type)[0]

    @property
    def share_read(self) -> float:
        """The share of the page that was read: below 1 if it exceeds the limits of length or nesting."""
        text = "" if self.is_all_text else self._text
        return self._parsed.length / len(text) if text else 1.0

    @cached_property
    def is_plain_text(self) -> bool:
        """Whether the server declares text/plain."""
        return self.content_type.strip().lower().startswith("text/plain")

    @cached_property
    def is_all_text(self) -> bool:
        """Whether it was not HTML and has no navigation: plain text, a PDF, an office file, a list."""
        return self.is_plain_text or self.content_type in (PDF, LIST) or self.content_type in OFFICE_TYPES

    @cached_property
    def _parsed(self) -> Parsed:
        """The parse of the markup."""
        return Parsed(self.markup)

    @cached_property
    def _shown(self) -> Parsed:
        """The parse of the shown HTML; the same object if nothing was added to the markup."""
        return self._parsed if self.html is self.markup else Parsed(self.html)

    @property
    def tree(self) -> LexborHTMLParser:
        """The tree of the shown HTML."""
        return self._shown.tree

    @property
    def layout(self) -> Layout:
        """The text of the body in pieces."""
        return self._shown.layout

    @property
    def kinds(self) -> Mapping[int, Sequence[Noted]]:
        """The elements that links, the head and prose are read from, by the parser's numbers of their tags."""
        return self._shown.kinds

    def _attributes(self, tag: int) -> Iterator[Attributes]:
        return (node.attributes for _, node, _ in self.kinds.get(tag, ()))

    @property
    def hidden_spans(self) -> list[tuple[int, int]]:
        """The pieces that a reader does not see."""
        return self._shown.hidden_spans

    @cached_property
    def key(self) -> int:
        """The key of the page's own URL."""
        return urls.key_of(self.url, self.folding)

    @cached_property
    def linked(self) -> Linked:
        """The links, with their places in the tree."""
        return find_links(self._shown.elements, self.layout, self._resolve, self.key)

    @cached_property
    def _resolve(self) -> ReferenceResolver:
        return ReferenceResolver(self.base, self.folding)

    # The head.

    @stored
    def title(self) -> str:
        """The title, in one line."""
        return title_of(self.kinds, self.meta)

    @stored
    def meta(self) -> dict[str, str]:
        """Meta tags by name or property in lower case; of several the first."""
        return meta_of(self._metas)

    @cached_property
    def _metas(self) -> list[Attributes]:
        return [attributes for attributes in self._attributes(META_ID) if "content" in attributes]

    @stored
    def description(self) -> str:
        """The description in the meta tags."""
        return one_line(self.meta.get("description") or self.meta.get("og:description") or "")

    @stored
    def base(self) -> str:
        """The URL that references on the page are relative to; a base longer than any URL is passed over."""
        return base_of(self._attributes(BASE_ID), self.url)

    @stored
    def canonical(self) -> str:
        """The URL that the page calls its own; '' if it names none."""
        href = next((each["href"] or "" for each in self._related if "canonical" in rel_of(each)), None)
        target = self._resolve(href) if href is not None else None
        return target[0] if target else ""

    @cached_property
    def _related(self) -> list[Attributes]:
        """The attributes of its link elements that have an address."""
        return [attributes for attributes in self._attributes(LINK_ID) if "href" in attributes]

    @stored
    def noindex(self) -> bool:
        """Whether the page asks not to be indexed."""
        return forbids("noindex", self.robots_metas, self.robots_tag)

    @stored
    def nofollow(self) -> bool:
        """Whether the page asks not to follow its links."""
        return forbids("nofollow", self.robots_metas, self.robots_tag)

    @cached_property
    def robots_metas(self) -> list[str]:
        """The contents of the robots meta tags that apply to Lycosa."""
        return robots_metas(self._metas)

    @stored
    def declared_language(self) -> str:
        """The language code that the markup gives, without region; '' if none."""
        return declared_language(self.tree.root, self.meta)

    @cached_property
    def found_date(self) -> FoundDate | None:
        """The publication date, and the place of the page that names it."""
        from lycosa.page.dates.publication_date import publication_date

        return publication_date(self.tree, self.html, self.url, self.today or datetime.date.today())

    @stored
    def date(self) -> str:
        """The publication date as ISO, or ''; it may be doubtful."""
        return self.found_date.date.isoformat() if self.found_date else ""

    # The body.

    @cached_property
    def seen_pieces(self) -> list[str]:
        """The pieces of visible text; hidden pieces are empty."""
        spans = self.hidden_spans
        return self.layout.without(spans) if spans else self.layout.pieces

    @cached_property
    def flow(self) -> str:
        """The visible text with the white space of the markup, at most TEXT_CHARS."""
        return "".join(self.seen_pieces)[:TEXT_CHARS]

    @stored
    def text(self) -> str:
        """The visible text, each block on its own line."""
        return lines_of(self.flow)

    @stored
    def main_text(self) -> str:
        """The text without navigation and boilerplate; all of it where nothing else is found."""
        if self.is_all_text or self.tree.body is None or self.is_too_long:
            return self.text
        return extract(self._shown)[:TEXT_CHARS] or self.text

    @cached_property
    def is_too_long(self) -> bool:
        """Whether finding the main text would take many seconds, as in a book."""
        return not self.is_all_text and is_too_long(self._shown)

    @stored
    def language(self) -> str:
        """The language code of the text; the declared one if the text is not conclusive."""
        expected = (self.declared_language, *self.expected_languages)
        return languages.language_of(self.text, expected) or self.declared_language

    @cached_property
    def stream(self) -> TermStream:
        """The tokens of the text, in which the terms of the page and of its link contexts are counted."""
        return words_of(self.stem_language).read(self._spaced)

    @cached_property
    def _spaced(self) -> str:
        return with_plain_spaces(self.flow)

    @stored
    def words(self) -> int:
        """The number of words of the text."""
        return self.stream.words

    @stored
    def terms(self) -> dict[str, int]:
        """How often each term (stemmed, no stop words) occurs in the text."""
        return self.stream.counted[0]

    @cached_property
    def packed_terms(self) -> Terms:
        """The same, packed."""
        is_stored = "terms" in self.__dict__ and "stream" not in self.__dict__
        return packed(self.terms) if is_stored else self.stream.packed

    @stored
    def main_terms(self) -> dict[str, int]:
        """How often each term occurs in the title and the main text."""
        return words_of(self.stem_language).count(f"{self.title}\n{self.main_text}")[0]

    @stored
    def places(self) -> tuple[PagePlace, ...]:
        """The places that the title and the main text name, the most mentioned first."""
        from lycosa.page.places.gazetteer import gazetteer
        from lycosa.page.places.geocoding import find_places

        found = find_places(f"{self.title}\n{self.main_text}", gazetteer(), self.place_finder, self.about)
        return tuple(place.of_page() for place in found)

    @stored
    def names(self) -> dict[str, int]:
        """How often each word of a person's or organisation's name occurs in the main text."""
        from lycosa.page.places.people_and_organisations import find_names

        return find_names(self.main_text, [place.name for place in self.places])

    @stored
    def entities(self) -> tuple[PageEntity, ...]:
        """The people and organisations that the main text names, the most mentioned first."""
        from lycosa.page.places.people_and_organisations import find_entities

        return find_entities(self.main_text, [place.name for place in self.places])

    @stored
    def lead(self) -> str:
        """The title and the beginning of the main text."""
        return ". ".join(part for part in (self.title, self.main_text[:LEAD_CHARS].strip()) if part)

    @stored
    def title_terms(self) -> list[str]:
        """The terms of the title, in their order."""
        return terms_of(self.title, self.stem_language)

    @stored
    def simhash(self) -> int:
        """The fingerprint of the text's terms, for near duplicates; 0 of an empty page."""
        return simhash_of(*self.stream.hashed)

    @stored
    def sketch(self) -> bytes:
        """The sketch of the text's shingles, which confirms near duplicates; b"" of an empty page."""
        tokens = self.stream.tokens
        # The text of the sketch keeps its wide spaces, which stand within words there.
        are_same = self._spaced == self.flow and len(tokens.plain) <= SKETCHED_BYTES
        return sketch_of_tokens(tokens) if are_same else sketch_of(self.text)

    @stored
    def soft_404(self) -> bool:
        """Whether it is an error page whatever its status says."""
        return soft_404.is_soft_404(self.tree, self.title, self.words)

    def part(self, name: str, make: Callable[[Document], T]) -> T:
        """A part that a method computes of the page, computed once; the lab stores it with the other parts."""
        if name not in self.__dict__:
            self.__dict__[name] = make(self)
        found: T = self.__dict__[name]
        return found

    # Links.

    @stored
    def links(self) -> tuple[Link, ...]:
        """The links, each URL once, in document order, without the page itself."""
        return self.linked.links

    @stored
    def link_terms(self) -> list[list[str]]:
        """For each link the terms of its anchor."""
        return terms_of_each([link.anchor for link in self.links], self.stem_language)

    @stored
    def link_url_terms(self) -> list[list[str]]:
        """For each link the terms of its URL."""
        return url_terms_of_each([link.url for link in self.links], self.stem_language)

    @stored
    def link_places(self) -> list[tuple[PagePlace, ...]]:
        """For each link the places that its anchor names."""
        from lycosa.page.places.gazetteer import gazetteer
        from lycosa.page.places.geocoding import places_of_each

        anchors = [link.anchor for link in self.links]
        return places_of_each(anchors, gazetteer(), self.place_finder, self.places, self.about)

    @stored
    def link_dates(self) -> list[str]:
        """For each link the day that its URL names, as ISO, or ''."""
        from lycosa.page.dates.spelled_days import date_of_url

        days = [date_of_url(link.url, self.today) for link in self.links]
        return [day.isoformat() if day else "" for day in days]

    @stored
    def contexts(self) -> list[str]:
        """For each link the text around it without anchors: `aggregation_contexts`."""
        return contexts.aggregation_contexts(self)

    @stored
    def whole_contexts(self) -> list[str]:
        """For each link the text around it with anchors."""
        return contexts.aggregation_contexts(self, anchors=True)

    @stored
    def context_terms(self) -> list[dict[str, int]]:
        """For each link the term counts of its context without anchors."""
        return self.counts_of(self.contexts)

    @stored
    def whole_context_terms(self) -> list[dict[str, int]]:
        """For each link the term counts of its context with anchors."""
        return contexts.whole_context_counts(self)

    def counts_of(self, texts: list[str]) -> list[dict[str, int]]:
        """The term counts of texts in the page's language; equal texts are counted once."""
        count = words_of(self.stem_language).count
        counted: dict[str, dict[str, int]] = {text: count(text)[0] for text in dict.fromkeys(texts)}
        return [counted[text] for text in texts]

    @stored
    def windows(self) -> list[tuple[str, str]]:
        """For each link the characters before and after it: `window_contexts`."""
        return contexts.window_contexts(self)

    @cached_property
    def outline(self) -> Outline:
        """The path strings of its texts and images."""
        return outline_of(self.tree, {node.mem_id: link for node, link in self.linked.occurrences})

    @stored
    def images(self) -> tuple[Image, ...]:
        """The images, each URL once, in document order."""
        return find_images(self.linked, self._resolve)

    @cached_property
    def feeds(self) -> tuple[str, ...]:
        """The RSS and Atom feeds of its own site that it announces."""
        return find_feeds(self._related, self.url, self._resolve)

    @stored
    def requisites(self) -> tuple[str, ...]:
        """The URLs of stylesheets, scripts, images and fonts that the page needs."""
        return find_requisites(self.tree, self._resolve)


PLAIN = tuple(name for name, part in vars(Document).items() if isinstance(part, stored))
"""The names of the parts that are plain data."""

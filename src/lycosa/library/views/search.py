"""Searching a collection. In: a search as asked. Out: one page of hits, snippets as HTML, and near misses."""

from __future__ import annotations

import msgspec
from markupsafe import Markup, escape

from lycosa.collection.catalogue.page_filter import JUDGED, Relevance
from lycosa.collection.collection import Collection
from lycosa.collection.search.phrases import END_MARK, MARK, TypedQuery
from lycosa.collection.search.search import Order, SearchHit
from lycosa.learn.history import saved_version
from lycosa.library.views.search_query import SearchQuery, page_filter_of

PER_PAGE = 20
LANGUAGES = 8
"""Of a collection, the most frequent ones, in which the forms of a word are looked for."""
DEFAULT_THRESHOLD = 0.5


class SearchGround(msgspec.Struct, frozen=True):
    """What searches of a collection share: the languages of its pages, and from which score on pages are kept."""

    languages: tuple[str, ...] = ("en",)
    threshold: float = DEFAULT_THRESHOLD


class ResultPage(msgspec.Struct, frozen=True):
    """One page of hits. `total` is at most `lycosa.collection.search.search.COUNTED`; then there are more.

    `near_misses` are pages that match as well and are not in the collection; `instead` is what may have been meant.
    """

    hits: tuple[SearchHit, ...]
    total: int
    page: int
    query: TypedQuery = TypedQuery()
    near_misses: int = 0
    instead: str = ""

    @property
    def pages(self) -> int:
        """How many pages of results there are."""
        return -(-self.total // PER_PAGE)


def marked(snippet: str) -> Markup:
    """A snippet as HTML, the found words in `mark`: nothing of the page's own text is markup.

    >>> marked("<b> " + MARK + "owls" + END_MARK)
    Markup('&lt;b&gt; <mark>owls</mark>')
    """
    return escape(snippet).replace(MARK, Markup("<mark>")).replace(END_MARK, Markup("</mark>"))


def search_ground(collection: Collection) -> SearchGround:
    """What searches of this collection share; it takes a look at every page, so it is worth keeping."""
    spoken = [language for language, _ in collection.statistics.values("language", JUDGED, LANGUAGES)]
    version = saved_version(collection)
    return SearchGround(
        tuple(spoken) or ("en",), version.threshold if version else _spec_threshold(collection)
    )


def _spec_threshold(collection: Collection) -> float:
    said = collection.spec().get("judge", {}).get("threshold")
    return float(said) if isinstance(said, int | float) else DEFAULT_THRESHOLD


def search(collection: Collection, query: SearchQuery, ground: SearchGround) -> ResultPage:
    """Search: by words, best match first, or all pages that the conditions leave."""
    wanted = page_filter_of(query, collection.directory)
    found = collection.search.find(
        query.q,
        wanted,
        order=Order(query.order),
        limit=PER_PAGE,
        skip=(query.page - 1) * PER_PAGE,
        languages=ground.languages,
        threshold=ground.threshold,
    )
    missed = 0
    if found.query.wanted and wanted.relevance is Relevance.COLLECTED:
        others = msgspec.structs.replace(wanted, relevance=Relevance.NOT_RELEVANT)
        missed = collection.search.count(found.query, others)
    return ResultPage(
        found.hits, found.total, query.page if found.total else 1, found.query, missed, found.instead
    )

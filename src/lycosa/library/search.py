"""Searching a collection. In: a search as asked. Out: one page of hits, snippets as HTML."""

from __future__ import annotations

import msgspec
from markupsafe import Markup, escape

from lycosa.library.search_query import SearchQuery, page_filter_of
from lycosa.store.collection import Collection
from lycosa.store.phrases import END_MARK, MARK
from lycosa.store.search import Order, SearchHit

PER_PAGE = 20


class ResultPage(msgspec.Struct, frozen=True):
    """One page of hits. `total` is at most `lycosa.store.search.COUNTED`; then there are more."""

    hits: tuple[SearchHit, ...]
    total: int
    page: int

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


def search(collection: Collection, query: SearchQuery) -> ResultPage:
    """Search: by words, best match first, or all pages that the conditions leave."""
    found = collection.search.find(
        query.q,
        page_filter_of(query, collection.directory),
        order=Order(query.order),
        limit=PER_PAGE,
        skip=(query.page - 1) * PER_PAGE,
    )
    return ResultPage(found.hits, found.total, query.page if found.total else 1)

"""What searches of a collection share, and one page of hits."""

from __future__ import annotations

import msgspec
from markupsafe import Markup, escape

from lycosa.collection.catalogue.page_filter import JUDGED
from lycosa.collection.collection import Collection
from lycosa.collection.search.phrases import END_MARK, MARK, TypedQuery
from lycosa.collection.search.search import SearchHit
from lycosa.learn.history import saved_version

PER_PAGE = 20
LANGUAGES = 8
"""Number of languages, the most frequent ones, whose word forms are searched."""
DEFAULT_THRESHOLD = 0.5


class SearchGround(msgspec.Struct, frozen=True):
    """What searches of a collection share: the languages of its pages and the threshold of its judge."""

    languages: tuple[str, ...] = ("en",)
    threshold: float = DEFAULT_THRESHOLD


class ResultPage(msgspec.Struct, frozen=True):
    """One page of hits.

    `near_misses` counts matching pages that are not in the collection; `instead` is a suggested spelling.
    """

    hits: tuple[SearchHit, ...]
    total: int
    page: int
    query: TypedQuery = TypedQuery()
    near_misses: int = 0
    instead: str = ""

    @property
    def pages(self) -> int:
        """Number of pages of results."""
        return -(-self.total // PER_PAGE)


def marked(snippet: str) -> Markup:
    """Return a snippet as HTML with found words in `mark`; the page's own text is escaped.

    >>> marked("<b> " + MARK + "owls" + END_MARK)
    Markup('&lt;b&gt; <mark>owls</mark>')
    """
    return escape(snippet).replace(MARK, Markup("<mark>")).replace(END_MARK, Markup("</mark>"))


def search_ground(collection: Collection) -> SearchGround:
    """Return what searches of this collection share. It reads every page: cache it."""
    spoken = [language for language, _ in collection.statistics.values("language", JUDGED, LANGUAGES)]
    version = saved_version(collection)
    return SearchGround(
        tuple(spoken) or ("en",), version.threshold if version else _spec_threshold(collection)
    )


def _spec_threshold(collection: Collection) -> float:
    said = collection.spec().get("judge", {}).get("threshold")
    return float(said) if isinstance(said, int | float) else DEFAULT_THRESHOLD
